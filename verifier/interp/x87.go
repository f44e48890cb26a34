package interp

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
	x87Width     = 80
	x87Precision = 64
	x87Bias      = 16383
	x87Top       = 0x7fff // exponent of infinities and NaNs
)

// x87Number is a number or infinity, unless nan.
type x87Number struct {
	f   *big.Float
	nan bool
}

// fromX87 decodes b; ok is false where the leading bit is not what the exponent says.
func fromX87(b bits.Vec) (n x87Number, ok bool) {
	exp := int(bits.Extract(b, 78, 64).Low64())
	mant := bits.Trunc(b, 64).Low64()
	if (exp != 0) != (mant>>63 == 1) {
		return n, false
	}
	n.f = new(big.Float).SetPrec(x87Precision)
	switch {
	case exp == x87Top && mant<<1 != 0:
		n.nan = true
		return n, true
	case exp == x87Top:
		n.f.SetInf(false)
	default:
		n.f.SetUint64(mant)
		n.f.SetMantExp(n.f, max(exp, 1)-x87Bias-63)
	}
	if b.Sign() {
		n.f.Neg(n.f)
	}
	return n, true
}

// toX87 encodes what compute leaves in a number of a given precision, as if its exponents had no bounds.
func toX87(compute func(z *big.Float)) bits.Vec {
	at := func(prec uint, mode big.RoundingMode) *big.Float {
		z := new(big.Float).SetPrec(prec).SetMode(mode)
		compute(z)
		return z
	}
	z := at(x87Precision, big.ToNearestEven)
	if z.IsInf() || z.Sign() == 0 {
		return packX87(z)
	}
	const least = 1 - x87Bias // exponent of the smallest number with all bits, as 1.m * 2^least
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
	if e := z.MantExp(nil) - 1 + x87Bias; z.IsInf() || e >= x87Top {
		exp, mant = x87Top, 1<<63
	} else if z.Sign() != 0 {
		exp = max(e, 0)
		scaled := new(big.Float).Abs(z)
		scaled.SetMantExp(scaled, 63-(max(e, 1)-x87Bias))
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

func x87NaN() bits.Vec { return bits.Concat(bits.New(16, x87Top), bits.New(64, 3<<62)) }

// x87Binary returns the result of op; ok is false where an operand is no number of the format.
func x87Binary(op ir.Op, a, b bits.Vec) (r bits.Vec, ok bool) {
	p, okP := fromX87(a)
	q, okQ := fromX87(b)
	if !okP || !okQ {
		return x87NaN(), false
	}
	if p.nan || q.nan {
		return x87NaN(), true
	}
	defer func() {
		if e := recover(); e != nil {
			if _, nan := e.(big.ErrNaN); !nan {
				panic(e)
			}
			r, ok = x87NaN(), true
		}
	}()
	return toX87(func(z *big.Float) {
		switch op {
		case ir.OpFadd:
			z.Add(p.f, q.f)
		case ir.OpFsub:
			z.Sub(p.f, q.f)
		case ir.OpFmul:
			z.Mul(p.f, q.f)
		default:
			z.Quo(p.f, q.f)
		}
	}), true
}

// x87Compare orders a and b; unordered where one is NaN. ok is false where one is no number of the format.
func x87Compare(a, b bits.Vec) (order int, unordered, ok bool) {
	p, okP := fromX87(a)
	q, okQ := fromX87(b)
	if !okP || !okQ {
		return 0, false, false
	}
	if p.nan || q.nan {
		return 0, true, true
	}
	return p.f.Cmp(q.f), false, true
}

// doubleToX87 is exact.
func doubleToX87(f float64) bits.Vec {
	if f != f {
		return x87NaN()
	}
	return toX87(func(z *big.Float) { z.SetFloat64(f) })
}

// narrowed rounds n to w bits, 32 or 64.
func (n x87Number) narrowed(w int) bits.Vec {
	switch {
	case n.nan:
		return fromDouble(math.NaN(), w)
	case w == 64:
		f, _ := n.f.Float64()
		return fromDouble(f, 64)
	}
	f, _ := n.f.Float32()
	return fromDouble(float64(f), 32)
}

func (x *Machine) oddX87() value {
	x.end(Unsupported, "", "a long double that no operation of the x87 unit gives is computed with")
	return scalar(x87NaN())
}

// x87Float executes arithmetic.
func (x *Machine) x87Float(op ir.Op, a, b value) value {
	var r bits.Vec
	ok := true
	if op == ir.OpFneg {
		var n x87Number
		if n, ok = fromX87(a.bits); n.nan {
			r, ok = x87NaN(), true
		} else {
			r = bits.Xor(a.bits, bits.MinSigned(x87Width))
		}
	} else {
		r, ok = x87Binary(op, a.bits, b.bits)
	}
	if !ok {
		return x.oddX87()
	}
	return scalar(r).withMask(all(x87Width, a, b))
}

// x87Ordered executes a comparison.
func (x *Machine) x87Ordered(p ir.Pred, a, b value) value {
	order, unordered, ok := x87Compare(a.bits, b.bits)
	if !ok {
		x.oddX87()
		return scalar(bits.Bool(false))
	}
	f := float64(order)
	if unordered {
		f = math.NaN()
	}
	return scalar(bits.Bool(orderHolds(p, f, 0))).withMask(all(1, a, b))
}

// x87Conversion executes a conversion from or to the format.
func (x *Machine) x87Conversion(in *ir.Instr, a value, from, to *ir.Type) value {
	mask := all(to.Width, a)
	switch in.Op {
	case ir.OpUiToFp, ir.OpSiToFp:
		n := a.bits.Signed()
		if in.Op == ir.OpUiToFp {
			n = a.bits.Unsigned()
		}
		return scalar(toX87(func(z *big.Float) { z.SetInt(n) })).withMask(mask)
	case ir.OpFpExt:
		if from.Width != x87Width {
			return scalar(doubleToX87(toDouble(a.bits))).withMask(mask)
		}
	}
	n, ok := fromX87(a.bits)
	switch {
	case !ok:
		x.oddX87()
		return scalar(bits.New(to.Width, 0))
	case in.Op == ir.OpFpTrunc:
		return scalar(n.narrowed(to.Width)).withMask(mask)
	case n.nan:
		return x.doesNotFit(math.NaN(), to)
	case !n.f.IsInf():
		if v, fits := wholeOf(in.Op, n.f, to.Width); fits {
			return scalar(v).withMask(mask)
		}
	}
	return x.doesNotFit(n.f, to)
}
