package race

import (
	"context"
	"slices"

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
	// whether an engine says that no execution comes to the claim of an ID; nil: none says so of any. It is known when
	// pathsDone is closed.
	never func(id string) bool

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
		Run(ctx, r.p, r.answers, r.terminationEngines())
	}
	if r.p.Checks.Has(verdict.ComplexityBound) {
		Run(ctx, r.p, r.answers, complexityEngines)
	}
}

// proves waits for the claims about paths, and reports whether all those of check c that the program has were proved in
// this run, or are never reached. One that no engine names is open.
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
	named := map[string]bool{}
	for i := range r.paths.Claims {
		cl := &r.paths.Claims[i]
		if cl.Status != verdict.Proved && (cl.Check == c || cl.Check == verdict.Unwinding) {
			return false
		}
		named[cl.ID] = true
	}
	return !slices.ContainsFunc(r.p.ListClaims(), func(cl verdict.Claim) bool {
		return cl.Check == c && !named[cl.ID] && (r.never == nil || !r.never(cl.ID))
	})
}

// neverReached tells to which claims no execution comes: the only one there is was executed, all were unwound, or proofs
// say so.
func neverReached(a *problem.Answers) func(id string) bool {
	_, all := a.Executed()
	if u := a.Unwinding(); u != nil && u.Complete && u.Cut == nil && u.Gap == nil {
		all = true
	}
	proofs := a.Proofs()
	return func(id string) bool { return all || proofs.Covers(id) }
}
