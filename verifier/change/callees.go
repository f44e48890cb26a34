package change

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// anyhow completes out where some way to compare both versions shows that they do the same, with what a form says of
// arguments; else it returns nil. A call of one after the other, all of it followed, is made if apart says so.
func (v *versions) anyhow(ctx context.Context, out verdict.Comparison, by form, compared, apart bool) *verdict.Comparison {
	c := v.withCallees(ctx, out, by, compared)
	if by.turns = true; c == nil {
		c = v.same(ctx, out, by, compared)
	}
	if by.turns = false; c == nil && apart {
		c = v.same(ctx, out, by, compared)
	}
	return c
}

// withCallees completes out where both versions do the same whatever the functions give that need not be followed and that
// both call: with the same arguments, in the same memory, in the same order. Else it returns nil.
func (v *versions) withCallees(ctx context.Context, out verdict.Comparison, by form, compared bool) *verdict.Comparison {
	if len(v.callees) == 0 {
		return nil
	}
	by.take = true
	for _, by.turns = range []bool{true, false} {
		if c := v.same(ctx, out, by, compared); c != nil {
			return c
		}
	}
	return nil
}

// calleesEnd reports whether the functions that were not followed end in the old version, or violate a check, whatever they
// are called with. Otherwise that might not come to the check that it is excused for.
func (v *versions) calleesEnd(ctx context.Context, taken []string) bool {
	for _, c := range v.callees {
		if c.Loops && slices.Contains(taken, c.Name) && !v.endsAlone(ctx, c.Old) {
			return false
		}
	}
	return true
}

// endsAlone is calleesEnd of a function of the old version.
func (v *versions) endsAlone(ctx context.Context, name string) bool {
	if ends, asked := v.ends[name]; asked {
		return ends
	}
	if v.ends == nil {
		v.ends = map[string]bool{}
	}
	v.ends[name] = false
	m, _ := ir.Copy(v.was)
	if m == nil {
		return false
	}
	h, err := harness.NewProgram(m).Free(m.Func(name), true, true) // pointers into blocks, too: what is before them may be read
	if err != nil || slices.ContainsFunc(h.Assumptions, func(a verdict.Assumption) bool { return a.Guessed() }) {
		return false
	}
	part, cancel := budget.Share(ctx, policy.PairTurnsPercent)
	defer cancel()
	plan := planOf(v.plan, &pair.Paired{Harnessed: *h})
	plan.Checks, plan.EndsUnasked = verdict.CheckSet{verdict.Termination: true}, false
	res, show := v.run(part, m, plan, name+" of the old version, whether it ends")
	ends, open := false, false
	for _, l := range res.Claims {
		if l.Check == verdict.Termination {
			ends, open = true, open || l.Status != verdict.Proved
		}
	}
	if ends = res.Followed || ends && !open; ends {
		show()
	}
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
