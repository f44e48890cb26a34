package bitterm

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// defined reports whether no turn from the set does what C leaves undefined. Signed overflow, which then gives any
// value, counts only if asked for.
func (x *recurrence) defined(ctx context.Context, p *problem.Problem, overflow bool) bool {
	checked := *p.Unchecked()
	checked.Checks = verdict.DefinedChecks()
	if !overflow {
		delete(checked.Checks, verdict.SignedOverflow)
	}
	cut, err := invariant.OpenCut(ctx, &checked, invariant.CutOptions{AnyOverflow: true})
	if err != nil {
		return false
	}
	defer cut.Close()
	f := cut.Formula
	n := slices.IndexFunc(f.Headers, func(h encode.Header) bool { return h.Key == x.h.Key })
	if n < 0 || len(f.Headers[n].Sites) != 1 || len(x.set) > 0 && !slices.Equal(f.Headers[n].Vars, x.h.Vars) {
		return false
	}
	site := f.Headers[n].Sites[0]
	bad := make([]ilr.Term, 0, len(f.Claims))
	for i := range f.Claims {
		bad = append(bad, f.Claims[i].Violated)
	}
	cut.LimitConflicts(policy.SetConflicts)
	ans, _ := cut.Check(ctx, []ilr.Term{site.Guard, lemma.Conjunction(f.Store, x.set, site.Values, site.Entry)},
		bad...)
	return ans == solve.Unsat
}

// follow has the interpreter run into the set. Where what a turn does is defined, some turns are enough; else what
// comes after many may be undefined.
func (x *recurrence) follow(ctx context.Context, p *problem.Problem) (rec *input.Recorder, out *interp.Outcome,
	err error) {
	limits := []int64{policy.ConfirmSteps}
	if x.exact || x.defined(ctx, p, false) {
		limits = []int64{policy.ConfirmFirst, policy.ConfirmSteps}
	}
	for _, steps := range limits {
		rec = &input.Recorder{Source: replay.ThenZeros(x.inputs)}
		out, err = lasso.Run(ctx, p.Module, p.Strict(steps), rec)
		if err != nil || out.Kind != interp.StepLimit || x.goesRound(out) {
			break
		}
	}
	return rec, out, err
}

// goesRound reports whether out was followed to its limit, through many turns of the loop.
func (x *recurrence) goesRound(out *interp.Outcome) bool {
	return out.Kind == interp.StepLimit && out.Visits[x.h.Loop.Header] >= policy.LeastVisits
}
