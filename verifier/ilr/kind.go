package ilr

import "fmt"

// Kind of a term.
type Kind uint8

// The kinds. "imm" is Store.Imm. All bit-vector operands of one term have the
// same width unless said.
const (
	KInvalid Kind = iota

	KTrue
	KFalse
	KVar   // any sort; imm: index of the name
	KConst // BV; imm: value, or index of a wide value

	KNot // Bool
	KAnd // Bool, Bool
	KEq  // T, T -> Bool, for Bool and BV
	KIte // Bool, T, T -> T, for every sort

	KBvNot
	KBvAnd
	KBvOr
	KBvXor
	KNeg
	KAdd
	KMul
	KUdiv // x/0 = all ones
	KUrem // x%0 = x
	KSdiv
	KSrem
	KShl // amounts >= w give 0 (ashr: sign)
	KLshr
	KAshr
	KConcat  // hi, lo
	KExtract // imm: hi<<32 | lo
	KZext    // to the sort's width
	KSext

	KUlt // -> Bool
	KSlt
	KUaddO // unsigned sum exceeds the width -> Bool
	KSaddO
	KSsubO // a-b leaves the signed range (usubo is KUlt)
	KUmulO
	KSmulO

	KSelect   // array, index -> BV elem
	KStore    // array, index, elem
	KArrConst // elem: every element is that
	KArrTable // imm: literal bytes; elements beyond are 0
	KArrSet   // array, from, len, elem: i with i-from <u len has elem, others the array's
	KArrCopy  // array, to, source array, from, len: i with i-to <u len has source[i-to+from]

	// IEEE 754 on encodings of 16, 32 or 64 bits; imm: RoundingMode where it matters. NaN results are the quiet NaN without sign or payload.
	KFAdd
	KFMul
	KFDiv
	KFRem // C fmod: truncated
	KFFma // a*b+c
	KFSqrt
	KFRound // to integral, by imm
	KFToF   // to the sort's width
	KFToU   // to an unsigned integer of the sort's width, toward imm; out of range is unspecified but functional
	KFToS
	KUToF
	KSToF
	KFEq // -> Bool; false on NaN
	KFLt
	KFLe

	numKinds
)

// RoundingMode of a floating-point kind.
type RoundingMode uint64

// The rounding modes (IEEE 754, 4.3).
const (
	RNE RoundingMode = iota // nearest, ties to even: C's default
	RTZ
	RTP
	RTN
	RNA // nearest, ties away
)

type kindInfo struct {
	name        string
	arity       int8 // -1 for none fixed
	commutative bool
}

var kindTable = [numKinds]kindInfo{
	KInvalid: {"invalid", 0, false}, KTrue: {"true", 0, false}, KFalse: {"false", 0, false}, KVar: {"var", 0, false},
	KConst: {"const", 0, false},
	KNot:   {"not", 1, false}, KAnd: {"and", 2, true}, KEq: {"=", 2, true}, KIte: {"ite", 3, false},
	KBvNot: {"bvnot", 1, false}, KBvAnd: {"bvand", 2, true}, KBvOr: {"bvor", 2, true}, KBvXor: {"bvxor", 2, true},
	KNeg: {"bvneg", 1, false}, KAdd: {"bvadd", 2, true}, KMul: {"bvmul", 2, true},
	KUdiv: {"bvudiv", 2, false}, KUrem: {"bvurem", 2, false}, KSdiv: {"bvsdiv", 2, false}, KSrem: {"bvsrem", 2, false},
	KShl: {"bvshl", 2, false}, KLshr: {"bvlshr", 2, false}, KAshr: {"bvashr", 2, false},
	KConcat: {"concat", 2, false}, KExtract: {"extract", 1, false}, KZext: {"zero_extend", 1, false},
	KSext: {"sign_extend", 1, false},
	KUlt:  {"bvult", 2, false}, KSlt: {"bvslt", 2, false}, KUaddO: {"uaddo", 2, true}, KSaddO: {"saddo", 2, true},
	KSsubO: {"ssubo", 2, false}, KUmulO: {"umulo", 2, true}, KSmulO: {"smulo", 2, true},
	KSelect: {"select", 2, false}, KStore: {"store", 3, false}, KArrConst: {"arrconst", 1, false},
	KArrTable: {"arrtable", 0, false},
	KArrSet:   {"arrset", 4, false}, KArrCopy: {"arrcopy", 5, false},
	KFAdd: {"fadd", 2, true}, KFMul: {"fmul", 2, true}, KFDiv: {"fdiv", 2, false}, KFRem: {"frem", 2, false},
	KFFma:  {"ffma", 3, false},
	KFSqrt: {"fsqrt", 1, false}, KFRound: {"fround", 1, false}, KFToF: {"ftof", 1, false}, KFToU: {"ftou", 1, false},
	KFToS: {"ftos", 1, false},
	KUToF: {"utof", 1, false}, KSToF: {"stof", 1, false}, KFEq: {"feq", 2, true}, KFLt: {"flt", 2, false},
	KFLe: {"fle", 2, false},
}

func (k Kind) String() string {
	if k < numKinds {
		return kindTable[k].name
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Arity returns the number of arguments of k.
func (k Kind) Arity() int { return int(kindTable[k].arity) }

// Commutative reports whether the arguments may be swapped.
func (k Kind) Commutative() bool { return kindTable[k].commutative }

// NumKinds is one more than the largest Kind.
const NumKinds = int(numKinds)
