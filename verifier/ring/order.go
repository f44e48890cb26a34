package ring

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Ordered returns formulas that hold for all values of their variables, about products in roots that share a factor, of
// whatever widths: where nothing wraps around and a is at most b, a*c is at most b*c, which has no more bits than the
// narrower product, and with a below b a*c + c is at most b*c. So a row of an image that is in front of another one ends in
// front of that. Where nothing wraps around is told by leading zeros: the factors have together as many bits as the product.
func Ordered(s *ilr.Store, roots []ilr.Term) []ilr.Term {
	var products, out []ilr.Term
	s.Walk(roots, func(t ilr.Term) {
		if !product(s, t) || s.Width(t) < 8 || len(products) >= policy.RingProducts {
			return
		}
		x, k := unscaled(s, s.Arg(t, 0))
		y, l := unscaled(s, s.Arg(t, 1))
		p := s.Mul(x, y)
		out = append(out, s.Eq(t, s.Mul(s.Mul(k, l), p))) // of a multiplication of numbers the rest is compared
		if product(s, p) && !slices.Contains(products, p) {
			products = append(products, p)
		}
	})
	for i, m := range products {
		out = append(out, bounded(s, m)...)
		for _, n := range products[:i] {
			for _, at := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
				if word(s, s.Arg(m, at[0])) == word(s, s.Arg(n, at[1])) {
					out = append(out, below(s, m, at[0], n, at[1]), below(s, n, at[1], m, at[0]))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), s.IsTrue)
}

// unscaled returns x and the number k of which t is the product.
func unscaled(s *ilr.Store, t ilr.Term) (x, k ilr.Term) {
	w := s.Width(t)
	x, k = t, s.Int(w, 1)
	for {
		a, isConst := ilr.Term(0), false
		switch s.Kind(x) {
		case ilr.KMul:
			for i := range 2 {
				if s.Kind(s.Arg(x, i)) == ilr.KConst {
					a, k, isConst = s.Arg(x, 1-i), s.Mul(k, s.Arg(x, i)), true
				}
			}
		case ilr.KShl:
			if s.Kind(s.Arg(x, 1)) == ilr.KConst {
				a, k, isConst = s.Arg(x, 0), s.Shl(k, s.Arg(x, 1)), true
			}
		}
		if !isConst {
			return x, k
		}
		x = a
	}
}

// word returns the term that t is with more bits, or without the upper ones: what it may be equal to.
func word(s *ilr.Store, t ilr.Term) ilr.Term {
	for {
		switch k := s.Kind(t); {
		case k == ilr.KZext, k == ilr.KSext, k == ilr.KExtract && uint32(s.Imm(t)) == 0:
			t = s.Arg(t, 0)
		default:
			return t
		}
	}
}

// below is the formula for m = a*c and n = b*c, which have the common factor at mc and nc.
func below(s *ilr.Store, m ilr.Term, mc int, n ilr.Term, nc int) ilr.Term {
	least, most := min(s.Width(m), s.Width(n)), max(s.Width(m), s.Width(n))
	wide := func(t ilr.Term) ilr.Term { return s.Zext(t, most) }
	a, b, c := wide(s.Arg(m, 1-mc)), wide(s.Arg(n, 1-nc)), wide(s.Arg(m, mc))
	end := s.Add(wide(m), c)
	says := s.And(s.Ule(wide(m), wide(n)), short(s, wide(n), least),
		s.Implies(s.Ult(a, b), s.And(s.Ule(c, end), s.Ule(end, wide(n)))))
	return s.Implies(s.And(s.Ule(a, b), s.Eq(c, wide(s.Arg(n, nc))), fit(s, b, c, least)), says)
}

// bounded are the formulas that the product m has no more bits than its factors together, for numbers of bits that say
// whether it overflows, where it is a part of a product of twice as many bits, too.
func bounded(s *ilr.Store, m ilr.Term) (out []ilr.Term) {
	w := s.Width(m)
	for _, k := range []int{w/2 - 1, w / 2, w - 1} {
		out = append(out, s.Implies(fit(s, s.Arg(m, 0), s.Arg(m, 1), k), short(s, m, k)))
	}
	return out
}

// fit says that x and y have together at most k bits.
func fit(s *ilr.Store, x, y ilr.Term, k int) ilr.Term {
	var fits []ilr.Term
	for i := range k + 1 {
		fits = append(fits, s.And(short(s, x, i), short(s, y, k-i)))
	}
	return s.Or(fits...)
}

// short says that t has no bit from bit k on.
func short(s *ilr.Store, t ilr.Term, k int) ilr.Term {
	if k >= s.Width(t) {
		return s.True()
	}
	return s.Eq(s.Extract(t, s.Width(t)-1, k), s.Int(s.Width(t)-k, 0))
}
