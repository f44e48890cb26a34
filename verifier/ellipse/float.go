package ellipse

import (
	"math"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// valueOf returns the number that an encoding of 32 or 64 bits is; ok is false for infinities, NaNs and other widths.
func valueOf(v bits.Vec) (k exact.Rat, ok bool) {
	var f float64
	switch v.Width() {
	case 32:
		f = float64(math.Float32frombits(uint32(v.Low64())))
	case 64:
		f = math.Float64frombits(v.Low64())
	default:
		return k, false
	}
	return ratOf(f)
}

// ratOf returns f itself; ok is false for infinities and NaNs.
func ratOf(f float64) (k exact.Rat, ok bool) {
	r := new(big.Rat).SetFloat64(f)
	if r == nil {
		return k, false
	}
	return exact.Frac(exact.FromBig(r.Num()), exact.FromBig(r.Denom())), true
}

// above returns the encoding, of w bits, of a number that is k or just above, k >= 0; ok is false if none is finite.
func above(w int, k exact.Rat) (v bits.Vec, ok bool) {
	f, _ := k.Big().Float64()
	for range 3 {
		if w == 32 {
			g := float32(f)
			if float64(g) < f {
				g = math.Nextafter32(g, float32(math.Inf(1)))
			}
			f, v = float64(g), bits.New(32, uint64(math.Float32bits(g)))
		} else {
			v = bits.New(64, math.Float64bits(f))
		}
		if got, ok := valueOf(v); ok && got.Cmp(k) >= 0 {
			return v, w == 32 || w == 64
		}
		f = math.Nextafter(f, math.Inf(1))
	}
	return v, false
}

// within returns the term: t encodes a number, and its magnitude is at most that of the encoding k, k >= 0. Encodings
// of one sign are in the order of magnitudes (IEEE 754, 3.4).
func within(s *ilr.Store, t ilr.Term, k bits.Vec) ilr.Term {
	negative := bits.Or(k, bits.MinSigned(k.Width()))
	return s.And(s.Sle(t, s.Const(k)), s.Ule(t, s.Const(negative)))
}

// rounding returns what a result of magnitude m at most may differ from what is exact, in the format of w bits; ok is
// false if it may overflow.
func rounding(w int, m exact.Rat) (err exact.Rat, ok bool) {
	f := bits.FormatOf(w)
	if m.Cmp(power(f.Bias())) >= 0 {
		return err, false
	}
	return m.Mul(power(-f.Prec)).Add(power(f.MinExp() - f.Prec)), true
}

// power returns 2^e.
func power(e int) exact.Rat {
	if e < 0 {
		return exact.R(1).Div(power(-e))
	}
	return exact.RatOf(exact.I(2).Pow(e))
}

func encoding(f float64) bits.Vec { return bits.New(64, math.Float64bits(f)) }
