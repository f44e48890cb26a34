package ieee

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// x87's format (Intel's manual, volume 1, 4.2.2 and 8.2.2): a sign, 15 bits of exponent and a significand of 64
// bits with its leading bit. Its numbers are big.Floats of 64 bits here, rounded to nearest even; below 2^-16382
// they have fewer bits.

const (
	X87Width     int = 80
	x87Precision     = 0x40
	X87Bias      int = 16383
	X87Top           = 0x7fff // exponent of infinities and NaNs
)

// X87Number is a number or infinity, unless nan.
type X87Number struct {
	Float *big.Float
	NaN   bool
}

// FromX87 decodes b; ok is false where the leading bit is not what the exponent says.
func FromX87(b bits.Vec) (n X87Number, ok bool) {
	exp := int(bits.Extract(b, 78, 64).Low64())
	mant := bits.Trunc(b, 64).Low64()
	if (exp != 0) != (mant>>63 == 1) {
		return n, false
	}
	n.Float = new(big.Float).SetPrec(x87Precision)
	switch {
	case exp == X87Top && mant<<1 != 0:
		n.NaN = true
		return n, true
	case exp == X87Top:
		n.Float.SetInf(false)
	default:
		n.Float.SetUint64(mant)
		n.Float.SetMantExp(n.Float, max(exp, 1)-X87Bias-63)
	}
	if b.Sign() {
		n.Float.Neg(n.Float)
	}
	return n, true
}

// ToX87 encodes what compute leaves in a number of a given precision, as if its exponents had no bounds.
func ToX87(compute func(z *big.Float)) bits.Vec {
	at := func(prec uint, mode big.RoundingMode) *big.Float {
		z := new(big.Float).SetPrec(prec).SetMode(mode)
		compute(z)
		return z
	}
	z := at(x87Precision, big.ToNearestEven)
	if z.IsInf() || z.Sign() == 0 {
		return packX87(z)
	}
	const least = 1 - X87Bias // exponent of the smallest number with all bits, as 1.m * 2^least
	down := at(x87Precision, big.ToZero)
	if exp := down.MantExp(nil) - 1; exp < least {
		left := x87Precision - (least - exp) // bits
		switch {
		case left > 0:
			z = at(uint(left), big.ToNearestEven)
		case left < 0 || isPower(down) && down.Acc() == big.Exact: // less than half of the last bit, or just that
			z = zeroLike(down)
		default:
			z = new(big.Float).SetPrec(x87Precision).SetMantExp(big.NewFloat(1), least-63)
			if down.Signbit() {
				z.Neg(z)
			}
		}
	}
	return packX87(z)
}

func isPower(f *big.Float) bool { return f.MinPrec() == 1 }

func zeroLike(f *big.Float) *big.Float {
	z := new(big.Float).SetPrec(x87Precision)
	if f.Signbit() {
		z.Neg(z)
	}
	return z
}

// packX87 encodes a number that the format has, or that is too large for it.
func packX87(z *big.Float) bits.Vec {
	exp, mant := 0, uint64(0)
	if e := z.MantExp(nil) - 1 + X87Bias; z.IsInf() || e >= X87Top {
		exp, mant = X87Top, 1<<63
	} else if z.Sign() != 0 {
		exp = max(e, 0)
		scaled := new(big.Float).Abs(z)
		scaled.SetMantExp(scaled, 63-(max(e, 1)-X87Bias))
		mant, _ = scaled.Uint64()
		if mant>>63 == 1 {
			exp = max(exp, 1) // rounded up to the smallest number with all bits
		}
	}
	if z.Signbit() {
		exp |= 1 << 15
	}
	return bits.Concat(bits.New(16, uint64(exp)), bits.New(64, mant))
}

// X87NaN is the quiet NaN that invalid operations give.
func X87NaN() bits.Vec { return bits.Concat(bits.New(16, X87Top), bits.New(64, 3<<62)) }

// X87Binary returns the result of op; ok is false where an operand is no number of the format.
func X87Binary(op ir.Op, a, b bits.Vec) (r bits.Vec, ok bool) {
	p, okP := FromX87(a)
	q, okQ := FromX87(b)
	if !okP || !okQ {
		return X87NaN(), false
	}
	if p.NaN || q.NaN {
		return X87NaN(), true
	}
	defer func() {
		if e := recover(); e != nil {
			if _, nan := e.(big.ErrNaN); !nan {
				panic(e)
			}
			r, ok = X87NaN(), true
		}
	}()
	return ToX87(func(z *big.Float) {
		switch op {
		case ir.OpFadd:
			z.Add(p.Float, q.Float)
		case ir.OpFsub:
			z.Sub(p.Float, q.Float)
		case ir.OpFmul:
			z.Mul(p.Float, q.Float)
		default:
			z.Quo(p.Float, q.Float)
		}
	}), true
}

// X87Compare orders a and b; unordered where one is NaN. ok is false where one is no number of the format.
func X87Compare(a, b bits.Vec) (order int, unordered, ok bool) {
	p, okP := FromX87(a)
	q, okQ := FromX87(b)
	if !okP || !okQ {
		return 0, false, false
	}
	if p.NaN || q.NaN {
		return 0, true, true
	}
	return p.Float.Cmp(q.Float), false, true
}

// DoubleToX87 is exact.
func DoubleToX87(f float64) bits.Vec {
	if f != f {
		return X87NaN()
	}
	return ToX87(func(z *big.Float) { z.SetFloat64(f) })
}

// Narrowed rounds n to w bits, 32 or 64.
func (n X87Number) Narrowed(w int) bits.Vec {
	switch {
	case n.NaN:
		return FromDouble(math.NaN(), w)
	case w == 64:
		f, _ := n.Float.Float64()
		return FromDouble(f, 64)
	}
	f, _ := n.Float.Float32()
	return FromDouble(float64(f), 32)
}
