package ilr

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
)

func foldUnary(k Kind, a bits.Vec) bits.Vec {
	switch k {
	case KBvNot:
		return bits.Not(a)
	case KNeg:
		return bits.Neg(a)
	}
	panic(fmt.Sprintf("ilr: %s is not unary", k))
}

func foldBinary(k Kind, a, b bits.Vec) bits.Vec {
	switch k {
	case KBvAnd:
		return bits.And(a, b)
	case KBvOr:
		return bits.Or(a, b)
	case KBvXor:
		return bits.Xor(a, b)
	case KAdd:
		return bits.Add(a, b)
	case KMul:
		return bits.Mul(a, b)
	case KUdiv:
		return bits.Udiv(a, b)
	case KUrem:
		return bits.Urem(a, b)
	case KSdiv:
		return bits.Sdiv(a, b)
	case KSrem:
		return bits.Srem(a, b)
	case KShl:
		return bits.ShlVec(a, b)
	case KLshr:
		return bits.LshrVec(a, b)
	case KAshr:
		return bits.AshrVec(a, b)
	case KConcat:
		return bits.Concat(a, b)
	}
	panic(fmt.Sprintf("ilr: %s is not binary", k))
}

func foldPred(k Kind, a, b bits.Vec) bool {
	switch k {
	case KUlt:
		return bits.Ult(a, b)
	case KSlt:
		return bits.Slt(a, b)
	case KUaddO:
		return bits.UaddOverflow(a, b)
	case KSaddO:
		return bits.SaddOverflow(a, b)
	case KSsubO:
		return bits.SsubOverflow(a, b)
	case KUmulO:
		return bits.UmulOverflow(a, b)
	case KSmulO:
		return bits.SmulOverflow(a, b)
	}
	panic(fmt.Sprintf("ilr: %s is no predicate", k))
}
