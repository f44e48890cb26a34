package race

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/bitterm"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/graphterm"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Whether every run ends is asked of every entry, beside what its user asks. Where nobody named the check, the answer
// has to be cheap: it begins when the question about paths is answered, or takes long (with bounds, half of the time),
// and ends with its part of the time. Loops that are meant to go on for ever are no violation (replay.Meant), and what is not decided is a warning.

// unaskedGuess is the engine that goes first.
var unaskedGuess = []Entrant{{Name: "guess", Engine: replay.GuessLasso{Steps: policy.UnaskedSteps},
	limit: policy.UnaskedLeast}}

// unaskedEngines are those that follow, in the time that goes to termination unasked.
func unaskedEngines(p *problem.Problem, forever bool, proves func(context.Context, verdict.Check) bool) []Entrant {
	var table []Entrant
	after := ""
	if !forever { // the graph would only find that out
		table = append(table, Entrant{Name: "graph", Engine: graphterm.Termination{Proves: proves},
			Share: policy.UnaskedGraph})
		after = "graph"
	}
	if p.MathInts() {
		return table
	}
	return append(table,
		Entrant{Name: "long runs", Engine: bitterm.LongRuns{}, After: after, limit: policy.LongRunTime},
		Entrant{Name: "recurrent bits", Engine: bitterm.RecurrentSets{}, After: "long runs"})
}

// loopsOf tells whether the functions that p may come to have loops or recursion, and lists those loops that have no
// way out.
func loopsOf(p *problem.Problem) (any bool, forever []*unwind.Loop) {
	calls := map[*ir.Func][]*ir.Func{}
	for _, f := range p.Module.Slice(p.Entry, true).Funcs {
		if f.IsDecl() {
			continue
		}
		g := unwind.Analyse(f)
		any = any || len(g.Loops) > 0
		for _, l := range g.Loops {
			if replay.WithoutWayOut(g, l) {
				forever = append(forever, l)
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpCall {
					continue
				}
				if g := ir.CalledFunc(in); g != nil {
					calls[f] = append(calls[f], g)
				} else {
					any = true // it may lead anywhere
				}
			}
		}
	}
	return any || recursive(calls, p.Entry), forever
}

// recursive reports whether a function that from calls may call itself.
func recursive(calls map[*ir.Func][]*ir.Func, from *ir.Func) bool {
	const open, over = 1, 2
	state := map[*ir.Func]int{}
	var visit func(f *ir.Func) bool
	visit = func(f *ir.Func) bool {
		state[f] = open
		for _, g := range calls[f] {
			if state[g] == open || state[g] == 0 && visit(g) {
				return true
			}
		}
		state[f] = over
		return false
	}
	return visit(from)
}

// decideUnasked looks for runs that never end, in a part of the time, and reports one in res; so it does a proof.
func (r *runsQuestion) decideUnasked(ctx context.Context, began time.Duration) {
	any, forever := loopsOf(r.p)
	if !any {
		return
	}
	if !r.waitForPaths(ctx) {
		return
	}
	if r.endsByPaths(r.answers) {
		return
	}
	id := r.p.TerminationClaim().ID
	if Run(ctx, r.p, r.answers, unaskedGuess); r.answers.Settled(id) == nil {
		part, cancel := r.unaskedTime(ctx, began)
		defer cancel()
		Run(part, r.p, r.answers, unaskedEngines(r.p, len(forever) > 0, r.proves))
	}
	resume := budget.Idle(ctx)
	<-r.pathsDone
	resume()
	if r.answers.Settled(id) != nil || r.endsByPaths(r.answers) {
		return
	}
	for _, l := range forever {
		r.answers.Warn(fmt.Sprintf("the loop at %s has no way out: it is taken to be meant to go on for ever", l.Pos))
	}
}

// leftOpen reports whether nobody knows if every run ends, which nobody asked, and all that was asked holds: else there
// are other things to do first.
func (r *runsQuestion) leftOpen(res *verdict.Result) bool {
	if !r.p.EndsUnasked || !r.p.Checks.Has(verdict.Termination) ||
		slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return c.Check == verdict.Termination }) {
		return false
	}
	if any, forever := loopsOf(r.p); !any || len(forever) > 0 {
		return false
	}
	all := *res
	all.Summarise()
	return all.Status != verdict.Violated && all.Status != verdict.Unknown
}

// waitForPaths waits until the question about paths is answered, or takes long; false if the time is over.
func (r *runsQuestion) waitForPaths(ctx context.Context) bool {
	defer budget.Idle(ctx)()
	alone, stop := r.alone(ctx)
	defer stop()
	select {
	case <-r.pathsDone:
	case <-alone.Done():
	}
	return ctx.Err() == nil
}

// alone returns the time that the question about paths has for itself. Where bounds are given it takes what it needs, up
// to a half of all.
func (r *runsQuestion) alone(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.p.Unbounded() {
		return budget.WithTimeout(ctx, policy.UnaskedAfter)
	}
	return budget.Share(ctx, policy.UnaskedBounded)
}

// UnaskedLeast is policy.UnaskedLeast but in tests.
var UnaskedLeast = policy.UnaskedLeast

// unaskedTime returns the time for what nobody asked: a part of that for all, and when the paths are decided, half of
// what they took, but at least a little.
func (r *runsQuestion) unaskedTime(ctx context.Context, began time.Duration) (context.Context, context.CancelFunc) {
	start := budget.Spent(ctx)
	part, cancel := budget.Share(ctx, policy.UnaskedPercent)
	go func() {
		select {
		case <-r.pathsDone:
		case <-part.Done():
			return
		}
		now := budget.Spent(ctx)
		late, stop := budget.After(part, max(UnaskedLeast, (now-began)/2)-(now-start))
		defer stop()
		<-late
		cancel()
	}()
	return part, cancel
}
