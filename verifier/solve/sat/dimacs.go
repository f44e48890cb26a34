package sat

import (
	"bufio"
	"fmt"
	"io"
)

// Formula keeps clauses in memory, to be written or given to a Solver.
type Formula struct {
	Vars    int
	Clauses [][]Lit
}

// NewVar returns a literal of a new variable.
func (f *Formula) NewVar() Lit { f.Vars++; return Lit(f.Vars) }

// Add keeps a copy of the clause.
func (f *Formula) Add(clause ...Lit) { f.Clauses = append(f.Clauses, append([]Lit(nil), clause...)) }

// WriteDIMACS writes the clauses, with the assumptions as unit clauses, in the
// DIMACS CNF format of the SAT competitions.
func (f *Formula) WriteDIMACS(w io.Writer, assumptions ...Lit) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "p cnf %d %d\n", f.Vars, len(f.Clauses)+len(assumptions))
	for _, c := range f.Clauses {
		for _, l := range c {
			fmt.Fprintf(b, "%d ", l)
		}
		fmt.Fprintln(b, 0)
	}
	for _, l := range assumptions {
		fmt.Fprintf(b, "%d 0\n", l)
	}
	return b.Flush()
}

// Tee is a Sink that gives variables of the solver and keeps every clause in the formula too.
type Tee struct {
	*Solver
	Formula *Formula
}

// NewVar returns a new variable of both.
func (t Tee) NewVar() Lit { t.Formula.NewVar(); return t.Solver.NewVar() }

// Add gives the clause to both.
func (t Tee) Add(clause ...Lit) { t.Formula.Add(clause...); t.Solver.Add(clause...) }
