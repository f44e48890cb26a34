// Package race has the engines answer the two questions about a program: what some path does (paths.go), and what its
// runs do as a whole (runs.go). A table lists the engines of each question; Run is the one place that starts and
// recovers them.
package race

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/bitterm"
	"github.com/firmproof/firmproof/verifier/bmc"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/graphterm"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Entrant is a row of the table of a race: an engine, and when and how long it runs.
type Entrant struct {
	Name   string
	Engine problem.Engine
	After  string        // begins when that one ends or gives way; empty: at once
	Or     time.Duration // or when so much was spent since that one began; 0: no sooner
	limit  time.Duration // of its run; 0: all the time there is
	Share  int           // percent of the time that is left when it begins; 0: all
}

// SafetyEngines settle the claims about paths.
var SafetyEngines = []Entrant{
	{Name: "only execution", Engine: replay.OnlyExecution{}, Share: policy.OnlyExecutionPercent},
	{Name: "known inputs", Engine: replay.KnownInputs{}, After: "only execution"},
	{Name: "unwinding", Engine: bmc.Engine{}, After: "known inputs"},
	{Name: "tried inputs", Engine: replay.TriedInputs{}, After: "unwinding", Or: policy.TriedAfter},
	{Name: "graph", Engine: graphterm.Safety{}, After: "unwinding", Or: policy.InductionAfter,
		Share: policy.SafetyGraphPercent},
	{Name: "induction", Engine: invariant.Engine{}, After: "unwinding", Or: policy.InductionAfter},
	{Name: "several turns", Engine: invariant.SeveralTurns{Plain: true}, After: "induction",
		Or: policy.SeveralTurnsAfter},
	{Name: "several turns with lemmas", Engine: invariant.SeveralTurns{}, After: "induction"},
	{Name: "cases", Engine: inputCases{}, After: "induction", Or: policy.CasesAfter},
	{Name: "long executions", Engine: replay.LongExecutions{Steps: policy.LongTotal}, After: "induction",
		Or: policy.LongExecutionsAfter},
	{Name: "states", Engine: replay.States{Wait: policy.StatesWait}, After: "induction", Or: policy.StatesAfter,
		Share: policy.StatesPercent},
}

// terminationEngines settle whether every run ends. What looks at bits says nothing about mathematical integers.
func (r *runsQuestion) terminationEngines() []Entrant {
	table := graphEngines(r)
	if r.p.MathInts() {
		return table
	}
	follow := allPathsRow(r)
	if !asksDefined(r.p.Checks) {
		follow.After = "ranked bits"
	}
	return append(append(table, BitEngines...), follow)
}

// graphEngines decide termination of runs with words of any size.
func graphEngines(r *runsQuestion) []Entrant {
	return []Entrant{
		{Name: "guess", Engine: replay.GuessLasso{}, limit: policy.GuessTime},
		{Name: "graph", Engine: graphterm.Termination{Proves: r.proves}, After: "guess"},
	}
}

func allPathsRow(r *runsQuestion) Entrant { return Entrant{Name: "all paths", Engine: allPaths{r}} }

// BitEngines look at each bit of a machine word.
var BitEngines = []Entrant{
	{Name: "long runs", Engine: bitterm.LongRuns{}, After: "graph", Or: policy.BitsAfter, limit: policy.LongRunTime},
	{Name: "recurrent bits", Engine: bitterm.RecurrentSets{}, After: "long runs", limit: policy.RecurrentBitsTime},
	{Name: "ranked bits", Engine: bitterm.Ranking{}, After: "recurrent bits", limit: policy.RankedBitsTime},
	{Name: "traps", Engine: bitterm.Traps{}, After: "long runs"},
}

// complexityEngines bound the instructions of any run.
var complexityEngines = []Entrant{{Name: "bounds", Engine: graphterm.Complexity{Turns: bitterm.Turns}}}

// running is an entrant in a race.
type running struct {
	Entrant
	answers *problem.Answers
	began   chan struct{}
	gave    chan struct{} // closed when those that wait for it may begin
	give    func()
	done    <-chan struct{}
}

// Run runs the engines of the table side by side, each when its turn comes, and waits
// for all. The first that settles its question ends the others. What each found
// comes into a in the order of the table. An engine that goes on although its context
// ended is left alone: it may take minutes, and the answer is due.
func Run(ctx context.Context, p *problem.Problem, a *problem.Answers, table []Entrant) {
	whole := ctx
	ctx, end := context.WithCancel(ctx)
	defer end()
	runs := map[string]*running{}
	for _, e := range table {
		r := &running{Entrant: e, began: make(chan struct{}), gave: make(chan struct{})}
		r.give = sync.OnceFunc(func() { close(r.gave) })
		r.answers = a.Fork(e.Name, r.give)
		runs[e.Name] = r
	}
	for _, e := range table {
		r := runs[e.Name]
		r.done = Start(r.answers, e.Name, func() {
			defer r.give()
			if !p.On(e.Name) || !r.wait(ctx, p, runs[e.After]) {
				return
			}
			defer budget.Work(ctx)()
			close(r.began)
			part, cancel := r.within(ctx)
			defer cancel()
			if err := e.Engine.Run(part, p, r.answers); err != nil {
				slog.Debug("engine", "name", e.Name, "left open", err)
				return
			}
			end()
		})
	}
	late, cancel := budget.Longer(ctx, policy.AbandonAfter)
	defer cancel()
	defer budget.Idle(ctx)()
	for _, e := range table {
		select {
		case <-runs[e.Name].done:
			a.Join(runs[e.Name].answers)
		case <-late.Done():
			slog.Debug("an engine goes on although its time is over", "name", e.Name)
			if whole.Err() != nil && a.Unwinding() == nil && a.Reason() == nil {
				a.Fail(problem.EarlyEnd(whole, nil))
			}
		}
	}
	endRound(whole, a)
}

// endRound words the answer where the first round did not come to its end: what it had settled holds, and the rest is
// open.
func endRound(ctx context.Context, a *problem.Answers) {
	u := a.Unwinding()
	if u == nil || !u.Partial {
		return
	}
	why := a.Reason()
	if why == nil {
		why = problem.EarlyEnd(ctx, errors.New("the round of unwinding did not end"))
	}
	if a.SetUnwinding(u.Ended(why)); !u.Open() && !a.Proofs().All() {
		a.Fail(why)
	}
}

// wait waits for r's turn; false if the race ended before. Where something is dumped,
// engines follow one another, so that it does not depend on who is first.
func (r *running) wait(ctx context.Context, p *problem.Problem, before *running) bool {
	if before == nil {
		return ctx.Err() == nil
	}
	var late <-chan struct{}
	if r.Or > 0 && len(p.Dumps) == 0 {
		select {
		case <-before.began:
			var stop func()
			late, stop = budget.After(ctx, r.Or)
			defer stop()
		case <-before.gave:
		case <-ctx.Done():
		}
	}
	select {
	case <-before.gave:
	case <-late:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// within returns the context of r's run.
func (r *running) within(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case r.limit > 0:
		return budget.WithTimeout(ctx, r.limit)
	case r.Share > 0:
		return budget.Share(ctx, r.Share)
	}
	return context.WithCancel(ctx)
}

// Start runs f in a goroutine of its own; the channel is closed when it is over. A
// panic is a defect of ours: it makes the answer unknown, with the stack in the log.
func Start(a *problem.Answers, name string, f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if fault := recover(); fault != nil {
				slog.Error("verifier panic", "in", name, "panic", fmt.Sprint(fault), "stack", string(debug.Stack()))
				line, _, _ := strings.Cut(fmt.Sprint(fault), "\n")
				a.Fail(&verdict.Reason{Kind: verdict.Internal, Detail: line,
					Remedy: "please report this: it is a defect of firmproof"})
			}
		}()
		f()
	}()
	return done
}

// RowNames lists the engines of all races.
func RowNames() []string {
	r := &runsQuestion{}
	var out []string
	for _, table := range [][]Entrant{SafetyEngines, graphEngines(r), BitEngines, {allPathsRow(r)}, complexityEngines} {
		for _, e := range table {
			out = append(out, e.Name)
		}
	}
	return out
}
