package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// relevant finds the slots that can matter for which paths are taken: those that
// a path constrains, and those that flow into one of them. What a generalised
// state knows of its slots constrains nothing, because it holds whenever a run is
// there; neither do the two rows that define a wrap-around, because for each
// value there is a multiple of 2^w that satisfies them. With overflow the paths into
// signed overflow count too.
func (g *Graph) relevant(overflow bool) map[string]bool {
	out := map[string]bool{}
	for _, c := range g.cuts {
		for _, e := range c.edges {
			if e.to != nil || e.overflow && overflow {
				g.constrained(e, out)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, c := range g.cuts {
			for _, e := range c.edges {
				if e.to == nil {
					continue
				}
				for _, sl := range e.to.slots {
					if out[sl.key] {
						changed = g.flows(e, e.vals[sl.key], out) || changed
					}
				}
			}
		}
	}
	return out
}

// constrained adds the slots that the path constrains.
func (g *Graph) constrained(e *edge, out map[string]bool) {
	k, was := e.st.know, e.from.st.know
	touched := map[exact.Var]bool{}
	for _, r := range k.rows {
		if !g.vacuous(e, r) {
			for _, t := range r.Lin.Terms {
				touched[t.Var] = true
			}
		}
	}
	for _, a := range k.polys {
		a.Poly.Vars(func(v exact.Var) { touched[v] = true })
	}
	// what a touched wrap-around is made of is touched too
	for changed := true; changed; {
		changed = false
		for _, r := range k.rows {
			hit, all := false, true
			for _, t := range r.Lin.Terms {
				hit, all = hit || touched[t.Var], all && touched[t.Var]
			}
			if hit && !all && !known(was, r) {
				for _, t := range r.Lin.Terms {
					touched[t.Var] = true
				}
				changed = true
			}
		}
	}
	for _, sl := range e.from.slots {
		i, j := k.iv[sl.v], was.iv[sl.v]
		if touched[sl.v] || i.hasLo && !(j.hasLo && j.lo.Equal(i.lo)) || i.hasHi && !(j.hasHi && j.hi.Equal(i.hi)) {
			out[sl.key] = true
		}
	}
}

// vacuous reports that the row excludes no value of a slot.
func (g *Graph) vacuous(e *edge, r linear.Row) bool {
	if known(e.from.st.know, r) {
		return true
	}
	for _, t := range r.Lin.Terms {
		if !g.b.fits[t.Var] {
			continue
		}
		n := 0
		for _, q := range e.st.know.rows {
			if !q.Lin.Coef(t.Var).IsZero() {
				n++
			}
		}
		if n <= 2 {
			return true
		}
	}
	return false
}

func known(k *know, r linear.Row) bool {
	for _, q := range k.rows {
		if q.EQ == r.EQ && q.Lin.Equal(r.Lin) {
			return true
		}
	}
	return false
}

// flows adds the slots of which the value l of a relevant slot is made.
func (g *Graph) flows(e *edge, l exact.Lin, out map[string]bool) bool {
	in := map[exact.Var]bool{}
	for _, t := range l.Terms {
		in[t.Var] = true
	}
	for changed := true; changed; {
		changed = false
		for _, r := range e.st.know.rows {
			if known(e.from.st.know, r) || !touches(r.Lin, in) {
				continue
			}
			for _, t := range r.Lin.Terms {
				changed = changed || !in[t.Var]
				in[t.Var] = true
			}
		}
	}
	grown := false
	for _, sl := range e.from.slots {
		if in[sl.v] && !out[sl.key] {
			out[sl.key], grown = true, true
		}
	}
	return grown
}

// dropped are the variables of a path that only concern slots that do not matter.
func (x *extractor) dropped(e *edge) map[exact.Var]bool {
	out := map[exact.Var]bool{}
	if x.keep == nil {
		return out
	}
	for _, sl := range e.from.slots {
		if !x.keep[sl.key] {
			out[sl.v] = true
		}
	}
	return out
}
