package bmc

import (
	"context"
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// batches is the state of deciding the claims of one round. A batch is asked about at
// once. Its size follows the conflicts that the last one took: thousands of easy claims
// cost few calls, and hard ones are proved a few at a time, each resting on those before it.
type batches struct {
	open   []*group
	todo   []*encode.Claim // in the order of execution
	later  []*encode.Claim // too hard so far
	size   int
	effort int
	exact  bool // ask for violations with all earlier claims satisfied
}

// decide settles every claim but the bounds, in the order of execution: one query
// for "any of this batch". Without a model the batch holds, which later queries may
// use; each model settles the claim whose violation its replay reaches. As long as
// nothing is violated, claims are asked about unguarded: that says the same with less.
func (b *unwinder) decide(ctx context.Context, r *round) {
	x := &batches{open: b.open(r), size: policy.FirstBatch, effort: policy.FirstEffort}
	x.todo = instancesOf(r.f, x.open)
	defer r.solver.LimitConflicts(0)
	published := b.publisher(ctx, r)
	for total := len(x.open); x.more(); {
		b.progress("solve", total-len(x.open), total, r.limit)
		published.publish(append(x.todo, x.later...)...)
		exact := x.exact || b.a.AnySettled()
		any, before := x.any(r.f.Store, exact), r.solver.Stats().Conflicts
		r.solver.LimitConflicts(x.effort)
		ans, err := r.solver.Check(ctx, any)
		switch {
		case errors.Is(err, solve.ErrLimit) && ctx.Err() == nil:
			if x.size > 1 || !b.order(r, x.todo[0]) {
				x.split()
			}
		case err != nil || ans == solve.Unknown:
			r.cut = problem.EarlyEnd(ctx, err)
			leaveUnknown(x.open, append(x.todo, x.later...), r.cut)
			return
		case ans == solve.Sat && !exact && !b.violates(r, x.open):
			x.exact = true
		case ans == solve.Sat:
			x.open = b.settle(ctx, r, x.open)
			if r.dropped > policy.MaxUnconfirmed {
				r.cut = &verdict.Reason{Kind: verdict.Cancelled,
					Detail: "assumed quantifiers have to be followed exactly"}
				leaveUnknown(x.open, append(x.todo, x.later...), r.cut)
				return
			}
			settled := func(c *encode.Claim) bool {
				return b.a.Settled(c.ID) != nil || !slices.ContainsFunc(x.open,
					func(g *group) bool { return g.ID == c.ID })
			}
			x.todo, x.later = slices.DeleteFunc(x.todo, settled), slices.DeleteFunc(x.later, settled)
			if b.a.Enough(b.p) {
				r.cut = &verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped at the first violation, as asked"}
				leaveUnknown(x.open, append(x.todo, x.later...), r.cut)
				return
			}
		default:
			r.solver.Learn(r.f.Store.Not(any))
			x.proved(r.solver.Stats().Conflicts - before)
		}
	}
}

// more reports whether anything is to be decided, and fits the batch to it.
func (x *batches) more() bool {
	if len(x.todo) == 0 {
		x.todo, x.later = x.later, nil
		x.effort *= policy.MoreEffort
	}
	x.size = min(x.size, len(x.todo))
	return len(x.todo) > 0
}

func (x *batches) split() {
	if x.size == 1 {
		x.later = append(x.later, x.todo[0])
		x.todo = x.todo[1:]
	}
	x.size = max(1, x.size/4)
}

// any asks for a violation in the batch.
func (x *batches) any(s *ilr.Store, exact bool) ilr.Term {
	if exact {
		return anyOf(s, x.todo[:x.size])
	}
	ts := make([]ilr.Term, x.size)
	for i, c := range x.todo[:x.size] {
		ts[i] = c.Unguarded
	}
	return s.Or(ts...)
}

// violates reports whether the solver's model violates a claim, earlier ones satisfied.
func (b *unwinder) violates(r *round, open []*group) bool {
	ev := r.f.Store.NewEvaluator(r.solver.Model(), ilr.EvalFloat)
	return slices.ContainsFunc(instances(open), func(c *encode.Claim) bool { return ev.Holds(c.Violated) })
}

func (x *batches) proved(conflicts int) {
	x.exact = false
	x.todo = x.todo[x.size:]
	switch {
	case conflicts <= policy.EasyBatch:
		x.size *= 2
	case conflicts > policy.HardBatch:
		x.size /= 2
	}
	x.size = max(1, x.size)
}

// instancesOf lists what can still be violated, in the order of execution.
func instancesOf(f *encode.Formula, open []*group) []*encode.Claim {
	isOpen := map[string]bool{}
	for _, g := range open {
		isOpen[g.ID] = true
	}
	var out []*encode.Claim
	for i := range f.Claims {
		if c := &f.Claims[i]; isOpen[c.ID] && !f.Store.IsFalse(c.Violated) {
			out = append(out, c)
		}
	}
	return out
}

// leaveUnknown gives the reason to the groups that have instances in todo.
func leaveUnknown(open []*group, todo []*encode.Claim, why *verdict.Reason) {
	left := map[string]bool{}
	for _, c := range todo {
		left[c.ID] = true
	}
	for _, g := range open {
		if left[g.ID] {
			g.status, g.reason = verdict.Unknown, why
		}
	}
}

// open lists the groups that can still be violated; the others hold by simplification.
func (b *unwinder) open(r *round) []*group {
	var open []*group
	for _, g := range r.groups {
		g.status = verdict.Bounded
		if g.First.Check == verdict.Unwinding || b.whole[g.ID] > 0 || b.a.Settled(g.ID) != nil {
			continue
		}
		g.Instances = slices.DeleteFunc(g.Instances,
			func(c *encode.Claim) bool { return r.f.Store.IsFalse(c.Violated) && r.f.Store.IsFalse(c.Guard) })
		if slices.ContainsFunc(g.Instances, func(c *encode.Claim) bool { return !r.f.Store.IsFalse(c.Violated) }) {
			open = append(open, g)
		}
	}
	return open
}

func instances(groups []*group) (out []*encode.Claim) {
	for _, g := range groups {
		out = append(out, g.Instances...)
	}
	return out
}

func anyOf(s *ilr.Store, claims []*encode.Claim) ilr.Term {
	ts := make([]ilr.Term, len(claims))
	for i, c := range claims {
		ts[i] = c.Violated
	}
	return s.Or(ts...)
}

// settle replays the solver's model and takes what it violates out of open.
func (b *unwinder) settle(ctx context.Context, r *round, open []*group) []*group {
	ev := r.f.Store.NewEvaluator(r.solver.Model(), ilr.EvalFloat)
	var hit []*group
	for _, g := range open {
		if slices.ContainsFunc(g.Instances, func(c *encode.Claim) bool { return ev.Holds(c.Violated) }) {
			hit = append(hit, g)
		}
	}
	if len(hit) == 0 {
		panic("the solver's model violates no claim")
	}
	stop := b.a.Stage("replay")
	g, settled := b.replay(ctx, r, ev, hit)
	stop(nil)
	if r.facts && settled.Claim.Status != verdict.Violated {
		g.status, g.reason = verdict.Unknown, settled.Claim.Reason
		r.dropped++
	} else {
		b.a.Settle(settled)
	}
	return slices.DeleteFunc(slices.Clone(open), func(o *group) bool { return o == g })
}

// decideBounds settles the unwinding claims and the gaps. A round that was cut can
// be complete: then the claims that were decided in time are proved.
func (b *unwinder) decideBounds(ctx context.Context, r *round) {
	r.complete, r.grows = true, false
	for _, g := range r.groups {
		if g.First.Check != verdict.Unwinding {
			continue
		}
		g.status = b.holds(ctx, r, anyOf(r.f.Store, g.Instances))
		if g.status != verdict.Proved {
			r.complete = false
			r.grows = r.grows || !g.First.Fixed
			g.status = verdict.Bounded
		}
		for i := range r.f.Loops {
			if l := &r.f.Loops[i]; l.Claim == g.ID {
				l.Complete = g.status == verdict.Proved
			}
		}
	}
	b.decideGaps(ctx, r)
	b.doubtBounds(r)
}

// decideGaps finds the reachable constructs that are not modelled, and what may be executed behind them.
func (b *unwinder) decideGaps(ctx context.Context, r *round) {
	open := map[*ir.Instr]bool{}
	for i := range r.f.Gaps {
		gap := &r.f.Gaps[i]
		if open[gap.Instr] || b.holds(ctx, r, gap.Guard) == verdict.Proved {
			continue
		}
		open[gap.Instr] = true
		reason := gap.Reason
		if ctx.Err() != nil && !r.f.Store.IsTrue(gap.Guard) { // nobody knows whether an execution comes there
			reason = *problem.EarlyEnd(ctx, nil)
		}
		if r.gap == nil {
			r.gap = &reason
		}
		r.stopped = r.stopped || reason.OutOfTime()
		if gap.Instr == nil {
			r.unplaced = true
			return
		}
		r.gaps = append(r.gaps, gap.Instr)
	}
	if len(r.gaps) > 0 {
		r.behind = ir.AfterOf(b.p.Module, b.p.Entry, r.gaps...)
	}
}

// doubtBounds takes back that a bound suffices where an execution may come to it from another one that does not,
// or by way of a gap: paths end there, so what the loop does behind is not known. An inner loop that reaches its
// bound says nothing about the turns of the outer one, nor the other way round.
func (b *unwinder) doubtBounds(r *round) {
	behind := []*ir.After{r.behind}
	covered := func(in *ir.Instr) bool {
		return r.unplaced || slices.ContainsFunc(behind, func(a *ir.After) bool { return a.Has(in) })
	}
	for _, g := range r.groups {
		if in := g.First.Instr; g.First.Check == verdict.Unwinding && g.status != verdict.Proved && !covered(in) {
			behind = append(behind, ir.AfterOf(b.p.Module, b.p.Entry, in))
		}
	}
	for _, g := range r.groups {
		if g.First.Check == verdict.Unwinding && g.status == verdict.Proved && covered(g.First.Instr) {
			g.status = verdict.Bounded
		}
	}
	for i := range r.f.Loops {
		l := &r.f.Loops[i]
		l.Complete = l.Complete && !covered(l.Latch)
	}
}

// behindGap reports whether an execution may come to g by way of a gap.
func (r *round) behindGap(g *group) bool {
	return r.unplaced || r.behind.Has(g.First.Instr)
}

// holds returns Proved if bad cannot be true, Unknown otherwise.
func (b *unwinder) holds(ctx context.Context, r *round, bad ilr.Term) verdict.Status {
	if r.f.Store.IsFalse(bad) {
		return verdict.Proved
	}
	ans, err := r.solver.Check(ctx, bad)
	if err == nil && ans == solve.Unsat {
		return verdict.Proved
	}
	return verdict.Unknown
}

func (b *unwinder) progress(stage string, done, total, limit int) {
	if b.p.Progress != nil {
		b.p.Progress(problem.Progress{Stage: stage, Done: done, Total: total, Unwind: limit})
	}
}
