package change

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// inTurns reports whether both versions do the same on all inputs by having their loops turn together, and completes the
// answer then. Nothing else is learned: what fails there may be due to how loops are paired.
func inTurns(ctx context.Context, was, is *ir.Module, old, now string, plan problem.Plan, out *verdict.Comparison) bool {
	joined, err := pair.Join(was, is)
	if err != nil {
		return false
	}
	both, err := joined.Turns(old, now)
	if err != nil {
		return false
	}
	part, cancel := budget.Share(ctx, policy.PairTurnsPercent)
	defer cancel()
	turns := planOf(plan, both)
	if both.Together {
		delete(turns.Checks, verdict.Termination)
	}
	turns.Found = func(l verdict.Claim) {
		if both.Fact(l.Pos) != nil || !both.Old(l.Pos) {
			cancel() // nothing comes of it
		}
	}
	answer := *out
	c := &comparing{out: &answer, pair: both, res: verifier.Run(part, joined.Module, turns), compared: true,
		ends: both.Together}
	c.decide()
	if answer.Status != verdict.Same || !comesToEnd(ctx, was, is, old, now, plan) {
		return false
	}
	*out = answer
	return true
}

// comesToEnd reports whether an execution is found in which nothing differs and which both calls end.
func comesToEnd(ctx context.Context, was, is *ir.Module, old, now string, plan problem.Plan) bool {
	joined, err := pair.Join(was, is)
	if err != nil {
		return false
	}
	both, err := joined.Pair(old, now)
	if err != nil {
		return false
	}
	part, cancel := budget.Share(ctx, policy.PairEndPercent)
	defer cancel()
	plan = planOf(plan, both)
	delete(plan.Checks, verdict.Termination)
	var found atomic.Bool
	plan.Found = func(l verdict.Claim) {
		if f := both.Fact(l.Pos); f != nil && f.Kind == pair.FactEnd && l.Check == verdict.Assert {
			found.Store(true)
			cancel()
		}
	}
	verifier.Run(part, joined.Module, plan)
	return found.Load()
}

// planOf is a plan for a function that calls both versions.
func planOf(plan problem.Plan, both *pair.Paired) problem.Plan {
	plan.Entry, plan.Generated, plan.Alone, plan.EndsUnasked = both.Entry.Name, true, true, true
	plan.Assumptions = append(slices.Clone(plan.Assumptions), both.Assumptions...)
	plan.Open = nil              // what a harness makes up is the same for both
	plan.MallocNeverFails = true // the harness alone allocates, and assumes as much
	if plan.Checks == nil {
		plan.Checks = verdict.DefaultChecks()
	}
	plan.Checks = maps.Clone(plan.Checks)
	plan.Checks[verdict.Termination] = true
	delete(plan.Checks, verdict.Leak)
	delete(plan.Checks, verdict.PointerOverflow)
	return plan
}
