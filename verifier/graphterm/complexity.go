package graphterm

import (
	"context"
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Complexity bounds the instructions of any run.
type Complexity struct {
	// Turns says how often back edges of a loop are taken at most between entering and leaving it, by header, where
	// that is seen in the bits of words.
	Turns func(ctx context.Context, p *problem.Problem) map[*ir.Block]int64
}

// Run implements problem.Engine.
func (c Complexity) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	e := &engine{p: p, a: a, turns: c.Turns}
	bound, why := e.complexity(ctx)
	if why != nil {
		bound, why = e.complexityModularly(ctx, why)
	}
	if why != nil {
		a.LeaveOpen(unknown(p.ComplexityClaim(), why))
		return problem.ErrOpen
	}
	a.Settle(&problem.Settled{Claim: bound})
	return nil
}

// complexity returns the claim with a bound, or why there is none.
func (e *engine) complexity(ctx context.Context) (claim verdict.Claim, why *verdict.Reason) {
	g, err := e.graph(ctx, false)
	if err != nil {
		return claim, giveUpReason(ctx, err)
	}
	if !g.Complete {
		r := g.GaveUp[0]
		return claim, &r
	}
	sys, legend, cost, err := e.bounds(ctx, g)
	if err != nil {
		return claim, &verdict.Reason{Kind: verdict.Internal, Detail: err.Error()}
	}
	if cost.Bound == nil {
		return claim, giveUpReason(ctx, fmt.Errorf("no bound of the runtime was found"))
	}
	runs, err := e.countedRuns(ctx, g, sys, cost.Bound)
	if err != nil {
		return claim, &verdict.Reason{Kind: verdict.Internal, Detail: err.Error()}
	}
	bound := cost.Bound.Format(sys.VarName)
	e.a.SetComplexity(&verdict.Complexity{Bound: bound, Class: cost.Class(), Order: cost.Order(),
		Loops: loopTurns(sys, legend, cost),
		Runs:  runs})
	claim = e.p.ComplexityClaim()
	claim.Learn(verdict.Always)
	claim.Message = fmt.Sprintf("at most %s instructions, in %s", bound, cost.Class())
	claim.Certificate = &verdict.Certificate{Method: "runtime bounds", Detail: lines(cost.Text),
		Makers:   techniques(cost.By, e.kind(false)),
		Diagrams: diagrams(g, sys)}
	return claim, nil
}

// bounds looks for a bound that does not rest on the ranges of types or on bits, then on bits, then for any.
func (e *engine) bounds(ctx context.Context, g *seg.Graph) (*its.System, seg.Legend, termination.Cost, error) {
	stop := e.a.Stage("bounds")
	var sys *its.System
	var legend seg.Legend
	var cost termination.Cost
	opts := seg.SystemOptions{Costs: true, NoTypeBounds: true}
	by := "" // what the last system is beside the first one
	try := func(ctx context.Context, more bool) (err error) {
		part, cancel := firstTry(ctx, more)
		defer cancel()
		if sys, legend, err = g.System(opts); err == nil {
			cost = termination.Bounds(part, sys, termination.Options{Z3Millis: policy.BoundsZ3, Off: e.p.Off})
		}
		return err
	}
	err := try(ctx, true)
	if err == nil && cost.Bound == nil {
		if opts.Turns = e.turnsByBits(ctx, g); len(opts.Turns) > 0 {
			err = try(ctx, true)
			by = byBitTurns
		}
	}
	if opts.NoTypeBounds = false; err == nil && cost.Bound == nil && e.p.On(byMachineRanges) {
		err = try(ctx, false)
		by = byMachineRanges
	}
	if by != "" {
		cost.By = append(cost.By, by)
	}
	e.dump(g, sys)
	stop(rungCounts(cost.Rungs))
	return sys, legend, cost, err
}

// turnsByBits bounds the turns of loops by the bits of words.
func (e *engine) turnsByBits(ctx context.Context, g *seg.Graph) map[*ir.Block]int64 {
	if e.turns == nil || !e.p.On(byBitTurns) || e.p.MathInts() || g.Modular {
		return nil
	}
	part, cancel := budget.Share(ctx, policy.TurnsPercent)
	defer cancel()
	return e.turns(part, e.p)
}

// loopTurns bounds the turns of the loops by the steps of the system: every path
// of the graph ends at the next loop head, so a head is reached as often as the
// transitions into its locations, one per call stack, run. A loop without a bound
// is left out.
func loopTurns(sys *its.System, legend seg.Legend, cost termination.Cost) []verdict.LoopTurns {
	visits := map[seg.Head]*termination.Bound{}
	for l := its.Loc(0); int(l) < len(sys.Locs); l++ {
		if h, ok := legend.Heads[l]; ok {
			n := cost.Visits(sys, l)
			if before, seen := visits[h]; seen {
				n = n.Plus(before)
			}
			visits[h] = n
		}
	}
	var out []verdict.LoopTurns
	graphs := map[*ir.Func]*unwind.Graph{}
	for h, n := range visits {
		g := graphs[h.Func]
		if g == nil {
			g = unwind.Analyse(h.Func)
			graphs[h.Func] = g
		}
		l := g.Inner(h.Block)
		if n == nil || l == nil || l.Header != h.Block {
			continue
		}
		t := verdict.LoopTurns{Name: l.Name, Pos: l.Pos, Bound: n.Format(sys.VarName)}
		if c, ok := n.Constant(); ok {
			if k, small := c.Int64(); small && k <= policy.MaxLoopBound {
				t.Turns = int(k)
			}
		}
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
