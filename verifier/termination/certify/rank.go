package certify

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

// Floor is how low the functions of a phase are once it is over. Every number is right, since they fall for ever.
const Floor int64 = 1 << 40

// component holds the edges of one component at a ranking step, and what holds at its locations.
type component struct {
	edges []*path
	facts map[its.Loc][]exact.Lin // at every location that the run comes to
	kept  map[its.Loc][]exact.Lin // at those where it goes on
}

// ranks checks (C3) step by step, then (C4), for runs that take none but the given edges, and where facts hold at
// each location.
func (c *checker) ranks(left []*path, ranks []Rank, facts map[its.Loc][]exact.Lin) error {
	for i := range ranks {
		r := &ranks[i]
		strict := map[string]bool{}
		for _, s := range r.Strict {
			strict[Key(s)] = true
		}
		if len(r.Funcs) == 0 || !isComponent(left, r.Funcs[0]) {
			return fmt.Errorf("certificate: step %d is not about one component", i)
		}
		comp := &component{facts: facts, kept: r.Kept}
		var rest []*path
		for _, e := range left {
			_, from := r.Funcs[0][e.from]
			_, to := r.Funcs[0][e.to]
			if from && to {
				comp.edges = append(comp.edges, e)
			}
			if !from || !to || !strict[e.key] {
				rest = append(rest, e)
			}
		}
		if err := c.step(comp, r, strict); err != nil {
			return fmt.Errorf("certificate: step %d, %w", i, err)
		}
		left = rest
	}
	for _, e := range left {
		if reaches(left, e.to, e.from) {
			return fmt.Errorf("certificate: edge %s is on a cycle that no step removes", e.text(c.sys))
		}
	}
	return nil
}

// step checks one ranking step.
func (c *checker) step(comp *component, r *Rank, strict map[string]bool) error {
	for _, e := range comp.edges {
		if err := c.proof.all(c.ctx, c.before(comp, e), r.Kept[e.from]); err != nil {
			return fmt.Errorf("what is kept at edge %s: %w", e.text(c.sys), err)
		}
	}
	if r.Relations != nil {
		return c.relations(comp, r)
	}
	for _, e := range comp.edges {
		goals := decrease(r, e, strict[e.key])
		if err := c.proof.all(c.ctx, c.around(comp, e), goals); err != nil {
			return fmt.Errorf("edge %s: %w", e.text(c.sys), err)
		}
	}
	if r.Phase == nil {
		return nil
	}
	if err := c.ranks(comp.edges, r.Phase, below(comp, r)); err != nil {
		return fmt.Errorf("after the phase: %w", err)
	}
	return nil
}

// before lists what is known where e is taken.
func (c *checker) before(comp *component, e *path) []row {
	rows := c.hyp(e)
	for _, l := range comp.facts[e.from] {
		rows = append(rows, row{l, false})
	}
	return rows
}

// around lists what is known of the states before and after e, when the run takes an edge of the component again.
func (c *checker) around(comp *component, e *path) []row {
	rows := c.before(comp, e)
	for _, of := range []map[its.Loc][]exact.Lin{comp.facts, comp.kept} {
		for _, l := range of[e.to] {
			rows = append(rows, row{e.after(l), false})
		}
	}
	return rows
}

// below adds to the facts that the functions of a phase are at most -Floor. A run that takes the strict edges for ever
// comes there, since no edge of the component raises the functions: it is enough that runs end there, and that those
// end that leave the strict edges out.
func below(comp *component, r *Rank) map[its.Loc][]exact.Lin {
	out := map[its.Loc][]exact.Lin{}
	for l := range r.Funcs[0] {
		out[l] = append(out[l], comp.facts[l]...)
		for _, f := range r.Funcs {
			out[l] = append(out[l], f[l].Neg().AddInt(-Floor))
		}
	}
	return out
}

// decrease is (C3) for one edge; the functions of a phase fall each by itself, and have no bound.
func decrease(r *Rank, e *path, strict bool) []exact.Lin {
	var goals []exact.Lin
	var previous exact.Lin
	for i, f := range r.Funcs {
		before, after := f[e.from], e.after(f[e.to])
		switch {
		case !strict:
			goals = append(goals, before.Sub(after))
			continue
		case r.Phase != nil:
			goals = append(goals, before.Sub(after).AddInt(-1))
			continue
		}
		goals = append(goals, before.Add(previous).Sub(after).AddInt(-1))
		previous = before
		if i == len(r.Funcs)-1 {
			goals = append(goals, before)
		}
	}
	return goals
}
