package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// conversion executes casts, lane by lane for vectors of equal length.
func (x *Machine) conversion(in *ir.Instr) value {
	a := x.eval(in.Args[0])
	from, to := in.Args[0].Type(), in.T
	if in.Op == ir.OpBitcast {
		return x.bitcast(a, from, to)
	}
	if to.Kind != ir.KindVector {
		return x.convert1(in, a, from, to)
	}
	out := value{elems: make([]value, len(a.elems))}
	for i := range out.elems {
		out.elems[i] = x.convert1(in, a.elems[i], from.Elem, to.Elem)
	}
	return out
}

func (x *Machine) convert1(in *ir.Instr, a value, from, to *ir.Type) value {
	w := to.Width
	switch in.Op {
	case ir.OpTrunc, ir.OpZext:
		return scalar(resize(a.bits, w)).withMask(maskTo(a, func(u bits.Vec) bits.Vec { return resize(u, w) }))
	case ir.OpSext:
		return scalar(bits.Sext(a.bits, w)).withMask(maskTo(a, func(u bits.Vec) bits.Vec { return bits.Sext(u, w) }))
	case ir.OpPtrToInt:
		if w < x.pw {
			x.narrow(a, w)
		}
		return x.toInt(a, w)
	case ir.OpIntToPtr:
		p := x.toPtr(a)
		if p.obj != nil && p.obj.kind == regionObject { // an object may begin behind the address, in the same region
			p.obj, p.bits = nil, bits.Add(p.bits, bits.New(x.pw, p.obj.base))
		}
		return p
	}
	return x.convertFloat(in, a, from, to)
}

// maskTo maps the indeterminate bits of a.
func maskTo(a value, f func(bits.Vec) bits.Vec) bits.Vec {
	if a.defined() {
		return bits.Vec{}
	}
	return f(a.undef)
}

// bitcast keeps the bits; pointers and scalars pass (LangRef: bitcast).
func (x *Machine) bitcast(a value, from, to *ir.Type) value {
	if from.Kind == ir.KindVector {
		packed := x.pack(from, a)
		if to.Kind == ir.KindVector {
			return x.unpack(to, packed)
		}
		return packed
	}
	if to.Kind == ir.KindVector {
		return x.unpack(to, x.toInt(a, int(to.Len)*to.Elem.Width))
	}
	return a
}

// narrow is the check that the address a fits w bits, signed or not (C17 6.3.2.3p6).
func (x *Machine) narrow(a value, w int) {
	at := x.toInt(a, x.pw).bits
	low := bits.Trunc(at, w)
	if bits.Zext(low, x.pw) != at && bits.Sext(low, x.pw) != at {
		x.violate(verdict.Conversion, "address 0x%s does not fit %d bits", at.Hex(), w)
	}
}
