package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// decide settles every claim but the bounds: one query for "any of those still
// open", and each model settles the claim whose violation its replay reaches.
func (b *bounded) decide(ctx context.Context, r *round) {
	open := b.open(r)
	total := len(open)
	for len(open) > 0 {
		b.progress("solve", total-len(open), total, r.limit)
		ans, err := r.solver.Check(ctx, anyOf(r.f.Store, open))
		switch {
		case err != nil || ans == solve.Unknown:
			r.cut = b.gaveUp(ctx, err)
			for _, g := range open {
				g.status, g.reason = verdict.Unknown, r.cut
			}
			return
		case ans == solve.Unsat:
			for _, g := range open {
				g.status = verdict.Bounded // Proved if the round turns out complete
			}
			return
		}
		open = b.settle(ctx, r, open)
		if b.found() {
			r.cut = &verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped at the first violation, as asked"}
			for _, g := range open {
				g.status, g.reason = verdict.Unknown, r.cut
			}
			return
		}
	}
}

// found reports that the plan's only violation was found.
func (b *bounded) found() bool {
	if b.plan.FirstOnly {
		for _, c := range b.settled {
			if c.Status == verdict.Violated {
				return true
			}
		}
	}
	return false
}

// open are the groups that can still be violated; the others hold by simplification.
func (b *bounded) open(r *round) []*group {
	var open []*group
	for _, g := range r.groups {
		g.status = verdict.Bounded
		if g.first.Check == verdict.Unwinding || b.settled[g.id] != nil {
			continue
		}
		g.instances = slices.DeleteFunc(g.instances, func(c *encode.Claim) bool { return r.f.Store.IsFalse(c.Violated) && r.f.Store.IsFalse(c.Guard) })
		if slices.ContainsFunc(g.instances, func(c *encode.Claim) bool { return !r.f.Store.IsFalse(c.Violated) }) {
			open = append(open, g)
		}
	}
	return open
}

func anyOf(s *ilr.Store, groups []*group) ilr.Term {
	var ts []ilr.Term
	for _, g := range groups {
		for _, c := range g.instances {
			ts = append(ts, c.Violated)
		}
	}
	return s.Or(ts...)
}

// settle replays the solver's model and takes what it violates out of open.
func (b *bounded) settle(ctx context.Context, r *round, open []*group) []*group {
	ev := r.f.Store.NewEvaluator(r.solver.Model(), ilr.EvalFloat)
	var hit []*group
	for _, g := range open {
		if slices.ContainsFunc(g.instances, func(c *encode.Claim) bool { return ev.Holds(c.Violated) }) {
			hit = append(hit, g)
		}
	}
	if len(hit) == 0 {
		panic("the solver's model violates no claim")
	}
	stop := b.stage("replay")
	g, claim := b.replay(ctx, r, ev, hit)
	stop(nil)
	b.settled[g.id] = claim
	return slices.DeleteFunc(slices.Clone(open), func(o *group) bool { return o == g })
}

// decideBounds settles the unwinding claims and the gaps.
func (b *bounded) decideBounds(ctx context.Context, r *round) {
	r.complete = r.cut == nil
	for _, g := range r.groups {
		if g.first.Check != verdict.Unwinding {
			continue
		}
		g.status = b.holds(ctx, r, anyOf(r.f.Store, []*group{g}))
		if g.status != verdict.Proved {
			r.complete = false
			g.status = verdict.Bounded
		}
		for i := range r.f.Loops {
			if l := &r.f.Loops[i]; l.Claim == g.id {
				l.Complete = g.status == verdict.Proved
			}
		}
	}
	open := map[*ir.Instr]bool{}
	for i := range r.f.Gaps {
		gap := &r.f.Gaps[i]
		if open[gap.Instr] || b.holds(ctx, r, gap.Guard) == verdict.Proved {
			continue
		}
		open[gap.Instr] = true
		if r.gap == nil {
			reason := gap.Reason
			r.gap = &reason
		}
		if gap.Instr == nil {
			r.after = nil
			r.gapAnywhere = true
			return
		}
		r.after = append(r.after, ir.AfterOf(b.m, b.entry, gap.Instr))
	}
}

// behindGap reports whether an execution may come to g by way of a gap.
func (r *round) behindGap(g *group) bool {
	return r.gapAnywhere || slices.ContainsFunc(r.after, func(a *ir.After) bool { return a.Has(g.first.Instr) })
}

// holds is Proved if bad cannot be true, Unknown otherwise.
func (b *bounded) holds(ctx context.Context, r *round, bad ilr.Term) verdict.Status {
	if r.f.Store.IsFalse(bad) {
		return verdict.Proved
	}
	ans, err := r.solver.Check(ctx, bad)
	if err == nil && ans == solve.Unsat {
		return verdict.Proved
	}
	return verdict.Unknown
}

// reachability finds out which claims some execution reaches (vacuity): models
// of "any guard not yet seen", until there is none.
func (b *bounded) reachability(ctx context.Context, r *round) {
	rest := slices.Clone(r.groups)
	for len(rest) > 0 {
		var ts []ilr.Term
		for _, g := range rest {
			for _, c := range g.instances {
				ts = append(ts, c.Guard)
			}
		}
		ans, err := r.solver.Check(ctx, r.f.Store.Or(ts...))
		if err != nil || ans == solve.Unknown {
			return
		}
		if ans == solve.Unsat {
			for _, g := range rest {
				g.checked = true
			}
			return
		}
		ev := r.f.Store.NewEvaluator(r.solver.Model(), ilr.EvalFloat)
		n := len(rest)
		rest = slices.DeleteFunc(rest, func(g *group) bool {
			g.reached = slices.ContainsFunc(g.instances, func(c *encode.Claim) bool { return ev.Holds(c.Guard) })
			g.checked = g.reached
			return g.reached
		})
		if len(rest) == n {
			return
		}
	}
}

func (b *bounded) gaveUp(ctx context.Context, err error) *verdict.Reason {
	if err == nil {
		err = fmt.Errorf("the solver gave up")
	}
	return reasonOf(ctx, err)
}

func (b *bounded) progress(stage string, done, total, limit int) {
	if b.plan.Progress != nil {
		b.plan.Progress(Progress{Stage: stage, Done: done, Total: total, Unwind: limit})
	}
}
