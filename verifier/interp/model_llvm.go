package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// intrinsic executes LLVM intrinsics over integers (LangRef: Intrinsic Functions).
func (c *call) intrinsic(m ir.Model) bool {
	switch m {
	case ir.ModelAssumeI:
		if c.decide(c.args[0], "assumption") && c.args[0].Bits.IsZero() {
			c.stop(verdict.Builtin, "__builtin_assume of a false condition")
		}
	case ir.ModelTrapI:
		c.leaks(ir.EndAbort)
		c.EndRun(Exited, "", "trap")
	case ir.ModelExpect, ir.ModelIsConst, ir.ModelObjSizeI:
		c.advice(m)
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		c.lifetime(m)
	case ir.ModelStackSave, ir.ModelStackRestore:
		c.stack(m)
	case ir.ModelReduce:
		c.reduce()
	case ir.ModelVaStart, ir.ModelVaEnd, ir.ModelVaCopy:
		c.variadic(m)
	default:
		return c.lanes(m)
	}
	return true
}

// advice executes hints to the optimiser: nothing is known to it here.
func (c *call) advice(m ir.Model) {
	switch m {
	case ir.ModelExpect:
		c.result(c.args[0])
	case ir.ModelIsConst:
		c.number(0)
	default: // llvm.objectsize(p, min, ...): unknown is 0 or -1
		c.number(-1 + boolInt(c.args[1].Bits.IsOne()))
	}
}

// lifetime: llvm.lifetime.start makes the contents indeterminate, .end ends the object.
func (c *call) lifetime(m ir.Model) {
	o := c.args[1].Object
	if o == nil || o.Kind != StackObject {
		return
	}
	if m == ir.ModelLifetimeEnd {
		o.Dead, o.ended = afterScope, c.in.Pos
		return
	}
	o.Dead, o.Pages, o.Pointers = "", nil, nil
	c.on.Local(c.in, o)
}

// stack: llvm.stackrestore ends what was allocated since the matching stacksave.
func (c *call) stack(m ir.Model) {
	if m == ir.ModelStackSave {
		c.result(Scalar(bits.New(c.PtrBits, uint64(len(c.Frame.Objects)))))
		return
	}
	n := int(c.args[0].Bits.Low64())
	if c.args[0].Object != nil || n > len(c.Frame.Objects) {
		c.EndRun(Unsupported, "", "llvm.stackrestore of a value that is not from llvm.stacksave")
		return
	}
	for _, o := range c.Frame.Objects[n:] {
		o.Dead = afterScope
	}
	c.Frame.Objects = c.Frame.Objects[:n]
}

// lanes executes the arithmetic intrinsics, lane by lane for vectors.
func (c *call) lanes(m ir.Model) bool {
	f := intLane(m)
	if f == nil {
		return false
	}
	if len(c.args) == 0 || c.args[0].Elems == nil {
		c.result(f(c, c.args))
		return true
	}
	out := Value{}
	for i := range c.args[0].Elems {
		var lane []Value
		for _, a := range c.args {
			if a.Elems != nil {
				a = a.Elems[i]
			}
			lane = append(lane, a)
		}
		out.Elems = append(out.Elems, f(c, lane))
	}
	if c.in.T.Kind == ir.KindStruct { // a struct of vectors, not a vector of structs
		v := Value{Elems: []Value{{}, {}}}
		for _, p := range out.Elems {
			v.Elems[0].Elems = append(v.Elems[0].Elems, p.Elems[0])
			v.Elems[1].Elems = append(v.Elems[1].Elems, p.Elems[1])
		}
		out = v
	}
	c.result(out)
	return true
}

type laneFunc func(c *call, a []Value) Value

func intLane(m ir.Model) laneFunc {
	switch m {
	case ir.ModelSaddO:
		return overflowing(bits.Add, bits.SaddOverflow)
	case ir.ModelUaddO:
		return overflowing(bits.Add, bits.UaddOverflow)
	case ir.ModelSsubO:
		return overflowing(bits.Sub, bits.SsubOverflow)
	case ir.ModelUsubO:
		return overflowing(bits.Sub, bits.UsubOverflow)
	case ir.ModelSmulO:
		return overflowing(bits.Mul, bits.SmulOverflow)
	case ir.ModelUmulO:
		return overflowing(bits.Mul, bits.UmulOverflow)
	case ir.ModelSmax:
		return chosen(func(a, b bits.Vec) bool { return bits.Slt(b, a) })
	case ir.ModelSmin:
		return chosen(bits.Slt)
	case ir.ModelUmax:
		return chosen(func(a, b bits.Vec) bool { return bits.Ult(b, a) })
	case ir.ModelUmin:
		return chosen(bits.Ult)
	case ir.ModelBswap:
		return moved(bits.Bswap)
	case ir.ModelBitrev:
		return moved(bits.BitReverse)
	case ir.ModelCtpop:
		return counted(func(a bits.Vec) int { return a.OnesCount() })
	case ir.ModelCtlz:
		return counted(func(a bits.Vec) int { return a.LeadingZeros() })
	case ir.ModelCttz:
		return counted(func(a bits.Vec) int { return a.TrailingZeros() })
	case ir.ModelFshl, ir.ModelFshr:
		return func(c *call, a []Value) Value { return funnel(a, m == ir.ModelFshl) }
	case ir.ModelAbsI:
		return absLane
	}
	return saturating(m)
}

func overflowing(op func(a, b bits.Vec) bits.Vec, over overflowTest) laneFunc {
	return func(_ *call, a []Value) Value {
		p := pair(Scalar(op(a[0].Bits, a[1].Bits)), over(a[0].Bits, a[1].Bits))
		if !a[0].Defined() || !a[1].Defined() {
			p.Elems[0] = p.Elems[0].withMask(smear(bits.Or(a[0].Mask(), a[1].Mask())))
			p.Elems[1] = tainted(p.Elems[1])
		}
		return p
	}
}

func chosen(first func(a, b bits.Vec) bool) laneFunc {
	return func(_ *call, a []Value) Value {
		r := a[1].Bits
		if first(a[0].Bits, a[1].Bits) {
			r = a[0].Bits
		}
		return Scalar(r).withMask(all(r.Width(), a[0], a[1]))
	}
}

func moved(f func(bits.Vec) bits.Vec) laneFunc {
	return func(_ *call, a []Value) Value { return Scalar(f(a[0].Bits)).withMask(maskTo(a[0], f)) }
}

// counted: llvm.ctlz and cttz of 0 are poison when the second argument says so.
func counted(f func(bits.Vec) int) laneFunc {
	return func(c *call, a []Value) Value {
		w := a[0].Bits.Width()
		if len(a) > 1 && a[1].Bits.IsOne() && a[0].Bits.IsZero() {
			c.violate(verdict.Builtin, "%s of 0", c.name)
		}
		return Scalar(bits.New(w, uint64(f(a[0].Bits)))).withMask(all(w, a[0]))
	}
}

func funnel(a []Value, left bool) Value {
	w := a[0].Bits.Width()
	n := uint(bits.Urem(a[2].Bits, bits.New(w, uint64(w))).Low64())
	f := func(hi, lo bits.Vec) bits.Vec {
		both := bits.Concat(hi, lo)
		if left {
			return bits.Extract(bits.Shl(both, n), 2*w-1, w)
		}
		return bits.Trunc(bits.Lshr(both, n), w)
	}
	v := Scalar(f(a[0].Bits, a[1].Bits))
	if !a[2].Defined() {
		return tainted(v)
	}
	return v.withMask(f(a[0].Mask(), a[1].Mask()))
}

func absLane(c *call, a []Value) Value {
	w := a[0].Bits.Width()
	if len(a) > 1 && a[1].Bits.IsOne() && a[0].Bits == bits.MinSigned(w) {
		c.violate(verdict.SignedOverflow, "absolute value of %s overflows", a[0].Bits.Signed())
	}
	r := a[0].Bits
	if r.Sign() {
		r = bits.Neg(r)
	}
	return Scalar(r).withMask(all(w, a[0]))
}

// saturating gives llvm.{s,u}{add,sub,shl}.sat.
func saturating(m ir.Model) laneFunc {
	signedLimit := func(a, _ bits.Vec) bits.Vec {
		if a.Sign() {
			return bits.MinSigned(a.Width())
		}
		return bits.MaxSigned(a.Width())
	}
	ones := func(a, _ bits.Vec) bits.Vec { return bits.Ones(a.Width()) }
	zero := func(a, _ bits.Vec) bits.Vec { return bits.New(a.Width(), 0) }
	sat := func(op func(a, b bits.Vec) bits.Vec, over overflowTest, limit func(a, b bits.Vec) bits.Vec) laneFunc {
		return func(_ *call, a []Value) Value {
			r := op(a[0].Bits, a[1].Bits)
			if over(a[0].Bits, a[1].Bits) {
				r = limit(a[0].Bits, a[1].Bits)
			}
			return Scalar(r).withMask(all(r.Width(), a[0], a[1]))
		}
	}
	switch m {
	case ir.ModelSaddSat:
		return sat(bits.Add, bits.SaddOverflow, signedLimit)
	case ir.ModelUaddSat:
		return sat(bits.Add, bits.UaddOverflow, ones)
	case ir.ModelSsubSat:
		return sat(bits.Sub, bits.SsubOverflow, signedLimit)
	case ir.ModelUsubSat:
		return sat(bits.Sub, bits.UsubOverflow, zero)
	case ir.ModelSshlSat:
		return sat(bits.ShlVec, func(a, b bits.Vec) bool { return bits.AshrVec(bits.ShlVec(a, b), b) != a },
			signedLimit)
	case ir.ModelUshlSat:
		return sat(bits.ShlVec, func(a, b bits.Vec) bool { return bits.LshrVec(bits.ShlVec(a, b), b) != a }, ones)
	}
	return nil
}

// reduce executes llvm.vector.reduce.OP; fadd and fmul start from their first argument, in order.
func (c *call) reduce() {
	op := ir.ReduceOp(c.name)
	v := c.args[len(c.args)-1]
	if v.Elems == nil {
		c.EndRun(Unsupported, "", "call of "+c.name)
		return
	}
	elems := v.Elems
	if len(c.args) == 2 {
		elems = append([]Value{c.args[0]}, elems...)
	}
	acc := elems[0]
	for _, e := range elems[1:] {
		r, ok := c.combine(op, acc, e)
		if !ok {
			c.EndRun(Unsupported, "", "call of "+c.name)
			return
		}
		acc = r
	}
	c.result(acc)
}

var reduceOps = map[string]ir.Op{"add": ir.OpAdd, "mul": ir.OpMul, "and": ir.OpAnd, "or": ir.OpOr, "xor": ir.OpXor,
	"fadd": ir.OpFadd, "fmul": ir.OpFmul}

var reduceModels = map[string]ir.Model{"smax": ir.ModelSmax, "smin": ir.ModelSmin, "umax": ir.ModelUmax,
	"umin": ir.ModelUmin,
	"fmax": ir.ModelMaxnum, "fmin": ir.ModelMinnum}

// combine is one step of a reduction.
func (c *call) combine(op string, a, b Value) (Value, bool) {
	if o, ok := reduceOps[op]; ok {
		if o.Class() == ir.ClassFloat {
			return Scalar(ieee.Binary(o, a.Bits, b.Bits)).withMask(all(a.Bits.Width(), a, b)), true
		}
		return c.binary1(&ir.Instr{Op: o}, a, b), true
	}
	m, ok := reduceModels[op]
	if !ok {
		return Value{}, false
	}
	if f := c.floatLane(m); f != nil {
		return Scalar(f([]bits.Vec{a.Bits, b.Bits})).withMask(all(a.Bits.Width(), a, b)), true
	}
	return intLane(m)(c, []Value{a, b}), true
}
