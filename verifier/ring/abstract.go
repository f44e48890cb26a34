package ring

import "github.com/firmproof/firmproof/verifier/ilr"

// Abstract returns the lists of terms with each product of two variable words replaced by any word. What is impossible
// then, is impossible.
func Abstract(s *ilr.Store, lists ...[]ilr.Term) [][]ilr.Term {
	return s.Map(anyWord(s), lists...)
}

// Words returns what replaces each product of two variable words by any word, always by the same one.
func Words(s *ilr.Store) *ilr.Mapping { return s.Mapping(anyWord(s)) }

// anyWord gives a new word for a product.
func anyWord(s *ilr.Store) func(ilr.Term) (ilr.Term, bool) {
	return func(t ilr.Term) (ilr.Term, bool) {
		if product(s, t) {
			return s.Fresh("product", s.Sort(t)), true
		}
		return 0, false
	}
}

// product reports whether t multiplies two words that are no constants.
func product(s *ilr.Store, t ilr.Term) bool {
	return s.Kind(t) == ilr.KMul && s.Kind(s.Arg(t, 0)) != ilr.KConst && s.Kind(s.Arg(t, 1)) != ilr.KConst
}
