// Package sat decides sets of clauses, incrementally, with CaDiCaL behind an
// IPASIR-shaped interface (Balyo, Biere, Iser, Sinz: SAT Race 2015).
//
// States of a Solver, as CaDiCaL draws them:
//
//	New -> STEADY -Add, Assume-> STEADY -Solve-> SATISFIED | UNSATISFIED | STEADY (unknown)
//	SATISFIED    allows Val            until the next Add, Assume or Solve
//	UNSATISFIED  allows Failed         until the next Add, Assume or Solve
//
// Worked example:
//
//	s := sat.New(sat.Options{})
//	defer s.Close()
//	a, b := s.NewVar(), s.NewVar()
//	s.Add(a, b)
//	s.Assume(-a)
//	r, _ := s.Solve(ctx)      // Sat
//	s.Val(b)                  // true
package sat

import (
	"context"
	"sync"
	"time"
)

// Lit is a literal: a variable 1, 2, ... or its negation as the negative number.
type Lit int32

// Result of a call of Solve.
type Result int8

// The results.
const (
	Invalid Result = iota
	Sat
	Unsat
	Unknown // interrupted or out of limits
)

func (r Result) String() string {
	return [...]string{"invalid", "sat", "unsat", "unknown"}[r]
}

// Sink takes clauses: a Solver or a Formula.
type Sink interface {
	NewVar() Lit
	Add(clause ...Lit)
}

// Options of a Solver.
type Options struct {
	Seed   int            // 0 is CaDiCaL's own
	Config map[string]int // CaDiCaL options by name, e.g. "elim": 0
	Proof  string         // file for a proof of what has no model: see CheckProof
}

// Stats counts what a Solver was given and did.
type Stats struct {
	Vars, Clauses, Literals int
	Calls, Conflicts        int     // Conflicts: clauses learned
	Seconds                 float64 // in Solve
}

// Solver is one CaDiCaL instance. Only Interrupt may be called from other goroutines.
type Solver struct {
	c     *cadical
	buf   []int32 // clauses not yet handed over, each closed by 0
	last  Result
	stats Stats
	once  sync.Once
}

// New starts an empty solver; Close frees it.
func New(o Options) *Solver {
	return &Solver{c: newCadical(o), buf: make([]int32, 0, bufLen)}
}

const bufLen int = 1 << 14

// Close frees the solver; it must not be used afterwards.
func (s *Solver) Close() {
	s.once.Do(s.c.release)
}

// NewVar returns a literal of a new variable.
func (s *Solver) NewVar() Lit {
	s.stats.Vars++
	return Lit(s.stats.Vars)
}

// Add asserts the disjunction of the literals; Add() is false.
func (s *Solver) Add(clause ...Lit) {
	if len(s.buf)+len(clause)+1 > cap(s.buf) {
		s.flush()
	}
	for _, l := range clause {
		s.buf = append(s.buf, int32(l))
	}
	s.buf = append(s.buf, 0)
	s.stats.Clauses++
	s.stats.Literals += len(clause)
	s.last = Invalid
}

func (s *Solver) flush() {
	s.c.add(s.buf)
	s.buf = s.buf[:0]
}

// Assume asserts l for the next Solve only.
func (s *Solver) Assume(l Lit) {
	s.flush()
	s.c.assume(l)
	s.last = Invalid
}

// Interrupt makes a running Solve answer Unknown soon.
func (s *Solver) Interrupt() { s.c.terminate(true) }

// Solve decides the clauses under the assumptions made since the last call,
// which it then forgets. The error is ctx's, with Unknown.
func (s *Solver) Solve(ctx context.Context) (Result, error) {
	if err := ctx.Err(); err != nil {
		s.last = Unknown
		s.c.forget()
		return Unknown, err
	}
	s.flush()
	s.c.terminate(false)
	hooked := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() { s.Interrupt(); close(hooked) })
	start := time.Now()
	s.last = s.c.solve()
	if !unhook() {
		<-hooked // a late interrupt must not meet the next call
	}
	s.stats.Calls++
	s.stats.Conflicts = s.c.conflicts()
	s.stats.Seconds += time.Since(start).Seconds()
	if s.last == Unknown {
		return Unknown, ctx.Err()
	}
	return s.last, nil
}

// Val returns the value of l after Sat; literals unknown to the solver are false.
func (s *Solver) Val(l Lit) bool {
	if s.last != Sat {
		panic("sat: Val without a model")
	}
	return s.c.val(l)
}

// Failed reports, after Unsat, whether the assumption l was used.
func (s *Solver) Failed(l Lit) bool {
	if s.last != Unsat {
		panic("sat: Failed without a refutation")
	}
	return s.c.failed(l)
}

// LimitConflicts makes the next Solve give up after n conflicts; negative is no limit.
func (s *Solver) LimitConflicts(n int) { s.c.limit("conflicts", n) }

// Stats returns the counts so far.
func (s *Solver) Stats() Stats { return s.stats }
