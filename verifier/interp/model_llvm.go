package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// intrinsic executes LLVM intrinsics over integers (LangRef: Intrinsic Functions).
func (c *call) intrinsic(m ir.Model) bool {
	switch m {
	case ir.ModelAssumeI:
		if c.decide(c.args[0], "assumption") && c.args[0].bits.IsZero() {
			c.stop(verdict.Builtin, "__builtin_assume of a false condition")
		}
	case ir.ModelTrapI:
		c.leaks(ir.EndAbort)
		c.end(Exited, "", "trap")
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
		c.number(-1 + boolInt(c.args[1].bits.IsOne()))
	}
}

// lifetime: llvm.lifetime.start makes the contents indeterminate, .end ends the object.
func (c *call) lifetime(m ir.Model) {
	o := c.args[1].obj
	if o == nil || o.kind != stackObject {
		return
	}
	if m == ir.ModelLifetimeEnd {
		o.dead, o.ended = afterScope, c.in.Pos
		return
	}
	o.dead, o.pages, o.ptrs = "", nil, nil
	c.on.Local(c.in, o)
}

// stack: llvm.stackrestore ends what was allocated since the matching stacksave.
func (c *call) stack(m ir.Model) {
	if m == ir.ModelStackSave {
		c.result(scalar(bits.New(c.pw, uint64(len(c.fr.objs)))))
		return
	}
	n := int(c.args[0].bits.Low64())
	if c.args[0].obj != nil || n > len(c.fr.objs) {
		c.end(Unsupported, "", "llvm.stackrestore of a value that is not from llvm.stacksave")
		return
	}
	for _, o := range c.fr.objs[n:] {
		o.dead = afterScope
	}
	c.fr.objs = c.fr.objs[:n]
}

// lanes executes the arithmetic intrinsics, lane by lane for vectors.
func (c *call) lanes(m ir.Model) bool {
	f := intLane(m)
	if f == nil {
		return false
	}
	if len(c.args) == 0 || c.args[0].elems == nil {
		c.result(f(c, c.args))
		return true
	}
	out := value{}
	for i := range c.args[0].elems {
		var lane []value
		for _, a := range c.args {
			if a.elems != nil {
				a = a.elems[i]
			}
			lane = append(lane, a)
		}
		out.elems = append(out.elems, f(c, lane))
	}
	if c.in.T.Kind == ir.KindStruct { // a struct of vectors, not a vector of structs
		v := value{elems: []value{{}, {}}}
		for _, p := range out.elems {
			v.elems[0].elems = append(v.elems[0].elems, p.elems[0])
			v.elems[1].elems = append(v.elems[1].elems, p.elems[1])
		}
		out = v
	}
	c.result(out)
	return true
}

type laneFunc func(c *call, a []value) value

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
		return func(c *call, a []value) value { return funnel(a, m == ir.ModelFshl) }
	case ir.ModelAbsI:
		return absLane
	}
	return saturating(m)
}

func overflowing(op func(a, b bits.Vec) bits.Vec, over overflowTest) laneFunc {
	return func(_ *call, a []value) value {
		p := pair(scalar(op(a[0].bits, a[1].bits)), over(a[0].bits, a[1].bits))
		if !a[0].defined() || !a[1].defined() {
			p.elems[0] = p.elems[0].withMask(smear(bits.Or(a[0].mask(), a[1].mask())))
			p.elems[1] = tainted(p.elems[1])
		}
		return p
	}
}

func chosen(first func(a, b bits.Vec) bool) laneFunc {
	return func(_ *call, a []value) value {
		r := a[1].bits
		if first(a[0].bits, a[1].bits) {
			r = a[0].bits
		}
		return scalar(r).withMask(all(r.Width(), a[0], a[1]))
	}
}

func moved(f func(bits.Vec) bits.Vec) laneFunc {
	return func(_ *call, a []value) value { return scalar(f(a[0].bits)).withMask(maskTo(a[0], f)) }
}

// counted: llvm.ctlz and cttz of 0 are poison when the second argument says so.
func counted(f func(bits.Vec) int) laneFunc {
	return func(c *call, a []value) value {
		w := a[0].bits.Width()
		if len(a) > 1 && a[1].bits.IsOne() && a[0].bits.IsZero() {
			c.violate(verdict.Builtin, "%s of 0", c.name)
		}
		return scalar(bits.New(w, uint64(f(a[0].bits)))).withMask(all(w, a[0]))
	}
}

func funnel(a []value, left bool) value {
	w := a[0].bits.Width()
	n := uint(bits.Urem(a[2].bits, bits.New(w, uint64(w))).Low64())
	f := func(hi, lo bits.Vec) bits.Vec {
		both := bits.Concat(hi, lo)
		if left {
			return bits.Extract(bits.Shl(both, n), 2*w-1, w)
		}
		return bits.Trunc(bits.Lshr(both, n), w)
	}
	v := scalar(f(a[0].bits, a[1].bits))
	if !a[2].defined() {
		return tainted(v)
	}
	return v.withMask(f(a[0].mask(), a[1].mask()))
}

func absLane(c *call, a []value) value {
	w := a[0].bits.Width()
	if len(a) > 1 && a[1].bits.IsOne() && a[0].bits == bits.MinSigned(w) {
		c.violate(verdict.SignedOverflow, "absolute value of %s overflows", a[0].bits.Signed())
	}
	r := a[0].bits
	if r.Sign() {
		r = bits.Neg(r)
	}
	return scalar(r).withMask(all(w, a[0]))
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
		return func(_ *call, a []value) value {
			r := op(a[0].bits, a[1].bits)
			if over(a[0].bits, a[1].bits) {
				r = limit(a[0].bits, a[1].bits)
			}
			return scalar(r).withMask(all(r.Width(), a[0], a[1]))
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
	if v.elems == nil {
		c.end(Unsupported, "", "call of "+c.name)
		return
	}
	elems := v.elems
	if len(c.args) == 2 {
		elems = append([]value{c.args[0]}, elems...)
	}
	acc := elems[0]
	for _, e := range elems[1:] {
		r, ok := c.combine(op, acc, e)
		if !ok {
			c.end(Unsupported, "", "call of "+c.name)
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
func (c *call) combine(op string, a, b value) (value, bool) {
	if o, ok := reduceOps[op]; ok {
		if o.Class() == ir.ClassFloat {
			return scalar(floatBinary(o, a.bits, b.bits)).withMask(all(a.bits.Width(), a, b)), true
		}
		return c.binary1(&ir.Instr{Op: o}, a, b), true
	}
	m, ok := reduceModels[op]
	if !ok {
		return value{}, false
	}
	if f := c.floatLane(m); f != nil {
		return scalar(f([]bits.Vec{a.bits, b.bits})).withMask(all(a.bits.Width(), a, b)), true
	}
	return intLane(m)(c, []value{a, b}), true
}
