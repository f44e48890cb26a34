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
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// countedAt are the values at which runs are counted, all parameters at one of them, or all that an entry without
// parameters asks for.
var countedAt = []int64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256}

// countedRuns executes the entry at a few values of its parameters, and returns what each run executed beside the bound
// there; nothing where the entry has parameters that are no integers, asks for other inputs, or the bound is about other
// values. A run that is longer than its bound is an error: the bound is wrong.
func (e *engine) countedRuns(ctx context.Context, g *seg.Graph, sys *its.System, bound *termination.Bound) (
	[]verdict.CountedRun, error) {
	params := map[string]bool{}
	asked := e.asked(g)
	for _, a := range asked {
		params[a.name] = true
	}
	if len(params) == 0 || e.p.MathInts() {
		return nil, nil
	}
	var out []verdict.CountedRun
	for _, v := range countedAt {
		var ins []input.Input
		for _, a := range asked {
			if a.width < 63 && v >= 1<<(a.width-1) {
				return out, nil
			}
			a.Value = bits.NewInt(a.width, v)
			ins = append(ins, a.Input)
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

// question is a number that a run is given.
type question struct {
	input.Input
	name  string // of its variable in the system
	width int
}

// asked lists what a run is given: the parameters, nothing if one of them is no integer; without any, what the entry asks
// for before its first loop.
func (e *engine) asked(g *seg.Graph) []question {
	var out []question
	for _, p := range e.p.Entry.Params {
		if !p.T.IsInt() {
			return nil
		}
		out = append(out, question{input.Input{Kind: input.Param}, p.Name, p.T.Width})
	}
	if out == nil {
		for _, in := range g.Given() {
			out = append(out, question{input.Input{Kind: input.Nondet, Instr: in.At}, in.Name, in.At.T.Width})
		}
	}
	return out
}
