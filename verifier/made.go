package verifier

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// withMade asks once more about what is open because of what a harness made up, in runs in which the program's own
// functions make the arguments (harness.Program.Made). What holds then is conditional ("holds if s is as a call of sdsnew
// leaves it"); what fails is no finding of this. No other claim is asked about: runs go on past it.
func withMade(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result) {
	if plan.Made == nil || plan.Off[madeName] || ctx.Err() != nil {
		return
	}
	waits := func(c *verdict.Claim) bool { return leftOut(c) || len(guessed(&plan, c)) > 0 }
	q := plan.Beside(plan.Made.Entry, plan.Made.Assumptions, plan.Made.Open)
	if q.Checks = checksOf(res, waits); len(q.Checks) == 0 {
		return
	}
	more := &verdict.Result{Assumptions: slices.Clone(q.Assumptions)}
	p := race.Prepare(m, q, more)
	if p == nil {
		return
	}
	past := ir.Past{}
	for at, id := range claims.ClaimIDs(p) {
		if !slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return verdict.Site(c.ID) == id && waits(&c) }) {
			past[at] = true
		}
	}
	within, end := someTime(ctx)
	defer end()
	p = p.Without(past).Aside()
	a := problem.NewAnswers()
	race.Run(within, p, a, race.SafetyEngines)
	more.Claims = nil // what the compiler found is told already
	claims.ReportPaths(p, a, more)
	if claims.JudgeAll(ctx, p, more); more.Vacuous != nil {
		return
	}
	takeOver(res, more, &built{plan: &plan, assumed: slices.DeleteFunc(slices.Clone(plan.Made.Assumptions), func(a verdict.Assumption) bool {
		return a.Relation != verdict.Contents || slices.ContainsFunc(plan.Assumptions, func(b verdict.Assumption) bool {
			return a.ID == b.ID
		})
	})})
}
