package interp

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
)

func (x *Machine) oddX87() Value {
	x.EndRun(Unsupported, "", "a long double that no operation of the x87 unit gives is computed with")
	return Scalar(ieee.X87NaN())
}

// x87Float executes arithmetic.
func (x *Machine) x87Float(op ir.Op, a, b Value) Value {
	var r bits.Vec
	ok := true
	if op == ir.OpFneg {
		var n ieee.X87Number
		if n, ok = ieee.FromX87(a.Bits); n.NaN {
			r, ok = ieee.X87NaN(), true
		} else {
			r = bits.Xor(a.Bits, bits.MinSigned(ieee.X87Width))
		}
	} else {
		r, ok = ieee.X87Binary(op, a.Bits, b.Bits)
	}
	if !ok {
		return x.oddX87()
	}
	return Scalar(r).withMask(all(ieee.X87Width, a, b))
}

// x87Ordered executes a comparison.
func (x *Machine) x87Ordered(p ir.Pred, a, b Value) Value {
	order, unordered, ok := ieee.X87Compare(a.Bits, b.Bits)
	if !ok {
		x.oddX87()
		return Scalar(bits.Bool(false))
	}
	f := float64(order)
	if unordered {
		f = math.NaN()
	}
	return Scalar(bits.Bool(ieee.OrderHolds(p, f, 0))).withMask(all(1, a, b))
}

// x87Conversion executes a conversion from or to the format.
func (x *Machine) x87Conversion(in *ir.Instr, a Value, from, to *ir.Type) Value {
	mask := all(to.Width, a)
	switch in.Op {
	case ir.OpUiToFp, ir.OpSiToFp:
		n := a.Bits.Signed()
		if in.Op == ir.OpUiToFp {
			n = a.Bits.Unsigned()
		}
		return Scalar(ieee.ToX87(func(z *big.Float) { z.SetInt(n) })).withMask(mask)
	case ir.OpFpExt:
		if from.Width != ieee.X87Width {
			return Scalar(ieee.DoubleToX87(ieee.Double(a.Bits))).withMask(mask)
		}
	}
	n, ok := ieee.FromX87(a.Bits)
	switch {
	case !ok:
		x.oddX87()
		return Scalar(bits.New(to.Width, 0))
	case in.Op == ir.OpFpTrunc:
		return Scalar(n.Narrowed(to.Width)).withMask(mask)
	case n.NaN:
		return x.doesNotFit(math.NaN(), to)
	case !n.Float.IsInf():
		if v, fits := ieee.WholeOf(in.Op, n.Float, to.Width); fits {
			return Scalar(v).withMask(mask)
		}
	}
	return x.doesNotFit(n.Float, to)
}
