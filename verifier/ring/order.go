package ring

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Ordered returns formulas that hold for all values of their variables, about products in roots that share a factor, of
// whatever widths: with a below b, and where nothing wraps around, a*c + c is at most b*c, which has no more bits than the
// narrower product. So a row of an image that is in front of another one ends in front of that. Where nothing wraps around
// is told by leading zeros: the factors have together as many bits as the product.
func Ordered(s *ilr.Store, roots []ilr.Term) []ilr.Term {
	var products []ilr.Term
	s.Walk(roots, func(t ilr.Term) {
		if product(s, t) && s.Width(t) >= 8 && len(products) < policy.RingProducts {
			products = append(products, t)
		}
	})
	var out []ilr.Term
	for i, m := range products {
		for _, n := range products[:i] {
			for _, at := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
				if extended(s, s.Arg(m, at[0])) == extended(s, s.Arg(n, at[1])) {
					out = append(out, below(s, m, at[0], n, at[1]), below(s, n, at[1], m, at[0]))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), s.IsTrue)
}

// extended returns the term that t is with more bits.
func extended(s *ilr.Store, t ilr.Term) ilr.Term {
	for s.Kind(t) == ilr.KZext || s.Kind(t) == ilr.KSext {
		t = s.Arg(t, 0)
	}
	return t
}

// below is the formula for m = a*c and n = b*c, which have the common factor at mc and nc.
func below(s *ilr.Store, m ilr.Term, mc int, n ilr.Term, nc int) ilr.Term {
	least, most := min(s.Width(m), s.Width(n)), max(s.Width(m), s.Width(n))
	wide := func(t ilr.Term) ilr.Term { return s.Zext(t, most) }
	a, b, c := wide(s.Arg(m, 1-mc)), wide(s.Arg(n, 1-nc)), wide(s.Arg(m, mc))
	var fits []ilr.Term
	for _, k := range []int{least / 4, least / 2, least - least/4} {
		fits = append(fits, s.And(short(s, b, k), short(s, c, least-k)))
	}
	end := s.Add(wide(m), c)
	says := s.And(s.Ule(c, end), s.Ule(end, wide(n)), short(s, wide(n), least))
	return s.Implies(s.And(s.Ult(a, b), s.Eq(c, wide(s.Arg(n, nc))), s.Or(fits...)), says)
}

// short says that t has no bit from bit k on.
func short(s *ilr.Store, t ilr.Term, k int) ilr.Term {
	if k >= s.Width(t) {
		return s.True()
	}
	return s.Eq(s.Extract(t, s.Width(t)-1, k), s.Int(s.Width(t)-k, 0))
}
