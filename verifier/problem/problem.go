// Package problem holds what every engine is given, and what engines hand on:
//
//	Problem  the program, where it starts, its meaning, and what is asked of it
//	Answers  what was found out so far: settled claims, proofs, rounds of unwinding
//	Engine   one way to find out more
package problem

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/leap"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Problem is one entry of a program, and what is asked of it. Engines do not change it.
type Problem struct {
	Plan
	Module *ir.Module
	Entry  *ir.Func
	Facts  *interp.Facts // of Module, where it is executed again and again; nil: no matter
}

// Engine is one way to answer a problem.
type Engine interface {
	// Run works on p and adds what it finds to a. It returns nil when nothing is
	// left to be found out for the question that it works on, so that others
	// may end; else why something is left, for the log. It may panic: that is a
	// defect of ours, which the race reports.
	Run(ctx context.Context, p *Problem, a *Answers) error
}

// ErrOpen says that claims are left to other engines.
var ErrOpen = errors.New("claims are open")

// Without returns p with past left out of the claims, for runs that go on there.
// Nothing is dumped or tried a second time.
func (p *Problem) Without(past ir.Past) *Problem {
	q := *p
	q.Past, q.Dumps, q.Tried, q.Coverage = past, nil, nil, false
	return &q
}

// Aside returns p for a question beside the one that is asked: nothing is told, written, tried or covered.
func (p *Problem) Aside() *Problem {
	q := *p.Without(p.Past)
	q.Dump, q.Found, q.Progress, q.Proofs = nil, nil, nil, ""
	return &q
}

// Unchecked returns p without checks and dumps: only where control goes matters.
func (p *Problem) Unchecked() *Problem {
	q := *p
	q.Checks, q.Dumps, q.Dump = verdict.CheckSet{}, nil, nil
	return &q
}

// Unbounded reports that nobody asked for bounds or for less than answers.
func (p *Problem) Unbounded() bool {
	return p.Unwind == 0 && len(p.UnwindSet) == 0 && p.StopAfter == ""
}

// MathInts reports that integers are mathematical ones for termination and complexity.
func (p *Problem) MathInts() bool { return p.Integers == "unbounded" }

// Encoding returns what every formula of p has in common: its meaning, without bounds.
func (p *Problem) Encoding() encode.Options {
	return encode.Options{Semantics: p.Semantics, Checks: p.Checks, Past: p.Past}
}

// Execution returns the options of a run of p that takes at most so many instructions. Turns of loops may be skipped.
func (p *Problem) Execution(steps int64) interp.Options {
	return p.execution(steps, trace.Undefined(p.Undefined))
}

// Traced returns the options of such a run that collects its steps.
func (p *Problem) Traced(steps int64) interp.Options {
	return p.execution(steps, trace.Steps(trace.Options{Relevant: p.Relevant, Detailed: p.Detailed,
		Undefined: p.Undefined}))
}

func (p *Problem) execution(steps int64, observe interp.Observe) interp.Options {
	return interp.Options{Semantics: p.Semantics, Entry: p.Entry, Checks: p.Checks, Past: p.Past, MaxSteps: steps,
		Observe: []interp.Observe{observe, leap.Observe}, Facts: p.Facts}
}

// Strict returns the options of a run that undefined behaviour ends, whatever is asked.
func (p *Problem) Strict(steps int64) interp.Options {
	return interp.Options{Semantics: p.Semantics, Entry: p.Entry, Checks: verdict.DefinedChecks(), MaxSteps: steps}
}

// OpenSolver makes the chain of solvers of one formula in store: the memory of
// earlier answers, before the solver that the plan names. Proofs are written to
// files whose names begin with proof, if it is not empty.
func (p *Problem) OpenSolver(store *ilr.Store, proof string) (solve.Solver, error) {
	record := p.Dumps["dimacs"]
	s, err := solve.Open(p.Solver, store, solve.Options{Memory: uint64(p.Memory), Record: record, Proof: proof})
	if err != nil || p.Answers == nil || record {
		return s, err
	}
	return solve.Remember(s, store, p.Answers), nil
}

// OpenOwn makes our own solver for many small questions: what CaDiCaL does before a
// long search costs more than their search.
func (p *Problem) OpenOwn(store *ilr.Store) *solve.Own {
	return solve.NewOwn(store, solve.Options{Memory: uint64(p.Memory),
		Config: map[string]int{"walk": 0, "lucky": 0, "inprocessing": 0}})
}

// EarlyEnd explains an early end by the context, else by err; nil is a solver that gave up.
func EarlyEnd(ctx context.Context, err error) *verdict.Reason {
	switch err := ctx.Err(); {
	case budget.ByClock(ctx):
		return &verdict.Reason{Kind: verdict.ClockOver, Remedy: "run fewer things beside it, or give more with --timeout",
			Detail: "the machine was too busy: the clock ended it before the processor time given was used up"}
	case err == context.DeadlineExceeded:
		return &verdict.Reason{Kind: verdict.TimedOut, Detail: "the time given was used up",
			Remedy: "give more with --timeout, or bounds with --unwind (in the manifest: `timeout`, `unwind`)"}
	case err == context.Canceled:
		return &verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped"}
	}
	if err == nil {
		err = fmt.Errorf("the solver gave up")
	}
	return &verdict.Reason{Kind: verdict.SolverGaveUp, Detail: err.Error()}
}

// PeakRSS is the largest resident size of this process so far, in bytes.
func PeakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss * 1024
}
