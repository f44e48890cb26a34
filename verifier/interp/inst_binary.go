package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// binary executes the integer instructions, lane by lane for vectors.
func (x *Machine) binary(in *ir.Instr) value {
	a, b := x.eval(in.Args[0]), x.eval(in.Args[1])
	if in.T.Kind != ir.KindVector {
		return x.binary1(in, a, b)
	}
	out := value{elems: make([]value, len(a.elems))}
	for i := range out.elems {
		out.elems[i] = x.binary1(in, a.elems[i], b.elems[i])
	}
	return out
}

func (x *Machine) binary1(in *ir.Instr, a, b value) value {
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return x.arith(in, a, b)
	case ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem:
		return x.poison(in, a, b, x.divide(in, a, b))
	case ir.OpShl, ir.OpLshr, ir.OpAshr:
		return x.poison(in, a, b, x.shift(in, a, b))
	}
	p, q := a.bits, b.bits
	if a.defined() && b.defined() {
		switch in.Op {
		case ir.OpAnd:
			return scalar(bits.And(p, q))
		case ir.OpOr:
			return scalar(bits.Or(p, q))
		}
		return scalar(bits.Xor(p, q))
	}
	u, v := a.mask(), b.mask()
	both := bits.And(u, v)
	switch in.Op {
	case ir.OpAnd: // a defined 0 decides
		return scalar(bits.And(p, q)).withMask(bits.Or(both, bits.Or(bits.And(u, q), bits.And(v, p))))
	case ir.OpOr: // a defined 1 decides
		return scalar(bits.Or(p, q)).withMask(bits.Or(both, bits.Or(bits.And(u, bits.Not(q)),
			bits.And(v, bits.Not(p)))))
	}
	return scalar(bits.Xor(p, q)).withMask(bits.Or(u, v))
}

// poison is v, but any value where a shift with nuw or an exact operation loses bits and
// nobody asks (LangRef: poison).
func (x *Machine) poison(in *ir.Instr, a, b, v value) value {
	if v.bits.Width() == 1 || x.out != nil {
		return v
	}
	bad := false
	if in.Op == ir.OpShl && in.Flags.Has(ir.NUW) && !x.o.Checks.Has(verdict.UnsignedOverflow) {
		bad = bits.LshrVec(bits.ShlVec(a.bits, b.bits), b.bits) != a.bits
	}
	if in.Flags.Has(ir.Exact) && !x.o.Checks.Has(verdict.PointerCompare) {
		switch in.Op {
		case ir.OpUdiv:
			bad = bits.Mul(bits.Udiv(a.bits, b.bits), b.bits) != a.bits
		case ir.OpSdiv:
			bad = bits.Mul(bits.Sdiv(a.bits, b.bits), b.bits) != a.bits
		case ir.OpLshr:
			bad = bits.ShlVec(bits.LshrVec(a.bits, b.bits), b.bits) != a.bits
		case ir.OpAshr:
			bad = bits.ShlVec(bits.AshrVec(a.bits, b.bits), b.bits) != a.bits
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

func (x *Machine) arith(in *ir.Instr, a, b value) value {
	var r bits.Vec
	var signed, unsigned overflowTest
	word := ""
	switch in.Op {
	case ir.OpAdd:
		r, signed, unsigned, word = bits.Add(a.bits, b.bits), bits.SaddOverflow, bits.UaddOverflow, "addition"
	case ir.OpSub:
		r, signed, unsigned, word = bits.Sub(a.bits, b.bits), bits.SsubOverflow, bits.UsubOverflow, "subtraction"
	default:
		r, signed, unsigned, word = bits.Mul(a.bits, b.bits), bits.SmulOverflow, bits.UmulOverflow, "multiplication"
	}
	if in.Flags.Has(ir.NSW) && signed(a.bits, b.bits) {
		x.violate(verdict.SignedOverflow, "signed %s overflows: %s and %s in %d bits", word, a.bits.Signed(),
			b.bits.Signed(), r.Width())
	}
	if in.Flags.Has(ir.NUW) && unsigned(a.bits, b.bits) {
		x.violate(verdict.UnsignedOverflow, "unsigned %s wraps: %s and %s in %d bits", word, a.bits.Unsigned(),
			b.bits.Unsigned(), r.Width())
	}
	if in.Flags.Has(ir.PtrDiff) && a.obj != b.obj && a.toObject() && b.toObject() &&
		!linked(a.obj, b.obj) {
		x.violateAs(verdict.ApartCompared, verdict.PointerCompare, "pointers to different objects subtracted: %s and %s",
			a.obj, b.obj)
	}
	v := scalar(r)
	if !a.defined() || !b.defined() {
		v = v.withMask(smear(bits.Or(a.mask(), b.mask())))
	}
	return v
}

func (x *Machine) divide(in *ir.Instr, a, b value) value {
	w := a.bits.Width()
	if !x.decide(b, "divisor") {
		return scalar(a.bits)
	}
	if b.bits.IsZero() {
		x.stop(verdict.DivByZero, "division of %s by zero", show(in, a.bits))
		return scalar(a.bits)
	}
	signed := in.Op == ir.OpSdiv || in.Op == ir.OpSrem
	if signed && bits.SdivOverflow(a.bits, b.bits) {
		x.violate(verdict.SignedOverflow, "division overflows: %s by -1 in %d bits", a.bits.Signed(), w)
	}
	var r bits.Vec
	switch in.Op {
	case ir.OpUdiv:
		r = bits.Udiv(a.bits, b.bits)
	case ir.OpSdiv:
		r = bits.Sdiv(a.bits, b.bits)
	case ir.OpUrem:
		r = bits.Urem(a.bits, b.bits)
	default:
		r = bits.Srem(a.bits, b.bits)
	}
	if in.Flags.Has(ir.Exact) && bits.Mul(r, b.bits) != a.bits {
		x.violate(verdict.PointerCompare, "distance %s of two pointers is no multiple of the element size %s",
			a.bits.Signed(), b.bits.Signed())
	}
	return scalar(r).withMask(all(w, a))
}

// show is an operand as its instruction understands it.
func show(in *ir.Instr, b bits.Vec) string {
	if in.Op == ir.OpSdiv || in.Op == ir.OpSrem || in.Op == ir.OpAshr || in.Flags.Has(ir.NSW) {
		return b.Signed().String()
	}
	return b.Unsigned().String()
}

func (x *Machine) shift(in *ir.Instr, a, b value) value {
	w := a.bits.Width()
	if !bits.Ult(resize(b.bits, max(w, 32)), bits.New(max(w, 32), uint64(w))) {
		if !x.asks(in, verdict.Shift) && w > 1 {
			x.pass(in, verdict.Shift)
			t := in.T
			if t.Kind == ir.KindVector {
				t = t.Elem
			}
			return x.inputs(input.Unspecified, t)
		}
		x.violate(verdict.Shift, "shift amount %s is not below the width %d", b.bits.Unsigned(), w)
	}
	var r bits.Vec
	shifted := func(f func(a, b bits.Vec) bits.Vec) value {
		r = f(a.bits, b.bits)
		if !b.defined() {
			return scalar(r).withMask(bits.Ones(w))
		}
		if a.defined() {
			return scalar(r)
		}
		return scalar(r).withMask(f(a.undef, b.bits))
	}
	switch in.Op {
	case ir.OpShl:
		v := shifted(bits.ShlVec)
		if in.Flags.Has(ir.NSW) && bits.AshrVec(r, b.bits) != a.bits {
			x.violate(verdict.SignedOverflow, "left shift of %s by %s does not fit %d bits", a.bits.Signed(),
				b.bits.Unsigned(), w)
		}
		if in.Flags.Has(ir.NUW) && bits.LshrVec(r, b.bits) != a.bits {
			x.violate(verdict.UnsignedOverflow, "left shift of %s by %s does not fit %d bits", a.bits.Unsigned(),
				b.bits.Unsigned(), w)
		}
		return v
	case ir.OpLshr:
		v := shifted(bits.LshrVec)
		if in.Flags.Has(ir.Exact) && bits.ShlVec(r, b.bits) != a.bits {
			x.violate(verdict.PointerCompare, "exact shift of %s by %s loses bits", a.bits.Unsigned(),
				b.bits.Unsigned())
		}
		return v
	}
	v := shifted(bits.AshrVec)
	if in.Flags.Has(ir.Exact) && bits.ShlVec(r, b.bits) != a.bits {
		x.violate(verdict.PointerCompare, "exact shift of %s by %s loses bits", a.bits.Signed(), b.bits.Unsigned())
	}
	return v
}
