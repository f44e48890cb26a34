package rewrite

import (
	mbits "math/bits"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
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
	product [polyDegree]ilr.Term // descending, 0 where there are fewer
	coeff   uint64
}

const (
	polyDegree = 4
	polyParts  = 64      // beyond, a term is an unknown
	polyDepth  = 6       // of terms whose polynomial nobody asked for before
	polyMemory = 1 << 21 // parts remembered; then all are forgotten
)

// polys remembers by term, and the first term of each polynomial.
type polys struct {
	memo  map[ilr.Term]poly
	first map[uint64]ilr.Term
	held  int
}

func (ps *polys) remember(t ilr.Term, p poly) {
	if ps.held += len(p.parts); ps.held > polyMemory {
		ps.memo, ps.first, ps.held = map[ilr.Term]poly{}, map[uint64]ilr.Term{}, len(p.parts)
	}
	ps.memo[t] = p
}

func number(w int, v uint64) poly {
	if v &= ones(w); v != 0 {
		return poly{w, []part{{coeff: v}}}
	}
	return poly{w: w}
}

func unknown(w int, t ilr.Term) poly {
	return poly{w, []part{{[polyDegree]ilr.Term{t}, 1}}}
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

// single is the term that p is, if it is one.
func (p poly) single() ilr.Term {
	if len(p.parts) == 1 && p.parts[0].coeff == 1 && p.parts[0].product[1] == 0 {
		return p.parts[0].product[0]
	}
	return 0
}

func (p poly) equal(q poly) bool { return p.w == q.w && slices.Equal(p.parts, q.parts) }

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

// plus is p + c*q modulo 2^w of p; ok is false beyond polyParts.
func (p poly) plus(q poly, c uint64) (r poly, ok bool) {
	r = poly{p.w, make([]part, 0, len(p.parts)+len(q.parts))}
	put := func(t part) {
		if t.coeff &= ones(p.w); t.coeff != 0 {
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
	return r, len(r.parts) <= polyParts
}

// times is the product; ok is false beyond polyParts and polyDegree.
func (p poly) times(q poly) (r poly, ok bool) {
	if len(p.parts)*len(q.parts) > 4*polyParts {
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
		slices.SortFunc(row.parts, func(x, y part) int { return slices.Compare(x.product[:], y.product[:]) })
		if r, ok = r.plus(row, a.coeff); !ok {
			return r, false
		}
	}
	return r, true
}

// join is the product of two products.
func join(a, b [polyDegree]ilr.Term) (r [polyDegree]ilr.Term, ok bool) {
	i, j := 0, 0
	for n := 0; n < polyDegree; n++ {
		if j == polyDegree || i < polyDegree && a[i] >= b[j] {
			r[n] = a[i]
			i++
		} else {
			r[n] = b[j]
			j++
		}
	}
	return r, (i == polyDegree || a[i] == 0) && (j == polyDegree || b[j] == 0)
}

// polyOf is the polynomial of t, of at most 64 bits.
func (m *match) polyOf(t ilr.Term, depth int) poly {
	s, w := m.s, m.s.Width(t)
	if p, ok := m.r.polys.memo[t]; ok {
		return p
	}
	if v, ok := s.ConstVal(t); ok {
		return number(w, v.Low64())
	}
	if depth == 0 {
		return unknown(w, t)
	}
	var args [2]ilr.Term
	n := s.NumArgs(t)
	if n > 2 {
		return unknown(w, t)
	}
	for i := range n {
		args[i] = s.Arg(t, i)
	}
	p, ok := m.polynomial(s.Kind(t), w, s.Imm(t), args[:n], depth-1)
	if !ok {
		p = unknown(w, t)
	}
	m.r.polys.remember(t, p)
	return p
}

// polynomial of the term of kind k with these arguments; ok is false where it is an unknown itself.
func (m *match) polynomial(k ilr.Kind, w int, imm uint64, args []ilr.Term, depth int) (p poly, ok bool) {
	arg := func(i int) poly { return m.polyOf(args[i], depth) }
	switch k {
	case ilr.KAdd:
		return arg(0).plus(arg(1), 1)
	case ilr.KNeg:
		return poly{w: w}.plus(arg(0), ^uint64(0))
	case ilr.KMul:
		return arg(0).times(arg(1))
	case ilr.KBvNot:
		return number(w, ^uint64(0)).plus(arg(0), ^uint64(0))
	case ilr.KBvAnd:
		return m.masked(w, args, depth)
	case ilr.KBvOr, ilr.KBvXor:
		if depth < polyDepth-2 { // only just below a sum
			return p, false
		}
		both := uint64(1)
		if k == ilr.KBvXor {
			both = 2
		}
		if p, ok = arg(0).plus(arg(1), 1); ok {
			p, ok = p.plus(m.polyOf(m.s.BvAnd(args[0], args[1]), depth), -both)
		}
		return p, ok
	case ilr.KZext:
		return m.widened(args[0], w, depth), true
	case ilr.KConcat: // what wraps in the high part is beyond the width
		return m.widened(args[1], w, depth).plus(arg(0), 1<<uint(m.s.Width(args[1])))
	case ilr.KExtract:
		if m.s.Width(args[0]) > 64 {
			return p, false
		}
		return m.slice(arg(0), int(imm>>32), int(uint32(imm)))
	}
	return p, false
}

// widened is the polynomial of t extended with zeros: its own if that never reaches
// 2^width, that of its parts, else an unknown.
func (m *match) widened(t ilr.Term, w, depth int) poly {
	if p := m.polyOf(t, depth); m.below(p, m.s.Width(t)) {
		return poly{w, p.parts}
	}
	if m.s.Kind(t) == ilr.KConcat && depth > 0 {
		high, low := m.widened(m.s.Arg(t, 0), w, depth-1), m.widened(m.s.Arg(t, 1), w, depth-1)
		if p, ok := low.plus(high, 1<<uint(m.s.Width(m.s.Arg(t, 1)))); ok {
			return p
		}
	}
	return unknown(w, t)
}

// below: the value of p, computed without a modulus, is less than 2^n.
func (m *match) below(p poly, n int) bool {
	total := uint64(0)
	for _, t := range p.parts {
		most := t.coeff
		for _, f := range t.product {
			if f != 0 {
				hi, lo := mbits.Mul64(most, m.most(f))
				if hi != 0 {
					return false
				}
				most = lo
			}
		}
		sum, carry := mbits.Add64(total, most, 0)
		if carry != 0 || sum > ones(n) {
			return false
		}
		total = sum
	}
	return true
}

// most is the largest value of unknown t.
func (m *match) most(t ilr.Term) uint64 {
	if f := m.r.facts.of(m.s, t); f.w > 0 {
		return f.hi
	}
	return ^uint64(0)
}

// slice is bits hi..lo of p: exact where what lies below lo cannot carry into them.
func (m *match) slice(p poly, hi, lo int) (r poly, ok bool) {
	w := hi - lo + 1
	low := poly{w: p.w}
	r.w = w
	for _, t := range p.parts {
		high := t.coeff >> uint(lo)
		switch rest := t.coeff & (1<<uint(lo) - 1); {
		case t.product[0] == 0 && rest != 0:
			low.parts = append(low.parts, part{t.product, rest})
		case rest != 0:
			low.parts = append(low.parts, t)
			continue
		}
		if high &= ones(w); high != 0 {
			r.parts = append(r.parts, part{t.product, high})
		}
	}
	return r, m.below(low, lo)
}

// masked is x & c as the sum of the runs of ones in c.
func (m *match) masked(w int, args []ilr.Term, depth int) (p poly, ok bool) {
	v, ok := m.s.ConstVal(args[1])
	if !ok || m.s.Kind(args[0]) == ilr.KConst {
		return p, false
	}
	x := m.polyOf(args[0], depth)
	p = poly{w: w}
	for c := v.Low64(); c != 0; {
		lo := mbits.TrailingZeros64(c)
		n := mbits.TrailingZeros64(^(c >> uint(lo)))
		c &^= ones(n) << uint(lo)
		field, exact := m.slice(x, lo+n-1, lo)
		if !exact || !m.below(field, n) {
			field = m.widened(m.s.Extract(args[0], lo+n-1, lo), w, depth)
		}
		if p, ok = p.plus(field, 1<<uint(lo)); !ok {
			return p, false
		}
	}
	return p, true
}

// sums is (R5): a sum, product or negation that is a constant, or a term that is there.
func (m *match) sums(k ilr.Kind, args []ilr.Term) ilr.Term {
	s, w := m.s, m.sort.W
	switch {
	case k == ilr.KEq:
		return m.equation(args[0], args[1])
	case w > 64 || k != ilr.KAdd && k != ilr.KMul && k != ilr.KNeg:
		return 0
	}
	if k == ilr.KAdd && !isSum(s.Kind(args[0])) && s.Kind(args[1]) == ilr.KConst {
		if _, seen := m.r.polys.memo[args[0]]; !seen {
			return 0 // has no other form that is worth a look
		}
	}
	p, ok := m.polynomial(k, w, 0, args, polyDepth)
	if !ok {
		return 0
	}
	if v, ok := p.constant(); ok {
		return s.Const(bits.New(w, v))
	}
	if t := p.single(); t != 0 && s.Width(t) <= w {
		return s.Zext(t, w)
	}
	h := p.hash()
	if t, ok := m.r.polys.first[h]; ok {
		if int(t) <= s.Len() && s.Sort(t) == m.sort && m.polyOf(t, polyDepth).equal(p) {
			return t
		}
	}
	m.r.polys.first[h] = ilr.Term(s.Len() + 1) // made next; should it not be, polyOf above tells
	return 0
}

func isSum(k ilr.Kind) bool { return k == ilr.KAdd || k == ilr.KMul || k == ilr.KNeg }

// equation is (R5) of a = b.
func (m *match) equation(a, b ilr.Term) ilr.Term {
	s := m.s
	w := s.Width(a)
	if w == 0 || w > 64 || !isSum(s.Kind(a)) && !isSum(s.Kind(b)) {
		return 0
	}
	d, ok := m.polyOf(a, polyDepth).plus(m.polyOf(b, polyDepth), ^uint64(0))
	if !ok {
		return 0
	}
	if v, ok := d.constant(); ok {
		return s.BoolConst(v == 0)
	}
	shared := uint64(0)
	rest := uint64(0)
	for _, t := range d.parts {
		if t.product[0] == 0 {
			rest = t.coeff
		} else {
			shared |= t.coeff
		}
	}
	if mbits.TrailingZeros64(rest) < mbits.TrailingZeros64(shared) {
		return s.False() // an odd number is not even, and the like
	}
	return 0
}
