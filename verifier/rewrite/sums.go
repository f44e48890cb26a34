package rewrite

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

// polyOf returns the polynomial of t, of at most 64 bits.
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

// polynomial returns that of the term of kind k with these arguments; ok is false where it is an unknown itself.
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
		if depth < policy.PolyDepth-2 { // only just below a sum
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
	case ilr.KUrem, ilr.KSrem:
		return m.remainder(k, w, args[0], args[1], depth)
	case ilr.KSext:
		return m.widerRemainder(args[0], w, depth)
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

// widened returns the polynomial of t extended with zeros: its own if that never reaches
// 2^width, that of its parts, else an unknown.
func (m *match) widened(t ilr.Term, w, depth int) poly {
	if p := m.polyOf(t, depth); m.below(p, m.s.Width(t)) {
		return poly{w, p.parts}
	} else if g := m.grouped(p); len(g.parts) < len(p.parts) && m.below(g, m.s.Width(t)) {
		return m.expanded(g, w, depth)
	}
	if depth == 0 {
		return unknown(w, t)
	}
	switch m.s.Kind(t) {
	case ilr.KExtract: // a low part that is the whole
		if u := m.s.Arg(t, 0); uint32(m.s.Imm(t)) == 0 && m.s.Width(u) <= 64 && m.most(u) <= facts.Ones(m.s.Width(t)) {
			if m.s.Width(u) <= w {
				return m.widened(u, w, depth-1)
			}
			p, _ := m.slice(m.polyOf(u, depth-1), w-1, 0)
			return p
		}
	case ilr.KConcat:
		high, low := m.widened(m.s.Arg(t, 0), w, depth-1), m.widened(m.s.Arg(t, 1), w, depth-1)
		if p, ok := low.plus(high, 1<<uint(m.s.Width(m.s.Arg(t, 1)))); ok {
			return p
		}
	}
	return unknown(w, t)
}

// below reports whether the value of p, computed without a modulus, is less than 2^n.
func (m *match) below(p poly, n int) bool {
	most, ok := m.greatest(p)
	return ok && most <= facts.Ones(n)
}

// greatest returns a bound of the value of p, computed without a modulus; ok is false if there is none of 64 bits.
func (m *match) greatest(p poly) (total uint64, ok bool) {
	for _, t := range p.parts {
		most := t.coeff
		for _, f := range t.product {
			if f != 0 {
				hi, lo := mbits.Mul64(most, m.most(f))
				if hi != 0 {
					return 0, false
				}
				most = lo
			}
		}
		sum, carry := mbits.Add64(total, most, 0)
		if carry != 0 {
			return 0, false
		}
		total = sum
	}
	return total, true
}

// most returns the largest value that t can have.
func (m *match) most(t ilr.Term) uint64 {
	if f := m.r.facts.Of(m.s, t); f.Width > 0 {
		return f.Hi
	}
	return ^uint64(0)
}

// slice returns bits hi..lo of p: exact where what lies below lo cannot carry into them.
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
		if high &= facts.Ones(w); high != 0 {
			r.parts = append(r.parts, part{t.product, high})
		}
	}
	return r, m.below(low, lo)
}

// masked returns x & c as the sum of the runs of ones in c.
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
		c &^= facts.Ones(n) << uint(lo)
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

// sums applies (R5): it returns the constant that a sum, product or negation equals, or an older term that does, or 0.
func (m *match) sums(k ilr.Kind, args []ilr.Term) ilr.Term {
	s, w := m.s, m.sort.W
	switch {
	case k == ilr.KEq:
		return m.equation(args[0], args[1])
	case w <= 64 && (k == ilr.KUdiv || k == ilr.KUrem):
		return m.divided(k, args[0], args[1])
	case w > 64 || k != ilr.KAdd && k != ilr.KMul && k != ilr.KNeg:
		return 0
	}
	if k == ilr.KAdd && !isSum(s.Kind(args[0])) && s.Kind(args[1]) == ilr.KConst {
		if _, seen := m.r.polys.memo[args[0]]; !seen {
			return 0 // has no other form that is worth a look
		}
	}
	p, ok := m.polynomial(k, w, 0, args, policy.PolyDepth)
	if !ok {
		return 0
	}
	if v, ok := p.constant(); ok {
		return s.Const(bits.New(w, v))
	}
	if t := m.grouped(p).single(); t != 0 && s.Width(t) <= w {
		return s.Zext(t, w)
	}
	h := p.hash()
	if t, ok := m.r.polys.first[h]; ok {
		if int(t) <= s.Len() && s.Sort(t) == m.sort && m.polyOf(t, policy.PolyDepth).equal(p) {
			return t
		}
	}
	m.r.polys.first[h] = ilr.Term(s.Len() + 1) // made next; should it not be, polyOf above tells
	return 0
}

func isSum(k ilr.Kind) bool { return k == ilr.KAdd || k == ilr.KMul || k == ilr.KNeg }

// equation applies (R5) to a = b: it returns a simpler term, or 0.
func (m *match) equation(a, b ilr.Term) ilr.Term {
	s := m.s
	w := s.Width(a)
	if w == 0 || w > 64 || !isSum(s.Kind(a)) && !isSum(s.Kind(b)) {
		return 0
	}
	d, ok := m.polyOf(a, policy.PolyDepth).plus(m.polyOf(b, policy.PolyDepth), ^uint64(0))
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
