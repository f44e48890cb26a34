package ellipse

import "github.com/firmproof/firmproof/verifier/ilr"

// Hidden has a truth value that may be any for each comparison of an ellipse.
type Hidden map[ilr.Term]ilr.Term

// Hide adds the comparisons of conditions as Ellipse.Term makes them.
func (h Hidden) Hide(s *ilr.Store, conditions []ilr.Term) {
	for _, t := range conditions {
		for _, c := range conjuncts(s, t) {
			if _, known := h[c]; !known && s.Kind(c) == ilr.KFLe {
				h[c] = s.Fresh("ellipse", ilr.Bool)
			}
		}
	}
}

// In returns the lists of terms with the comparisons replaced. What is impossible then, is impossible.
func (h Hidden) In(s *ilr.Store, lists ...[]ilr.Term) [][]ilr.Term {
	return s.Map(func(t ilr.Term) (ilr.Term, bool) {
		u, ok := h[t]
		return u, ok
	}, lists...)
}

// Abstract returns the lists of terms with each result of floating-point arithmetic replaced by any number. What is
// impossible then, is impossible.
func Abstract(s *ilr.Store, lists ...[]ilr.Term) [][]ilr.Term {
	return s.Map(func(t ilr.Term) (ilr.Term, bool) {
		switch s.Kind(t) {
		case ilr.KFAdd, ilr.KFMul, ilr.KFDiv, ilr.KFRem, ilr.KFFma, ilr.KFSqrt:
			return s.Fresh("result", s.Sort(t)), true
		}
		return 0, false
	}, lists...)
}
