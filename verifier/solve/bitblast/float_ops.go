package bitblast

import "github.com/firmproof/firmproof/verifier/bits"

func (c circuit[B]) fadd(f bits.Format, r bits.Rounding, a, b []B) []B {
	return c.sum(f, r, c.unpack(f, a), c.unpack(f, b))
}

// sum adds two unpacked numbers whose significands have one length.
func (c circuit[B]) sum(f bits.Format, r bits.Rounding, x, y unpacked[B]) []B {
	g := c.g
	nan := g.Or(g.Or(x.nan, y.nan), g.And(g.And(x.inf, y.inf), g.Xor(x.sign, y.sign)))
	inf := g.Or(x.inf, y.inf)
	sign, exp, sig, cancelled := c.addMagnitudes(x, y)
	both := g.And(x.zero, y.zero)
	zeroSign := g.Ite(g.And(both, g.Not(g.Xor(x.sign, y.sign))), x.sign, g.Const(r == bits.TowardNegative))
	zero := g.Or(both, cancelled)
	value := c.round(f, r, sign, exp, sig)
	sign = g.Ite(inf, g.Ite(x.inf, x.sign, y.sign), zeroSign)
	return c.special(f, nan, inf, zero, sign, value)
}

// addMagnitudes aligns the smaller number to the larger one with three more bits
// (guard, round, sticky), adds or subtracts, and normalises. A zero operand is
// made the smaller one by the least exponent.
func (c circuit[B]) addMagnitudes(x, y unpacked[B]) (sign B, exp, sig []B, zero B) {
	g := c.g
	n := max(len(x.exp), len(y.exp)) + 1
	ex, ey := c.extend(x.exp, n, x.exp[len(x.exp)-1]), c.extend(y.exp, n, y.exp[len(y.exp)-1])
	least := c.signed(n, -1<<uint(n-2)) // below every exponent
	ex, ey = c.ite(x.zero, least, ex), c.ite(y.zero, least, ey)
	swap := g.Or(c.slt(ex, ey), g.And(c.eq(ex, ey), c.ult(x.sig, y.sig)))
	big, small := c.ite(swap, y.sig, x.sig), c.ite(swap, x.sig, y.sig)
	exp = c.ite(swap, ey, ex)
	dist := c.sub(exp, c.ite(swap, ex, ey))
	sign = g.Ite(swap, y.sign, x.sign)
	minus := g.Xor(x.sign, y.sign)
	low := c.zero(3)
	f := g.Const(false)
	wide := func(m []B) []B { return append(append(append([]B(nil), low...), m...), f) }
	moved := c.sticky(wide(small), dist)
	total, _ := c.add(wide(big), c.bitwise(g.Xor, moved, c.fill(len(moved), minus)), minus)
	zero = g.Not(c.any(total))
	sig, lead := c.normalise(total)
	exp, _ = c.inc(c.extend(exp, n+1, exp[n-1]), g.Const(true)) // total has one bit above
	exp = c.sub(exp, c.extend(lead, max(n+1, len(lead)), f)[:n+1])
	return sign, exp, sig, zero
}

func (c circuit[B]) product(x, y unpacked[B]) unpacked[B] {
	g := c.g
	p := len(x.sig)
	f := g.Const(false)
	m := c.mul(c.extend(x.sig, 2*p, f), c.extend(y.sig, 2*p, f))
	top := m[2*p-1]
	m = c.ite(top, m, c.moved(m, 1, true, f))
	n := len(x.exp) + 1
	exp, _ := c.add(c.extend(x.exp, n, x.exp[n-2]), c.extend(y.exp, n, y.exp[n-2]), top)
	return unpacked[B]{
		nan:  g.Or(g.Or(x.nan, y.nan), g.Or(g.And(x.inf, y.zero), g.And(x.zero, y.inf))),
		inf:  g.Or(x.inf, y.inf),
		zero: g.Or(x.zero, y.zero),
		sign: g.Xor(x.sign, y.sign),
		exp:  exp, sig: m,
	}
}

func (c circuit[B]) fmul(f bits.Format, r bits.Rounding, a, b []B) []B {
	u := c.product(c.unpack(f, a), c.unpack(f, b))
	return c.special(f, u.nan, u.inf, u.zero, u.sign, c.round(f, r, u.sign, u.exp, u.sig))
}

func (c circuit[B]) fma(f bits.Format, r bits.Rounding, a, b, d []B) []B {
	u, v := c.product(c.unpack(f, a), c.unpack(f, b)), c.unpack(f, d)
	v.sig = append(c.zero(len(u.sig)-len(v.sig)), v.sig...)
	return c.sum(f, r, u, v)
}

func (c circuit[B]) fdiv(f bits.Format, r bits.Rounding, a, b []B) []B {
	g := c.g
	x, y := c.unpack(f, a), c.unpack(f, b)
	// quotient of significands in (1/2, 2): one bit before the point, prec+1 behind
	quo, rest := c.fraction(x.sig, y.sig, f.Prec+2)
	top := quo[len(quo)-1]
	sig := append([]B{rest}, quo...)
	sig = c.ite(top, sig, c.moved(sig, 1, true, g.Const(false)))
	n := len(x.exp) + 1
	exp, _ := c.add(c.extend(x.exp, n, x.exp[n-2]), c.not(c.extend(y.exp, n, y.exp[n-2])), top)
	sign := g.Xor(x.sign, y.sign)
	nan := g.Or(g.Or(x.nan, y.nan), g.Or(g.And(x.inf, y.inf), g.And(x.zero, y.zero)))
	return c.special(f, nan, g.Or(x.inf, y.zero), g.Or(x.zero, y.inf), sign, c.round(f, r, sign, exp, sig))
}

// fraction returns the first n bits of a/b for a < 2b, the first of weight 1; rest says
// whether a remainder is left.
func (c circuit[B]) fraction(a, b []B, n int) (quo []B, rest B) {
	f := c.g.Const(false)
	rem := c.extend(a, len(a)+1, f)
	div := c.extend(b, len(b)+1, f)
	quo = make([]B, n)
	for i := n - 1; i >= 0; i-- {
		diff, fits := c.add(rem, c.not(div), c.g.Const(true))
		quo[i] = fits
		rem = c.moved(c.ite(fits, diff, rem), 1, true, f)
	}
	return quo, c.any(rem)
}

func (c circuit[B]) fsqrt(f bits.Format, r bits.Rounding, a []B) []B {
	g := c.g
	u := c.unpack(f, a)
	no := g.Const(false)
	odd := u.exp[0]
	m := c.ite(odd, append([]B{no}, u.sig...), append(append([]B(nil), u.sig...), no))
	root, rest := c.root(append(c.zero(f.Prec+3), m...))
	n := len(u.exp)
	exp := append(append([]B(nil), u.exp[1:]...), u.exp[n-1])
	value := c.round(f, r, no, exp, append([]B{rest}, root...))
	nan := g.Or(u.nan, g.And(u.sign, g.Not(u.zero)))
	return c.special(f, nan, u.inf, u.zero, u.sign, value)
}

// root returns the integer square root of a, which has an even number of bits, digit by digit.
func (c circuit[B]) root(a []B) (root []B, rest B) {
	f, t := c.g.Const(false), c.g.Const(true)
	half := len(a) / 2
	w := half + 2
	rem := c.zero(w)
	root = c.zero(half)
	for i := half - 1; i >= 0; i-- {
		rem = append([]B{a[2*i], a[2*i+1]}, rem[:w-2]...)
		trial := append([]B{t, f}, root...)[:w]
		diff, fits := c.add(rem, c.not(trial), t)
		rem = c.ite(fits, diff, rem)
		root = append([]B{fits}, root[:half-1]...)
	}
	return root, c.any(rem)
}

// frem returns C's fmod by long division over the largest possible difference of exponents.
func (c circuit[B]) frem(f bits.Format, a, b []B) []B {
	g := c.g
	x, y := c.unpack(f, a), c.unpack(f, b)
	no := g.Const(false)
	n := len(x.exp) + 1
	dist := c.sub(c.extend(x.exp, n, x.exp[n-2]), c.extend(y.exp, n, y.exp[n-2]))
	p := f.Prec
	div := c.extend(y.sig, p+1, no)
	reduce := func(rem []B) []B {
		diff, fits := c.add(rem, c.not(div), g.Const(true))
		return c.ite(fits, diff, rem)
	}
	rem := reduce(c.extend(x.sig, p+1, no))
	for i := f.Bias() - f.MinExp() + p - 1; i >= 1; i-- {
		active := g.Not(c.slt(dist, c.signed(n, i)))
		rem = c.ite(active, reduce(c.moved(rem, 1, true, no)), rem)
	}
	sig, lead := c.normalise(rem[:p])
	exp := c.sub(y.exp, c.extend(lead, max(len(y.exp), len(lead)), no)[:len(y.exp)])
	value := c.round(f, bits.NearestEven, x.sign, exp, sig)
	value = c.ite(g.Not(c.any(rem)), append(c.zero(f.Width()-1), x.sign), value)
	keep := g.Or(g.Or(y.inf, x.zero), dist[n-1]) // |a| < |b|
	less := g.And(g.Not(c.any(dist)), c.ult(x.sig, y.sig))
	value = c.ite(g.Or(keep, less), a, value)
	nan := g.Or(g.Or(x.nan, y.nan), g.Or(x.inf, y.zero))
	return c.ite(nan, c.quietNaN(f), value)
}
