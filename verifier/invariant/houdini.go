package invariant

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// Houdini drops members of set until question finds no model in which one is lost.
// It returns those left, and Unsat if they are inductive; else the answer that
// ended the search, Sat being a model that loses none.
func Houdini[T any](set []T, question func(set []T) (solve.Answer, *ilr.Evaluator),
	lost func(x T, model *ilr.Evaluator) bool) ([]T, solve.Answer) {
	for {
		ans, model := question(set)
		if ans != solve.Sat {
			return set, ans
		}
		left := slices.DeleteFunc(slices.Clone(set), func(x T) bool { return lost(x, model) })
		if len(left) == len(set) {
			return set, ans
		}
		set = left
	}
}

// houdini drops candidates until those left hold on entry and are preserved.
func (p *Prover) houdini(ctx context.Context) bool {
	defer p.cut.LimitConflicts(0)
	p.cut.LimitConflicts(p.effort * policy.ConflictsOfAll)
	_, ans := Houdini(p.alive, func(set []*candidate) (solve.Answer, *ilr.Evaluator) {
		p.keep(set)
		p.assumeAlive()
		return p.cut.Check(ctx, []ilr.Term{p.hold}, failsOf(p.alive)...)
	}, lost)
	switch {
	case ans == solve.Unsat:
		return true
	case ctx.Err() != nil || ans == solve.Sat:
		return false
	}
	return p.oneByOne(ctx)
}

// lost reports that a model shows c not to be inductive.
func lost(c *candidate, model *ilr.Evaluator) bool { return model.Holds(c.fails) }

// keep drops the candidates that are not in set, which is in the order of alive.
func (p *Prover) keep(set []*candidate) {
	left := set
	for _, c := range p.alive {
		if len(left) > 0 && left[0] == c {
			left = left[1:]
			continue
		}
		p.cut.assert(p.f.Store.Not(c.selector))
	}
	p.alive = set
}

// oneByOne is houdini where all candidates at once are too hard: what cannot be
// decided within a limit is dropped too. A candidate is asked for once more when one
// that its refutation used is dropped.
func (p *Prover) oneByOne(ctx context.Context) bool {
	p.cut.LimitConflicts(p.effort * policy.ConflictsOfOne)
	used := map[*candidate][]ilr.Term{} // by those that hold
	for {
		i := slices.IndexFunc(p.alive, func(c *candidate) bool { _, holds := used[c]; return !holds })
		if i < 0 {
			return true
		}
		next, before := p.alive[i], p.alive
		ans, model := p.cut.Check(ctx, selectors(p.alive), next.fails)
		if ans == solve.Unsat {
			used[next] = slices.Clone(p.cut.core)
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		p.keep(slices.DeleteFunc(slices.Clone(before), func(c *candidate) bool {
			return c == next || ans == solve.Sat && lost(c, model)
		}))
		for _, c := range before {
			if slices.Contains(p.alive, c) {
				continue
			}
			delete(used, c)
			for d, core := range used {
				if slices.Contains(core, c.selector) {
					delete(used, d)
				}
			}
		}
	}
}
