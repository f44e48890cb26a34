package interp

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// float executes floating-point arithmetic, lane by lane for vectors.
func (x *Machine) float(in *ir.Instr) Value {
	a := x.Eval(in.Args[0])
	b := a
	if in.Op != ir.OpFneg {
		b = x.Eval(in.Args[1])
	}
	one := func(a, b Value) Value {
		w := a.Bits.Width()
		if w == ieee.X87Width {
			return x.x87Float(in.Op, a, b)
		}
		if in.Op == ir.OpFneg {
			return Scalar(ieee.Canonical(bits.Xor(a.Bits, bits.MinSigned(w)))).withMask(all(w, a))
		}
		return Scalar(ieee.Binary(in.Op, a.Bits, b.Bits)).withMask(all(w, a, b))
	}
	if in.T.Kind != ir.KindVector {
		return one(a, b)
	}
	out := Value{Elems: make([]Value, len(a.Elems))}
	for i := range out.Elems {
		out.Elems[i] = one(a.Elems[i], b.Elems[i])
	}
	return out
}

// convertFloat executes conversions from or to floating point.
func (x *Machine) convertFloat(in *ir.Instr, a Value, from, to *ir.Type) Value {
	w := to.Width
	if from.Width == ieee.X87Width && from.Kind == ir.KindFloat || w == ieee.X87Width && to.Kind == ir.KindFloat {
		return x.x87Conversion(in, a, from, to)
	}
	switch in.Op {
	case ir.OpFpTrunc, ir.OpFpExt:
		return Scalar(ieee.FromDouble(ieee.Double(a.Bits), w)).withMask(all(w, a))
	case ir.OpUiToFp:
		return Scalar(ieee.FromInt(a.Bits.Unsigned(), w)).withMask(all(w, a))
	case ir.OpSiToFp:
		return Scalar(ieee.FromInt(a.Bits.Signed(), w)).withMask(all(w, a))
	}
	f := ieee.Double(a.Bits)
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		if v, fits := ieee.WholeOf(in.Op, new(big.Float).SetFloat64(f), w); fits {
			return Scalar(v).withMask(all(w, a))
		}
	}
	return x.doesNotFit(f, to)
}

func (x *Machine) doesNotFit(f any, to *ir.Type) Value {
	if w := to.Width; x.violate(verdict.FloatConversion, "floating-point value %v does not fit %d bits", f, w) {
		return Scalar(bits.New(w, 0))
	}
	return x.inputs(input.Unspecified, to)
}
