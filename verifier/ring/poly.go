package ring

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// split makes polynomials of terms of w bits, in one case of the conditions that they choose by. Their variables are
// the terms that are no sums or products.
type split struct {
	s      *ilr.Store
	w      int
	chosen []choice
	given  bool       // the case may be assumed: terms are replaced by what they are then
	narrow []ilr.Term // equations that are assumed as well: a word is its own low bits
	open   ilr.Term   // a condition that was met and is not chosen, 0 if there is none
	memo   map[ilr.Term]exact.Poly
}

type choice struct {
	cond  ilr.Term
	holds bool
}

func newSplit(s *ilr.Store, w int, chosen ...choice) *split {
	return &split{s: s, w: w, chosen: chosen, memo: map[ilr.Term]exact.Poly{}}
}

// with returns the case of x in which cond holds, or does not.
func (x *split) with(cond ilr.Term, holds bool) *split {
	next := newSplit(x.s, x.w, append(slices.Clone(x.chosen), choice{cond, holds})...)
	next.given = x.given
	return next
}

// difference returns that of the two sides of equation t.
func (x *split) difference(t ilr.Term) exact.Poly {
	return modulo(x.poly(x.s.Arg(t, 0), policy.RingDepth).Sub(x.poly(x.s.Arg(t, 1), policy.RingDepth)), x.w)
}

// poly returns a polynomial that t is, modulo 2^w.
func (x *split) poly(t ilr.Term, depth int) exact.Poly {
	v, ok := x.s.ConstVal(t)
	if !ok && x.given {
		v, ok = x.known(t)
	}
	if ok {
		return constant(exact.FromBig(v.Signed()))
	}
	p, ok := x.memo[t]
	if !ok {
		p = x.operation(t, depth)
		x.memo[t] = p
	}
	return p
}

// operation returns the polynomial of a term that is no constant.
func (x *split) operation(t ilr.Term, depth int) exact.Poly {
	s := x.s
	alone := exact.Poly{Monos: []exact.Mono{{Coef: exact.I(1), Vars: []exact.Var{exact.Var(t)}}}}
	if depth == 0 {
		return alone
	}
	arg := func(i int) exact.Poly { return x.poly(s.Arg(t, i), depth-1) }
	p := alone
	switch s.Kind(t) {
	case ilr.KAdd:
		p = arg(0).Add(arg(1))
	case ilr.KNeg:
		p = arg(0).Neg()
	case ilr.KBvNot:
		p = constant(exact.I(-1)).Sub(arg(0))
	case ilr.KMul:
		if a, b := arg(0), arg(1); len(a.Monos)*len(b.Monos) <= policy.RingParts {
			p = a.Mul(b)
		}
	case ilr.KShl:
		if n, ok := s.ConstVal(s.Arg(t, 1)); ok && n.Low64() < uint64(x.w) {
			p = arg(0).Scale(modulus(int(n.Low64())))
		}
	case ilr.KConcat:
		p = x.shifted(t, alone, depth)
	case ilr.KZext:
		if low := s.Arg(t, 0); x.given && s.Kind(low) == ilr.KExtract && uint32(s.Imm(low)) == 0 &&
			s.Width(s.Arg(low, 0)) == x.w {
			x.narrow = append(x.narrow, s.Eq(t, s.Arg(low, 0)))
			return x.poly(s.Arg(low, 0), depth-1)
		}
	case ilr.KIte:
		return x.chooses(t, alone, depth)
	}
	if p = modulo(p, x.w); len(p.Monos) > policy.RingParts {
		return alone
	}
	return p
}

// shifted returns the polynomial of the concatenation t, where that shifts a word and puts a constant into its low
// bits; else alone.
func (x *split) shifted(t ilr.Term, alone exact.Poly, depth int) exact.Poly {
	s := x.s
	high, low := s.Arg(t, 0), s.Arg(t, 1)
	v, ok := s.ConstVal(low)
	if !ok || s.Kind(high) != ilr.KExtract || uint32(s.Imm(high)) != 0 || s.Width(s.Arg(high, 0)) != x.w {
		return alone
	}
	return x.poly(s.Arg(high, 0), depth-1).Scale(modulus(v.Width())).Add(constant(exact.FromBig(v.Unsigned())))
}

// chooses returns the polynomial of the side of t, a choice, that is taken.
func (x *split) chooses(t ilr.Term, alone exact.Poly, depth int) exact.Poly {
	c := x.s.Arg(t, 0)
	for _, k := range x.chosen {
		switch {
		case k.cond == c && k.holds:
			return x.poly(x.s.Arg(t, 1), depth-1)
		case k.cond == c:
			return x.poly(x.s.Arg(t, 2), depth-1)
		}
	}
	x.open = c
	return alone
}

func constant(k exact.Int) exact.Poly {
	if k.IsZero() {
		return exact.Poly{}
	}
	return exact.Poly{Monos: []exact.Mono{{Coef: k}}}
}

// modulus returns 2^w.
func modulus(w int) exact.Int { return exact.I(2).Pow(w) }

// modulo returns p with coefficients from 0 to 2^w-1.
func modulo(p exact.Poly, w int) exact.Poly {
	m := modulus(w)
	var out exact.Poly
	for _, x := range p.Monos {
		if x.Coef = x.Coef.Sub(x.Coef.FloorDiv(m).Mul(m)); !x.Coef.IsZero() {
			out.Monos = append(out.Monos, x)
		}
	}
	return out
}
