package replay

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// KnownInputs executes the program on the inputs of violations that were found
// before, of it or of what it was: one that is still there is found, and confirmed,
// without a search.
type KnownInputs struct{}

// Run implements problem.Engine.
func (KnownInputs) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if len(p.Tried) == 0 {
		return problem.ErrOpen
	}
	stop := a.Stage("try again")
	confirmed := int64(0)
	for _, inputs := range p.Tried {
		if slices.ContainsFunc(inputs, placed) {
			continue
		}
		rec := &input.Recorder{Source: FromReport(inputs)}
		out, err := interp.Run(ctx, p.Module, p.Execution(policy.KnownSteps), rec)
		if err == nil && Violates(ctx, p, a, rec.Inputs, out) {
			confirmed++
		}
		if ctx.Err() != nil || a.Enough(p) {
			break
		}
	}
	stop(map[string]int64{"tried": int64(len(p.Tried)), "confirmed": confirmed})
	if a.Enough(p) {
		return nil
	}
	return problem.ErrOpen
}

// placed reports whether in is the address of an object. Where objects lie depends on the whole program, and a report
// names them without their numbers: the search chooses addresses again, and says of them what it said before.
func placed(in verdict.Input) bool { return in.Kind == input.Base.String() }
