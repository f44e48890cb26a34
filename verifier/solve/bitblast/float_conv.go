package bitblast

import "github.com/firmproof/firmproof/verifier/bits"

// fround rounds to an integer; zeros keep the sign.
func (c circuit[B]) fround(f bits.Format, r bits.Rounding, a []B) []B {
	g, p := c.g, f.Prec
	u := c.unpack(f, a)
	n := len(u.exp)
	dist := c.sub(c.signed(n, p-1), u.exp) // fraction bits
	whole := g.Or(dist[n-1], g.Not(c.any(dist)))
	moved := c.sticky(append(c.zero(2), u.sig...), c.ite(whole, c.zero(n), dist))
	m, _ := c.inc(moved[2:], c.roundsUp(r, u.sign, moved[2], moved[1], moved[0]))
	sig, lead := c.normalise(m)
	exp := c.sub(c.signed(n, p-1), c.extend(lead, max(n, len(lead)), g.Const(false))[:n])
	value := c.round(f, r, u.sign, exp, sig)
	value = c.ite(whole, a, value)
	zero := g.Or(u.zero, g.And(g.Not(whole), g.Not(c.any(m))))
	return c.special(f, u.nan, u.inf, zero, u.sign, value)
}

func (c circuit[B]) ftof(f bits.Format, r bits.Rounding, a []B, to bits.Format) []B {
	u := c.unpack(f, a)
	return c.special(to, u.nan, u.inf, u.zero, u.sign, c.round(to, r, u.sign, u.exp, u.sig))
}

// ftoi converts to an integer of w bits; what does not fit is 0.
func (c circuit[B]) ftoi(f bits.Format, r bits.Rounding, a []B, w int, signed bool) []B {
	g, p := c.g, f.Prec
	u := c.unpack(f, a)
	no := g.Const(false)
	n := len(u.exp)
	for 1<<uint(n-1) <= w {
		n++
	}
	exp := c.extend(u.exp, n, u.exp[len(u.exp)-1])
	neg := exp[n-1]
	large := g.And(g.Not(neg), c.ule(c.signed(n, w), exp)) // 2^w and above
	// w+1 integer bits over p-1 fraction bits
	fixed := c.shift(c.extend(u.sig, w+p, no), c.ite(neg, c.zero(n), exp), true, no)
	whole, frac := fixed[p-1:], fixed[:p-1]
	minusOne := c.all(exp)
	half := g.Ite(neg, minusOne, frac[p-2])
	rest := g.Ite(neg, g.Or(g.Not(minusOne), c.any(u.sig[:p-1])), c.any(frac[:p-2]))
	whole = c.ite(neg, c.zero(w+1), whole)
	whole, _ = c.inc(whole, c.roundsUp(r, u.sign, whole[0], half, rest))
	bad := whole[w]
	if signed {
		magnitude := c.any(whole[:w-1])
		bad = g.Or(bad, g.And(whole[w-1], g.Or(g.Not(u.sign), magnitude)))
	} else {
		bad = g.Or(bad, g.And(u.sign, c.any(whole)))
	}
	bad = g.Or(g.Or(bad, large), g.Or(g.Or(u.nan, u.inf), u.zero))
	return c.ite(bad, c.zero(w), c.negIf(u.sign, whole[:w]))
}

// itof converts an integer.
func (c circuit[B]) itof(r bits.Rounding, a []B, signed bool, to bits.Format) []B {
	g := c.g
	w := len(a)
	sign := g.Const(false)
	m := a
	if signed {
		sign = a[w-1]
		m = c.negIf(sign, a)
	}
	sig, lead := c.normalise(m)
	n := 2
	for 1<<uint(n-1) <= w {
		n++
	}
	exp := c.sub(c.signed(n, w-1), c.extend(lead, max(n, len(lead)), g.Const(false))[:n])
	zero := g.Not(c.any(a))
	no := g.Const(false)
	return c.special(to, no, no, zero, no, c.round(to, r, sign, exp, sig))
}

// fcompare returns equal and less; both false on NaN.
func (c circuit[B]) fcompare(f bits.Format, a, b []B) (eq, lt B) {
	g := c.g
	top := f.Width() - 1
	nan := func(v []B) B { return c.g.And(c.all(v[f.Prec-1:top]), c.any(v[:f.Prec-1])) }
	ordered := g.Not(g.Or(nan(a), nan(b)))
	zeros := g.Not(g.Or(c.any(a[:top]), c.any(b[:top])))
	eq = g.And(ordered, g.Or(zeros, c.eq(a, b)))
	sa, sb := a[top], b[top]
	magnitude := g.Ite(sa, c.ult(b[:top], a[:top]), c.ult(a[:top], b[:top]))
	lt = g.And(g.And(ordered, g.Not(zeros)), g.Ite(g.Xor(sa, sb), sa, magnitude))
	return eq, lt
}
