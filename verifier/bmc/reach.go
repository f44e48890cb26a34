package bmc

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
)

// places lists the conditions on which executions come to g in the round's formula, and whether these are all.
func (r *round) places(g *group) (list []encode.Reached, all bool) {
	for _, c := range g.Instances {
		list = append(list, encode.Reached{Guard: c.Guard, Loose: c.Loose})
	}
	more := []*encode.Places{r.f.Held[ir.At{Instr: g.First.Instr, Check: g.First.Check}]}
	if in := g.First.Instr; in != nil && in.AlwaysFails() {
		if t := r.f.Tests[in.Block]; t != nil {
			more = append(more, &t.Places)
		}
	}
	all = true
	for _, p := range more {
		if p != nil {
			list = append(list, p.All...)
			all = all && !p.More
		}
	}
	return list, all
}

// reachability finds out which claims some execution reaches with earlier claims satisfied, and of the others,
// which ones only earlier claims keep executions from.
func (b *unwinder) reachability(ctx context.Context, r *round) {
	guards, loose := map[*group][]ilr.Term{}, map[*group][]ilr.Term{}
	partial := map[*group]bool{}
	for _, g := range r.groups {
		list, all := r.places(g)
		partial[g] = !all
		for _, p := range list {
			guards[g], loose[g] = append(guards[g], p.Guard), append(loose[g], p.Loose)
		}
	}
	rest, exact := without(ctx, r, r.groups, guards)
	left := map[*group]bool{}
	for _, g := range rest {
		left[g] = true
		if exact && !partial[g] {
			g.reach = problem.Unreached
		}
	}
	for _, g := range r.groups {
		if !left[g] && !r.facts {
			g.reach = problem.Reached
		}
	}
	if !exact || !b.a.AnySettled() {
		return
	}
	b.findDeadEnds(ctx, r)
	never, exact := without(ctx, r, rest, loose)
	for _, g := range rest {
		g.blocked = g.reach == problem.Unreached && !(exact && slices.Contains(never, g))
	}
}

// without returns the keys for which no execution was found that satisfies one of their conditions; exact if
// there is none. It asks for models of "any condition not seen yet", until there is none.
func without[K comparable](ctx context.Context, r *round, keys []K, conds map[K][]ilr.Term) (rest []K, exact bool) {
	rest = slices.Clone(keys)
	for len(rest) > 0 {
		var ts []ilr.Term
		for _, k := range rest {
			ts = append(ts, conds[k]...)
		}
		any := r.f.Store.Or(ts...)
		if r.f.Store.IsFalse(any) {
			break
		}
		ans, err := r.solver.Check(ctx, any)
		if err != nil || ans == solve.Unknown {
			return rest, false
		}
		if ans == solve.Unsat {
			break
		}
		ev := r.f.Store.NewEvaluator(r.solver.Model(), ilr.EvalFloat)
		n := len(rest)
		rest = slices.DeleteFunc(rest, func(k K) bool { return slices.ContainsFunc(conds[k], ev.Holds) })
		if len(rest) == n {
			return rest, false
		}
	}
	return rest, true
}

// findDeadEnds finds the branches that only executions with a violation leave, in each call of their function, or in one.
func (b *unwinder) findDeadEnds(ctx context.Context, r *round) {
	r.deadEnds, r.partEnds = map[ir.At][]*ir.Instr{}, map[ir.At][]*ir.Instr{}
	for _, g := range r.groups {
		if s := b.a.Settled(g.ID); s == nil || s.At.Instr == nil || !s.At.Instr.AlwaysFails() {
			continue
		}
		t := r.f.Tests[g.First.Instr.Block]
		if t == nil || len(t.Ways) == 0 {
			continue
		}
		at := ir.At{Instr: g.First.Instr, Check: g.First.Check}
		barred := 0
		for _, w := range t.Ways {
			if !b.excluded(ctx, r, w.Pass) {
				continue
			}
			if barred++; !b.excluded(ctx, r, w.Reached) {
				r.partEnds[at] = t.Branches
			}
		}
		if barred == len(t.Ways) {
			r.deadEnds[at] = t.Branches
		}
	}
}
