package invariant

import (
	"context"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
)

// SeveralTurns looks for inductive proofs that follow loops for several turns, where what one turn leaves says too
// little: delay lines, phases, what the turn before last decided.
type SeveralTurns struct {
	Plain bool // without lemmas
}

// Run implements problem.Engine.
func (e SeveralTurns) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	for _, k := range policy.InductionTurns {
		part, cancel := budget.Share(ctx, policy.StretchPercent)
		err := Engine{Turns: k, Plain: e.Plain}.Run(part, p, a)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return problem.ErrOpen
}
