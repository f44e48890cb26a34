package ring_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ring"
	"github.com/firmproof/firmproof/verifier/solve"
)

// TestOrderedHold has our solver prove what is told of the order of products, of words of 8 to 10 bits that were made of
// shorter ones in each way, and that it says something: a row of an image is within the image.
func TestOrderedHold(t *testing.T) {
	type way = func(s *ilr.Store, x ilr.Term, w int) ilr.Term
	ways := map[string]way{"zext": (*ilr.Store).Zext, "sext": (*ilr.Store).Sext,
		"low":     func(s *ilr.Store, x ilr.Term, w int) ilr.Term { return s.Zext(s.Extract(x, 2, 0), w) },
		"thrice":  func(s *ilr.Store, x ilr.Term, w int) ilr.Term { return s.Mul(s.Int(w, 3), s.Zext(x, w)) },
		"shifted": func(s *ilr.Store, x ilr.Term, w int) ilr.Term { return s.Shl(s.Zext(x, w), s.Int(w, 2)) }}
	for first, by := range ways {
		for second, wide := range ways {
			for _, w := range [][2]int{{8, 8}, {8, 9}, {10, 8}} {
				for _, s := range stores() {
					name := fmt.Sprintf("%s %s %v", first, second, w)
					v := func(name string) ilr.Term { return s.Var(name, ilr.BV(5)) }
					row, rows, width := v("row"), v("rows"), v("width")
					at := s.Mul(by(s, row, w[0]), by(s, width, w[0]))
					size := s.Mul(wide(s, width, w[1]), wide(s, rows, w[1]))
					facts := ring.Ordered(s, []ilr.Term{s.Eq(s.Zext(at, 16), s.Zext(size, 16))})
					if len(facts) == 0 {
						t.Errorf("%s: nothing is told", name)
					}
					for _, f := range facts {
						if !impossible(t, s, s.Not(f)) {
							t.Errorf("%s: %s does not hold", name, s.String(f))
						}
					}
				}
			}
		}
	}
}

// TestOrdered: with products as any words, what is told says that a pixel lies in its image.
func TestOrdered(t *testing.T) {
	for _, s := range stores() {
		v := func(name string) ilr.Term { return s.Var(name, ilr.BV(32)) }
		x, y, width, height := v("x"), v("y"), v("width"), v("height")
		inside := []ilr.Term{s.Ult(x, width), s.Ult(y, height), s.Ult(width, s.Int(32, 1001)), s.Ult(height, s.Int(32, 1001))}
		size := s.Mul(s.Zext(width, 64), s.Zext(height, 64))
		bad := s.Not(s.Ult(s.Zext(s.Add(s.Mul(y, width), x), 64), size))
		for last, want := range map[bool]bool{false: true, true: false} {
			given := inside
			if last { // a row further
				given = append([]ilr.Term{s.Not(s.Ult(height, y))}, inside[0], inside[2], inside[3])
			}
			got := ring.Abstract(s, append(ring.Ordered(s, []ilr.Term{bad}), given...), []ilr.Term{bad})
			if impossible(t, s, append(got[0], got[1]...)...) != want {
				t.Errorf("outside of the image is impossible: %t, want %t", !want, want)
			}
		}
	}
}

func impossible(t *testing.T, s *ilr.Store, all ...ilr.Term) bool {
	t.Helper()
	solver := solve.NewOwn(s, solve.Options{})
	defer solver.Close()
	ans, err := solver.Check(context.Background(), all...)
	if err != nil {
		t.Fatal(err)
	}
	return ans == solve.Unsat
}
