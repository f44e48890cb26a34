// Package bitterm decides termination bit by bit: runs that take many turns, recurrent
// sets and ranking functions over the bit vectors of loops.
package bitterm

import (
	"context"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// LongRuns asks for inputs with which a loop takes more than a few turns, then more
// than many, and has the interpreter look for a state that repeats: the solver finds
// such runs where random inputs do not.
type LongRuns struct{}

// Run implements problem.Engine.
func (LongRuns) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	defer a.Stage("long runs")(nil)
	for _, turns := range policy.LongRunTurns {
		found, more := longer(ctx, p, a, turns)
		if found {
			return nil
		}
		if !more || ctx.Err() != nil {
			break
		}
	}
	return problem.ErrOpen
}

// longer tries runs of more than the given turns; found tells that one repeats its
// state, more that there are any.
func longer(ctx context.Context, p *problem.Problem, a *problem.Answers, turns int) (found, more bool) {
	store := ilr.NewStore(problem.NewSimplifier())
	solver := p.OpenOwn(store)
	defer solver.Close()
	opts := p.Unchecked().Encoding()
	opts.Depth, opts.MaxUnwind = policy.CutDepth, turns
	f, err := encode.Encode(ctx, p.Module, p.Entry, store, opts, &problem.Prober{Solver: solver, Store: store})
	if err != nil {
		return false, false
	}
	for _, t := range f.Assumptions {
		solver.Assert(t)
	}
	var longer []ilr.Term
	for i := range f.Claims {
		if f.Claims[i].Check == verdict.Unwinding {
			longer = append(longer, f.Claims[i].Violated)
		}
	}
	solver.LimitConflicts(policy.LongConflicts)
	goal := store.Or(longer...)
	var other []ilr.Term // runs that differ from those tried
	for n := 0; n < policy.LongRuns && ctx.Err() == nil; n++ {
		ans, err := solver.Check(ctx, append([]ilr.Term{goal}, other...)...)
		if err != nil || ans != solve.Sat {
			return false, more
		}
		more = true
		ev := store.NewEvaluator(solver.Model(), ilr.EvalFloat)
		rec := &input.Recorder{Source: replay.ThenZeros(f.Inputs(ev))}
		out, err := lasso.Run(ctx, p.Module, p.Strict(policy.LongSteps), rec)
		if err == nil && out.Kind == interp.Lasso && !replay.Meant(ctx, p, rec.Inputs, out) {
			a.Settle(&problem.Settled{Claim: replay.LassoClaim(ctx, p, rec.Inputs, out)})
			return true, true
		}
		other = append(other, store.Not(sameNumbers(f, ev)))
	}
	return false, more
}

// sameNumbers returns the term: a run reads the same numbers as the model's.
func sameNumbers(f *encode.Formula, ev *ilr.Evaluator) ilr.Term {
	var same []ilr.Term
	for i := range f.Events {
		switch e := &f.Events[i]; e.Kind {
		case input.Param, input.Nondet, input.VolatileRead:
			if ev.Holds(e.Guard) {
				same = append(same, f.Store.Eq(e.Value, f.Store.Const(ev.Value(e.Value))))
			}
		}
	}
	return f.Store.And(same...)
}
