package bmc

import (
	"context"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// otherWays asks of each access that violates its claim past the end whether it does before the start, too, and the
// other way round: that is another finding.
func (b *unwinder) otherWays(ctx context.Context, r *round) {
	if b.p.FirstOnly || r.cut != nil || r.facts {
		return
	}
	r.solver.LimitConflicts(policy.WayConflicts)
	defer r.solver.LimitConflicts(0)
	for _, g := range r.groups {
		s := b.a.Settled(g.ID)
		if s == nil || s.Status != verdict.Violated || s.Check != verdict.Memory || s.Other != nil || ctx.Err() != nil {
			continue
		}
		if c, found := b.otherWay(ctx, r, g, !s.Object.IsBefore()); found {
			b.a.AddWay(g.ID, c)
		}
	}
}

// otherWay looks for a violation of g before the start, or for any other.
func (b *unwinder) otherWay(ctx context.Context, r *round, g *group, before bool) (verdict.Claim, bool) {
	s := r.f.Store
	any := s.False()
	for _, c := range g.Instances {
		switch {
		case c.Before != 0 && before:
			any = s.Or(any, s.And(c.Violated, c.Before))
		case c.Before != 0:
			any = s.Or(any, s.And(c.Violated, s.Not(c.Before)))
		case !before:
			any = s.Or(any, c.Violated)
		}
	}
	if s.IsFalse(any) {
		return verdict.Claim{}, false
	}
	if ans, err := r.solver.Check(ctx, any); err != nil || ans != solve.Sat {
		return verdict.Claim{}, false
	}
	inputs := r.f.Inputs(s.NewEvaluator(r.solver.Model(), ilr.EvalFloat))
	out, err := replay.Execute(ctx, b.p, inputs, false)
	if err != nil || out.Kind != interp.Violation || out.Object.IsBefore() != before || replay.NotFollowed(inputs) != nil ||
		!isOf(g, out) {
		return verdict.Claim{}, false
	}
	return replay.Confirm(ctx, b.p, problem.ClaimOf(g.First), inputs, out).Claim, true
}

// isOf reports whether an execution violates the claim of g.
func isOf(g *group, out *interp.Outcome) bool {
	is := func(c *encode.Claim) bool { return c.Instr == out.Instr && c.Check == out.Check }
	for _, c := range g.Instances {
		if is(c) {
			return true
		}
	}
	return false
}
