package solve

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// congruentWithAll states congruence of a read that clashes again with all other reads of
// its array variable: one after the other would take a call of the solver each.
func (a *arrays) congruentWithAll(t ilr.Term) {
	a.clashed[t]++
	if _, isConst := a.s.ConstVal(a.s.Arg(t, 1)); isConst || a.clashed[t] < 3 {
		return
	}
	arr := a.s.Arg(t, 0)
	if a.s.Kind(arr) != ilr.KVar {
		return
	}
	fixed := newRun(arr)
	for _, u := range a.sels {
		if a.s.Arg(u, 0) != arr || a.paired[pair(t, u)] {
			continue
		}
		if v, ok := a.s.ConstVal(a.s.Arg(u, 1)); ok && v.Width() <= 64 {
			fixed.elems[v.Low64()] = u
		} else {
			a.congruent(t, u)
		}
	}
	a.congruentRun(t, fixed)
}

func pair(t, u ilr.Term) [2]ilr.Term { return [2]ilr.Term{min(t, u), max(t, u)} }

// congruent asserts that reads of one array variable at equal indices are equal.
func (a *arrays) congruent(t, u ilr.Term) {
	if t == u || a.paired[pair(t, u)] || a.s.Kind(t) != ilr.KSelect || a.s.Kind(u) != ilr.KSelect ||
		a.s.Arg(t, 0) != a.s.Arg(u, 0) {
		return
	}
	a.paired[pair(t, u)] = true
	a.lemma(a.s.Implies(a.s.Eq(a.s.Arg(t, 1), a.s.Arg(u, 1)), a.s.Eq(t, u)))
}

// congruentRun states that select t of an array variable equals each of the reads at
// constant indices in r if its index is theirs.
func (a *arrays) congruentRun(t ilr.Term, r *run) {
	r.index()
	for _, b := range r.blocks {
		var reads []ilr.Term
		for u := b << policy.TableIndexBits; u>>policy.TableIndexBits == b; u++ {
			if e := r.elems[u]; e != 0 {
				reads = append(reads, e)
			}
			if u == ^uint64(0) {
				break
			}
		}
		if len(reads) < policy.TableLeast {
			for _, u := range reads {
				a.congruent(t, u)
			}
			continue
		}
		for _, u := range reads {
			a.paired[pair(t, u)] = true
		}
		a.expandRun(t, r, b<<policy.TableIndexBits)
	}
}
