package facts_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

// TestExactFacts: what is known of some terms is all that can be known.
func TestExactFacts(t *testing.T) {
	s := ilr.NewStore(nil)
	c := s.Var("c", ilr.Bool)
	x, y := s.Var("x", ilr.BV(4)), s.Var("y", ilr.BV(2))
	num := func(v int64) ilr.Term { return s.Int(4, v) }
	five := s.Ite(c, num(5), num(6))
	for _, f := range []struct {
		name              string
		t                 ilr.Term
		zero, one, lo, hi uint64
	}{
		{"one of two", five, 0b1000, 0b0100, 5, 6},
		{"or", s.BvOr(five, x), 0, 0b0100, 5, 15},
		{"and", s.BvAnd(five, x), 0b1000, 0, 0, 6},
		{"behind two bits", s.Concat(s.Ite(c, s.Int(2, 1), s.Int(2, 2)), y), 0, 0, 4, 11},
		{"sum of known bits", s.Add(s.Concat(y, s.Int(2, 1)), num(1)), 0b0001, 0b0010, 2, 14},
		{"sum of what carries", s.Add(s.Concat(y, s.Int(2, 3)), num(1)), 0b0011, 0, 0, 12},
		{"shifted out", s.Lshr(x, num(4)), 15, 0, 0, 0},
		{"product of even numbers", s.Mul(s.Concat(y, s.Int(2, 2)), s.Concat(y, s.Int(2, 2))), 0b0011, 0, 0, 12},
	} {
		want := facts.Fact{Zero: f.zero, One: f.one, Lo: f.lo, Hi: f.hi, Width: 4}
		if got := new(facts.Table).Of(s, f.t); got != want {
			t.Errorf("%s: %+v, want %+v", f.name, got, want)
		}
	}
}

// TestFactsOfWideTerms: of more than 64 bits nothing is known, and nothing is decided by it.
func TestFactsOfWideTerms(t *testing.T) {
	s := ilr.NewStore(nil)
	for _, w := range []int{65, 66, 128} {
		x := s.Var("x", ilr.BV(w))
		for _, u := range []ilr.Term{x, s.Const(bits.Shl(bits.New(w, 1), 64)), s.BvAnd(x, s.Int(w, 3))} {
			if new(facts.Table).Of(s, u).Width != 0 {
				t.Errorf("something is known of %s", s.String(u))
			}
		}
	}
	x, top := s.Var("x", ilr.BV(65)), s.Const(bits.Shl(bits.New(65, 1), 64))
	if new(facts.Table).Simplify(s, ilr.KUlt, ilr.Bool, 0, []ilr.Term{x, top}) != 0 {
		t.Error("65 bits are compared by the lowest 64")
	}
}

// TestDecidedByFacts: predicates that bits and ranges decide are decided, and no others.
func TestDecidedByFacts(t *testing.T) {
	s := ilr.NewStore(nil)
	c := s.Var("c", ilr.Bool)
	x8, y8 := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
	odd, even := s.BvOr(x8, s.Int(8, 1)), s.BvAnd(y8, s.Int(8, 0xfe))
	word := func(t ilr.Term) ilr.Term { return s.Zext(t, 40) }
	n61 := s.Neg(s.Zext(s.Var("z", ilr.BV(61)), 62))
	for _, p := range []struct {
		name  string
		k     ilr.Kind
		a, b  ilr.Term
		known bool
		v     bool
	}{
		{"odd and even", ilr.KEq, odd, even, true, false},
		{"even and odd", ilr.KEq, even, odd, true, false},
		{"two odd ones", ilr.KEq, odd, s.BvOr(y8, s.Int(8, 1)), false, false},
		{"product of bytes in 40 bits", ilr.KSmulO, word(x8), word(y8), true, false},
		{"product with a large negative number", ilr.KSmulO, s.Ite(c, s.Int(62, 8), s.Int(62, 0)), n61, false, false},
		{"product with a large negative number, the other way", ilr.KSmulO, n61, s.Ite(c, s.Int(62, 8), s.Int(62, 0)),
			false, false},
	} {
		v, known := facts.Decide(s, p.k, []ilr.Term{p.a, p.b})
		if known != p.known || known && v != p.v {
			t.Errorf("%s: %v (known %v), want %v (%v)", p.name, v, known, p.v, p.known)
		}
	}
}
