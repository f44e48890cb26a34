package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// divide needs a divisor of known sign, and for signed ones a dividend of known
// sign: it splits until that is so (BV-29, BV-30).
func (b *builder) divide(s *state, in *ir.Instr, l, r value) result {
	w := in.T.Width
	as := unsigned
	if in.Op == ir.OpSdiv || in.Op == ir.OpSrem {
		as = signed
	}
	x, _ := b.read(s, l, w, as)
	y, _ := b.read(s, r, w, as)
	if holds, known := b.decide(s, cond{relNE, y}); !known || !holds {
		b.fault(s, verdict.DivByZero, "the divisor is not 0")
		if known {
			return stop("division by zero")
		}
		return b.redo(s, b.assume(s, cond{relNE, y}))
	}
	for _, e := range []exact.Lin{y, x} {
		c := cond{relGE, e}
		if _, known := b.decide(s, c); !known {
			no := s.clone()
			return b.redo(s, append(b.assume(s, c), b.assume(no, c.not())...))
		}
	}
	if as == signed && !b.opts.MathInts && y.IsConst() && y.Const.Equal(exact.I(-1)) {
		lo, hi := limits(w, signed)
		if !b.within(s, x.Neg(), lo, hi, verdict.SignedOverflow) {
			return stop("signed overflow")
		}
	}
	q, rem, ok := b.quotient(s, x, y)
	if !ok {
		return b.unknown(s, in)
	}
	if in.Op == ir.OpSdiv || in.Op == ir.OpUdiv {
		return b.set(s, in, number(q, as))
	}
	return b.set(s, in, number(rem, as))
}

// redo makes split states run the instruction again, without counting it twice.
func (b *builder) redo(s *state, states []*state) result {
	for _, t := range states {
		t.cost--
	}
	return fork(states)
}

// quotient divides towards zero; the signs of x and y are known, y is not 0.
func (b *builder) quotient(s *state, x, y exact.Lin) (q, rem exact.Lin, ok bool) {
	if x.IsConst() && y.IsConst() {
		c, d := x.Const.Big(), y.Const.Big()
		quo, r := c.QuoRem(c, d, d)
		return constInt(exact.FromBig(quo)), constInt(exact.FromBig(r)), true
	}
	neg, negY := b.ask.proves(s.know, x.Neg()), b.ask.proves(s.know, y.Neg())
	if !neg && !b.ask.proves(s.know, x) || !negY && !b.ask.proves(s.know, y) {
		return x, y, false
	}
	ax, ay := x, y
	if neg {
		ax = x.Neg()
	}
	if negY {
		ay = y.Neg()
	}
	v, m := exact.V(b.newVar("quotient")), exact.V(b.newVar("remainder"))
	s.know.lower(v.Terms[0].Var, exact.I(0))
	s.know.lower(m.Terms[0].Var, exact.I(0))
	s.know.ge(ay.Sub(m).AddInt(-1)) // m < ay
	s.know.ge(ax.Sub(m))
	s.know.ge(ax.Sub(v))
	if ay.IsConst() {
		s.know.eq(v.Scale(ay.Const).Add(m).Sub(ax))
	} else {
		// x = q*y + r has a product: what is linear of it, and the exact fact for the system
		if b.ask.proves(s.know, ay.AddInt(-2)) && b.ask.proves(s.know, ax.AddInt(-1)) {
			s.know.ge(ax.Sub(v).AddInt(-1))
		}
		if b.ask.proves(s.know, ay.Sub(ax).AddInt(-1)) {
			s.know.eq(v)
		}
		if b.ask.proves(s.know, ax.Sub(ay)) {
			s.know.ge(v.AddInt(-1))
			s.know.ge(ax.Sub(m).Sub(ay)) // q >= 1: m <= ax - ay
		}
		p := exact.PolyOf(v).Mul(exact.PolyOf(ay)).Add(exact.PolyOf(m.Sub(ax)))
		s.know.polys = append(s.know.polys, its.Atom{Poly: p, Rel: its.EQ})
	}
	if neg != negY {
		v = v.Neg()
	}
	if neg {
		m = m.Neg()
	}
	return v, m, true
}

// floorDiv divides by a positive constant, rounding down.
func (b *builder) floorDiv(s *state, x exact.Lin, p exact.Int) (q, rem exact.Lin) {
	if x.IsConst() {
		d := x.Const.FloorDiv(p)
		return constInt(d), constInt(x.Const.Sub(d.Mul(p)))
	}
	if p.IsOne() {
		return x, exact.Lin{}
	}
	v := b.newVar("quotient")
	if i := s.know.interval(x); i.hasLo && i.hasHi {
		s.know.lower(v, i.lo.FloorDiv(p))
		s.know.upper(v, i.hi.FloorDiv(p))
	}
	rem = x.AddScaled(p.Neg(), exact.V(v))
	s.know.ge(rem)
	s.know.ge(exact.Lin{Terms: rem.Neg().Terms, Const: p.Add(exact.I(-1)).Sub(rem.Const)})
	return exact.V(v), rem
}
