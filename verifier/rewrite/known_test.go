package rewrite_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
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
		zero, one, lo, hi, known := rewrite.FactOf(s, f.t)
		if !known || zero != f.zero || one != f.one || lo != f.lo || hi != f.hi {
			t.Errorf("%s: zeros %b, ones %b, %d to %d (known %v), want %b, %b, %d to %d", f.name, zero, one, lo, hi,
				known,
				f.zero, f.one, f.lo, f.hi)
		}
	}
}

// TestFactsOfWideTerms: of more than 64 bits nothing is known, and nothing is decided by it.
func TestFactsOfWideTerms(t *testing.T) {
	s := ilr.NewStore(nil)
	for _, w := range []int{65, 66, 128} {
		x := s.Var("x", ilr.BV(w))
		for _, u := range []ilr.Term{x, s.Const(bits.Shl(bits.New(w, 1), 64)), s.BvAnd(x, s.Int(w, 3))} {
			if _, _, _, _, known := rewrite.FactOf(s, u); known {
				t.Errorf("something is known of %s", s.String(u))
			}
		}
	}
	r := rewrite.NewStore()
	x := r.Var("x", ilr.BV(65))
	top := r.Const(bits.Shl(bits.New(65, 1), 64))
	if u := r.Ult(x, top); r.IsTrue(u) || r.IsFalse(u) {
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
		v, known := rewrite.DecideByFacts(s, p.k, []ilr.Term{p.a, p.b})
		if known != p.known || known && v != p.v {
			t.Errorf("%s: %v (known %v), want %v (%v)", p.name, v, known, p.v, p.known)
		}
	}
}

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
