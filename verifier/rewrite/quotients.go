package rewrite

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

// Remainders in polynomials are numbers less multiples of their quotients, a % b = a - a/b*b, so that x/c*c + x%c is x.
// This holds for all a and b, signed and unsigned: a/0*0 + a%0 = a in SMT-LIB.

// remainder returns the polynomial of width w of the value of a % b. Where w is more than the width of a, k is KUrem:
// then nothing wraps.
func (m *match) remainder(k ilr.Kind, w int, a, b ilr.Term, depth int) (p poly, ok bool) {
	quotient := m.s.Udiv(a, b)
	if k == ilr.KSrem {
		quotient = m.s.Sdiv(a, b)
	}
	of := func(t ilr.Term) poly {
		if m.s.Width(t) < w {
			return m.widened(t, w, depth)
		}
		return m.polyOf(t, depth)
	}
	if p, ok = of(quotient).times(of(b)); ok {
		p, ok = of(a).plus(p, ^uint64(0))
	}
	return p, ok
}

// widerRemainder returns the polynomial of t extended with its sign, if t is a remainder by a constant other than -1:
// the quotient of the least number by -1 wraps.
func (m *match) widerRemainder(t ilr.Term, w, depth int) (p poly, ok bool) {
	s := m.s
	if s.Kind(t) != ilr.KSrem {
		return p, false
	}
	a, b := s.Arg(t, 0), s.Arg(t, 1)
	v, ok := s.ConstVal(b)
	if !ok || v.IsOnes() {
		return p, false
	}
	return m.polyOf(s.Sext(a, w), depth).plus(m.polyOf(s.Sext(s.Sdiv(a, b), w), depth), -bits.Sext(v, w).Low64())
}

// grouped returns p with k*R in place of each k*x - k*c*Q, where Q = x/c and R = x%c. It is no normal form, but R is
// known to be small.
func (m *match) grouped(p poly) poly {
	for i := 0; i < len(p.parts); i++ {
		if r, ok := m.group(p, i); ok {
			p, i = r, -1 // fewer parts than before, or as many with less quotients
		}
	}
	return p
}

// group does so for the quotient that part i of p is a multiple of.
func (m *match) group(p poly, i int) (r poly, ok bool) {
	s, q := m.s, p.parts[i].product[0]
	if q == 0 || p.parts[i].product[1] != 0 {
		return r, false
	}
	k := s.Kind(q)
	if k != ilr.KUdiv && (k != ilr.KSdiv || s.Width(q) < p.w) {
		return r, false
	}
	c, ok := s.ConstVal(s.Arg(q, 1))
	if !ok || c.IsZero() {
		return r, false
	}
	for _, t := range p.parts {
		x := t.product[0]
		by, ok := m.quotientOf(q, x, c)
		if x == 0 || t.product[1] != 0 || !ok || (t.coeff*by.Low64()+p.parts[i].coeff)&facts.Ones(p.w) != 0 {
			continue
		}
		rest := s.Urem(x, s.Const(by))
		if k == ilr.KSdiv {
			rest = s.Srem(x, s.Const(by))
		}
		if s.Kind(rest) != ilr.KUrem && s.Kind(rest) != ilr.KSrem || s.Width(rest) != s.Width(x) {
			continue
		}
		r, ok = p.plus(poly{p.w, []part{t, p.parts[i]}}.sorted(), ^uint64(0))
		if ok {
			r, ok = r.plus(unknown(p.w, rest), t.coeff)
		}
		return r, ok
	}
	return r, false
}

// quotientOf returns the number by which x is divided to get q, the quotient by c of another or the same.
func (m *match) quotientOf(q, x ilr.Term, c bits.Vec) (by bits.Vec, ok bool) {
	s := m.s
	if x == s.Arg(q, 0) {
		return c, true
	}
	if x == 0 || s.Kind(x) != s.Kind(q) || s.Arg(x, 0) != s.Arg(q, 0) {
		return by, false
	}
	d, ok := s.ConstVal(s.Arg(x, 1))
	if !ok || d.IsZero() || s.Kind(q) == ilr.KSdiv && (d.Sign() || c.Sign()) || !bits.Urem(c, d).IsZero() {
		return by, false
	}
	return bits.Udiv(c, d), true
}

// divided returns what the quotient (k is KUdiv) or the remainder by a constant of a sum is whose value is known not to
// wrap: of c*q + r with r < c these are q and r. It returns 0 where that does not help.
func (m *match) divided(k ilr.Kind, a, b ilr.Term) ilr.Term {
	v, ok := m.s.ConstVal(b)
	c := v.Low64()
	if !ok || c < 2 {
		return 0
	}
	p := m.grouped(m.polyOf(a, policy.PolyDepth))
	if p.single() != 0 || !m.below(p, p.w) {
		return 0
	}
	high, rest := poly{w: p.w}, poly{w: p.w}
	for _, t := range p.parts {
		if q := t.coeff / c; q != 0 {
			high.parts = append(high.parts, part{t.product, q})
		}
		if r := t.coeff % c; r != 0 {
			rest.parts = append(rest.parts, part{t.product, r})
		}
	}
	if most, ok := m.greatest(rest); !ok || most >= c || len(high.parts) == 0 {
		return 0
	}
	if k == ilr.KUrem {
		high = rest
	}
	return m.sum(high)
}

// sum makes the term that p is, if it has few parts and each is one term times a number; else it returns 0.
func (m *match) sum(p poly) ilr.Term {
	if len(p.parts) > policy.PolyMade {
		return 0
	}
	s := m.s
	total := s.Const(bits.New(p.w, 0))
	for _, t := range p.parts {
		c := s.Const(bits.New(p.w, t.coeff))
		switch x := t.product[0]; {
		case x == 0:
			total = s.Add(total, c)
		case t.product[1] != 0 || s.Width(x) > p.w:
			return 0
		default:
			total = s.Add(total, s.Mul(s.Zext(x, p.w), c))
		}
	}
	return total
}

// expanded returns the polynomial of width w of a sum that does not wrap, without the remainders that it has.
func (m *match) expanded(p poly, w, depth int) poly {
	r := poly{w: w}
	for _, t := range p.parts {
		one := poly{w, []part{{t.product, 1}}}
		if x := t.product[0]; x != 0 && t.product[1] == 0 && m.s.Kind(x) == ilr.KUrem && depth > 0 {
			if q, ok := m.remainder(ilr.KUrem, w, m.s.Arg(x, 0), m.s.Arg(x, 1), depth-1); ok {
				one = q
			}
		}
		if q, ok := r.plus(one, t.coeff); ok {
			r = q
		} else {
			return poly{w, p.parts}
		}
	}
	return r
}
