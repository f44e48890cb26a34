package interp

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// floatModel executes the mathematical functions and intrinsics.
func (c *call) floatModel(m ir.Model) bool {
	f := c.floatLane(m)
	if f == nil {
		return false
	}
	lane := func(a []value) value {
		v := make([]bits.Vec, len(a))
		for i := range a {
			v[i] = a[i].bits
		}
		return scalar(f(v)).withMask(all(v[0].Width(), a...))
	}
	if c.args[0].elems == nil {
		c.result(lane(c.args))
		return true
	}
	out := value{}
	for i := range c.args[0].elems {
		var a []value
		for _, v := range c.args {
			a = append(a, v.elems[i])
		}
		out.elems = append(out.elems, lane(a))
	}
	c.result(out)
	return true
}

func (c *call) floatLane(m ir.Model) func([]bits.Vec) bits.Vec {
	unary := func(f func(float64) float64) func([]bits.Vec) bits.Vec {
		return func(a []bits.Vec) bits.Vec { return fromDouble(f(toDouble(a[0])), a[0].Width()) }
	}
	switch m {
	case ir.ModelFabs:
		return unary(math.Abs)
	case ir.ModelSqrt:
		return unary(math.Sqrt)
	case ir.ModelFloor:
		return unary(math.Floor)
	case ir.ModelCeil:
		return unary(math.Ceil)
	case ir.ModelTruncF:
		return unary(math.Trunc)
	case ir.ModelRoundF:
		return unary(math.Round)
	case ir.ModelRint:
		return unary(math.RoundToEven)
	case ir.ModelFmod:
		return func(a []bits.Vec) bits.Vec {
			return fromDouble(math.Mod(toDouble(a[0]), toDouble(a[1])), a[0].Width())
		}
	case ir.ModelFma:
		return fma
	case ir.ModelMulAdd:
		return func(a []bits.Vec) bits.Vec {
			if c.input(input.Unspecified, 1).IsOne() {
				return fma(a)
			}
			return floatBinary(ir.OpFadd, floatBinary(ir.OpFmul, a[0], a[1]), a[2])
		}
	case ir.ModelCopysign:
		return func(a []bits.Vec) bits.Vec {
			return fromDouble(math.Copysign(toDouble(a[0]), toDouble(a[1])), a[0].Width())
		}
	case ir.ModelMinnum:
		return func(a []bits.Vec) bits.Vec { return extreme(a, func(p, q float64) bool { return p < q }) }
	case ir.ModelMaxnum:
		return func(a []bits.Vec) bits.Vec { return extreme(a, func(p, q float64) bool { return p > q }) }
	}
	return nil
}

// extreme is fmin or fmax: a number wins over NaN (LangRef: llvm.minnum); of equal ones the second.
func extreme(a []bits.Vec, better func(p, q float64) bool) bits.Vec {
	p, q := toDouble(a[0]), toDouble(a[1])
	switch {
	case math.IsNaN(q):
		return canonical(a[0])
	case math.IsNaN(p) || !better(p, q):
		return a[1]
	}
	return a[0]
}

// fma rounds a*b+c once. Narrow formats are computed exactly in big.Float;
// zeros, infinities and NaN are the same as in double.
func fma(a []bits.Vec) bits.Vec {
	p, q, r := toDouble(a[0]), toDouble(a[1]), toDouble(a[2])
	w := a[0].Width()
	d := math.FMA(p, q, r)
	if w == 64 || d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
		return fromDouble(d, w)
	}
	exact := new(big.Float).SetPrec(2000).SetFloat64(p)
	exact.Mul(exact, new(big.Float).SetFloat64(q))
	exact.Add(exact, new(big.Float).SetFloat64(r))
	if w == 32 {
		f, _ := exact.Float32()
		return fromDouble(float64(f), 32)
	}
	// A double next to the exact value, made odd if inexact, rounds to half as the exact value does.
	f, acc := exact.Float64()
	if acc != big.Exact && math.Float64bits(f)&1 == 0 {
		if (acc == big.Below) == (f > 0) {
			f = math.Float64frombits(math.Float64bits(f) + 1)
		} else {
			f = math.Float64frombits(math.Float64bits(f) - 1)
		}
	}
	return fromDouble(f, 16)
}
