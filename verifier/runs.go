package verifier

import (
	"context"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// runsQuestion says what is asked about whole runs: whether they end, and when.
type runsQuestion struct {
	p         *problem.Problem
	main      *ir.Func // the entry before startup was woven in
	answers   *problem.Answers
	paths     *verdict.Result
	pathsDone chan struct{} // closed when paths says what is known about paths

	// followed says how every path was followed to its end and violates nothing; nil: it was not so. It is known when
	// pathsDone is closed.
	followed *certificate.Ended
}

func (r *runsQuestion) decide(ctx context.Context) {
	switch {
	case !r.p.Checks.Has(verdict.Termination):
	case r.p.EndsUnasked:
		r.decideUnasked(ctx, budget.Spent(ctx))
	default:
		race(ctx, r.p, r.answers, r.terminationEngines())
	}
	if r.p.Checks.Has(verdict.ComplexityBound) {
		race(ctx, r.p, r.answers, complexityEngines)
	}
}

// proves waits for the claims about paths, and reports whether all those of check c
// were proved in this run.
func (r *runsQuestion) proves(ctx context.Context, c verdict.Check) bool {
	if !r.p.Checks.Has(c) {
		return false
	}
	defer budget.Idle(ctx)()
	select {
	case <-r.pathsDone:
	case <-ctx.Done():
		return false
	}
	if r.paths.Reason != nil {
		return false
	}
	for i := range r.paths.Claims {
		if cl := &r.paths.Claims[i]; cl.Status != verdict.Proved && (cl.Check == c || cl.Check == verdict.Unwinding) {
			return false
		}
	}
	return true
}
