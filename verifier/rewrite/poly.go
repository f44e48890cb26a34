package rewrite

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

// A poly is a polynomial modulo 2^w: the normal form of sums, products and negations
// of bit-vectors (R5). Its unknowns are the unsigned values of terms that are none of
// these, of any width: extensions that cannot wrap, low parts, shifts by constants, masks
// and, over the conjunction of their operands, disjunctions and exclusive ors are
// polynomials too, so that (x|y) - (x&y) and x^y are one, and a sum of bits is the
// sum of the sums of its halves.
//
// Nothing is made in normal form: a term whose polynomial an older term has is that term.
type poly struct {
	w     int
	parts []part // by product, the constant first; no coefficient is 0
}

// part is a coefficient times a product of unknowns; the product of none is 1.
type part struct {
	product [policy.PolyDegree]ilr.Term // descending, 0 where there are fewer
	coeff   uint64
}

// polys remembers the polynomial of each term, and the first term of each polynomial.
type polys struct {
	memo  map[ilr.Term]poly
	first map[uint64]ilr.Term
	held  int
}

func (ps *polys) remember(t ilr.Term, p poly) {
	if ps.held += len(p.parts) + 2; ps.held > policy.PolyMemory {
		ps.memo, ps.first, ps.held = map[ilr.Term]poly{}, map[uint64]ilr.Term{}, len(p.parts)
	}
	ps.memo[t] = p
}

func number(w int, v uint64) poly {
	if v &= facts.Ones(w); v != 0 {
		return poly{w, []part{{coeff: v}}}
	}
	return poly{w: w}
}

func unknown(w int, t ilr.Term) poly {
	return poly{w, []part{{[policy.PolyDegree]ilr.Term{t}, 1}}}
}

func (p poly) constant() (v uint64, ok bool) {
	switch {
	case len(p.parts) == 0:
		return 0, true
	case len(p.parts) == 1 && p.parts[0].product[0] == 0:
		return p.parts[0].coeff, true
	}
	return 0, false
}

// single returns the term that p is, if it is one.
func (p poly) single() ilr.Term {
	if len(p.parts) == 1 && p.parts[0].coeff == 1 && p.parts[0].product[1] == 0 {
		return p.parts[0].product[0]
	}
	return 0
}

func (p poly) equal(q poly) bool { return p.w == q.w && slices.Equal(p.parts, q.parts) }

// sorted puts the parts of p in their order.
func (p poly) sorted() poly {
	slices.SortFunc(p.parts, func(x, y part) int { return slices.Compare(x.product[:], y.product[:]) })
	return p
}

func (p poly) hash() uint64 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(p.w)
	for _, t := range p.parts {
		for _, f := range t.product {
			h = (h ^ h>>29 ^ uint64(f)) * k
		}
		h = (h ^ h>>29 ^ t.coeff) * k
	}
	return h ^ h>>32
}

// plus returns p + c*q modulo 2^w of p; ok is false beyond policy.PolyParts.
func (p poly) plus(q poly, c uint64) (r poly, ok bool) {
	r = poly{p.w, make([]part, 0, len(p.parts)+len(q.parts))}
	put := func(t part) {
		if t.coeff &= facts.Ones(p.w); t.coeff != 0 {
			r.parts = append(r.parts, t)
		}
	}
	i, j := 0, 0
	for i < len(p.parts) && j < len(q.parts) {
		switch a, b := p.parts[i], q.parts[j]; slices.Compare(a.product[:], b.product[:]) {
		case -1:
			put(a)
			i++
		case 1:
			put(part{b.product, c * b.coeff})
			j++
		default:
			put(part{a.product, a.coeff + c*b.coeff})
			i, j = i+1, j+1
		}
	}
	for ; i < len(p.parts); i++ {
		put(p.parts[i])
	}
	for ; j < len(q.parts); j++ {
		put(part{q.parts[j].product, c * q.parts[j].coeff})
	}
	return r, len(r.parts) <= policy.PolyParts
}

// times returns the product; ok is false beyond policy.PolyParts and policy.PolyDegree.
func (p poly) times(q poly) (r poly, ok bool) {
	if len(p.parts)*len(q.parts) > 4*policy.PolyParts {
		return r, false
	}
	r = poly{w: p.w}
	for _, a := range p.parts {
		row := poly{p.w, make([]part, 0, len(q.parts))}
		for _, b := range q.parts {
			m, ok := join(a.product, b.product)
			if !ok {
				return r, false
			}
			row.parts = append(row.parts, part{m, b.coeff})
		}
		if r, ok = r.plus(row.sorted(), a.coeff); !ok {
			return r, false
		}
	}
	return r, true
}

// join returns the product of two products.
func join(a, b [policy.PolyDegree]ilr.Term) (r [policy.PolyDegree]ilr.Term, ok bool) {
	i, j := 0, 0
	for n := 0; n < policy.PolyDegree; n++ {
		if j == policy.PolyDegree || i < policy.PolyDegree && a[i] >= b[j] {
			r[n] = a[i]
			i++
		} else {
			r[n] = b[j]
			j++
		}
	}
	return r, (i == policy.PolyDegree || a[i] == 0) && (j == policy.PolyDegree || b[j] == 0)
}
