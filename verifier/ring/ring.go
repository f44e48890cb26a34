// Package ring shows that equations between machine words follow from others. Words of w bits are a ring: a sum of
// multiples of equations is an equation, whatever wraps around. Solvers that look at bits find that hard where
// variables are multiplied.
package ring

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Ideal is a set of equations, by width in echelon form: the pivot of a row is a monomial that no later one has.
type Ideal struct {
	s     *ilr.Store
	terms []ilr.Term // the equations
	rows  map[int][]row
}

// row is an equation: poly is 0 modulo 2^w, where those of Ideal.terms that from lists hold.
type row struct {
	poly  exact.Poly
	pivot []exact.Var
	inv   exact.Int // of the pivot's coefficient, which is odd
	from  []int
}

// NewIdeal returns the ideal of those of the terms that are equations between words, and of the equations with products
// that others say under some condition: what follows from them is worth asking where the condition holds.
func NewIdeal(s *ilr.Store, terms []ilr.Term) *Ideal {
	d := &Ideal{s: s, rows: map[int][]row{}}
	var all []ilr.Term
	for _, t := range terms {
		if width(s, t) > 0 {
			all = append(all, t)
		} else {
			all = append(all, multiplied(s, t)...)
		}
	}
	for _, t := range all {
		w := width(s, t)
		if w == 0 || slices.Contains(d.terms, t) {
			continue
		}
		x := newSplit(s, w)
		p := x.difference(t)
		if x.open != 0 {
			continue
		}
		d.terms = append(d.terms, t)
		r := row{poly: p, from: []int{len(d.terms) - 1}}
		d.reduce(w, &r)
		if r.findPivot(w) {
			d.rows[w] = append(d.rows[w], r)
		}
	}
	return d
}

// multiplied lists the equations in t between words that have products.
func multiplied(s *ilr.Store, t ilr.Term) []ilr.Term {
	var out []ilr.Term
	s.Walk([]ilr.Term{t}, func(e ilr.Term) {
		if width(s, e) > 0 && hasProduct(s, e) {
			out = append(out, e)
		}
	})
	return out
}

// hasProduct reports whether t multiplies words that are no constants.
func hasProduct(s *ilr.Store, t ilr.Term) bool {
	found := false
	s.Walk([]ilr.Term{t}, func(x ilr.Term) { found = found || product(s, x) })
	return found
}

// width returns that of the words that t says are equal; 0 if it is no such equation.
func width(s *ilr.Store, t ilr.Term) int {
	if s.Kind(t) != ilr.KEq {
		return 0
	}
	if w := s.Width(s.Arg(t, 0)); w > 1 && w <= policy.RingWidth {
		return w
	}
	return 0
}

// findPivot picks a monomial with an odd coefficient, one of the lowest degree above 0, so that what is left of others
// is products; ok is false if there is none.
func (r *row) findPivot(w int) (ok bool) {
	for _, m := range r.poly.Monos {
		if c := m.Coef.Big(); c.Bit(0) == 1 && len(m.Vars) > 0 {
			r.pivot = m.Vars
			r.inv = exact.FromBig(c.ModInverse(c, modulus(w).Big()))
			return true
		}
	}
	return false
}

// Implies returns a formula that holds for all values of its variables: some of the equations imply t; ok is false
// where that is not seen. They may do so together with equations of two variables.
func (d *Ideal) Implies(t ilr.Term) (formula ilr.Term, ok bool) {
	s := d.s
	if s.IsTrue(t) {
		return t, true
	}
	w := width(s, t)
	if w == 0 {
		return 0, false
	}
	var given []ilr.Term
	if !d.cases(newSplit(s, w), t, &given) {
		return 0, false
	}
	return s.Implies(s.And(given...), t), true
}

// cases reports whether t follows in all cases of the conditions in it, and adds to given from what.
func (d *Ideal) cases(x *split, t ilr.Term, given *[]ilr.Term) bool {
	x.open = 0
	r := row{poly: x.difference(t)}
	if x.open != 0 {
		if len(x.chosen) == policy.RingConditions {
			return false
		}
		c := x.open
		for _, holds := range []bool{true, false} {
			if !d.cases(x.with(c, holds), t, given) {
				return false
			}
		}
		return true
	}
	d.reduce(x.w, &r)
	if len(r.poly.Monos) > 0 {
		same, ok := d.same(x.w, &r)
		if !ok {
			return false
		}
		*given = append(*given, same)
	}
	for _, f := range r.from {
		if !slices.Contains(*given, d.terms[f]) {
			*given = append(*given, d.terms[f])
		}
	}
	return true
}

// same returns an equation of a variable of r and another one, here or in the ideal, under which r follows.
func (d *Ideal) same(w int, r *row) (t ilr.Term, ok bool) {
	here, all := variables(nil, r.poly), variables(nil, r.poly)
	for _, x := range d.rows[w] {
		all = variables(all, x.poly)
	}
	if len(here) > policy.RingSame {
		return 0, false
	}
	for _, u := range here {
		for _, v := range all {
			if u == v {
				continue
			}
			next := row{from: slices.Clone(r.from), poly: modulo(r.poly.Rename(func(y exact.Var) exact.Var {
				if y == u {
					return v
				}
				return y
			}), w)}
			if d.reduce(w, &next); len(next.poly.Monos) == 0 {
				*r = next
				return d.s.Eq(ilr.Term(u), ilr.Term(v)), true
			}
		}
	}
	return 0, false
}

// variables adds those of p to list.
func variables(list []exact.Var, p exact.Poly) []exact.Var {
	p.Vars(func(v exact.Var) {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	})
	return list
}

// Consequences returns formulas that hold for all values of their variables: that some of known imply an equation that
// occurs in roots; where that is not seen, byCase adds those for single cases.
func Consequences(s *ilr.Store, known, roots []ilr.Term, byCase bool) []ilr.Term {
	d := NewIdeal(s, known)
	if !d.products() && !slices.ContainsFunc(roots, func(t ilr.Term) bool { return hasProduct(s, t) }) {
		return nil
	}
	var goals []ilr.Term
	s.Walk(roots, func(t ilr.Term) {
		if width(s, t) > 0 {
			goals = append(goals, t)
		}
	})
	var out []ilr.Term
	for _, t := range goals {
		switch f, ok := d.Implies(t); {
		case !ok && byCase:
			out = append(out, d.Cases(t)...)
		case ok && !s.IsTrue(f):
			out = append(out, d.fewest(t, f))
		}
	}
	return out
}

// fewest returns what Implies does, f, with no equation that it can do without: others may not hold where t is asked.
func (d *Ideal) fewest(t, f ilr.Term) ilr.Term {
	for _, x := range d.terms {
		less := NewIdeal(d.s, slices.DeleteFunc(slices.Clone(d.terms), func(y ilr.Term) bool { return x == y }))
		if g, ok := less.Implies(t); ok {
			d, f = less, g
		}
	}
	return f
}

// products reports whether one of the equations has a product of variables.
func (d *Ideal) products() bool {
	for _, rows := range d.rows {
		if slices.ContainsFunc(rows, func(r row) bool { return r.poly.Degree() > 1 }) {
			return true
		}
	}
	return false
}
