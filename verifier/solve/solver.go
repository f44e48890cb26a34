// Package solve decides whether sets of ilr terms are satisfiable. New gives the
// house's own stack: the store's simplifier, bit-blasting through an and-inverter
// graph, CaDiCaL, and array facts added on demand.
//
//	solver := solve.New(store, solve.Options{})
//	defer solver.Close()
//	solver.Assert(assumption)                  // for good
//	a, err := solver.Check(ctx, claimViolated) // for this call
//	switch a {
//	case solve.Sat:     m := solver.Model()    // ilr.Model
//	case solve.Unsat:
//	case solve.Unknown: err says why: errors.Is(err, solve.ErrTimeout) ...
//	}
package solve

import (
	"context"
	"errors"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// Answer to Check.
type Answer int8

// The answers. Unknown always comes with an error that is one of the Err values.
const (
	Invalid Answer = iota
	Sat
	Unsat
	Unknown
)

func (a Answer) String() string {
	return [...]string{"invalid", "sat", "unsat", "unknown"}[a]
}

// Why an answer is Unknown.
var (
	ErrTimeout   = errors.New("solver: time is up")
	ErrCancelled = errors.New("solver: cancelled")
	ErrMemory    = errors.New("solver: memory ceiling reached")
	ErrLimit     = errors.New("solver: conflict limit reached")
)

// Solver decides terms of one ilr.Store, incrementally. Not safe for concurrent use.
type Solver interface {
	// Assert makes the Bool term t hold in all later calls.
	Assert(t ilr.Term)
	// Learn says that t follows from what was asserted. It may help, and may be forgotten.
	Learn(t ilr.Term)
	// Check decides all asserted terms together with the assumptions.
	Check(ctx context.Context, assumptions ...ilr.Term) (Answer, error)
	// LimitConflicts sets how many conflicts each later Check may take, 0 for any number:
	// beyond, it answers Unknown with ErrLimit. Engines without conflicts ignore it.
	LimitConflicts(n int)
	// Model is valid after Sat, until the next Check: the values of all variables and
	// arrays that occur in what was asserted or assumed, such that an Evaluator makes
	// every one of those terms true.
	Model() ilr.Model
	// Stats counts the work so far.
	Stats() Stats
	// Close frees the solver's memory.
	Close()
}

// Options of New. The zero value is the default.
type Options struct {
	Memory    uint64         // ceiling of this process's resident bytes; 0 is none
	Conflicts int            // limit per call of the SAT solver; 0 is none
	Seed      int            // of the SAT solver
	Config    map[string]int // CaDiCaL options
	Record    bool           // keep clauses for WriteDIMACS
	Proof     string         // beginning of the names of files for proofs, which sat.CheckProof reads; empty for none
}

// Stats of a Solver.
type Stats struct {
	Terms     int // of the store
	Gates     int // of the and-inverter graph
	Vars      int
	Clauses   int
	Conflicts int
	Calls     int // of the SAT solver
	Lemmas    int // array facts added on demand
	Equal     int // words that were found to be equal to others
	Hits      int // questions, or parts of them, that Answers knew
	Blast     float64
	Solve     float64 // seconds
	Refine    float64
}
