package certify

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

// Recurrence is a certificate of non-termination: a run from given values to a
// location, and a set of states there that a cycle never leaves.
//
//	(N1) every transition used is exact
//	(N2) the stem runs from Start, with the given values of temporaries
//	(N3) the state after the stem is in Set
//	(N4) from every state in Set the cycle can be taken, temporaries chosen by
//	     Choice, and ends in Set again
type Recurrence struct {
	Start     []exact.Int   // values of the variables at the start
	Stem      []Step        // may be empty
	StemTemps [][]exact.Int // per step of the stem its temporaries
	Cycle     []Step        // not empty, back to where it begins
	Choice    []exact.Lin   // per temporary along the cycle, over the state before it
	Set       []exact.Lin   // each >= 0
}

// Transitions lists those that the run takes, by index.
func (r *Recurrence) Transitions() []int {
	var out []int
	for _, s := range append(append([]Step(nil), r.Stem...), r.Cycle...) {
		out = append(out, s.Trans)
	}
	return out
}

// NonTerminating checks a certificate of non-termination against the system.
func NonTerminating(ctx context.Context, sys *its.System, cert *Recurrence) error {
	for _, s := range append(append([]Step(nil), cert.Stem...), cert.Cycle...) {
		if s.Trans < 0 || s.Trans >= len(sys.Trans) || s.Target < 0 || s.Target >= len(sys.Trans[s.Trans].Targets()) {
			return fmt.Errorf("certificate: no transition %d.%d", s.Trans, s.Target)
		}
		if !sys.Trans[s.Trans].Exact {
			return fmt.Errorf("certificate: transition %s is an over-approximation", sys.Trans[s.Trans].Tag)
		}
	}
	loc, state, err := runStem(sys, cert)
	if err != nil {
		return err
	}
	for _, l := range cert.Set {
		if l.Eval(func(v exact.Var) exact.Int { return state[v] }).Sign() < 0 {
			return fmt.Errorf("certificate: the stem ends outside the set")
		}
	}
	return checkCycle(ctx, sys, cert, loc)
}

// runStem executes the stem (N2).
func runStem(sys *its.System, cert *Recurrence) (its.Loc, []exact.Int, error) {
	if len(cert.Start) != len(sys.Vars) || len(cert.StemTemps) != len(cert.Stem) {
		return 0, nil, fmt.Errorf("certificate: stem of the wrong shape")
	}
	loc, state := sys.Start, append([]exact.Int(nil), cert.Start...)
	for i, s := range cert.Stem {
		t := &sys.Trans[s.Trans]
		if t.From != loc || len(cert.StemTemps[i]) != t.Temps {
			return 0, nil, fmt.Errorf("certificate: step %d does not continue the stem", i)
		}
		all := append(append([]exact.Int(nil), state...), cert.StemTemps[i]...)
		value := func(v exact.Var) exact.Int { return all[v] }
		for _, a := range t.Guard {
			if !a.Holds(value) {
				return 0, nil, fmt.Errorf("certificate: step %d: guard %s does not hold", i, sys.AtomString(a))
			}
		}
		target := t.Targets()[s.Target]
		next := make([]exact.Int, len(state))
		for v, p := range target.Update {
			next[v] = p.Eval(value)
		}
		loc, state = target.To, next
	}
	return loc, state, nil
}

// checkCycle is (N4).
func checkCycle(ctx context.Context, sys *its.System, cert *Recurrence, loc its.Loc) error {
	p := newPath(sys, loc)
	for _, s := range cert.Cycle {
		if sys.Trans[s.Trans].From != p.to {
			return fmt.Errorf("certificate: the cycle is no path")
		}
		p = p.extend(sys, s.Trans, s.Target)
	}
	if p.to != loc || len(cert.Cycle) == 0 {
		return fmt.Errorf("certificate: the cycle does not close")
	}
	if int(p.next)-p.n != len(cert.Choice) {
		return fmt.Errorf("certificate: %d choices for %d temporaries", len(cert.Choice), int(p.next)-p.n)
	}
	for _, c := range append(append([]exact.Lin(nil), cert.Choice...), cert.Set...) {
		for _, t := range c.Terms {
			if int(t.Var) >= p.n || t.Var < 0 {
				return fmt.Errorf("certificate: a choice or the set reads a temporary")
			}
		}
	}
	choose := func(v exact.Var) exact.Poly {
		if int(v) < p.n {
			return exact.PolyOf(exact.V(v))
		}
		return exact.PolyOf(cert.Choice[int(v)-p.n])
	}
	var hyp []row
	for _, l := range cert.Set {
		hyp = append(hyp, row{l, false})
	}
	var goals []exact.Lin
	demand := func(q exact.Poly) error {
		l, ok := q.Subst(choose).Lin()
		if !ok {
			return fmt.Errorf("certificate: the cycle is not linear")
		}
		goals = append(goals, l)
		return nil
	}
	for _, a := range p.guard {
		if err := demand(a.Poly); err != nil {
			return err
		}
		if a.Rel == its.EQ {
			if err := demand(a.Poly.Neg()); err != nil {
				return err
			}
		}
	}
	for _, l := range cert.Set {
		after := exact.PolyOf(l).Subst(func(v exact.Var) exact.Poly { return p.value[v] })
		if err := demand(after); err != nil {
			return err
		}
	}
	proof := newProver()
	defer proof.close()
	return proof.all(ctx, hyp, goals)
}
