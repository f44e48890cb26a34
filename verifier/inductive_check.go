package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
)

// needed picks survivors that suffice to exclude the goals and to be inductive:
// those that refutations of the goals use, then those that refutations of their
// own failures use, until there is nothing new.
func (p *prover) needed(ctx context.Context, goals []ilr.Term) []*candidate {
	used := map[ilr.Term]bool{}
	asked := map[*candidate]bool{}
	all := selectors(p.alive)
	for todo := slices.Clone(goals); len(todo) > 0; {
		for _, t := range todo {
			if ans, _ := p.check(ctx, all, t); ans != solve.Unsat {
				return p.alive
			}
			for _, t := range p.core {
				used[t] = true
			}
		}
		todo = nil
		for _, c := range p.alive {
			if used[c.selector] && !asked[c] {
				asked[c] = true
				todo = append(todo, c.fails)
			}
		}
	}
	keep := slices.DeleteFunc(slices.Clone(p.alive), func(c *candidate) bool { return !asked[c] })
	if len(keep) > maxThinned {
		return keep
	}
	return p.thin(ctx, keep, p.f.Store.Or(goals...))
}

// thin drops what is not needed after all.
func (p *prover) thin(ctx context.Context, keep []*candidate, bad ilr.Term) []*candidate {
	for i := 0; i < len(keep); {
		less := slices.Delete(slices.Clone(keep), i, i+1)
		if ans, _ := p.check(ctx, selectors(less), append(failsOf(less), bad)...); ans == solve.Unsat {
			keep = less
			continue
		}
		i++
	}
	return keep
}

// verify encodes anew, assumes exactly the lemmas of keep, and has another solver
// decide that they hold, are preserved and prove the claims.
func (p *prover) verify(ctx context.Context, keep []*candidate, out *proofs) (string, bool) {
	f, solver, err := p.encodeCut(ctx)
	if err != nil {
		return "", false
	}
	defer solver.Close()
	if f.Grown || !sameHeaders(p.f, f) {
		return "", false
	}
	bad := []ilr.Term{gapsOf(f)}
	facts := f.Assumptions
	for _, c := range keep {
		facts = append(facts, c.holds(f))
		bad = append(bad, c.lemma.fails(f))
	}
	for i := range f.Claims {
		if out.holds[f.Claims[i].ID] {
			bad = append(bad, violation(f, &f.Claims[i]))
		}
	}
	return again(ctx, f.Store, solver, facts, bad)
}

// again decides that each of bad is impossible under facts, by z3 or else by solver, which
// has the facts of the formula already.
func again(ctx context.Context, s *ilr.Store, solver solve.Solver, facts, bad []ilr.Term) (string, bool) {
	q := s.Or(bad...)
	if s.IsFalse(q) {
		return "a second encoding, by simplification alone", true
	}
	if z3, err := solve.Open("z3", s, solve.Options{}); err == nil {
		defer z3.Close()
		for _, a := range facts {
			z3.Assert(a)
		}
		half, cancel := share(ctx, otherPercent)
		defer cancel()
		switch ans, _ := z3.Check(half, q); ans {
		case solve.Unsat:
			return "a second encoding, decided by z3", true
		case solve.Sat:
			return "", false
		}
	}
	for _, a := range facts {
		solver.Assert(a)
	}
	for _, t := range bad {
		if ans, err := solver.Check(ctx, t); err != nil || ans != solve.Unsat {
			return "", false
		}
	}
	return "a second encoding, decided by a second run of the solver", true
}

// detail words the certificate.
func (p *prover) detail(keep []*candidate) []string {
	var out []string
	for _, c := range keep {
		pos := p.f.Headers[c.header].Pos
		out = append(out, fmt.Sprintf("%s:%d: %s", pos.File, pos.Line, c.text(p.f)))
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		for _, l := range p.cuts.Loops() {
			out = append(out, fmt.Sprintf("loop %s: holds in every turn from any state", l))
		}
		for _, f := range p.cuts.Funcs() {
			out = append(out, fmt.Sprintf("recursion of %s: holds in every call from any state", f))
		}
	}
	return out
}
