package interp

import (
	"math"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
)

// floatModel executes the mathematical functions and intrinsics.
func (c *call) floatModel(m ir.Model) bool {
	f := c.floatLane(m)
	if f == nil {
		return false
	}
	lane := func(a []Value) Value {
		v := make([]bits.Vec, len(a))
		for i := range a {
			v[i] = a[i].Bits
		}
		return Scalar(f(v)).withMask(all(v[0].Width(), a...))
	}
	if c.args[0].Elems == nil {
		c.result(lane(c.args))
		return true
	}
	out := Value{}
	for i := range c.args[0].Elems {
		var a []Value
		for _, v := range c.args {
			a = append(a, v.Elems[i])
		}
		out.Elems = append(out.Elems, lane(a))
	}
	c.result(out)
	return true
}

func (c *call) floatLane(m ir.Model) func([]bits.Vec) bits.Vec {
	unary := func(f func(float64) float64) func([]bits.Vec) bits.Vec {
		return func(a []bits.Vec) bits.Vec { return ieee.FromDouble(f(ieee.Double(a[0])), a[0].Width()) }
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
			return ieee.FromDouble(math.Mod(ieee.Double(a[0]), ieee.Double(a[1])), a[0].Width())
		}
	case ir.ModelFma:
		return ieee.FMA
	case ir.ModelMulAdd:
		return func(a []bits.Vec) bits.Vec {
			if c.input(input.Unspecified, 1).IsOne() {
				return ieee.FMA(a)
			}
			return ieee.Binary(ir.OpFadd, ieee.Binary(ir.OpFmul, a[0], a[1]), a[2])
		}
	case ir.ModelCopysign:
		return func(a []bits.Vec) bits.Vec {
			return ieee.FromDouble(math.Copysign(ieee.Double(a[0]), ieee.Double(a[1])), a[0].Width())
		}
	case ir.ModelMinnum:
		return func(a []bits.Vec) bits.Vec { return ieee.Extreme(a, func(p, q float64) bool { return p < q }) }
	case ir.ModelMaxnum:
		return func(a []bits.Vec) bits.Vec { return ieee.Extreme(a, func(p, q float64) bool { return p > q }) }
	}
	return nil
}
