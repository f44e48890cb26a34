package bitterm

import (
	"cmp"
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
)

// Traps looks for loops that no turn leaves under lemmas, which hold in all states that executions come to: an
// execution that comes to such a loop never ends. Which loops are worth it, executions on tried inputs say.
type Traps struct{}

// Run implements problem.Engine.
func (Traps) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	defer a.Stage("traps")(nil)
	cut, err := openLoops(ctx, p, true)
	if err != nil {
		return err
	}
	defer cut.Close()
	loops := longLoops(ctx, p, cut)
	if len(loops) == 0 {
		return problem.ErrOpen
	}
	prover := invariant.NewProver(cut)
	prover.Products = true
	part, cancel := budget.Share(ctx, policy.TrapLemmaPercent)
	prover.Lemmas(part, []ilr.Term{loops[0].escapes()})
	cancel()
	for _, x := range loops {
		if keep, ok := prover.Excluding(ctx, x.escapes()); ok {
			x.keep = keep
			return x.confirm(ctx, p, a)
		}
	}
	return problem.ErrOpen
}

// escapes returns the term: a turn leaves the loop, or some path leaves what is modelled.
func (x *recurrence) escapes() ilr.Term {
	f := x.cut.Formula
	return f.Store.Or(leaves(f.Store, x.h, nil), invariant.Unmodelled(f))
}

// longLoops lists the loops in which executions on tried inputs go round until their last step, the busiest first.
func longLoops(ctx context.Context, p *problem.Problem, cut *invariant.Cut) []*recurrence {
	var out []*recurrence
	turns := map[int]int64{} // by header
	consts := replay.Constants(p.Module)
	for seed := uint64(0); seed < policy.TrapSeeds && ctx.Err() == nil; seed++ {
		rec := &input.Recorder{Source: replay.NewTried(seed, consts)}
		ran, err := interp.Run(ctx, p.Module, p.Strict(policy.TrapSteps), rec)
		if err != nil {
			break
		}
		if ran.Kind == interp.StepLimit {
			for i := range cut.Formula.Headers {
				h := &cut.Formula.Headers[i]
				if h.Loop == nil || len(h.Arrivals) < 2 || len(h.Sites) != 1 || turns[i] > 0 {
					continue
				}
				if n := ran.Visits[h.Loop.Header]; n >= policy.LeastVisits {
					turns[i] = n
					out = append(out, &recurrence{cut: cut, header: i, h: h, inputs: rec.Inputs})
				}
			}
		}
		if len(rec.Inputs) == 0 {
			break
		}
	}
	slices.SortStableFunc(out, func(x, y *recurrence) int { return cmp.Compare(turns[y.header], turns[x.header]) })
	return out
}
