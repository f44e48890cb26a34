// Package machine brings a program that was compiled for one machine to the memory of another one: it does there what it
// does at home, byte by byte. So programs of machines with other sizes, alignments, byte orders and pointers meet in one
// module, and in one formula.
//
//	types in memory     their bytes stand where they stand at home: structures get their gaps written out (types.go)
//	byte order          belongs to each access: a load is followed by an exchange of bytes, a store follows one (access.go)
//	pointers            are as wide as the other machine's; those in memory whose place is too small are not modelled
//	initial values      are written in the order of bytes that the program reads them in
//
// What cannot be brought there becomes an instruction Unsupported in its place: an execution that comes there is not decided.
package machine

import (
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Needed reports whether a program of a machine has to be brought to another one.
func Needed(own, host *ir.Layout) bool { return own.Text != host.Text }

// To returns a program that does on a machine of layout host what m does on its own. m stays as it is.
func To(m *ir.Module, host *ir.Layout) (*ir.Module, error) {
	out, _ := ir.Copy(m)
	if out == nil {
		return nil, errors.New("the program cannot be copied")
	}
	c := &bringing{Builder: &irbuild.Builder{Module: out}, own: out.Layout, swaps: m.Layout.BigEndian != host.BigEndian,
		resizes: m.Layout.PtrBits != host.PtrBits, consts: map[*ir.Const]bool{}, dtypes: map[*ir.DType]bool{}}
	out.Layout = *host
	direct := c.directOnly()
	c.picks = picks(out)
	for _, g := range out.Globals {
		c.global(g, direct[g])
	}
	for _, f := range out.Funcs {
		c.signature(f)
	}
	for _, f := range slices.Clone(out.Funcs) {
		if !f.IsDecl() {
			c.code(f, direct)
		}
	}
	for _, a := range out.Aliases {
		c.constant(a.To)
	}
	out.Funcs = append(slices.DeleteFunc(out.Funcs, func(f *ir.Func) bool {
		_, other := models[f.Model]
		return c.resizes && f.IsDecl() && other && !f.Addr // with other types among the new ones
	}), c.Decls...)
	return out, ir.Check(out)
}

// bringing is the state of To.
type bringing struct {
	*irbuild.Builder
	own     ir.Layout // that the program was compiled for
	swaps   bool      // the byte orders differ
	resizes bool      // the widths of pointers do
	picks   bool      // the program takes structures apart that are one value
	consts  map[*ir.Const]bool
	dtypes  map[*ir.DType]bool
	plain   map[ir.Value]bool // variables of the function whose bytes nobody sees
	direct  map[*ir.Global]bool
	changed map[ir.Value]ir.Value  // results of the function's instructions, in the place of those that they had
	of      map[*ir.Instr]ir.Value // what an instruction makes such a result of
}

// signature brings the types of a function.
func (c *bringing) signature(f *ir.Func) {
	var plain map[ir.Value]bool
	if !f.IsDecl() {
		plain = plainIn(f)
	}
	f.Ret = c.value(f.Ret)
	for _, p := range f.Params {
		p.T = c.value(p.T)
	}
	f.DRet = c.valueType(f.DRet)
	for _, v := range f.Vars {
		if c.debugType(v.T); plain[v.Slot] || v.Param {
			v.T = c.valueType(v.T)
		}
	}
}

// code brings the instructions of a function.
func (c *bringing) code(f *ir.Func, direct map[*ir.Global]bool) {
	c.plain, c.direct = plainIn(f), direct
	c.changed, c.of = map[ir.Value]ir.Value{}, map[*ir.Instr]ir.Value{}
	what := ""
	for _, p := range f.Params {
		for _, t := range []**ir.Type{&p.ByVal, &p.SRet} {
			if *t == nil {
				continue
			}
			brought, why := c.memory(*t)
			if *t = brought; why != "" {
				what = why
			}
		}
	}
	first := f.Blocks[0]
	c.RewriteFunc(f, func(in *ir.Instr) {
		if what != "" && c.Block == first && in.Op != ir.OpAlloca {
			c.Unsupported(what)
			what = ""
		}
		c.instr(in)
	})
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if v := c.changed[a]; v != nil && c.of[in] != a {
					in.Args[i] = v
				}
			}
			if v := c.changed[in.Callee]; v != nil {
				in.Callee = v
			}
		}
	}
}

// becomes has v, which the instructions made compute from the result of in, take its place everywhere else.
func (c *bringing) becomes(in *ir.Instr, v ir.Value, made ...*ir.Instr) {
	c.changed[in] = v
	for _, m := range made {
		c.of[m] = in
	}
}

// instr brings one instruction.
func (c *bringing) instr(in *ir.Instr) {
	in.T = c.value(in.T)
	if in.Sig != nil {
		in.Sig = c.value(in.Sig)
	}
	for _, a := range append(slices.Clone(in.Args), in.Callee) {
		if k, ok := a.(*ir.Const); ok {
			c.constant(k)
		}
	}
	switch in.Op {
	case ir.OpAlloca:
		c.alloca(in)
	case ir.OpLoad, ir.OpStore, ir.OpCmpXchg, ir.OpAtomicRMW:
		c.access(in)
	case ir.OpVaArg:
		c.leave(in, "arguments of a variable number")
	case ir.OpPtrToInt:
		if c.resizes && slices.ContainsFunc(usesOf(in), func(u *ir.Instr) bool { return !isDifference(u) }) {
			c.leave(in, "an address as a number, where pointers of the other machine have another width")
			return
		}
		c.Keep(in)
	case ir.OpSub:
		c.difference(in)
	case ir.OpCall:
		c.call(in)
	default:
		c.Keep(in)
	}
}

// leave puts an instruction that is not modelled in the place of in.
func (c *bringing) leave(in *ir.Instr, what string) {
	in.Op, in.What, in.Args, in.Callee, in.Model = ir.OpUnsupported, what+" (between two machines)", nil, nil, ir.ModelNone
	in.Flags, in.Access, in.Sig = 0, nil, nil
	c.Keep(in)
}

// constant brings an operand.
func (c *bringing) constant(k *ir.Const) {
	if k == nil || c.consts[k] {
		return
	}
	c.consts[k] = true
	if k.T = c.value(k.T); k.T.IsPtr() && k.Kind == ir.ConstInt {
		k.Bits = resized(k.Bits, k.T.Width)
	}
	for _, e := range k.Elems {
		c.constant(e)
	}
}

// resized is a number with another width.
func resized(v bits.Vec, width int) bits.Vec {
	if v.Width() > width {
		return bits.Trunc(v, width)
	}
	return bits.Zext(v, width)
}

// isDifference reports the difference of two pointers.
func isDifference(in *ir.Instr) bool {
	if in.Op != ir.OpSub || !in.Flags.Has(ir.PtrDiff) {
		return false
	}
	for _, a := range in.Args {
		if x, ok := a.(*ir.Instr); !ok || x.Op != ir.OpPtrToInt {
			return false
		}
	}
	return true
}

// difference brings a subtraction: of pointers with another width it is made of these.
func (c *bringing) difference(in *ir.Instr) {
	if !c.resizes || !isDifference(in) {
		c.Keep(in)
		return
	}
	var ends [2]ir.Value
	for i, a := range in.Args {
		ends[i] = c.Emit(&ir.Instr{Op: ir.OpPtrToInt, T: c.Word(), Args: []ir.Value{a.(*ir.Instr).Args[0]}})
	}
	d := c.Emit(&ir.Instr{Op: ir.OpSub, T: c.Word(), Args: ends[:], Flags: in.Flags})
	c.becomes(in, c.Resize(d, in.T))
}

// usesOf lists the instructions of its function that a value is an operand of.
func usesOf(v *ir.Instr) (out []*ir.Instr) {
	for _, b := range v.Block.Func.Blocks {
		for _, in := range b.Instrs {
			if slices.Contains(in.Args, ir.Value(v)) || in.Callee == ir.Value(v) {
				out = append(out, in)
			}
		}
	}
	return out
}
