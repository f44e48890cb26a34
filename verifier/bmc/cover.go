package bmc

import (
	"context"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// cover finds out which lines and branches executions come to within the round's bounds, and which none ever comes
// to. What an earlier round is sure of is not asked again.
func (b *unwinder) cover(ctx context.Context, r *round) {
	defer b.a.Stage("coverage")(nil)
	ctx, cancel := budget.Share(ctx, policy.CoveragePercent)
	defer cancel()
	r.solver.LimitConflicts(policy.CoverageConflicts)
	defer r.solver.LimitConflicts(0)
	now := map[ir.Spot]verdict.Reach{}
	if b.coverage != nil {
		now = maps.Clone(b.coverage)
	}
	var open []ir.Spot
	for _, s := range b.p.Spots() {
		if now[s] != verdict.Reached && now[s] != verdict.NeverReached {
			open = append(open, s)
		}
	}
	guards := conditions(r, open, func(p encode.Reached) ilr.Term { return p.Guard })
	rest, unclear := separate(ctx, r, open, guards)
	for _, s := range open {
		now[s] = verdict.Reached
	}
	for _, s := range unclear {
		now[s] = before(b.coverage, s)
	}
	b.explain(ctx, r, rest, now)
	for _, in := range r.gaps {
		if s := ir.LineStart(in); s != nil {
			now[ir.Spot{Instr: s}] = r.beyondGap()
		}
	}
	b.coverage = now
	limit := 0
	if !r.complete {
		limit = r.limit
	}
	b.a.SetCoverage(&problem.Coverage{Unwind: limit, At: now})
}

// before returns what an earlier round said.
func before(known map[ir.Spot]verdict.Reach, s ir.Spot) verdict.Reach {
	if was := known[s]; was != "" {
		return was
	}
	return verdict.ReachUnknown
}

// beyondGap says why nothing is known of what is behind a gap.
func (r *round) beyondGap() verdict.Reach {
	if r.stopped {
		return verdict.BeyondBound
	}
	return verdict.NotModelled
}

// explain says of spots that no execution comes to within the bounds, earlier claims satisfied, why that is.
func (b *unwinder) explain(ctx context.Context, r *round, spots []ir.Spot, now map[ir.Spot]verdict.Reach) {
	var bounds, stops []*ir.After
	for _, g := range r.groups {
		if in := g.First.Instr; g.First.Check == verdict.Unwinding && g.status != verdict.Proved {
			bounds = append(bounds, ir.AfterOf(b.p.Module, b.p.Entry, in))
		}
	}
	allHold := !b.a.AnySettled() && r.cut == nil
	if !allHold {
		for at := range r.f.Stops {
			stops = append(stops, ir.AfterOf(b.p.Module, b.p.Entry, at.Instr))
		}
	}
	behind := func(list []*ir.After, s ir.Spot) bool {
		return slices.ContainsFunc(list, func(a *ir.After) bool { return a.Has(s.Instr) })
	}
	for _, s := range spots {
		switch p := r.f.Covered[s]; {
		case r.unplaced || r.behind.Has(s.Instr):
			now[s] = r.beyondGap()
		case behind(bounds, s):
			now[s] = verdict.BeyondBound
		case p != nil && p.More:
			now[s] = before(b.coverage, s)
		case behind(stops, s):
			now[s] = verdict.BehindViolation
		default:
			now[s] = verdict.NeverReached
		}
	}
	if allHold {
		return
	}
	loose := conditions(r, spots, func(p encode.Reached) ilr.Term { return p.Loose })
	none, unclear := separate(ctx, r, spots, loose)
	rest := map[ir.Spot]bool{}
	for _, s := range append(none, unclear...) {
		rest[s] = true
	}
	for _, s := range spots {
		if !rest[s] {
			now[s] = verdict.BehindViolation
		}
	}
	for _, s := range unclear {
		now[s] = before(b.coverage, s)
	}
}

// conditions lists the conditions of the spots, which are none for those that no context comes to.
func conditions(r *round, spots []ir.Spot, of func(encode.Reached) ilr.Term) map[ir.Spot][]ilr.Term {
	out := map[ir.Spot][]ilr.Term{}
	for _, s := range spots {
		if p := r.f.Covered[s]; p != nil {
			for _, x := range p.All {
				out[s] = append(out[s], of(x))
			}
		}
	}
	return out
}

// separate returns the spots none of whose conditions any execution satisfies, and those where that is not clear;
// of the others an execution satisfies one. A question that is too hard is asked by halves.
func separate(ctx context.Context, r *round, spots []ir.Spot, conds map[ir.Spot][]ilr.Term) (
	none, unclear []ir.Spot) {
	rest, exact := without(ctx, r, spots, conds)
	switch {
	case exact:
		return rest, nil
	case len(rest) == 1 || ctx.Err() != nil:
		return nil, rest
	}
	for _, half := range [][]ir.Spot{rest[:len(rest)/2], rest[len(rest)/2:]} {
		n, u := separate(ctx, r, half, conds)
		none, unclear = append(none, n...), append(unclear, u...)
	}
	return none, unclear
}
