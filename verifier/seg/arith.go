package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// binary executes the integer operations.
func (b *builder) binary(s *state, in *ir.Instr) result {
	if in.T.Kind != ir.KindInt {
		return b.unknown(s, in)
	}
	l, r := b.value(s, in.Args[0]), b.value(s, in.Args[1])
	if in.T.Width == 1 {
		return b.binaryBool(s, in, l, r)
	}
	if in.Op == ir.OpSub && l.kind == ptrValue && r.kind == ptrValue && l.obj == r.obj {
		return b.set(s, in, number(b.fit(s, l.lin.Sub(r.lin), in.T.Width, signed), signed))
	}
	if l.kind != intValue && l.kind != ptrValue || r.kind != intValue && r.kind != ptrValue {
		return b.unknown(s, in)
	}
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return b.ring(s, in, l, r)
	case ir.OpUdiv, ir.OpUrem, ir.OpSdiv, ir.OpSrem:
		return b.divide(s, in, l, r)
	case ir.OpShl, ir.OpLshr, ir.OpAshr:
		return b.shift(s, in, l, r)
	}
	return b.bitwise(s, in, l, r)
}

// ring is add, sub and mul. With nsw the run ends where the result does not fit.
func (b *builder) ring(s *state, in *ir.Instr, l, r value) result {
	w := in.T.Width
	nsw := in.Flags.Has(ir.NSW)
	as := unsigned
	if nsw || b.class(in) == signed && in.Op != ir.OpMul {
		as = signed
	}
	x, y := l.lin, r.lin
	if nsw || in.Op == ir.OpMul || l.kind != intValue || r.kind != intValue {
		x, _ = b.read(s, l, w, as)
		y, _ = b.read(s, r, w, as)
	}
	var e exact.Lin
	switch in.Op {
	case ir.OpAdd:
		e = x.Add(y)
	case ir.OpSub:
		e = x.Sub(y)
	default:
		switch {
		case x.IsConst():
			e = y.Scale(x.Const)
		case y.IsConst():
			e = x.Scale(y.Const)
		default:
			e = b.product(s, x, y)
		}
	}
	if nsw {
		return b.signedResult(s, in, e)
	}
	return b.set(s, in, number(b.fit(s, e, w, as), as))
}

// signedResult is e where it fits; where it does not, the run ends, or the
// result wraps around if the options say so.
func (b *builder) signedResult(s *state, in *ir.Instr, e exact.Lin) result {
	w := in.T.Width
	if b.opts.MathInts {
		return b.set(s, in, number(e, signed))
	}
	if b.opts.Wrap {
		from := len(b.names)
		r := b.fit(s, e, w, signed)
		for v := from; v < len(b.names); v++ {
			b.signedFits[exact.Var(v)] = true
		}
		s.overflowed = s.overflowed || from == len(b.names) && !r.Equal(e)
		return b.set(s, in, number(r, signed))
	}
	lo, hi := limits(w, signed)
	b.mayOverflow(s, atLeast(e, lo))
	b.mayOverflow(s, atMost(e, hi))
	if !b.demandAll(s, Fault{In: in, Check: verdict.SignedOverflow, What: "no overflow", Wraps: true}, atLeast(e, lo),
		atMost(e, hi)) {
		return stop("signed overflow")
	}
	return b.set(s, in, number(e, signed))
}

// mayOverflow keeps the runs in which fits is negative, for a system that asks
// whether there are any (SystemOptions.Overflow).
func (b *builder) mayOverflow(s *state, fits exact.Lin) {
	if b.ask.proves(s.know, fits) {
		return
	}
	over := s.clone()
	b.over = append(b.over, b.assume(over, cond{relGE, fits}.not())...)
}

// within demands lo <= e <= hi; false when that cannot be. What is not shown is a fault of the check.
func (b *builder) within(s *state, e exact.Lin, lo, hi exact.Int, check verdict.Check) bool {
	return b.demandAll(s, Fault{In: b.at(s), Check: check, What: "the value fits"}, atLeast(e, lo), atMost(e, hi))
}

// atLeast and atMost are not negative where e is at least lo, and at most hi.
func atLeast(e exact.Lin, lo exact.Int) exact.Lin {
	return exact.Lin{Terms: e.Terms, Const: e.Const.Sub(lo)}
}

func atMost(e exact.Lin, hi exact.Int) exact.Lin {
	return exact.Lin{Terms: e.Neg().Terms, Const: hi.Sub(e.Const)}
}

// demandAll goes on where none of goals is negative; false where that cannot be. One that is not proved is the fault f.
func (b *builder) demandAll(s *state, f Fault, goals ...exact.Lin) bool {
	for _, g := range goals {
		if b.ask.proves(s.know, g) {
			continue
		}
		b.note(f)
		if !b.ask.possible(s.know, g) {
			return false
		}
		s.know.ge(g)
	}
	return !s.know.bad
}

// product is a new variable for x*y, with its interval and the exact polynomial fact.
func (b *builder) product(s *state, x, y exact.Lin) exact.Lin {
	v := b.newVar("product")
	i, j := s.know.interval(x), s.know.interval(y)
	if i.hasLo && i.hasHi && j.hasLo && j.hasHi {
		lo, hi := corners(i, j)
		s.know.lower(v, lo)
		s.know.upper(v, hi)
	}
	if x.Equal(y) {
		s.know.lower(v, exact.I(0))
		s.know.ge(exact.V(v).Sub(x)) // n*n >= n and n*n >= -n over Z
		s.know.ge(exact.V(v).Add(x))
	} else if b.ask.proves(s.know, x.AddInt(-1)) && b.ask.proves(s.know, y.AddInt(-1)) {
		s.know.ge(exact.V(v).Sub(x))
		s.know.ge(exact.V(v).Sub(y))
	} else if b.ask.proves(s.know, x) && b.ask.proves(s.know, y) {
		s.know.lower(v, exact.I(0))
	}
	s.know.polys = append(s.know.polys,
		its.Atom{Poly: exact.PolyOf(exact.V(v)).Sub(exact.PolyOf(x).Mul(exact.PolyOf(y))), Rel: its.EQ})
	return exact.V(v)
}

func corners(i, j ival) (lo, hi exact.Int) {
	c := []exact.Int{i.lo.Mul(j.lo), i.lo.Mul(j.hi), i.hi.Mul(j.lo), i.hi.Mul(j.hi)}
	lo, hi = c[0], c[0]
	for _, x := range c[1:] {
		if x.Cmp(lo) < 0 {
			lo = x
		}
		if x.Cmp(hi) > 0 {
			hi = x
		}
	}
	return lo, hi
}

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

// shift by a known amount is a multiplication or division by a power of two.
func (b *builder) shift(s *state, in *ir.Instr, l, r value) result {
	w := in.T.Width
	amount, _ := b.read(s, r, w, unsigned)
	if !b.within(s, amount, exact.Int{}, exact.I(int64(w-1)), verdict.Shift) {
		return stop("shift amount")
	}
	as := b.class(in)
	switch {
	case in.Op == ir.OpAshr:
		as = signed
	case in.Op == ir.OpLshr:
		as = unsigned
	case as == anyRep:
		as = unsigned
	}
	x, _ := b.read(s, l, w, as)
	if i := s.know.interval(amount); i.constant() {
		amount = constInt(i.lo)
	}
	if !amount.IsConst() {
		v := b.fresh(s, in.T, "shifted", as)
		s.inexact("shift by a variable amount")
		if in.Op != ir.OpShl {
			if b.ask.proves(s.know, x) {
				s.know.ge(v.lin)
				s.know.ge(x.Sub(v.lin))
				if b.ask.proves(s.know, amount.AddInt(-1)) {
					s.know.ge(x.Sub(v.lin.Scale(exact.I(2)))) // at least halved
				}
			} else if b.ask.proves(s.know, x.Neg().AddInt(-1)) {
				s.know.ge(v.lin.Neg().AddInt(-1))
				s.know.ge(v.lin.Sub(x))
			}
		}
		return b.set(s, in, v)
	}
	k, _ := amount.Const.Int64()
	p := exact.I(2).Pow(int(k))
	if in.Op == ir.OpShl {
		e := x.Scale(p)
		if in.Flags.Has(ir.NSW) {
			return b.signedResult(s, in, e)
		}
		return b.set(s, in, number(b.fit(s, e, w, as), as))
	}
	q, _ := b.floorDiv(s, x, p)
	return b.set(s, in, number(q, as))
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
