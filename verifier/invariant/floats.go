package invariant

import (
	"math"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Bounds of floating-point numbers. Encodings of one sign are in the order of their magnitudes (IEEE 754, 3.4), so
// that orders of integers bound a number: with k >= 0, it is at most k where its encoding is at most that of k as a
// signed integer, and at least -k where it is at most that of -k as an unsigned one. The first lets NaNs with a sign
// pass, the second those without: both together exclude all.

// visitFloats notes the numbers and the constants that a floating-point operation has.
func (x *comparisons) visitFloats(t ilr.Term) {
	s := x.f.Store
	for i := range 2 {
		for _, l := range x.leavesOf(s.Arg(t, i)) {
			for _, v := range x.vars[l] {
				x.floats[v] = true
			}
			c, ok := s.ConstVal(l)
			if !ok {
				continue
			}
			k, n := magnitude(c), s.Width(l)
			if !slices.Contains(x.magnitudes[n], k) && len(x.magnitudes[n]) < policy.MaxMagnitudes && isFinite(k) {
				x.magnitudes[n] = append(x.magnitudes[n], k)
			}
		}
	}
}

func magnitude(v bits.Vec) bits.Vec {
	return bits.And(v, bits.Not(bits.FormatOf(v.Width()).Zero(true)))
}

func negative(v bits.Vec) bits.Vec { return bits.Or(v, bits.FormatOf(v.Width()).Zero(true)) }

func isFinite(magnitude bits.Vec) bool {
	return bits.Ult(magnitude, bits.FormatOf(magnitude.Width()).Inf(false))
}

// floatBounds proposes bounds of a floating-point number: the program's constants, powers of two, and that it is none
// but a NaN.
func (p *proposer) floatBounds(v int, constants []bits.Vec) {
	n := p.width(v)
	f := bits.FormatOf(n)
	ks := slices.Clone(constants)
	for e := policy.LeastMagnitude; e <= policy.GreatestMagnitude; e += 2 {
		ks = append(ks, bits.FormatOf(64).Convert(bits.NearestEven, bits.New(64, math.Float64bits(math.Ldexp(1, e))), f))
	}
	ks = append(ks, f.Zero(false), f.Inf(false))
	one := bits.New(n, 1)
	for _, k := range ks {
		below := negative(k)
		p.unit(lemma.Atom{Kind: lemma.Sle, V: v, K: k, Float: true}, false)
		p.unit(lemma.Atom{Kind: lemma.Ule, V: v, K: below, Float: true}, false)
		if !k.IsZero() && isFinite(k) {
			p.unit(lemma.Atom{Kind: lemma.Sle, V: v, K: bits.Sub(k, one), Float: true}, true)
			p.unit(lemma.Atom{Kind: lemma.Ule, V: v, K: bits.Sub(below, one), Float: true}, true)
		}
	}
}
