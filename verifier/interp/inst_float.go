package interp

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Floats are IEEE 754 half, single and double with rounding to nearest even.
// Every half and single is a double, and a double has more than twice their
// precision plus two bits, so that rounding the double result of one operation
// is rounding the exact one (Figueroa 1995).

// toDouble decodes the IEEE encoding at its width.
func toDouble(b bits.Vec) float64 {
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

// fromDouble encodes f at width w, rounded; NaN is the one quiet NaN.
func fromDouble(f float64, w int) bits.Vec {
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

func floatBinary(op ir.Op, a, b bits.Vec) bits.Vec {
	p, q := toDouble(a), toDouble(b)
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
	return fromDouble(r, a.Width())
}

// float executes floating-point arithmetic, lane by lane for vectors.
func (x *Machine) float(in *ir.Instr) value {
	a := x.eval(in.Args[0])
	b := a
	if in.Op != ir.OpFneg {
		b = x.eval(in.Args[1])
	}
	one := func(a, b value) value {
		w := a.bits.Width()
		if w == x87Width {
			return x.x87Float(in.Op, a, b)
		}
		if in.Op == ir.OpFneg {
			return scalar(canonical(bits.Xor(a.bits, bits.MinSigned(w)))).withMask(all(w, a))
		}
		return scalar(floatBinary(in.Op, a.bits, b.bits)).withMask(all(w, a, b))
	}
	if in.T.Kind != ir.KindVector {
		return one(a, b)
	}
	out := value{elems: make([]value, len(a.elems))}
	for i := range out.elems {
		out.elems[i] = one(a.elems[i], b.elems[i])
	}
	return out
}

// canonical replaces any NaN by the one NaN.
func canonical(b bits.Vec) bits.Vec {
	if f := toDouble(b); math.IsNaN(f) {
		return fromDouble(f, b.Width())
	}
	return b
}

func floatCompare(p ir.Pred, a, b bits.Vec) bool {
	return orderHolds(p, toDouble(a), toDouble(b))
}

func orderHolds(p ir.Pred, f, g float64) bool {
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

// convertFloat executes conversions from or to floating point.
func (x *Machine) convertFloat(in *ir.Instr, a value, from, to *ir.Type) value {
	w := to.Width
	if from.Width == x87Width && from.Kind == ir.KindFloat || w == x87Width && to.Kind == ir.KindFloat {
		return x.x87Conversion(in, a, from, to)
	}
	switch in.Op {
	case ir.OpFpTrunc, ir.OpFpExt:
		return scalar(fromDouble(toDouble(a.bits), w)).withMask(all(w, a))
	case ir.OpUiToFp:
		return scalar(fromInt(a.bits.Unsigned(), w)).withMask(all(w, a))
	case ir.OpSiToFp:
		return scalar(fromInt(a.bits.Signed(), w)).withMask(all(w, a))
	}
	f := toDouble(a.bits)
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		if v, fits := wholeOf(in.Op, new(big.Float).SetFloat64(f), w); fits {
			return scalar(v).withMask(all(w, a))
		}
	}
	return x.doesNotFit(f, to)
}

// wholeOf returns f, rounded toward zero, as a word of w bits, if it fits.
func wholeOf(op ir.Op, f *big.Float, w int) (bits.Vec, bool) {
	n, _ := f.Int(nil)
	v := bits.FromBig(w, n)
	return v, op == ir.OpFpToUi && v.Unsigned().Cmp(n) == 0 || op == ir.OpFpToSi && v.Signed().Cmp(n) == 0
}

func (x *Machine) doesNotFit(f any, to *ir.Type) value {
	if w := to.Width; x.violate(verdict.Conversion, "floating-point value %v does not fit %d bits", f, w) {
		return scalar(bits.New(w, 0))
	}
	return x.inputs(input.Unspecified, to)
}

// fromInt rounds an integer once, to width w.
func fromInt(n *big.Int, w int) bits.Vec {
	f := new(big.Float).SetInt(n)
	switch w {
	case 64:
		d, _ := f.Float64()
		return fromDouble(d, 64)
	case 32:
		s, _ := f.Float32()
		return fromDouble(float64(s), 32)
	}
	if n.BitLen() > 40 { // far beyond the largest half
		return fromDouble(math.Copysign(math.Inf(1), float64(n.Sign())), 16)
	}
	return fromDouble(float64(n.Int64()), 16)
}
