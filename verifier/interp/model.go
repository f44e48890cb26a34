package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// model executes a call of a function that the engines implement themselves.
func (x *Machine) model(in *ir.Instr) {
	args := make([]Value, len(in.Args))
	for i, a := range in.Args {
		args[i] = x.Eval(a)
	}
	var f *ir.Func
	if k, ok := in.Callee.(*ir.Const); ok {
		f = k.Func
	}
	x.modelled(in, f, in.Model, args)
}

// modelled executes model m of function f (for its name).
func (x *Machine) modelled(in *ir.Instr, f *ir.Func, m ir.Model, args []Value) {
	name := string(m)
	if f != nil {
		name = f.Name
	}
	x.handOver(in, f, m, args)
	for i := range args { // undeclared functions get pointers as integers
		if args[i].Object != nil && in.Args[i].Type().IsInt() {
			args[i].Object = nil
		}
	}
	c := &call{Machine: x, in: in, name: name, fn: f, args: args}
	if want, ok := minArgs[m]; ok && len(args) < want {
		x.EndRun(Unsupported, "", "call of "+name+" with too few arguments")
		return
	}
	for _, group := range []func(ir.Model) bool{c.harness, c.stub, c.heap, c.memoryModel, c.stringModel, c.intrinsic,
		c.floatModel} {
		if group(m) {
			return
		}
	}
	x.EndRun(Unsupported, "", "call of "+name)
}

// call is a modelled call being executed.
type call struct {
	*Machine
	in   *ir.Instr
	name string
	fn   *ir.Func // nil where only the model is known
	args []Value
}

// result is the value of the call.
func (c *call) result(v Value) {
	switch {
	case c.in.T.IsVoid():
	case c.in.T.IsInt() && v.Elems == nil:
		c.set(c.in, c.exposed(v, c.in.T.Width))
	default:
		c.set(c.in, v)
	}
}

// isFalse reports that argument i is 0 or null.
func (c *call) isFalse(i int) bool {
	return c.equal(c.args[i], Scalar(bits.New(c.args[i].Bits.Width(), 0)))
}

// number is an integer result of the call's type.
func (c *call) number(n int64) {
	if c.in.T.IsInt() {
		c.result(Scalar(bits.NewInt(c.in.T.Width, n)))
	}
}

// count is argument i as a number of bytes; false if it decides and is indeterminate.
func (c *call) count(i int) (uint64, bool) {
	if !c.decide(c.args[i], "argument "+string(rune('1'+i))+" of "+c.name) {
		return 0, false
	}
	return c.args[i].Bits.Low64(), true
}

var minArgs = map[ir.Model]int{
	ir.ModelAssume: 1, ir.ModelKept: 1, ir.ModelAssert: 1, ir.ModelAssertFail: 1, ir.ModelHavoc: 2,
	ir.ModelHavocObj: 1, ir.ModelROK: 2, ir.ModelWOK: 2, ir.ModelRWOK: 2,
	ir.ModelObjectSize: 1, ir.ModelPtrOffset: 1, ir.ModelPtrObject: 1, ir.ModelSameObject: 2, ir.ModelDynObject: 1,
	ir.ModelMakeSymbolic: 2,
	ir.ModelMalloc:       1, ir.ModelCalloc: 2, ir.ModelRealloc: 2, ir.ModelAligned: 2, ir.ModelMemalign: 3,
	ir.ModelAllocaC: 1, ir.ModelFree: 1,
	ir.ModelMemcpy: 3, ir.ModelMemmove: 3, ir.ModelMemset: 3, ir.ModelMemcmp: 3, ir.ModelMemchr: 3, ir.ModelStrlen: 1,
	ir.ModelStrnlen: 2,
	ir.ModelStrcpy:  2, ir.ModelStrncpy: 3, ir.ModelStrcat: 2, ir.ModelStrncat: 3, ir.ModelStrcmp: 2,
	ir.ModelStrncmp: 3, ir.ModelStrchr: 2,
	ir.ModelStrrchr: 2, ir.ModelStrstr: 2, ir.ModelStrdup: 1, ir.ModelAbs: 1, ir.ModelCtype: 1, ir.ModelRange: 2,
	ir.ModelSince: 2, ir.ModelForAll: 1, ir.ModelHavocRest: 1,
}

// harness executes the intrinsics of harnesses, and what ends the program.
func (c *call) harness(m ir.Model) bool {
	switch m {
	case ir.ModelNondet:
		v := c.inputs(input.Nondet, c.in.T)
		c.result(v)
		c.on.Input(c.in, c.name, v)
	case ir.ModelNondetNonNeg:
		v := c.inputs(input.Nondet, c.in.T)
		if v.Bits.Sign() {
			c.EndRun(AssumeFailed, "", "negative result of "+c.name)
		}
		c.result(v)
		c.on.Input(c.in, c.name, v)
	case ir.ModelRange:
		c.rangeInput()
	case ir.ModelAssume:
		if c.decide(c.args[0], "assumption") && c.isFalse(0) {
			c.EndRun(AssumeFailed, "", "assumption is false")
		}
		c.number(0)
	case ir.ModelKept:
		if c.Options.KeepsRanges && c.isFalse(0) {
			c.EndRun(AssumeFailed, "", "a volatile variable is out of the range that the program keeps it in")
		}
	case ir.ModelAssert:
		if c.decide(c.args[0], "asserted condition") && c.isFalse(0) {
			c.failed("assertion failed%s", c.text(1))
		}
		c.number(0)
	case ir.ModelFail:
		c.failed("%s reached", c.name)
	case ir.ModelAssertFail:
		c.failed("assertion failed%s", c.text(ir.AssertedText(c.name)))
	case ir.ModelNop:
		if !c.in.T.IsVoid() {
			c.result(c.inputs(input.Undef, c.in.T))
		}
	case ir.ModelExit:
		c.leaks(ir.EndOf(c.name))
		c.EndRun(Exited, "", c.name)
	case ir.ModelHavoc, ir.ModelHavocObj, ir.ModelMakeSymbolic:
		c.havoc(m)
	case ir.ModelPrintf:
		c.printf()
	default:
		return c.object(m)
	}
	return true
}

// rangeInput is klee_range(begin, end, name): begin <= result < end, signed.
func (c *call) rangeInput() {
	v := c.inputs(input.Nondet, c.in.T)
	if bits.Slt(v.Bits, c.args[0].Bits) || !bits.Slt(v.Bits, c.args[1].Bits) {
		c.EndRun(AssumeFailed, "", "value outside the range of "+c.name)
	}
	c.result(v)
	c.on.Input(c.in, c.name, v)
}

// text is ": " and the C string in argument i, "" if there is none.
func (c *call) text(i int) string {
	if i >= len(c.args) || c.args[i].Object == nil || !c.in.Args[i].Type().IsPtr() {
		return ""
	}
	var text []byte
	o := c.args[i].Object
	for off := int64(c.args[i].Bits.Low64()); off >= 0 && off < o.Size && len(text) <= policy.TextShown; off++ {
		b, undef := o.ByteAt(off)
		if b == 0 || undef != 0 {
			break
		}
		text = append(text, b)
	}
	if len(text) == 0 {
		return ""
	}
	return ": " + plainMarks.Replace(verdict.Text(text, policy.TextShown))
}

// object executes the predicates over objects (CBMC's).
func (c *call) object(m ir.Model) bool {
	switch m {
	case ir.ModelROK, ir.ModelWOK, ir.ModelRWOK:
		n, ok := c.count(1)
		if ok {
			c.number(boolInt(c.accessible(c.args[0], n, m != ir.ModelROK)))
		}
		return true
	case ir.ModelSameObject:
		p, q := c.located(0), c.located(1)
		c.number(boolInt(p.Object == q.Object))
		return true
	case ir.ModelObjectSize:
		if p := c.located(0); p.Object != nil {
			c.number(p.Object.Size)
			return true
		}
		c.number(0)
		return true
	case ir.ModelPtrOffset:
		p := c.located(0)
		n, _ := p.Bits.Int64()
		c.number(n)
		return true
	case ir.ModelNow:
		c.number(int64(len(c.Objects)))
		return true
	case ir.ModelSince:
		if since, ok := c.count(1); ok {
			p := c.located(0)
			c.number(boolInt(p.Object != nil && (p.Object.Kind == HeapObject || p.Object.Kind == StackObject) &&
				int64(since) <= int64(p.Object.Number)))
		}
		return true
	case ir.ModelAsFacts, ir.ModelIndex:
		c.number(0)
		return true
	case ir.ModelForAll:
		c.result(c.args[0])
		return true
	case ir.ModelDynObject:
		p := c.located(0)
		c.number(boolInt(p.Object != nil && p.Object.Kind == HeapObject))
		return true
	}
	return false
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// located is pointer argument i with its object, if it points to one.
func (c *call) located(i int) Value {
	if p := c.args[i]; p.Object != nil {
		return p
	}
	return c.toPtr(c.args[i])
}

// accessible reports whether n bytes at p could be accessed.
func (x *Machine) accessible(p Value, n uint64, write bool) bool {
	if p.Object == nil {
		p = x.toPtr(p)
	}
	o, off := p.Object, p.Bits.Low64()
	return o != nil && o.Func == nil && o.Block == nil && o.Dead == "" && off <= uint64(o.Size) &&
		uint64(o.Size)-off >= n && !(write && o.readOnly) && !(!write && o.Region != nil && o.Region.NoRead)
}

// havoc writes bytes of the source's choice: to (p, n), or to the rest of p's object.
func (c *call) havoc(m ir.Model) {
	p := c.located(0)
	n := uint64(0)
	if m == ir.ModelHavocObj {
		if p.Object == nil && p.Bits.IsZero() { // CBMC: there is no object to change
			c.number(0)
			return
		}
		if p.Object != nil && p.Object.Dead == "" {
			p.Bits, n = c.zero, uint64(p.Object.Size)
		} else {
			n = 1
		}
	} else {
		var ok bool
		if n, ok = c.count(1); !ok {
			return
		}
	}
	c.fillHavoc(p, n)
	c.number(0)
}

// fillHavoc writes n bytes at p from the source.
func (c *call) fillHavoc(p Value, n uint64) bool {
	if n == 0 {
		return true
	}
	o, off, ok := c.reach(p, access{size: n, align: 1, write: true})
	if !ok {
		return false
	}
	if c.sealed("bytes are chosen"); c.Outcome != nil {
		return false
	}
	bytes, ok := c.src.Havoc(c.in, int64(n))
	if !ok {
		c.EndRun(InputMismatch, "", "no contents for "+c.name)
		return false
	}
	c.settle(o, off, int64(n), true)
	o.setBytes(off, int64(n), bytes)
	c.on.Fill(c.in, o, off, int64(n))
	return true
}
