package invariant

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/solve"
)

// equationsExclude reports whether the equations between products are lemmas and exclude bad, by what follows from them
// by arithmetic alone: each product may be any word. Then they are the lemmas found.
func (p *Prover) equationsExclude(ctx context.Context, bad []ilr.Term) bool {
	s := p.f.Store
	if len(p.equal) == 0 {
		return false
	}
	facts, goals := slices.Clone(p.f.Assumptions), slices.Clone(bad)
	for _, l := range p.equal {
		facts = append(facts, l.Assumed(p.f)...)
		goals = append(goals, l.Fails(p.f))
	}
	facts = append(facts, ring.Consequences(s, atSites(p.f, p.equal), goals, p.f.ComesBack())...)
	x := ring.Abstract(s, facts, goals)
	solver := p.cut.p.OpenOwn(s)
	defer solver.Close()
	for _, t := range x[0] {
		solver.Assert(t)
	}
	solver.LimitConflicts(policy.ConflictsOfAll)
	if ans, err := solver.Check(ctx, s.Or(x[1]...)); err != nil || ans != solve.Unsat {
		return false
	}
	for _, l := range p.equal {
		p.alive = append(p.alive, p.candidate(l))
	}
	p.assumeAlive()
	p.shown = bad
	return true
}

// Excluding returns lemmas that exclude bad; ok is false if those found do not.
func (p *Prover) Excluding(ctx context.Context, bad ilr.Term) (keep []*lemma.Lemma, ok bool) {
	if len(p.shown) == 1 && p.shown[0] == bad {
		return lemmas(p.alive), true
	}
	if ans, _ := p.cut.Check(ctx, []ilr.Term{p.hold}, bad); ans != solve.Unsat {
		return nil, false
	}
	return p.Needed(ctx, []ilr.Term{bad}), true
}
