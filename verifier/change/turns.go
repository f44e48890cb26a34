package change

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// same completes out where both versions do the same, compared in a form; else it returns nil. Nothing else is learned
// of turns, where what fails may be due to how loops are paired, nor of calls that are not followed. compared says that an
// execution is known in which nothing differs and which both calls end. It takes a part of the time of ctx, and no longer
// than until something differs.
func (v *versions) same(ctx context.Context, out verdict.Comparison, by form, compared bool) *verdict.Comparison {
	if ctx.Err() != nil {
		return nil
	}
	m, both, err := v.joined(by)
	if err != nil || len(both.Limits) > 0 { // with limits it is up to bounds, which is known
		return nil
	}
	called := harness.CalledWithAny(v.is.Func(v.now)).ID
	if by.callee && slices.ContainsFunc(both.Assumptions, func(a verdict.Assumption) bool { return a.ID != called }) {
		return nil
	}
	part, cancel := budget.Share(ctx, policy.PairTurnsPercent)
	defer cancel()
	plan := planOf(v.plan, both)
	if both.Together {
		delete(plan.Checks, verdict.Termination)
	}
	plan.Found = func(l verdict.Claim) {
		f := both.Fact(l.Pos)
		if f == nil && !both.Old(l.Pos) || f != nil && f.Kind != pair.FactEnd && f.Kind != pair.FactStart {
			cancel() // nothing comes of it
		}
	}
	c := &comparing{out: &out, pair: both}
	c.res, c.show = v.run(part, m, plan, by.words(v.now))
	unknown := by.turns || by.take // whether executions of m are some of the versions
	c.compared, c.ends = compared || unknown, both.Together
	if !c.holds() || unknown && !compared && !v.comesToEnd(ctx) {
		return nil
	}
	if by.take && (c.out.Status != verdict.Same || c.oldFails || !v.calleesEnd(ctx, both.Taken)) {
		return nil
	}
	if c.out.Status == verdict.Same {
		c.show()
	}
	return c.out
}

// holds decides, and reports whether nothing but what the calls are made under keeps both versions from being the same.
func (c *comparing) holds() bool {
	c.decide()
	return c.out.Status == verdict.Same || c.out.Status == verdict.SameBounded && !c.bounded && c.ends
}

// endless completes out where an input is found with which the old version ends and the new one never does; else it
// returns nil.
func (v *versions) endless(ctx context.Context, out verdict.Comparison) *verdict.Comparison {
	for _, args := range []pair.Arguments{pair.Careful, pair.AnyApart} {
		if ctx.Err() != nil {
			return nil
		}
		m, both, err := v.joined(form{args: args})
		if err != nil {
			return nil
		}
		part, cancel := budget.Share(ctx, policy.PairEndPercent)
		plan := planOf(v.plan, both)
		plan.Checks = verdict.CheckSet{verdict.Termination: true}
		c := &comparing{out: &out, pair: both, res: verifier.Run(part, m, plan)}
		cancel()
		if c.decide(); out.Status == verdict.Differs {
			return &out
		}
	}
	return nil
}

// comesToEnd reports whether an execution is found in which nothing differs and which both calls end.
func (v *versions) comesToEnd(ctx context.Context) bool {
	m, both, _ := v.joined(form{args: pair.Careful})
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

// firstPart is the part of the time for the first way to compare both versions: where there is little, all of it.
func firstPart(ctx context.Context) (context.Context, context.CancelFunc) {
	if left, limited := budget.Left(ctx); limited && left*policy.PairFirstPercent/100 < policy.PairFirstTime {
		return budget.WithTimeout(ctx, policy.PairFirstTime)
	}
	return budget.Share(ctx, policy.PairFirstPercent)
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
	delete(plan.Checks, verdict.Register) // what a version does behind a violation counts, too
	if !both.Short {
		delete(plan.Checks, verdict.PointerOverflow)
	}
	return plan
}
