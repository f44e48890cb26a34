package graphterm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// countedAt are the values at which runs are counted, all parameters at one of them.
var countedAt = []int64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256}

// countedRuns executes the entry at a few values of its parameters, and returns what each run executed beside the bound
// there; nothing where the entry has parameters that are no integers, asks for other inputs, or the bound is about other
// values. A run that is longer than its bound is an error: the bound is wrong.
func (e *engine) countedRuns(ctx context.Context, sys *its.System, bound *termination.Bound) ([]verdict.CountedRun,
	error) {
	params := map[string]bool{}
	for _, p := range e.p.Entry.Params {
		if !p.T.IsInt() {
			return nil, nil
		}
		params[p.Name] = true
	}
	if len(params) == 0 || e.p.MathInts() {
		return nil, nil
	}
	var out []verdict.CountedRun
	for _, v := range countedAt {
		var ins []input.Input
		for _, p := range e.p.Entry.Params {
			if p.T.Width < 63 && v >= 1<<(p.T.Width-1) {
				return out, nil
			}
			ins = append(ins, input.Input{Kind: input.Param, Value: bits.NewInt(p.T.Width, v)})
		}
		known := true
		most := bound.Eval(func(x exact.Var) exact.Int {
			known = known && params[sys.VarName(x)]
			return exact.I(v)
		})
		if !known {
			return nil, nil
		}
		if most == nil {
			return out, nil // too large to write down
		}
		run, err := interp.Run(ctx, e.p.Module, e.p.Strict(policy.CountedSteps), input.NewRecorded(ins))
		if err != nil || run.Kind != interp.Returned {
			return out, nil // too long, or it asks for more
		}
		if most.Cmp(big.NewInt(run.Executed)) < 0 {
			return nil, fmt.Errorf("a run with every parameter %d executes %d instructions, the bound is %s", v,
				run.Executed, most)
		}
		out = append(out, verdict.CountedRun{At: v, Executed: run.Executed, Bound: most.String()})
	}
	return out, nil
}
