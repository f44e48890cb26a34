package ring

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// reduce takes multiples of the rows from r, one row after the other, until no multiple of their pivots is left, or too
// many were taken.
func (d *Ideal) reduce(w int, r *row) {
	for i := range d.rows[w] {
		by := &d.rows[w][i]
		for range policy.RingMultiples {
			k, cofactor := multipleOf(r.poly, by.pivot)
			if k < 0 {
				break
			}
			times := exact.Poly{Monos: []exact.Mono{{Coef: r.poly.Monos[k].Coef.Mul(by.inv), Vars: cofactor}}}
			r.poly = modulo(r.poly.Sub(by.poly.Mul(times)), w)
			for _, f := range by.from {
				if !slices.Contains(r.from, f) {
					r.from = append(r.from, f)
				}
			}
		}
	}
}

// multipleOf returns the index of a summand of p that is a multiple of the pivot, and what else it multiplies; -1 if
// there is none of small degree.
func multipleOf(p exact.Poly, pivot []exact.Var) (k int, cofactor []exact.Var) {
	for k, m := range p.Monos {
		if len(m.Vars) > policy.RingDegree {
			continue
		}
		if left, ok := without(m.Vars, pivot); ok {
			return k, left
		}
	}
	return -1, nil
}

// without returns the factors vars less those of pivot, both in order; ok is false if some are missing.
func without(vars, pivot []exact.Var) (left []exact.Var, ok bool) {
	for _, v := range vars {
		if len(pivot) > 0 && pivot[0] == v {
			pivot = pivot[1:]
		} else {
			left = append(left, v)
		}
	}
	return left, len(pivot) == 0
}
