package ring

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Cases returns formulas that hold for all values of their variables: in a case of the conditions that t, an equation
// with products, chooses by, some of the equations imply t. There are none for the cases in which that is not seen.
func (d *Ideal) Cases(t ilr.Term) []ilr.Term {
	if w := width(d.s, t); w > 0 && hasProduct(d.s, t) {
		x := newSplit(d.s, w)
		x.given = true
		if x.difference(t); x.open != 0 || len(x.narrow) > 0 { // else Implies says all
			return d.eachCase(x, t)
		}
	}
	return nil
}

// eachCase returns the formulas for the cases within that of x.
func (d *Ideal) eachCase(x *split, t ilr.Term) []ilr.Term {
	x.difference(t)
	if c := x.open; c != 0 {
		if len(x.chosen) == policy.RingConditions {
			return nil
		}
		return append(d.eachCase(x.with(c, true), t), d.eachCase(x.with(c, false), t)...)
	}
	given, ok := d.inCase(x, t)
	if !ok {
		return nil
	}
	for _, e := range given { // others may not hold where t is asked
		less := NewIdeal(d.s, slices.DeleteFunc(slices.Clone(d.terms), func(y ilr.Term) bool { return e == y }))
		if fewer, ok := less.inCase(x, t); ok {
			d, given = less, fewer
		}
	}
	if f := d.s.Implies(d.s.And(append(given, x.conditions()...)...), t); !d.s.IsTrue(f) {
		return []ilr.Term{f}
	}
	return nil
}

// inCase returns equations that imply t in the case of x.
func (d *Ideal) inCase(x *split, t ilr.Term) (given []ilr.Term, ok bool) {
	r := row{poly: x.difference(t)}
	if d.reduce(x.w, &r); len(r.poly.Monos) > 0 {
		return nil, false
	}
	for _, f := range r.from {
		given = append(given, d.terms[f])
	}
	return given, true
}

// conditions lists what is assumed in the case of x.
func (x *split) conditions() []ilr.Term {
	out := slices.Clone(x.narrow)
	for _, c := range x.chosen {
		if c.holds {
			out = append(out, c.cond)
		} else {
			out = append(out, x.s.Not(c.cond))
		}
	}
	return out
}

// known returns the constant that t is in the case of x.
func (x *split) known(t ilr.Term) (k bits.Vec, ok bool) {
	for _, c := range x.chosen {
		if !c.holds || x.s.Kind(c.cond) != ilr.KEq {
			continue
		}
		for i := range 2 {
			if k, ok := x.s.ConstVal(x.s.Arg(c.cond, i)); ok && x.s.Arg(c.cond, 1-i) == t {
				return k, true
			}
		}
	}
	return k, false
}
