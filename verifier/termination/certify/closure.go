package certify

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

// Relation is a set of pairs of states, at From before and at To after some edges of a component.
type Relation struct {
	From, To its.Loc
	Rows     []exact.Lin // each >= 0, over the variables before, and those after, numbered behind all before
	Falls    exact.Lin   // where From is To: at least 0 before, and less after
}

// ghostBase keeps the values before a relation apart from those between it and an edge.
const ghostBase exact.Var = 1 << 27

// relations checks that the relations of r rank their component (Podelski and Rybalchenko, transition invariants):
//
//	(D1) each edge is in one of them
//	(D2) so is each of them followed by an edge
//	(D3) no chain in one of them is infinite
func (c *checker) relations(comp *component, r *Rank) error {
	n := exact.Var(len(c.sys.Vars))
	for _, e := range comp.edges {
		own := func(v exact.Var) exact.Lin { return exact.V(v) }
		if !c.inSome(r, c.around(comp, e), e.from, e, own) {
			return fmt.Errorf("edge %s is in no relation", e.text(c.sys))
		}
	}
	ghost := func(v exact.Var) exact.Lin { return exact.V(v + ghostBase) }
	for i := range r.Relations {
		rel := &r.Relations[i]
		if err := c.wellFounded(rel); err != nil {
			return fmt.Errorf("relation %d: %w", i, err)
		}
		for _, e := range comp.edges {
			if e.from != rel.To {
				continue
			}
			hyp := c.around(comp, e)
			for _, l := range rel.Rows {
				hyp = append(hyp, row{l.Subst(func(v exact.Var) exact.Lin {
					if v < n {
						return ghost(v)
					}
					return exact.V(v - n)
				}), false})
			}
			if !c.inSome(r, hyp, rel.From, e, ghost) {
				return fmt.Errorf("relation %d and edge %s are in no relation", i, e.text(c.sys))
			}
		}
	}
	return nil
}

// inSome reports whether one of the relations holds, from the state that before names to that after e, wherever hyp
// does.
func (c *checker) inSome(r *Rank, hyp []row, from its.Loc, e *path, before func(exact.Var) exact.Lin) bool {
	n := exact.Var(len(c.sys.Vars))
	if c.proof.all(c.ctx, hyp, []exact.Lin{exact.C(-1)}) == nil {
		return true // no run does that
	}
	for i := range r.Relations {
		rel := &r.Relations[i]
		if rel.From != from || rel.To != e.to {
			continue
		}
		var goals []exact.Lin
		for _, l := range rel.Rows {
			goals = append(goals, l.Subst(func(v exact.Var) exact.Lin {
				if v < n {
					return before(v)
				}
				return e.after(exact.V(v - n))
			}))
		}
		if c.proof.all(c.ctx, hyp, goals) == nil {
			return true
		}
	}
	return false
}

// wellFounded checks (D3): a chain stays at one location, where its function falls and is not negative.
func (c *checker) wellFounded(rel *Relation) error {
	if rel.From != rel.To {
		return nil
	}
	n := exact.Var(len(c.sys.Vars))
	var hyp []row
	for _, l := range rel.Rows {
		hyp = append(hyp, row{l, false})
	}
	after := rel.Falls.Subst(func(v exact.Var) exact.Lin { return exact.V(v + n) })
	return c.proof.all(c.ctx, hyp, []exact.Lin{rel.Falls, rel.Falls.Sub(after).AddInt(-1)})
}
