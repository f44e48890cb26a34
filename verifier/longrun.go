package verifier

import (
	"context"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Runs that take many turns, as the solver finds them where random inputs do not.
const (
	longRuns      = 3       // tried per number of turns
	longSteps     = 400_000 // of the interpreter, per run
	longConflicts = 30_000
)

// lassoFromUnwinding asks for inputs with which a loop takes more than a few turns,
// then more than many, and has the interpreter look for a state that repeats.
func (u *unbounded) lassoFromUnwinding(ctx context.Context) (verdict.Claim, bool) {
	for _, turns := range []int{3, 12} {
		c, ok, more := u.longer(ctx, turns)
		if ok || !more || ctx.Err() != nil {
			return c, ok
		}
	}
	return verdict.Claim{}, false
}

// longer tries runs of more than the given turns; more tells that there are any.
func (u *unbounded) longer(ctx context.Context, turns int) (c verdict.Claim, found, more bool) {
	store := ilr.NewStore(newSimplifier())
	solver := solve.NewOwn(store, solve.Options{Memory: uint64(u.plan.Memory), Config: manyQuestions()})
	defer solver.Close()
	plan := u.plan
	plan.Checks = verdict.CheckSet{}
	opts := plan.encodeOptions()
	opts.Depth, opts.MaxUnwind = cutDepth, turns
	f, err := encode.Encode(ctx, u.m, u.entry, store, opts, &prober{solver: solver})
	if err != nil {
		return c, false, false
	}
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	var longer []ilr.Term
	for i := range f.Claims {
		if f.Claims[i].Check == verdict.Unwinding {
			longer = append(longer, f.Claims[i].Violated)
		}
	}
	solver.LimitConflicts(longConflicts)
	goal := store.Or(longer...)
	var other []ilr.Term // runs that differ from those tried
	for n := 0; n < longRuns && ctx.Err() == nil; n++ {
		ans, err := solver.Check(ctx, append([]ilr.Term{goal}, other...)...)
		if err != nil || ans != solve.Sat {
			return c, false, more
		}
		more = true
		ev := store.NewEvaluator(solver.Model(), ilr.EvalFloat)
		rec := &input.Recorder{Source: newThenZeros(f.Inputs(ev))}
		out, err := interp.RunLasso(ctx, u.m, u.interpOptions(longSteps), rec)
		if err == nil && out.Kind == interp.Lasso {
			return u.lassoClaim(ctx, rec.Inputs, out), true, true
		}
		other = append(other, store.Not(sameNumbers(f, ev)))
	}
	return c, false, more
}

// sameNumbers is that a run reads the same numbers as the model's.
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

// thenZeros gives the inputs of a model as long as they are those that the run
// asks for, then what Zeros gives.
type thenZeros struct {
	input.Source // the model's
	after        input.Zeros
	over         bool
}

func newThenZeros(inputs []input.Input) *thenZeros {
	return &thenZeros{Source: input.NewRecorded(inputs)}
}

// Next is input.Source.
func (t *thenZeros) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if !t.over {
		if v, ok := t.Source.Next(kind, at, width); ok {
			return v, true
		}
		t.over = true
	}
	return t.after.Next(kind, at, width)
}

// Havoc is input.Source.
func (t *thenZeros) Havoc(at *ir.Instr, n int64) (func(i int64) byte, bool) {
	if !t.over {
		if f, ok := t.Source.Havoc(at, n); ok {
			return f, true
		}
		t.over = true
	}
	return t.after.Havoc(at, n)
}
