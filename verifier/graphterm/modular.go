package graphterm

import (
	"context"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A modular graph has one graph and a summary for each function of seg.Shared, and knows less of each call than a graph
// that follows it. So it may show that something holds, and what it leaves open is open.

// shares reports whether the program has functions for which a modular graph has one graph.
func (e *engine) shares() bool { return e.p.On(byModularGraph) && len(seg.Shared(e.p.Entry)) > 0 }

// terminationModularly proves termination on the modular graph, if there is one that differs. It takes a part of the
// time only: it comes first, because it is small where it is enough.
func (e *engine) terminationModularly(ctx context.Context) (verdict.Claim, *seg.Graph) {
	claim := e.p.TerminationClaim()
	claim.Learn(verdict.Undecided)
	if !e.shares() {
		return claim, nil
	}
	e.modular = true
	defer func() { e.modular = false }()
	part, cancel := budget.Share(ctx, policy.ModularPercent)
	defer cancel()
	found, g := e.decideByOverflow(part, func(context.Context, verdict.Check) bool { return false }) // does not wait
	if found.Status != verdict.Proved {
		return claim, nil
	}
	return found, g
}

// safetyModularly gives the proofs of the modular graph, if there is one that differs; else it returns the error.
func (e *engine) safetyModularly(ctx context.Context, otherwise error) error {
	if ctx.Err() != nil || !e.shares() {
		return otherwise
	}
	if _, err := e.safety(ctx, &certificate.Safe{Modular: true}); err != nil {
		return err
	}
	if e.a.Proofs().All() {
		return nil
	}
	return problem.ErrOpen
}

// complexityModularly returns the claim with a bound from the modular graph, if there is one that differs; else it
// returns why.
func (e *engine) complexityModularly(ctx context.Context, why *verdict.Reason) (verdict.Claim, *verdict.Reason) {
	if ctx.Err() != nil || !e.shares() {
		return verdict.Claim{}, why
	}
	e.modular = true
	defer func() { e.modular = false }()
	if claim, again := e.complexity(ctx); again == nil {
		return claim, nil
	}
	return verdict.Claim{}, why
}
