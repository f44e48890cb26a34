package change

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// withCallees completes out where both versions do the same whatever the functions give that did not change and that both
// call: with the same arguments, in the same memory, in the same order. Else it returns nil.
func (v *versions) withCallees(ctx context.Context, out verdict.Comparison, args pair.Arguments,
	compared bool) *verdict.Comparison {
	if len(v.callees) == 0 {
		return nil
	}
	for _, turns := range []bool{true, false} {
		if c := v.same(ctx, out, form{args: args, turns: turns, take: true}, compared); c != nil {
			return c
		}
	}
	return nil
}

// calleesEnd reports whether the functions that were not followed end, or violate a check, whatever they are called with.
// Otherwise the old version might not come to the check that it is excused for.
func (v *versions) calleesEnd(ctx context.Context, taken []string) bool {
	for _, c := range v.callees {
		if c.Loops && slices.Contains(taken, c.Name) && !v.endsAlone(ctx, c.Name) {
			return false
		}
	}
	return true
}

func (v *versions) endsAlone(ctx context.Context, name string) bool {
	if ends, asked := v.ends[name]; asked {
		return ends
	}
	if v.ends == nil {
		v.ends = map[string]bool{}
	}
	v.ends[name] = false
	m, _ := ir.Copy(v.is)
	if m == nil {
		return false
	}
	h, err := harness.NewProgram(m).Free(m.Func(name), true) // pointers into blocks, too: what is before them may be read
	if err != nil || slices.ContainsFunc(h.Assumptions, func(a verdict.Assumption) bool { return a.Guessed() }) {
		return false
	}
	part, cancel := budget.Share(ctx, policy.PairTurnsPercent)
	defer cancel()
	plan := planOf(v.plan, &pair.Paired{Harnessed: *h})
	plan.Checks, plan.EndsUnasked = verdict.CheckSet{verdict.Termination: true}, false
	res := verifier.Run(part, m, plan)
	ends, open := false, false
	for _, l := range res.Claims {
		if l.Check == verdict.Termination {
			ends, open = true, open || l.Status != verdict.Proved
		}
	}
	ends = res.Followed || ends && !open
	v.ends[name] = ends
	return ends
}

// ofNumbers reports checks of arithmetic alone.
func ofNumbers(c verdict.Check) bool {
	switch c {
	case verdict.SignedOverflow, verdict.UnsignedOverflow, verdict.Shift, verdict.DivByZero, verdict.Conversion,
		verdict.FloatConversion:
		return true
	}
	return false
}
