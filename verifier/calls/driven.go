package calls

import (
	"context"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Driven lists the calls of the program in which a generated entry of plan, or one beside it, violates a claim; nil: none
// does with these inputs.
func Driven(ctx context.Context, m *ir.Module, plan problem.Plan, c *verdict.Claim) []replay.Driven {
	entries := []problem.Plan{plan}
	for _, w := range plan.Longer {
		entries = append(entries, plan.Beside(w.Entry, w.Assumptions, w.Open))
	}
	if w := plan.Calls; w != nil && w.Entry != "" {
		entries = append(entries, plan.Beside(w.Entry, w.Assumptions, w.Open))
	}
	for _, q := range entries {
		p := race.Prepare(m, q, &verdict.Result{})
		if p == nil {
			continue
		}
		list, out, err := replay.DrivenBy(ctx, p, c.Inputs, policy.KnownSteps)
		if err != nil || out.Kind != interp.Violation || len(list) == 0 {
			continue
		}
		if of, _, fails := replay.Violated(p, out); fails && of.ID == verdict.Site(c.ID) {
			return list
		}
	}
	return nil
}
