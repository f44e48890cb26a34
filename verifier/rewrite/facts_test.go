package rewrite_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// TestFactsInUse: the store decides predicates by facts, reads behind writes elsewhere, and moves comparisons into an
// if-then-else.
func TestFactsInUse(t *testing.T) {
	s := rewrite.NewStore()
	c := s.Var("c", ilr.Bool)
	x, y := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
	odd, even := s.BvOr(x, s.Int(8, 1)), s.BvAnd(y, s.Int(8, 0xfe))
	m := s.Var("m", ilr.Array(8, 8))
	for _, p := range []struct {
		name      string
		got, want ilr.Term
	}{
		{"odd is not even", s.Eq(odd, even), s.False()},
		{"small is not large", s.Ult(s.BvAnd(x, s.Int(8, 15)), s.BvOr(y, s.Int(8, 16))), s.True()},
		{"write at an odd place, read at an even one", s.Select(s.Store(m, odd, x), even), s.Select(m, even)},
		{"write at an even place, read at an odd one", s.Select(s.Store(m, even, x), odd), s.Select(m, odd)},
		{"comparison with a choice", s.Ult(s.Ite(c, s.Int(8, 7), x), s.Int(8, 5)),
			s.And(s.Not(c), s.Ult(x, s.Int(8, 5)))},
		{"equation with a choice", s.Eq(s.Ite(c, s.Int(8, 7), x), s.Int(8, 5)), s.And(s.Not(c), s.Eq(x, s.Int(8, 5)))},
	} {
		if p.got != p.want {
			t.Errorf("%s: %s, want %s", p.name, s.String(p.got), s.String(p.want))
		}
	}
}
