package verifier

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A generated harness keeps what pointers lead to apart, which is a guess. The entry in which they may lead to one place
// (harness.Program.Overlapping) does without: what holds there, too, holds.

// overlap asks about claims that hold if pointers lead to different places, in runs in which they may lead to one.
func overlap(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result) {
	o := plan.Overlap
	if o == nil || plan.FirstOnly || plan.Alone || plan.StopAfter != "" || len(plan.Dumps) > 0 {
		return
	}
	q := plan.Beside(o.Entry, o.Assumptions, o.Open)
	if q.Checks = checksOf(res, restsOnApart(res)); len(q.Checks) == 0 {
		return
	}
	more := again(ctx, m, q, res, policy.WiderRounds)
	if more == nil || more.Vacuous != nil {
		return
	}
	known := map[string]*verdict.Claim{}
	apart := restsOnApart(more)
	for i := range more.Claims {
		if c := &more.Claims[i]; c.Status.Holds() && !apart(c) {
			known[c.ID] = c
		}
	}
	apart = restsOnApart(res)
	for i := range res.Claims {
		c := &res.Claims[i]
		k := known[c.ID]
		if k == nil || !apart(c) || c.Known()&^k.Known()&verdict.Always != 0 {
			continue
		}
		k.Certificate, k.Evidence = nil, nil // of another program
		res.Assumptions = verdict.AddAssumptions(res.Assumptions, more.RestsOn(k)...)
		*c = *k
	}
}

// restsOnApart returns what reports a claim that holds if pointers lead to different places, for all that anybody says.
func restsOnApart(res *verdict.Result) func(*verdict.Claim) bool {
	return func(c *verdict.Claim) bool {
		return c.Status == verdict.Conditional && slices.ContainsFunc(res.RestsOn(c), func(a verdict.Assumption) bool {
			return a.Relation == verdict.Apart && a.Guessed()
		})
	}
}
