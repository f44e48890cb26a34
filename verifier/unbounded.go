package verifier

import (
	"context"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// runUnbounded answers termination and complexity.
func runUnbounded(_ context.Context, _ *ir.Module, entry *ir.Func, plan Plan, res *verdict.Result) {
	for _, c := range []verdict.Check{verdict.Termination, verdict.ComplexityBound} {
		if plan.Checks.Has(c) {
			res.Claims = append(res.Claims, verdict.Claim{ID: string(c) + "@" + entry.Name, Check: c, Status: verdict.Unknown, Pos: entry.Pos, Message: "every run ends",
				Reason: &verdict.Reason{Kind: verdict.Unsupported, Detail: "the unbounded lane is not part of this build"}})
		}
	}
}
