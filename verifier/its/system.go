// Package its is integer transition systems: what a program becomes once
// memory, widths and instructions are gone, and all that is left are locations,
// integers in Z, guards and updates.
//
//	kind        is                                                      source
//	System      variables, locations, a start, transitions              JAR'17 Def. 12
//	Transition  guard, simultaneous update, cost, exactness             AP-74, AP-75
//	Temporary   existential variable of one transition, Var(len(Vars)+i) AP-76 (havoc)
//	Atom        polynomial >= 0 or = 0; nonlinear ones are legal          AP-18
//	Target      one of several successors (KoAT's Com_k)                 KoAT format
//
// A transition relates values x before and x' after: there are values of its
// temporaries that satisfy Guard over x and temporaries, and x' = Update. So a
// nondeterministic variable is one that is updated to a temporary. A system
// starts at Start with any values.
//
// A transition with Exact false may allow steps that the program does not have:
// it counts for termination and upper bounds, never for non-termination.
//
// Worked example, the loop `while (x > 0) x -= y` with y > 0:
//
//	b := its.NewBuilder("countdown")
//	x, y := b.Var("x"), b.Var("y")
//	start, loop := b.Loc("start"), b.Loc("loop")
//	b.Trans(start, loop).GE(exact.V(y).AddInt(-1)).Exact("entry")
//	b.Trans(loop, loop).GE(exact.V(x).AddInt(-1)).
//		Set(x, exact.V(x).Sub(exact.V(y))).Exact("body")
//	sys, err := b.System(start)
//	// start(x, y) -> loop(x, y) :|: y - 1 >= 0
//	// loop(x, y) -> loop(x - y, y) :|: x - 1 >= 0
//	_, _ = sys, err
package its

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// Loc is a location: an index into System.Locs.
type Loc int

// Rel is how an atom's polynomial compares with 0.
type Rel uint8

// The relations of atoms.
const (
	InvalidRel Rel = iota
	GE             // polynomial >= 0
	EQ             // polynomial = 0
)

// Atom is a constraint over variables and temporaries.
type Atom struct {
	Poly exact.Poly
	Rel  Rel
}

// Lin is the atom's left side when it is linear.
func (a Atom) Lin() (exact.Lin, bool) { return a.Poly.Lin() }

// Holds evaluates the atom.
func (a Atom) Holds(f func(exact.Var) exact.Int) bool {
	s := a.Poly.Eval(f).Sign()
	return s == 0 || s > 0 && a.Rel == GE
}

// Target is a successor of a transition with several.
type Target struct {
	To     Loc
	Update []exact.Poly
}

// Transition is one edge of a system.
type Transition struct {
	From, To Loc
	Temps    int          // number of existential variables: Var(len(Vars)) and on
	Guard    []Atom       // conjunction over variables and temporaries
	Update   []exact.Poly // the value after, per variable, over variables and temporaries
	Also     []Target     // further successors that run too (Com_k); usually nil
	Cost     exact.Poly   // cost of one step over variables and temporaries
	Exact    bool         // every step allowed is a step of the program
	Tag      string       // where it comes from, for people
}

// Goal is the question that a file asks.
type Goal uint8

// The goals.
const (
	InvalidGoal Goal = iota
	Termination
	Complexity
)

// System is an integer transition system. It is not changed once built.
type System struct {
	Name  string
	Vars  []string
	Locs  []string
	Start Loc
	Trans []Transition
	Goal  Goal
}

// VarName names a variable or a temporary.
func (s *System) VarName(v exact.Var) string {
	if int(v) < len(s.Vars) {
		return s.Vars[v]
	}
	return fmt.Sprintf("%s%d", s.tempPrefix(), int(v)-len(s.Vars))
}

func (s *System) tempPrefix() string {
	prefix := "tmp"
	for i := 0; i < len(s.Vars); i++ {
		if len(s.Vars[i]) >= len(prefix) && s.Vars[i][:len(prefix)] == prefix {
			prefix, i = prefix+"_", -1
		}
	}
	return prefix
}

// Validate reports the first broken invariant: indices in range, one update per
// variable, no unknown relation.
func (s *System) Validate() error {
	if s.Start < 0 || int(s.Start) >= len(s.Locs) {
		return fmt.Errorf("its %s: start location %d out of range", s.Name, s.Start)
	}
	for i := range s.Trans {
		if err := s.validate(&s.Trans[i]); err != nil {
			return fmt.Errorf("its %s: transition %d (%s): %w", s.Name, i, s.Trans[i].Tag, err)
		}
	}
	return nil
}

func (s *System) validate(t *Transition) error {
	limit := exact.Var(len(s.Vars) + t.Temps)
	var bad error
	check := func(p exact.Poly) {
		p.Vars(func(v exact.Var) {
			if v < 0 || v >= limit {
				bad = fmt.Errorf("variable %d out of range", v)
			}
		})
	}
	for _, a := range t.Guard {
		if a.Rel != GE && a.Rel != EQ {
			return fmt.Errorf("relation %d", a.Rel)
		}
		check(a.Poly)
	}
	targets := append([]Target{{t.To, t.Update}}, t.Also...)
	for _, target := range targets {
		if target.To < 0 || int(target.To) >= len(s.Locs) || t.From < 0 || int(t.From) >= len(s.Locs) {
			return fmt.Errorf("location out of range")
		}
		if len(target.Update) != len(s.Vars) {
			return fmt.Errorf("%d updates for %d variables", len(target.Update), len(s.Vars))
		}
		for _, p := range target.Update {
			check(p)
		}
	}
	check(t.Cost)
	return bad
}
