package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cells proposes values of array elements that a counter has passed, or has
// not yet reached: k < i implies a[k] == c.
func (p *proposer) cells() {
	ghost := -1
	for v := range p.h.Vars {
		if p.h.Vars[v].Ghost {
			ghost = v
		}
	}
	if ghost < 0 {
		return
	}
	for a := range p.h.Vars {
		if !p.h.Vars[a].Cell || p.h.Vars[a].Next > 0 {
			continue
		}
		facts := p.cellFacts(a, ghost)
		var outside []lemma.Literal // k is no index of the array
		if n := p.h.Vars[a].Count; n > 0 {
			outside = append(outside, lemma.Not(&lemma.Atom{Kind: lemma.Sle, V: ghost, K: bits.NewInt(p.width(ghost), n-1)}))
		}
		for i := range p.h.Vars {
			x := &p.h.Vars[i]
			if !x.Moves || x.Cell || x.Offset || p.width(i) < 8 {
				continue
			}
			below := &lemma.Atom{Kind: lemma.SleVar, V: i, W: ghost} // i <= k: not passed
			above := &lemma.Atom{Kind: lemma.SleVar, V: ghost, W: i} // k <= i: not passed on the way down
			for _, l := range facts {
				p.add(append(slices.Clip(outside), lemma.Is(below), l)...)
				p.add(append(slices.Clip(outside), lemma.Is(above), l)...)
				p.add(append(slices.Clip(outside), lemma.Not(below), l)...)
			}
		}
	}
}

// cellFacts are literals about the ghost cell of array a.
func (p *proposer) cellFacts(a, ghost int) []lemma.Literal {
	var out []lemma.Literal
	w := p.width(a)
	ks := p.h.Consts[w]
	for _, k := range ks[:min(policy.MaxCellConsts, len(ks))] {
		for _, kind := range []lemma.Kind{lemma.Eq, lemma.Sle, lemma.Ule} {
			out = append(out, lemma.Is(&lemma.Atom{Kind: kind, V: a, K: k}))
		}
		out = append(out, lemma.Not(&lemma.Atom{Kind: lemma.Sle, V: a, K: bits.Sub(k, bits.New(w, 1))}))
	}
	if !p.h.Calls || p.h.Vars[a].Before > 0 {
		out = append(out, lemma.Is(&lemma.Atom{Kind: lemma.EqEntry, V: a}))
	}
	out = append(out, lemma.Is(&lemma.Atom{Kind: lemma.EqVar, V: a, W: ghost}))
	for v := range p.h.Vars {
		if v != a && v != ghost && p.width(v) == w && !p.h.Vars[v].Offset && p.h.Vars[v].Next == 0 {
			out = append(out, lemma.Is(&lemma.Atom{Kind: lemma.EqVar, V: a, W: v}),
				lemma.Is(&lemma.Atom{Kind: lemma.SleVar, V: a, W: v}),
				lemma.Is(&lemma.Atom{Kind: lemma.SleVar, V: v, W: a}),
				lemma.Not(&lemma.Atom{Kind: lemma.SleVar, V: a, W: v}), lemma.Not(&lemma.Atom{Kind: lemma.SleVar, V: v, W: a}))
		}
	}
	return out
}
