package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// binary executes the integer instructions, lane by lane for vectors.
func (x *Machine) binary(in *ir.Instr) Value {
	a, b := x.Eval(in.Args[0]), x.Eval(in.Args[1])
	if in.T.Kind != ir.KindVector {
		return x.binary1(in, a, b)
	}
	out := Value{Elems: make([]Value, len(a.Elems))}
	for i := range out.Elems {
		out.Elems[i] = x.binary1(in, a.Elems[i], b.Elems[i])
	}
	return out
}

func (x *Machine) binary1(in *ir.Instr, a, b Value) Value {
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return x.arith(in, a, b)
	case ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem:
		return x.poison(in, a, b, x.divide(in, a, b))
	case ir.OpShl, ir.OpLshr, ir.OpAshr:
		return x.poison(in, a, b, x.shift(in, a, b))
	}
	p, q := a.Bits, b.Bits
	if a.Defined() && b.Defined() {
		switch in.Op {
		case ir.OpAnd:
			return Scalar(bits.And(p, q))
		case ir.OpOr:
			return Scalar(bits.Or(p, q))
		}
		return Scalar(bits.Xor(p, q))
	}
	u, v := a.Mask(), b.Mask()
	both := bits.And(u, v)
	switch in.Op {
	case ir.OpAnd: // a defined 0 decides
		return Scalar(bits.And(p, q)).withMask(bits.Or(both, bits.Or(bits.And(u, q), bits.And(v, p))))
	case ir.OpOr: // a defined 1 decides
		return Scalar(bits.Or(p, q)).withMask(bits.Or(both, bits.Or(bits.And(u, bits.Not(q)),
			bits.And(v, bits.Not(p)))))
	}
	return Scalar(bits.Xor(p, q)).withMask(bits.Or(u, v))
}

// poison is v, but any value where a shift with nuw or an exact operation loses bits and
// nobody asks (LangRef: poison).
func (x *Machine) poison(in *ir.Instr, a, b, v Value) Value {
	if v.Bits.Width() == 1 || x.Outcome != nil {
		return v
	}
	bad := false
	if in.Op == ir.OpShl && in.Flags.Has(ir.NUW) && !x.Options.Checks.Has(verdict.UnsignedOverflow) {
		bad = bits.LshrVec(bits.ShlVec(a.Bits, b.Bits), b.Bits) != a.Bits
	}
	if in.Flags.Has(ir.Exact) && !x.Options.Checks.Has(verdict.PointerCompare) {
		switch in.Op {
		case ir.OpUdiv:
			bad = bits.Mul(bits.Udiv(a.Bits, b.Bits), b.Bits) != a.Bits
		case ir.OpSdiv:
			bad = bits.Mul(bits.Sdiv(a.Bits, b.Bits), b.Bits) != a.Bits
		case ir.OpLshr:
			bad = bits.ShlVec(bits.LshrVec(a.Bits, b.Bits), b.Bits) != a.Bits
		case ir.OpAshr:
			bad = bits.ShlVec(bits.AshrVec(a.Bits, b.Bits), b.Bits) != a.Bits
		}
	}
	if !bad {
		return v
	}
	t := in.T
	if t.Kind == ir.KindVector {
		t = t.Elem
	}
	return x.inputs(input.Undef, t)
}

type overflowTest func(a, b bits.Vec) bool

func (x *Machine) arith(in *ir.Instr, a, b Value) Value {
	var r bits.Vec
	var signed, unsigned overflowTest
	word := ""
	switch in.Op {
	case ir.OpAdd:
		r, signed, unsigned, word = bits.Add(a.Bits, b.Bits), bits.SaddOverflow, bits.UaddOverflow, "addition"
	case ir.OpSub:
		r, signed, unsigned, word = bits.Sub(a.Bits, b.Bits), bits.SsubOverflow, bits.UsubOverflow, "subtraction"
	default:
		r, signed, unsigned, word = bits.Mul(a.Bits, b.Bits), bits.SmulOverflow, bits.UmulOverflow, "multiplication"
	}
	if in.Flags.Has(ir.NSW) && signed(a.Bits, b.Bits) {
		x.violate(verdict.SignedOverflow, "signed %s overflows: %s and %s in %d bits", word, a.Bits.Signed(),
			b.Bits.Signed(), r.Width())
	}
	if in.Flags.Has(ir.NUW) && unsigned(a.Bits, b.Bits) {
		x.violate(verdict.UnsignedOverflow, "unsigned %s wraps: %s and %s in %d bits", word, a.Bits.Unsigned(),
			b.Bits.Unsigned(), r.Width())
	}
	if in.Flags.Has(ir.PtrDiff) && a.Object != b.Object && a.toObject() && b.toObject() &&
		!linked(a.Object, b.Object) {
		x.violateAs(verdict.ApartCompared, verdict.PointerCompare, "pointers to different objects subtracted: %s and %s",
			a.Object, b.Object)
	}
	v := Scalar(r)
	if !a.Defined() || !b.Defined() {
		v = v.withMask(smear(bits.Or(a.Mask(), b.Mask())))
	}
	return v
}

func (x *Machine) divide(in *ir.Instr, a, b Value) Value {
	w := a.Bits.Width()
	if !x.decide(b, "divisor") {
		return Scalar(a.Bits)
	}
	if b.Bits.IsZero() {
		x.stop(verdict.DivByZero, "division of %s by zero", show(in, a.Bits))
		return Scalar(a.Bits)
	}
	signed := in.Op == ir.OpSdiv || in.Op == ir.OpSrem
	if signed && bits.SdivOverflow(a.Bits, b.Bits) {
		x.violate(verdict.SignedOverflow, "division overflows: %s by -1 in %d bits", a.Bits.Signed(), w)
	}
	var r bits.Vec
	switch in.Op {
	case ir.OpUdiv:
		r = bits.Udiv(a.Bits, b.Bits)
	case ir.OpSdiv:
		r = bits.Sdiv(a.Bits, b.Bits)
	case ir.OpUrem:
		r = bits.Urem(a.Bits, b.Bits)
	default:
		r = bits.Srem(a.Bits, b.Bits)
	}
	if in.Flags.Has(ir.Exact) && bits.Mul(r, b.Bits) != a.Bits {
		x.violate(verdict.PointerCompare, "distance %s of two pointers is no multiple of the element size %s",
			a.Bits.Signed(), b.Bits.Signed())
	}
	return Scalar(r).withMask(all(w, a))
}

// show is an operand as its instruction understands it.
func show(in *ir.Instr, b bits.Vec) string {
	if in.Op == ir.OpSdiv || in.Op == ir.OpSrem || in.Op == ir.OpAshr || in.Flags.Has(ir.NSW) {
		return b.Signed().String()
	}
	return b.Unsigned().String()
}

func (x *Machine) shift(in *ir.Instr, a, b Value) Value {
	w := a.Bits.Width()
	if !bits.Ult(Resize(b.Bits, max(w, 32)), bits.New(max(w, 32), uint64(w))) {
		if !x.asks(in, verdict.Shift) && w > 1 {
			x.pass(in, verdict.Shift)
			t := in.T
			if t.Kind == ir.KindVector {
				t = t.Elem
			}
			return x.inputs(input.Unspecified, t)
		}
		x.violate(verdict.Shift, "shift amount %s is not below the width %d", b.Bits.Unsigned(), w)
	}
	var r bits.Vec
	shifted := func(f func(a, b bits.Vec) bits.Vec) Value {
		r = f(a.Bits, b.Bits)
		if !b.Defined() {
			return Scalar(r).withMask(bits.Ones(w))
		}
		if a.Defined() {
			return Scalar(r)
		}
		return Scalar(r).withMask(f(a.Undef, b.Bits))
	}
	switch in.Op {
	case ir.OpShl:
		v := shifted(bits.ShlVec)
		if in.Flags.Has(ir.NSW) && bits.AshrVec(r, b.Bits) != a.Bits {
			x.violate(verdict.SignedOverflow, "left shift of %s by %s does not fit %d bits", a.Bits.Signed(),
				b.Bits.Unsigned(), w)
		}
		if in.Flags.Has(ir.NUW) && bits.LshrVec(r, b.Bits) != a.Bits {
			x.violate(verdict.UnsignedOverflow, "left shift of %s by %s does not fit %d bits", a.Bits.Unsigned(),
				b.Bits.Unsigned(), w)
		}
		return v
	case ir.OpLshr:
		v := shifted(bits.LshrVec)
		if in.Flags.Has(ir.Exact) && bits.ShlVec(r, b.Bits) != a.Bits {
			x.violate(verdict.PointerCompare, "exact shift of %s by %s loses bits", a.Bits.Unsigned(),
				b.Bits.Unsigned())
		}
		return v
	}
	v := shifted(bits.AshrVec)
	if in.Flags.Has(ir.Exact) && bits.ShlVec(r, b.Bits) != a.Bits {
		x.violate(verdict.PointerCompare, "exact shift of %s by %s loses bits", a.Bits.Signed(), b.Bits.Unsigned())
	}
	return v
}
