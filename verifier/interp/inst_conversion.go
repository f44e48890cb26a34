package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// conversion executes casts, lane by lane for vectors of equal length.
func (x *Machine) conversion(in *ir.Instr) Value {
	a := x.Eval(in.Args[0])
	from, to := in.Args[0].Type(), in.T
	if in.Op == ir.OpBitcast {
		return x.bitcast(a, from, to)
	}
	if to.Kind != ir.KindVector {
		return x.convert1(in, a, from, to)
	}
	out := Value{Elems: make([]Value, len(a.Elems))}
	for i := range out.Elems {
		out.Elems[i] = x.convert1(in, a.Elems[i], from.Elem, to.Elem)
	}
	return out
}

func (x *Machine) convert1(in *ir.Instr, a Value, from, to *ir.Type) Value {
	w := to.Width
	switch in.Op {
	case ir.OpTrunc, ir.OpZext:
		return Scalar(Resize(a.Bits, w)).withMask(maskTo(a, func(u bits.Vec) bits.Vec { return Resize(u, w) }))
	case ir.OpSext:
		return Scalar(bits.Sext(a.Bits, w)).withMask(maskTo(a, func(u bits.Vec) bits.Vec { return bits.Sext(u, w) }))
	case ir.OpPtrToInt:
		if w < x.PtrBits {
			x.narrow(a, w)
		}
		return x.exposed(a, w)
	case ir.OpIntToPtr:
		p := x.toPtr(a)
		if p.Object != nil && p.Object.Kind == regionObject { // an object may begin behind the address, in the same region
			p.Object, p.Bits = nil, bits.Add(p.Bits, bits.New(x.PtrBits, p.Object.Base))
		}
		return p
	}
	return x.convertFloat(in, a, from, to)
}

// maskTo maps the indeterminate bits of a.
func maskTo(a Value, f func(bits.Vec) bits.Vec) bits.Vec {
	if a.Defined() {
		return bits.Vec{}
	}
	return f(a.Undef)
}

// bitcast keeps the bits; pointers and scalars pass (LangRef: bitcast).
func (x *Machine) bitcast(a Value, from, to *ir.Type) Value {
	if from.Kind == ir.KindVector {
		packed := x.pack(from, a)
		if to.Kind == ir.KindVector {
			return x.unpack(to, packed)
		}
		return packed
	}
	if to.Kind == ir.KindVector {
		return x.unpack(to, x.exposed(a, int(to.Len)*to.Elem.Width))
	}
	return a
}

// narrow is the check that the address a fits w bits, signed or not (C17 6.3.2.3p6).
func (x *Machine) narrow(a Value, w int) {
	at := x.ToInt(a, x.PtrBits).Bits
	low := bits.Trunc(at, w)
	if bits.Zext(low, x.PtrBits) != at && bits.Sext(low, x.PtrBits) != at {
		x.violate(verdict.Conversion, "address 0x%s does not fit %d bits", at.Hex(), w)
	}
}
