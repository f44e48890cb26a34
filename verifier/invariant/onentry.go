package invariant

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// onEntry proposes what the branches in front of the loop say of several of its numbers: turns may keep it. Comparisons
// of two are among the others.
func (p *proposer) onEntry() {
	if p.h.Loop == nil {
		return
	}
	s, entry := p.f.Store, &p.h.Arrivals[0]
	x := &speaker{s: s, leaves: map[ilr.Term]int{}}
	for v, t := range entry.Values {
		if y := &p.h.Vars[v]; !y.Ghost && !y.Cell && !y.Mask {
			x.put(t, v)
		}
	}
	left := policy.MaxEntryConditions
	for _, t := range conjuncts(s, entry.Guard) {
		neg := s.Kind(t) == ilr.KNot
		if neg {
			t = s.Arg(t, 0)
		}
		if e := x.tree(t); left > 0 && e != nil && len(e.vars()) > 1 && !e.compares() {
			left--
			p.unit(atom{kind: atomTree, tree: e}, neg)
		}
	}
}

// compares reports whether x is a comparison of two numbers.
func (x *tree) compares() bool {
	return len(x.args) == 2 && x.args[0].args == nil && x.args[1].args == nil
}
