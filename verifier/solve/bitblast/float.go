package bitblast

import "github.com/firmproof/firmproof/verifier/bits"

// Floating-point circuits, checked against bits.Format. An operand is unpacked
// (subnormals normalised), the operation computes an exact result or one with a
// sticky last bit, and round packs it. The structure is that of Brain, Schanda and
// Sun, "Building Better Bit-Blasting for Floating-Point Problems" (TACAS 2019).

// unpacked is sig/2^(len(sig)-1) * 2^exp with a sign; the top bit of sig is set
// unless the number is zero. exp is signed.
type unpacked[B any] struct {
	nan, inf, zero, sign B
	exp, sig             []B
}

// expBits returns a width that holds all exponents of f, subnormals normalised, with room to add.
func expBits(f bits.Format) int {
	n := f.Exp + 2
	for 1<<uint(n-2) < f.Bias()+2*f.Prec {
		n++
	}
	return n
}

func (c circuit[B]) signed(w, v int) []B { return c.number(w, uint64(int64(v))) }

func (c circuit[B]) unpack(f bits.Format, a []B) unpacked[B] {
	frac, exp := a[:f.Prec-1], a[f.Prec-1:f.Width()-1]
	ones, zeros := c.all(exp), c.g.Not(c.any(exp))
	some := c.any(frac)
	u := unpacked[B]{
		nan:  c.g.And(ones, some),
		inf:  c.g.And(ones, c.g.Not(some)),
		zero: c.g.And(zeros, c.g.Not(some)),
		sign: a[f.Width()-1],
	}
	n := expBits(f)
	sig, lead := c.normalise(append(append([]B(nil), frac...), c.g.Not(zeros)))
	e := c.extend(append([]B{c.g.Or(exp[0], zeros)}, exp[1:]...), n, c.g.Const(false)) // subnormals have exponent 1
	e, _ = c.add(e, c.signed(n, -f.Bias()), c.g.Const(false))
	u.sig, u.exp = sig, c.sub(e, c.extend(lead, n, c.g.Const(false)))
	return u
}

// normalise shifts the leading one to the top; lead is the number of zeros before it.
func (c circuit[B]) normalise(a []B) (r, lead []B) {
	w := len(a)
	k := 0
	for 1<<uint(k+1) <= w {
		k++
	}
	r = a
	lead = make([]B, k+1)
	for ; k >= 0; k-- {
		n := min(1<<uint(k), w)
		none := c.g.Not(c.any(r[w-n:]))
		lead[k] = none
		r = c.ite(none, c.moved(r, n, true, c.g.Const(false)), r)
	}
	return r, lead
}

// sticky shifts a right by d, unsigned; the last bit stays set when a one was lost.
func (c circuit[B]) sticky(a, d []B) []B {
	w := len(a)
	r := a
	lost := c.g.Const(false)
	var over []B
	for k, s := range d {
		if k >= 31 || 1<<uint(k) >= w {
			over = append(over, s)
			continue
		}
		n := 1 << uint(k)
		lost = c.g.Or(lost, c.g.And(s, c.any(r[:n])))
		r = c.ite(s, c.moved(r, n, false, c.g.Const(false)), r)
	}
	far := c.any(over)
	lost = c.g.Or(lost, c.g.And(far, c.any(r)))
	r = c.ite(far, c.zero(w), r)
	return append([]B{c.g.Or(r[0], lost)}, r[1:]...)
}

func (c circuit[B]) roundsUp(r bits.Rounding, neg, odd, half, rest B) B {
	g := c.g
	switch r {
	case bits.NearestEven:
		return g.And(half, g.Or(rest, odd))
	case bits.NearestAway:
		return half
	case bits.TowardPositive:
		return g.And(g.Not(neg), g.Or(half, rest))
	case bits.TowardNegative:
		return g.And(neg, g.Or(half, rest))
	}
	return g.Const(false)
}

// round packs a non-zero number whose sig is normalised, its last bit sticky.
func (c circuit[B]) round(f bits.Format, r bits.Rounding, sign B, exp, sig []B) []B {
	g, p := c.g, f.Prec
	if pad := p + 2 - len(sig); pad > 0 {
		sig = append(c.zero(pad), sig...)
	}
	n := max(len(exp), f.Exp+1) + 1
	exp = c.extend(exp, n, exp[len(exp)-1])
	below := c.sub(c.signed(n, f.MinExp()), exp) // how far under the normal range
	normal := g.Or(below[n-1], g.Not(c.any(below)))
	sig = c.sticky(sig, c.ite(normal, c.zero(n), below))
	field, _ := c.add(exp, c.signed(n, f.Bias()), g.Const(false))
	field = c.ite(normal, field, c.zero(n))
	s := len(sig)
	kept, half, rest := sig[s-p:], sig[s-p-1], c.any(sig[:s-p-1])
	up := c.roundsUp(r, sign, kept[0], half, rest)
	whole, _ := c.inc(append(append([]B(nil), kept[:p-1]...), field...), up)
	top := whole[p-1:] // the biased exponent, n bits, not negative
	over := c.ule(c.number(n, 1<<uint(f.Exp)-1), top)
	inf := c.ite(c.overflowsToMax(r, sign), c.largest(f), c.infinity(f))
	return append(c.ite(over, inf, whole[:f.Width()-1]), sign)
}

func (c circuit[B]) overflowsToMax(r bits.Rounding, sign B) B {
	switch r {
	case bits.TowardZero:
		return c.g.Const(true)
	case bits.TowardPositive:
		return sign
	case bits.TowardNegative:
		return c.g.Not(sign)
	}
	return c.g.Const(false)
}

// infinity, largest and none are magnitudes, without the sign bit.
func (c circuit[B]) infinity(f bits.Format) []B {
	return append(c.zero(f.Prec-1), c.fill(f.Exp, c.g.Const(true))...)
}

func (c circuit[B]) largest(f bits.Format) []B {
	r := c.fill(f.Width()-1, c.g.Const(true))
	r[f.Prec-1] = c.g.Const(false)
	return r
}

func (c circuit[B]) quietNaN(f bits.Format) []B {
	r := append(c.infinity(f), c.g.Const(false))
	r[f.Prec-2] = c.g.Const(true)
	return r
}

// special chooses among NaN, infinity, zero and the rounded value, in that order.
func (c circuit[B]) special(f bits.Format, nan, inf, zero, sign B, value []B) []B {
	withSign := func(m []B) []B { return append(m, sign) }
	r := c.ite(zero, withSign(c.zero(f.Width()-1)), value)
	r = c.ite(inf, withSign(c.infinity(f)), r)
	return c.ite(nan, c.quietNaN(f), r)
}
