// Package ieee is floating-point arithmetic on bits: IEEE 754's binary16, binary32 and binary64 (ieee.go), and the
// x87's format of 80 bits (x87.go).
package ieee

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Floats are IEEE 754 half, single and double with rounding to nearest even.
// Every half and single is a double, and a double has more than twice their
// precision plus two bits, so that rounding the double result of one operation
// is rounding the exact one (Figueroa 1995).

// Double decodes the IEEE encoding at its width.
func Double(b bits.Vec) float64 {
	switch b.Width() {
	case 64:
		return math.Float64frombits(b.Low64())
	case 32:
		return float64(math.Float32frombits(uint32(b.Low64())))
	}
	u := b.Low64()
	sign, exp, frac := u>>15, int(u>>10&0x1f), float64(u&0x3ff)
	f := 0.0
	switch {
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		f = math.Inf(1)
	case exp == 0:
		f = math.Ldexp(frac, -24)
	default:
		f = math.Ldexp(1024+frac, exp-25)
	}
	if sign == 1 {
		return -f
	}
	return f
}

// FromDouble encodes f at width w, rounded; NaN is the one quiet NaN.
func FromDouble(f float64, w int) bits.Vec {
	switch {
	case w == 64 && math.IsNaN(f):
		return bits.New(64, 0x7ff8<<48)
	case w == 64:
		return bits.New(64, math.Float64bits(f))
	case w == 32 && math.IsNaN(f):
		return bits.New(32, 0x7fc00000)
	case w == 32:
		return bits.New(32, uint64(math.Float32bits(float32(f))))
	case math.IsNaN(f):
		return bits.New(16, 0x7e00)
	}
	sign := uint64(0)
	if math.Signbit(f) {
		sign, f = 1<<15, -f
	}
	switch {
	case f >= 65520: // halfway between the largest half and the next power of two
		return bits.New(16, sign|0x7c00)
	case f < math.Ldexp(1, -14):
		return bits.New(16, sign|uint64(math.RoundToEven(math.Ldexp(f, 24))))
	}
	frac, exp := math.Frexp(f)
	m := uint64(math.RoundToEven(frac * 2048)) // 1024..2048
	return bits.New(16, sign|uint64(exp+13)<<10+m)
}

// Binary is an operation of two numbers, rounded once.
func Binary(op ir.Op, a, b bits.Vec) bits.Vec {
	p, q := Double(a), Double(b)
	var r float64
	switch op {
	case ir.OpFadd:
		r = p + q
	case ir.OpFsub:
		r = p - q
	case ir.OpFmul:
		r = p * q
	case ir.OpFdiv:
		r = p / q
	default:
		r = math.Mod(p, q)
	}
	return FromDouble(r, a.Width())
}

// Canonical replaces any NaN by the one NaN.
func Canonical(b bits.Vec) bits.Vec {
	if f := Double(b); math.IsNaN(f) {
		return FromDouble(f, b.Width())
	}
	return b
}

// Compare is a comparison (LangRef: fcmp).
func Compare(p ir.Pred, a, b bits.Vec) bool {
	return OrderHolds(p, Double(a), Double(b))
}

// OrderHolds compares numbers that may be NaN.
func OrderHolds(p ir.Pred, f, g float64) bool {
	unordered := math.IsNaN(f) || math.IsNaN(g)
	switch p {
	case ir.FFalse:
		return false
	case ir.FTrue:
		return true
	case ir.FORD:
		return !unordered
	case ir.FUNO:
		return unordered
	case ir.FOEQ:
		return f == g
	case ir.FOGT:
		return f > g
	case ir.FOGE:
		return f >= g
	case ir.FOLT:
		return f < g
	case ir.FOLE:
		return f <= g
	case ir.FONE:
		return !unordered && f != g
	case ir.FUEQ:
		return unordered || f == g
	case ir.FUGT:
		return unordered || f > g
	case ir.FUGE:
		return unordered || f >= g
	case ir.FULT:
		return unordered || f < g
	case ir.FULE:
		return unordered || f <= g
	}
	return unordered || f != g // FUNE
}

// WholeOf returns f, rounded toward zero, as a word of w bits, if it fits.
func WholeOf(op ir.Op, f *big.Float, w int) (bits.Vec, bool) {
	n, _ := f.Int(nil)
	v := bits.FromBig(w, n)
	return v, op == ir.OpFpToUi && v.Unsigned().Cmp(n) == 0 || op == ir.OpFpToSi && v.Signed().Cmp(n) == 0
}

// FromInt rounds an integer once, to width w.
func FromInt(n *big.Int, w int) bits.Vec {
	f := new(big.Float).SetInt(n)
	switch w {
	case 64:
		d, _ := f.Float64()
		return FromDouble(d, 64)
	case 32:
		s, _ := f.Float32()
		return FromDouble(float64(s), 32)
	}
	if n.BitLen() > 40 { // far beyond the largest half
		return FromDouble(math.Copysign(math.Inf(1), float64(n.Sign())), 16)
	}
	return FromDouble(float64(n.Int64()), 16)
}

// Extreme is fmin or fmax: a number wins over NaN (LangRef: llvm.minnum); of equal ones the second.
func Extreme(a []bits.Vec, better func(p, q float64) bool) bits.Vec {
	p, q := Double(a[0]), Double(a[1])
	switch {
	case math.IsNaN(q):
		return Canonical(a[0])
	case math.IsNaN(p) || !better(p, q):
		return a[1]
	}
	return a[0]
}

// FMA rounds a*b+c once. Narrow formats are computed exactly in big.Float;
// zeros, infinities and NaN are the same as in double.
func FMA(a []bits.Vec) bits.Vec {
	p, q, r := Double(a[0]), Double(a[1]), Double(a[2])
	w := a[0].Width()
	d := math.FMA(p, q, r)
	if w == 64 || d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
		return FromDouble(d, w)
	}
	exact := new(big.Float).SetPrec(2000).SetFloat64(p)
	exact.Mul(exact, new(big.Float).SetFloat64(q))
	exact.Add(exact, new(big.Float).SetFloat64(r))
	if w == 32 {
		f, _ := exact.Float32()
		return FromDouble(float64(f), 32)
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
	return FromDouble(f, 16)
}
