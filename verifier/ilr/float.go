package ilr

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
)

// EvalFloat returns the FloatEval by exact arithmetic of package bits: the meaning of
// the floating-point kinds. Conversions to integers that are out of range, or of
// NaN, are 0.
func EvalFloat(k Kind, rm RoundingMode, w int, args []bits.Vec) bits.Vec {
	r, a := bits.Rounding(rm), args[0]
	if k == KUToF || k == KSToF {
		return bits.FormatOf(w).FromInt(r, a, k == KSToF)
	}
	f := bits.FormatOf(a.Width())
	switch k {
	case KFAdd:
		return f.Add(r, a, args[1])
	case KFMul:
		return f.Mul(r, a, args[1])
	case KFDiv:
		return f.Div(r, a, args[1])
	case KFRem:
		return f.Rem(a, args[1])
	case KFFma:
		return f.FMA(r, a, args[1], args[2])
	case KFSqrt:
		return f.Sqrt(r, a)
	case KFRound:
		return f.Integral(r, a)
	case KFToF:
		return f.Convert(r, a, bits.FormatOf(w))
	case KFToU, KFToS:
		v, _ := f.ToInt(r, a, w, k == KFToS)
		return v
	case KFEq, KFLt, KFLe:
		c, ok := f.Compare(a, args[1])
		return bits.Bool(ok && (c == 0 && k != KFLt || c < 0 && k != KFEq))
	}
	panic(fmt.Sprintf("ilr: %s is no floating-point kind", k))
}
