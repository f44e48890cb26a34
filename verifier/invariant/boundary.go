package invariant

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// boundaries lists conditions that the ghost index is not passed yet: it is on the far side of a counter, or of the
// index of an access in the turn to come.
func (p *proposer) boundaries(ghost int) []*lemma.Atom {
	var out []*lemma.Atom
	for v := range p.h.Vars {
		if x := &p.h.Vars[v]; x.Moves && !x.Cell && !x.Offset && !x.Mask && p.width(v) >= 8 {
			out = append(out, &lemma.Atom{Kind: lemma.SleVar, V: v, W: ghost}, &lemma.Atom{Kind: lemma.SleVar, V: ghost, W: v})
		}
	}
	for _, a := range p.accesses() {
		if len(out) >= policy.MaxBoundaries {
			break
		}
		sum, minus := []lemma.Summand{{Coef: -1, V: ghost}}, []lemma.Summand{{Coef: 1, V: ghost}}
		for _, v := range slices.Sorted(maps.Keys(a.Coefs)) {
			sum, minus = append(sum, lemma.Summand{Coef: a.Coefs[v], V: v}), append(minus, lemma.Summand{Coef: -a.Coefs[v],
				V: v})
		}
		w := (&lemma.Atom{Sum: sum}).SumWidth(p.h)
		out = append(out, &lemma.Atom{Kind: lemma.SumSle, V: ghost, Sum: sum, K: bits.NewInt(w, -a.K)},
			&lemma.Atom{Kind: lemma.SumSle, V: ghost, Sum: minus, K: bits.NewInt(w, a.K)})
	}
	return out
}

// accesses lists the indices that turns read and write arrays at and that are more than a counter.
func (p *proposer) accesses() []lemma.Affine {
	s, x := p.f.Store, lemma.SpeakerAt(p.f.Store, p.h)
	var out []lemma.Affine
	add := func(t ilr.Term, size int64) {
		a, ok := x.Affine(t)
		if !ok {
			return
		}
		if a, ok = a.Per(size); !ok || !slices.ContainsFunc(slices.Collect(maps.Keys(a.Coefs)), p.counts) ||
			slices.ContainsFunc(out, func(b lemma.Affine) bool { return b.K == a.K && maps.Equal(a.Coefs, b.Coefs) }) {
			return
		}
		for v, c := range a.Coefs {
			if y := &p.h.Vars[v]; y.Ghost || y.Cell || c == 1 && len(a.Coefs) == 1 && a.K == 0 {
				return
			}
		}
		out = append(out, a)
	}
	var roots []ilr.Term
	for _, a := range p.h.Arrivals[1:] {
		roots = append(append(roots, a.Guard), a.Values...)
	}
	s.Walk(roots, func(t ilr.Term) {
		if s.Kind(t) != ilr.KStore && s.Kind(t) != ilr.KSelect {
			return
		}
		for v := range p.h.Vars {
			if n := p.width(v) / s.Sort(s.Arg(t, 0)).W; p.h.Vars[v].Cell && !p.h.Vars[v].Mask && n > 0 {
				add(s.Arg(t, 1), int64(n))
			}
		}
	})
	return out
}

// counts reports whether v is a number that turns change.
func (p *proposer) counts(v int) bool {
	x := &p.h.Vars[v]
	return x.Moves && !x.Cell && !x.Mask && !x.Ghost
}
