package change

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// inTurns completes out where both versions do the same on all inputs, which is shown by having their loops turn together;
// else it returns nil. Nothing else is learned: what fails there may be due to how loops are paired. compared says that an
// execution is known in which nothing differs and which both calls end.
func (v *versions) inTurns(ctx context.Context, out verdict.Comparison, compared bool) *verdict.Comparison {
	m, both, err := v.joined((*pair.Joined).Turns)
	if err != nil {
		return nil
	}
	part, cancel := budget.Share(ctx, policy.PairTurnsPercent)
	defer cancel()
	turns := planOf(v.plan, both)
	if both.Together {
		delete(turns.Checks, verdict.Termination)
	}
	turns.Found = func(l verdict.Claim) {
		if both.Fact(l.Pos) != nil || !both.Old(l.Pos) {
			cancel() // nothing comes of it
		}
	}
	c := &comparing{out: &out, pair: both, res: verifier.Run(part, m, turns), compared: true, ends: both.Together}
	c.decide()
	if out.Status != verdict.Same || !compared && !v.comesToEnd(ctx) {
		return nil
	}
	return &out
}

// comesToEnd reports whether an execution is found in which nothing differs and which both calls end.
func (v *versions) comesToEnd(ctx context.Context) bool {
	m, both, _ := v.joined((*pair.Joined).Pair)
	part, cancel := budget.Share(ctx, policy.PairEndPercent)
	defer cancel()
	plan := planOf(v.plan, both)
	delete(plan.Checks, verdict.Termination)
	var found atomic.Bool
	plan.Found = func(l verdict.Claim) {
		if f := both.Fact(l.Pos); f != nil && f.Kind == pair.FactEnd && l.Check == verdict.Assert {
			found.Store(true)
			cancel()
		}
	}
	verifier.Run(part, m, plan)
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
