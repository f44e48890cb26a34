package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// Remainders returns formulas that hold for all values of their variables: the bounds of the remainders by numbers that
// are not known, on the ways to the headers of f. A solver finds them in the circuit of a division only slowly.
func (f *Formula) Remainders() []ilr.Term {
	var roots []ilr.Term
	for i := range f.Headers {
		for _, a := range f.Headers[i].Arrivals {
			roots = append(append(roots, a.Guard), a.Values...)
		}
	}
	s := f.Store
	var found []ilr.Term
	s.Walk(roots, func(t ilr.Term) {
		if k := s.Kind(t); k == ilr.KUrem || k == ilr.KSrem {
			if _, known := s.ConstVal(s.Arg(t, 1)); !known {
				found = append(found, t)
			}
		}
	})
	var out []ilr.Term
	for _, t := range found {
		out = slices.Concat(out, boundsOfRemainder(s, t))
	}
	return out
}

// boundsOfRemainder returns the bounds of t, a remainder. The remainder by 0 is the number itself.
func boundsOfRemainder(s *ilr.Store, t ilr.Term) []ilr.Term {
	a, b := s.Arg(t, 0), s.Arg(t, 1)
	zero := s.Int(s.Width(t), 0)
	implies := func(x, y ilr.Term) ilr.Term { return s.Or(s.Not(x), y) }
	if s.Kind(t) == ilr.KUrem {
		return []ilr.Term{s.Ule(t, a), implies(s.NonZero(b), s.Ult(t, b))}
	}
	positive := s.Slt(zero, b)
	return []ilr.Term{
		implies(s.Sle(zero, a), s.And(s.Sle(zero, t), s.Sle(t, a))),
		implies(s.Slt(a, zero), s.And(s.Sle(a, t), s.Sle(t, zero))),
		implies(positive, s.And(s.Slt(s.Neg(b), t), s.Slt(t, b))),
	}
}
