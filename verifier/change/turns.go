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

// inTurns completes out where both versions do the same with these arguments, which is shown by having their loops turn
// together; else it returns nil. Nothing else is learned: what fails there may be due to how loops are paired. compared
// says that an execution is known in which nothing differs and which both calls end.
func (v *versions) inTurns(ctx context.Context, out verdict.Comparison, args pair.Arguments,
	compared bool) *verdict.Comparison {
	m, both, err := v.joined((*pair.Joined).Turns, args)
	if err != nil {
		return nil
	}
	c := v.untilOneDiffers(ctx, m, both, out)
	c.compared, c.ends = true, both.Together
	if !c.same() || !compared && !v.comesToEnd(ctx) {
		return nil
	}
	return c.out
}

// whole completes out where both versions do the same with these arguments, one after the other; else it returns nil.
func (v *versions) whole(ctx context.Context, out verdict.Comparison, args pair.Arguments,
	compared bool) *verdict.Comparison {
	m, both, err := v.joined((*pair.Joined).Pair, args)
	if err != nil {
		return nil
	}
	c := v.untilOneDiffers(ctx, m, both, out)
	if c.compared = compared; !c.same() {
		return nil
	}
	return c.out
}

// endless completes out where an input is found with which the old version ends and the new one never does; else it
// returns nil.
func (v *versions) endless(ctx context.Context, out verdict.Comparison) *verdict.Comparison {
	for _, args := range []pair.Arguments{pair.Careful, pair.AnyApart} {
		m, both, err := v.joined((*pair.Joined).Pair, args)
		if err != nil {
			return nil
		}
		part, cancel := budget.Share(ctx, policy.PairEndPercent)
		plan := planOf(v.plan, both)
		plan.Checks = verdict.CheckSet{verdict.Termination: true}
		c := &comparing{out: &out, pair: both, res: verifier.Run(part, m, plan)}
		cancel()
		v.spent += c.res.ProcessorMS
		if c.decide(); c.out.Status == verdict.Differs {
			return c.out
		}
		out.Differences = []verdict.Difference{}
	}
	return nil
}

// untilOneDiffers asks about m in a part of the time of ctx, and for no longer than until something differs.
func (v *versions) untilOneDiffers(ctx context.Context, m *ir.Module, both *pair.Paired,
	out verdict.Comparison) *comparing {
	part, cancel := budget.Share(ctx, policy.PairTurnsPercent)
	defer cancel()
	plan := planOf(v.plan, both)
	if both.Together {
		delete(plan.Checks, verdict.Termination)
	}
	plan.Found = func(l verdict.Claim) {
		if f := both.Fact(l.Pos); f == nil && !both.Old(l.Pos) || f != nil && f.Kind != pair.FactEnd && f.Kind != pair.FactStart {
			cancel() // nothing comes of it
		}
	}
	c := &comparing{out: &out, pair: both, res: verifier.Run(part, m, plan)}
	v.spent += c.res.ProcessorMS
	return c
}

// same decides, and reports whether nothing but what the calls are made under keeps both versions from being the same.
func (c *comparing) same() bool {
	c.decide()
	return c.out.Status == verdict.Same || c.out.Status == verdict.SameBounded && !c.bounded && c.ends
}

// comesToEnd reports whether an execution is found in which nothing differs and which both calls end.
func (v *versions) comesToEnd(ctx context.Context) bool {
	m, both, _ := v.joined((*pair.Joined).Pair, pair.Careful)
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
	v.spent += verifier.Run(part, m, plan).ProcessorMS
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
