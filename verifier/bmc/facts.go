package bmc

import (
	"context"
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var errNoFacts = errors.New("no quantifier is a fact: the rounds with loops say the same")

// withFacts makes a round in which assumed quantifiers are facts instead of loops. Its formula has every execution
// and more: what is not violated in it holds. It reports whether that leaves nothing open; what it proved is kept otherwise.
func (b *unwinder) withFacts(ctx context.Context) bool {
	limit := policy.FactsUnwind
	if b.p.Unwind > 0 {
		limit = b.p.Unwind
	}
	part, cancel := budget.Share(ctx, policy.FactsPercent)
	defer cancel()
	r, err := b.round(part, limit, true)
	if err != nil {
		return false
	}
	open := !r.complete || r.gap != nil || r.cut != nil ||
		slices.ContainsFunc(r.groups, func(g *group) bool { return g.status == verdict.Unknown })
	if open && !b.a.Enough(b.p) {
		return false
	}
	b.last = r
	b.a.SetUnwinding(b.outcome(r, b.whole))
	return true
}

// confirmEnd notes that assumed quantifiers may exclude every execution, unless it runs one that satisfies them.
func (b *unwinder) confirmEnd(ctx context.Context, r *round) {
	if ans, err := r.solver.Check(ctx, r.f.Ends); err == nil && ans == solve.Sat {
		ev := r.f.Store.NewEvaluator(r.solver.Model(), ilr.EvalFloat)
		out, err := replay.Execute(ctx, b.p, r.f.Inputs(ev), false)
		if err == nil && (out.Kind == interp.Returned || out.Kind == interp.Exited) {
			return
		}
	}
	r.f.Notes = append(r.f.Notes, verdict.Assume("", verdict.Meaning, verdict.Declared,
		"what is assumed of all elements (__CPROVER_forall) does not contradict itself"))
}
