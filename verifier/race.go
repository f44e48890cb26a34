package verifier

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

// entrant is a row of the table of a race: an engine, and when and how long it runs.
type entrant struct {
	name   string
	engine problem.Engine
	after  string        // begins when that one ends or gives way; empty: at once
	or     time.Duration // or when so much was spent since that one began; 0: no sooner
	limit  time.Duration // of its run; 0: all the time there is
	share  int           // percent of the time that is left when it begins; 0: all
}

// safetyEngines settle the claims about paths.
var safetyEngines = []entrant{
	{name: "only execution", engine: replay.OnlyExecution{}, share: policy.OnlyExecutionPercent},
	{name: "known inputs", engine: replay.KnownInputs{}, after: "only execution"},
	{name: "unwinding", engine: bmc.Engine{}, after: "known inputs"},
	{name: "tried inputs", engine: replay.TriedInputs{}, after: "unwinding", or: policy.TriedAfter},
	{name: "graph", engine: graphterm.Safety{}, after: "unwinding", or: policy.InductionAfter,
		share: policy.SafetyGraphPercent},
	{name: "induction", engine: invariant.Engine{}, after: "unwinding", or: policy.InductionAfter},
	{name: "several turns", engine: invariant.SeveralTurns{Plain: true}, after: "induction",
		or: policy.SeveralTurnsAfter},
	{name: "several turns with lemmas", engine: invariant.SeveralTurns{}, after: "induction"},
	{name: "cases", engine: inputCases{}, after: "induction", or: policy.CasesAfter},
	{name: "long executions", engine: replay.LongExecutions{Steps: policy.LongTotal}, after: "induction",
		or: policy.LongExecutionsAfter},
	{name: "states", engine: replay.States{Wait: policy.StatesWait}, after: "induction", or: policy.StatesAfter,
		share: policy.StatesPercent},
}

// terminationEngines settle whether every run ends. What looks at bits says nothing about mathematical integers.
func (r *runsQuestion) terminationEngines() []entrant {
	table := graphEngines(r)
	if r.p.MathInts() {
		return table
	}
	follow := allPathsRow(r)
	if !asksDefined(r.p.Checks) {
		follow.after = "ranked bits"
	}
	return append(append(table, bitEngines...), follow)
}

// graphEngines decide termination of runs with words of any size.
func graphEngines(r *runsQuestion) []entrant {
	return []entrant{
		{name: "guess", engine: replay.GuessLasso{}, limit: policy.GuessTime},
		{name: "graph", engine: graphterm.Termination{Proves: r.proves}, after: "guess"},
	}
}

func allPathsRow(r *runsQuestion) entrant { return entrant{name: "all paths", engine: allPaths{r}} }

// bitEngines look at each bit of a machine word.
var bitEngines = []entrant{
	{name: "long runs", engine: bitterm.LongRuns{}, after: "graph", or: policy.BitsAfter, limit: policy.LongRunTime},
	{name: "recurrent bits", engine: bitterm.RecurrentSets{}, after: "long runs", limit: policy.RecurrentBitsTime},
	{name: "ranked bits", engine: bitterm.Ranking{}, after: "recurrent bits", limit: policy.RankedBitsTime},
	{name: "traps", engine: bitterm.Traps{}, after: "long runs"},
}

// complexityEngines bound the instructions of any run.
var complexityEngines = []entrant{{name: "bounds", engine: graphterm.Complexity{Turns: bitterm.Turns}}}

// running is an entrant in a race.
type running struct {
	entrant
	answers *problem.Answers
	began   chan struct{}
	gave    chan struct{} // closed when those that wait for it may begin
	give    func()
	done    <-chan struct{}
}

// race runs the engines of the table side by side, each when its turn comes, and waits
// for all. The first that settles its question ends the others. What each found
// comes into a in the order of the table. An engine that goes on although its context
// ended is left alone: it may take minutes, and the answer is due.
func race(ctx context.Context, p *problem.Problem, a *problem.Answers, table []entrant) {
	whole := ctx
	ctx, end := context.WithCancel(ctx)
	defer end()
	runs := map[string]*running{}
	for _, e := range table {
		r := &running{entrant: e, began: make(chan struct{}), gave: make(chan struct{})}
		r.give = sync.OnceFunc(func() { close(r.gave) })
		r.answers = a.Fork(e.name, r.give)
		runs[e.name] = r
	}
	for _, e := range table {
		r := runs[e.name]
		r.done = start(r.answers, e.name, func() {
			defer r.give()
			if !p.On(e.name) || !r.wait(ctx, p, runs[e.after]) {
				return
			}
			defer budget.Work(ctx)()
			close(r.began)
			part, cancel := r.within(ctx)
			defer cancel()
			if err := e.engine.Run(part, p, r.answers); err != nil {
				slog.Debug("engine", "name", e.name, "left open", err)
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
		case <-runs[e.name].done:
			a.Join(runs[e.name].answers)
		case <-late.Done():
			slog.Debug("an engine goes on although its time is over", "name", e.name)
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
	if r.or > 0 && len(p.Dumps) == 0 {
		select {
		case <-before.began:
			var stop func()
			late, stop = budget.After(ctx, r.or)
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
	case r.share > 0:
		return budget.Share(ctx, r.share)
	}
	return context.WithCancel(ctx)
}

// start runs f in a goroutine of its own; the channel is closed when it is over. A
// panic is a defect of ours: it makes the answer unknown, with the stack in the log.
func start(a *problem.Answers, name string, f func()) <-chan struct{} {
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
