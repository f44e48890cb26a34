package verifier

import (
	"context"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
)

// houdini drops candidates until those left hold on entry and are preserved.
func (p *prover) houdini(ctx context.Context) bool {
	defer p.solver.LimitConflicts(0)
	for {
		p.solver.LimitConflicts(p.effort * conflictsOfAll)
		p.holdAll()
		ans, ev := p.check(ctx, []ilr.Term{p.hold}, failsOf(p.alive)...)
		switch {
		case ans == solve.Unsat:
			return true
		case ctx.Err() != nil:
			return false
		case ans == solve.Unknown:
			return p.oneByOne(ctx)
		}
		if p.dropFalse(ev) == 0 {
			return false
		}
	}
}

// propose has the templates make lemmas.
func (p *prover) propose(ctx context.Context) {
	samples := p.collect(ctx)
	p.found = make([][]*atom, len(p.f.Headers))
	for i := range p.f.Headers {
		x := propose(p.f, i, samples[i])
		p.early, p.rest = append(p.early, x.early...), append(p.rest, x.out...)
		p.found[i] = x.found
		slog.Debug("templates", "header", p.f.Headers[i].Key, "vars", len(p.f.Headers[i].Vars), "lemmas", len(x.out),
			"samples", len(samples[i]), "sums", len(x.found))
	}
}

// dropFalse drops the candidates that a model shows not to be inductive.
func (p *prover) dropFalse(ev *ilr.Evaluator) int {
	var gone []*candidate
	for _, c := range p.alive {
		if ev.Holds(c.fails) {
			gone = append(gone, c)
		}
	}
	p.drop(gone...)
	return len(gone)
}

func (p *prover) drop(gone ...*candidate) {
	p.alive = slices.DeleteFunc(p.alive, func(c *candidate) bool { return slices.Contains(gone, c) })
	for _, c := range gone {
		p.solver.Assert(p.f.Store.Not(c.selector))
	}
}

// oneByOne is houdini where all candidates at once are too hard: what cannot be
// decided within a limit is dropped too. A candidate is asked again when one that
// its refutation used is dropped.
func (p *prover) oneByOne(ctx context.Context) bool {
	p.solver.LimitConflicts(p.effort * conflictsOfOne)
	used := map[*candidate][]ilr.Term{} // by those that hold
	for {
		var next *candidate
		for _, c := range p.alive {
			if _, holds := used[c]; !holds {
				next = c
				break
			}
		}
		if next == nil {
			return true
		}
		before := slices.Clone(p.alive)
		ans, ev := p.check(ctx, selectors(p.alive), next.fails)
		switch {
		case ans == solve.Unsat:
			used[next] = slices.Clone(p.core)
			continue
		case ctx.Err() != nil:
			return false
		case ans == solve.Sat && p.dropFalse(ev) > 0:
		default:
			p.drop(next)
		}
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
