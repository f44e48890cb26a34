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
		if ringWithin(in) {
			b.note(overflow(in))
		}
		return b.unknown(s, in)
	}
	l, r := b.value(s, in.Args[0]), b.value(s, in.Args[1])
	if ringWithin(in) && (in.T.Width == 1 || l.kind != intValue || r.kind != intValue) { // not followed as numbers
		b.note(overflow(in))
	}
	if in.T.Width == 1 {
		return b.binaryBool(s, in, l, r)
	}
	if in.Op == ir.OpSub && l.kind == ptrValue && r.kind == ptrValue && l.obj == r.obj && l.last == r.last {
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

// ringWithin reports an add, sub or mul that is undefined where its result does not fit as a signed number.
func ringWithin(in *ir.Instr) bool {
	return in.Flags.Has(ir.NSW) && (in.Op == ir.OpAdd || in.Op == ir.OpSub || in.Op == ir.OpMul)
}

// overflow is the fault of a result that may not fit.
func overflow(in *ir.Instr) Fault {
	return Fault{In: in, Check: verdict.SignedOverflow, What: "no overflow", Wraps: true}
}

// ring is add, sub and mul. With nsw the run ends where the result does not fit.
func (b *builder) ring(s *state, in *ir.Instr, l, r value) result {
	w := in.T.Width
	nsw := in.Flags.Has(ir.NSW)
	as := b.wrapping(in)
	if nsw {
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

// wrapping is the reading of the operands and the result of an instruction that may wrap around.
func (b *builder) wrapping(in *ir.Instr) rep {
	if b.class(in) == signed && in.Op != ir.OpMul {
		return signed
	}
	return unsigned
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
	if !b.demandAll(s, overflow(in), atLeast(e, lo), atMost(e, hi)) {
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
