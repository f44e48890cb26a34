package bits

import (
	"fmt"
	"math/big"
)

// Format is a binary interchange format of IEEE 754: Exp bits of biased exponent
// and Prec bits of significand, the hidden one included. An encoding has Exp+Prec bits.
type Format struct{ Exp, Prec int }

// FormatOf returns the format whose encodings have w bits: 16, 32, 64, or 79 for x87's without its leading bit.
func FormatOf(w int) Format {
	switch w {
	case 16:
		return Format{5, 11}
	case 32:
		return Format{8, 24}
	case 64:
		return Format{11, 53}
	case 79:
		return Format{15, 64}
	}
	panic(fmt.Sprintf("bits: no floating-point format of %d bits", w))
}

// Width returns the bits of an encoding.
func (f Format) Width() int { return f.Exp + f.Prec }

// Bias returns the bias of the exponent, which is also the largest exponent.
func (f Format) Bias() int { return 1<<uint(f.Exp-1) - 1 }

// MinExp returns the exponent of the smallest normal number.
func (f Format) MinExp() int { return 1 - f.Bias() }

// Rounding is a rounding direction of IEEE 754, 4.3.
type Rounding uint8

// The directions, in the order of ilr.RoundingMode.
const (
	NearestEven Rounding = iota
	TowardZero
	TowardPositive
	TowardNegative
	NearestAway
)

// NaN returns the one NaN that results have: quiet, positive, no payload.
func (f Format) NaN() Vec {
	return f.encode(false, big.NewInt(1<<uint(f.Exp)-1), new(big.Int).Lsh(big.NewInt(1), uint(f.Prec-2)))
}

// Inf returns the infinity of that sign.
func (f Format) Inf(negative bool) Vec {
	return f.encode(negative, big.NewInt(1<<uint(f.Exp)-1), new(big.Int))
}

// Zero returns the zero of that sign.
func (f Format) Zero(negative bool) Vec { return f.encode(negative, new(big.Int), new(big.Int)) }

func (f Format) encode(negative bool, exp, frac *big.Int) Vec {
	v := new(big.Int).Lsh(exp, uint(f.Prec-1))
	v.Or(v, frac)
	if negative {
		v.SetBit(v, f.Width()-1, 1)
	}
	return FromBig(f.Width(), v)
}

// number is an unpacked float: mant * 2^exp with a sign; mant is 0 for zeros.
type number struct {
	nan, inf, neg bool
	mant          *big.Int
	exp           int
}

func (f Format) decode(v Vec) number {
	if v.Width() != f.Width() {
		panic(fmt.Sprintf("bits: float of %d bits in format %v", v.Width(), f))
	}
	n := number{neg: v.Sign(), mant: Trunc(v, f.Prec-1).Unsigned()}
	e := Extract(v, f.Width()-2, f.Prec-1)
	biased := int(e.Low64())
	switch {
	case e.IsOnes():
		n.nan, n.inf = n.mant.Sign() != 0, n.mant.Sign() == 0
	case biased == 0:
		n.exp = f.MinExp() - (f.Prec - 1)
	default:
		n.mant.SetBit(n.mant, f.Prec-1, 1)
		n.exp = biased - f.Bias() - (f.Prec - 1)
	}
	return n
}

func (n number) zero() bool { return !n.nan && !n.inf && n.mant.Sign() == 0 }

// round encodes (-1)^neg * (mant + tail) * 2^exp where 0 <= tail < 1 and tail != 0
// exactly when sticky; then mant must have more than Prec bits.
func (f Format) round(r Rounding, neg bool, mant *big.Int, exp int, sticky bool) Vec {
	if mant.Sign() == 0 && !sticky {
		return f.Zero(neg)
	}
	least := f.MinExp() - (f.Prec - 1) // exponent of the smallest subnormal
	ulp := max(exp+mant.BitLen()-f.Prec, least)
	m := new(big.Int)
	if ulp <= exp {
		m.Lsh(mant, uint(exp-ulp))
		if sticky {
			panic("bits: rounding has too few bits")
		}
	} else {
		drop := uint(ulp - exp)
		m.Rsh(mant, drop)
		half := mant.Bit(int(drop)-1) == 1
		rest := sticky || mant.TrailingZeroBits() < drop-1
		if roundsUp(r, neg, m.Bit(0) == 1, half, rest) {
			m.Add(m, big.NewInt(1))
		}
	}
	if m.BitLen() > f.Prec {
		m.Rsh(m, 1)
		ulp++
	}
	biased := 0
	if m.BitLen() == f.Prec {
		biased = ulp + f.Prec - 1 + f.Bias()
	}
	if biased >= 1<<uint(f.Exp)-1 {
		return f.overflow(r, neg)
	}
	m.SetBit(m, f.Prec-1, 0)
	return f.encode(neg, big.NewInt(int64(biased)), m)
}

// roundsUp decides whether the magnitude goes to the next one; half is the first
// dropped bit and rest says whether a later one is set.
func roundsUp(r Rounding, neg, odd, half, rest bool) bool {
	switch r {
	case NearestEven:
		return half && (rest || odd)
	case NearestAway:
		return half
	case TowardPositive:
		return !neg && (half || rest)
	case TowardNegative:
		return neg && (half || rest)
	case TowardZero:
		return false
	}
	panic(fmt.Sprintf("bits: rounding %d", r))
}

func (f Format) overflow(r Rounding, neg bool) Vec {
	if r == TowardZero || r == TowardPositive && neg || r == TowardNegative && !neg {
		return Sub(f.Inf(neg), New(f.Width(), 1)) // the largest finite number
	}
	return f.Inf(neg)
}
