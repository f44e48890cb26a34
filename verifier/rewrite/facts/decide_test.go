package facts_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

// choice is a term of two values, and no other fact about it.
func choice(s *ilr.Store, name string, w int, lo, hi uint64) ilr.Term {
	return s.Ite(s.Var(name, ilr.Bool), s.Const(bits.New(w, lo)), s.Const(bits.New(w, hi)))
}

// TestPredicatesDecided: what is decided of two arguments with known ranges holds for all their values, at width 3 for
// all ranges; and what the ends of the ranges decide is decided.
func TestPredicatesDecided(t *testing.T) {
	const w = 3
	kinds := []ilr.Kind{ilr.KEq, ilr.KUlt, ilr.KSlt, ilr.KUaddO, ilr.KSaddO, ilr.KSsubO, ilr.KUmulO, ilr.KSmulO}
	for a := range uint64(64) {
		for b := range uint64(64) {
			if a>>3 > a&7 || b>>3 > b&7 {
				continue
			}
			s := ilr.NewStore(nil)
			x, y := choice(s, "x", w, a>>3, a&7), choice(s, "y", w, b>>3, b&7)
			for _, k := range kinds {
				decided(t, s, k, [2]ilr.Term{x, y}, [4]uint64{a >> 3, a & 7, b >> 3, b & 7})
			}
		}
	}
}

// decided holds what is decided of a predicate to its values at the ends e of the ranges of its arguments, and within.
func decided(t *testing.T, s *ilr.Store, k ilr.Kind, args [2]ilr.Term, e [4]uint64) {
	t.Helper()
	holds := func(x, y uint64) bool {
		w := s.Width(args[0])
		return s.IsTrue(s.Make(k, ilr.Bool, 0, []ilr.Term{s.Const(bits.New(w, x)), s.Const(bits.New(w, y))}))
	}
	v, known := facts.Decide(s, k, args[:])
	if known {
		for _, x := range e[:2] {
			for _, y := range e[2:] {
				if holds(x, y) != v {
					t.Errorf("%s of %d..%d and %d..%d is not %v", k, e[0], e[1], e[2], e[3], v)
					return
				}
			}
		}
		return
	}
	first, same := holds(e[0], e[2]), true
	for x := e[0]; x <= e[1]; x++ {
		for y := e[2]; y <= e[3]; y++ {
			same = same && holds(x, y) == first
		}
	}
	signed := k == ilr.KSlt || k == ilr.KSaddO || k == ilr.KSsubO || k == ilr.KSmulO
	if same && !(k == ilr.KEq && first) && !(signed && (e[0]>>2 != e[1]>>2 || e[2]>>2 != e[3]>>2 || first &&
		k != ilr.KSlt)) {
		t.Errorf("%s of %d..%d and %d..%d is always %v", k, e[0], e[1], e[2], e[3], first)
	}
}
