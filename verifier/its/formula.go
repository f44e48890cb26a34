package its

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// formula is a guard as read from text, before it becomes transitions.
type formula struct {
	op   string // "and", "or", "atom", "true", "false"
	args []formula
	atom Atom
}

var (
	fTrue  = formula{op: "true"}
	fFalse = formula{op: "false"}
)

// compare is the formula `l op r`; neg asks for its negation.
func compare(op string, l, r exact.Poly, neg bool) (formula, error) {
	one := exact.PolyOf(exact.C(1))
	ge := func(p exact.Poly) formula { return formula{op: "atom", atom: Atom{p, GE}} }
	switch op {
	case "=", "==":
		if neg {
			return compare("!=", l, r, false)
		}
		return formula{op: "atom", atom: Atom{l.Sub(r), EQ}}, nil
	case "!=", "distinct":
		if neg {
			return compare("=", l, r, false)
		}
		return formula{op: "or", args: []formula{ge(l.Sub(r).Sub(one)), ge(r.Sub(l).Sub(one))}}, nil
	case ">":
		l, r = r, l
		fallthrough
	case "<":
		if neg {
			return ge(l.Sub(r)), nil
		}
		return ge(r.Sub(l).Sub(one)), nil
	case ">=":
		l, r = r, l
		fallthrough
	case "<=":
		if neg {
			return ge(l.Sub(r).Sub(one)), nil
		}
		return ge(r.Sub(l)), nil
	}
	return formula{}, fmt.Errorf("comparison %q", op)
}

// dnf is the formula as a disjunction of conjunctions.
func (f formula) dnf() ([][]Atom, error) {
	switch f.op {
	case "true":
		return [][]Atom{{}}, nil
	case "false":
		return nil, nil
	case "atom":
		return [][]Atom{{f.atom}}, nil
	case "or":
		var out [][]Atom
		for _, a := range f.args {
			d, err := a.dnf()
			if err != nil {
				return nil, err
			}
			out = append(out, d...)
		}
		return limit(out)
	case "and":
		out := [][]Atom{{}}
		for _, a := range f.args {
			d, err := a.dnf()
			if err != nil {
				return nil, err
			}
			var next [][]Atom
			for _, x := range out {
				for _, y := range d {
					next = append(next, append(append([]Atom(nil), x...), y...))
				}
			}
			if out, err = limit(next); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("formula %q", f.op)
}

func limit(d [][]Atom) ([][]Atom, error) {
	if len(d) > policy.GuardDisjuncts {
		return nil, fmt.Errorf("guard with more than %d disjuncts", policy.GuardDisjuncts)
	}
	return d, nil
}
