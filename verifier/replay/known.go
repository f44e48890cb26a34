package replay

import (
	"context"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
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
		rec := &input.Recorder{Source: &reported{list: inputs}}
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
