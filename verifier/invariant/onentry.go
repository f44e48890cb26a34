package invariant

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// onEntry proposes what the branches in front of the loop say of several of its numbers: turns may keep it. Comparisons
// of two are among the others.
func (p *proposer) onEntry() {
	if p.h.Loop == nil {
		return
	}
	s, entry := p.f.Store, &p.h.Arrivals[0]
	x := &lemma.Speaker{S: s, Leaves: map[ilr.Term]int{}}
	for v, t := range entry.Values {
		if y := &p.h.Vars[v]; !y.Ghost && !y.Cell && !y.Mask {
			x.Put(t, v)
		}
	}
	left := policy.MaxEntryConditions
	for _, t := range conjuncts(s, entry.Guard) {
		neg := s.Kind(t) == ilr.KNot
		if neg {
			t = s.Arg(t, 0)
		}
		if e := x.Tree(t); left > 0 && e != nil && len(e.Vars()) > 1 && !compares(e) {
			left--
			p.unit(lemma.Atom{Kind: lemma.IsTrue, Tree: e}, neg)
		}
	}
}

// compares reports whether x is a comparison of two numbers.
func compares(x *lemma.Tree) bool {
	return len(x.Args) == 2 && x.Args[0].Args == nil && x.Args[1].Args == nil
}
