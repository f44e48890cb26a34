package certify

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

// Refinement replaces a system, seen between its cut locations, by one with more
// locations: each stands for a cut location in some of the situations in which a
// run can be there.
//
//	(R1) location 0 stands for the start, and no arc enters it
//	(R2) at each location, each edge of its cut location has an arc, unless no
//	     arc into the location can be followed by that edge
//
// Inner proves that the system of the arcs terminates.
type Refinement struct {
	Locs  []its.Loc // the cut location that each stands for
	Arcs  []Arc
	Inner *Termination
}

// Arc is an edge between refined locations.
type Arc struct {
	From, To int
	Path     []Step
}

// refinement checks (R1) and (R2), then the inner certificate.
func (c *checker) refinement(r *Refinement) error {
	if len(r.Locs) == 0 || r.Locs[0] != c.sys.Start {
		return fmt.Errorf("certificate: the refinement does not begin at the start")
	}
	byKey := map[string]*path{}
	for _, e := range c.edges {
		byKey[e.key] = e
	}
	arcs := make([]*path, len(r.Arcs))
	has := map[string]bool{}
	inner := &its.System{Name: c.sys.Name, Vars: c.sys.Vars, Goal: its.Termination}
	for i, l := range r.Locs {
		inner.Locs = append(inner.Locs, fmt.Sprintf("%s/%d", c.sys.Locs[l], i))
	}
	for i, a := range r.Arcs {
		e := byKey[Key(a.Path)]
		if e == nil || a.From < 0 || a.From >= len(r.Locs) || a.To < 1 || a.To >= len(r.Locs) ||
			r.Locs[a.From] != e.from || r.Locs[a.To] != e.to {
			return fmt.Errorf("certificate: refinement arc %d is no edge", i)
		}
		arcs[i] = e
		has[fmt.Sprint(a.From, " ", e.key)] = true
		inner.Trans = append(inner.Trans, e.transition(its.Loc(a.From), its.Loc(a.To)))
	}
	for m, l := range r.Locs {
		for _, e := range c.edges {
			if e.from != l || has[fmt.Sprint(m, " ", e.key)] {
				continue
			}
			if err := c.neverFollows(r, arcs, m, e); err != nil {
				return err
			}
		}
	}
	return Terminating(c.ctx, inner, r.Inner)
}

// neverFollows is the exception in (R2).
func (c *checker) neverFollows(r *Refinement, arcs []*path, m int, e *path) error {
	if m == 0 {
		return fmt.Errorf("certificate: the refinement leaves out an edge from the start")
	}
	for i, a := range r.Arcs {
		if a.To != m {
			continue
		}
		both := arcs[i]
		for _, s := range e.steps {
			both = both.extend(c.sys, s.Trans, s.Target)
		}
		hyp := c.hyp(both)
		for _, l := range c.cert.Inv[e.from] {
			hyp = append(hyp, row{arcs[i].after(l), false})
		}
		if err := c.proof.implied(c.ctx, hyp, exact.C(-1)); err != nil {
			return fmt.Errorf("certificate: %s may follow %s: %w", e.text(c.sys), arcs[i].text(c.sys), err)
		}
	}
	return nil
}

// transition is the path as a transition of another system.
func (p *path) transition(from, to its.Loc) its.Transition {
	return its.Transition{
		From: from, To: to, Temps: int(p.next) - p.n,
		Guard: p.guard, Update: p.value, Tag: p.key,
	}
}
