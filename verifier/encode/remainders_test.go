package encode

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// The bounds of a remainder hold of all numbers, and nothing outside of them is one.
func TestRemainderBounds(t *testing.T) {
	const w = 4
	for _, kind := range []ilr.Kind{ilr.KUrem, ilr.KSrem} {
		for a := range uint64(1 << w) {
			for b := range uint64(1 << w) {
				s := ilr.NewStore(nil)
				x, y := s.Fresh("a", ilr.BV(w)), s.Fresh("b", ilr.BV(w))
				r := s.Make(kind, ilr.BV(w), 0, []ilr.Term{x, y})
				at := ilr.Model{BV: map[ilr.Term]bits.Vec{x: bits.New(w, a), y: bits.New(w, b)}}
				for _, f := range boundsOfRemainder(s, r) {
					if !s.NewEvaluator(at, ilr.EvalFloat).Holds(f) {
						t.Errorf("kind %v: %s does not hold of %d and %d", kind, s.String(f), a, b)
					}
				}
			}
		}
	}
}
