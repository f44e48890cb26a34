package ilr

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
)

// What a replacer makes of a term is worth what the term is where the variable has the value of its replacement.
func TestReplacer(t *testing.T) {
	s := NewStore(nil)
	before := s.Var("a", Array(4, 8))
	x, y, z := s.Var("x", BV(4)), s.Var("y", BV(4)), s.Var("z", BV(8))
	a := s.Store(before, y, z)
	terms := []Term{x, z, s.Select(before, x), s.Select(a, s.Add(x, y)), s.And(s.Ult(x, y), s.Eq(s.Select(a, x), z))}
	deep := s.Zext(x, 8)
	for range 5000 {
		deep = s.Add(s.Mul(deep, z), s.Zext(x, 8))
	}
	terms = append(terms, deep)
	k := s.Add(y, s.Int(4, 3))
	r := s.Replacer(x, k)
	for v := uint64(0); v < 16; v++ {
		m := Model{BV: map[Term]bits.Vec{y: bits.New(4, v), z: bits.New(8, 7*v), x: bits.New(4, v*5)}}
		was := m
		was.BV = map[Term]bits.Vec{y: bits.New(4, v), z: bits.New(8, 7*v), x: bits.New(4, v+3)}
		for i, u := range terms {
			if got, want := s.Eval(r.In(u), m), s.Eval(u, was); got != want {
				t.Fatalf("term %d at y = %d: %v, want %v", i, v, got, want)
			}
		}
	}
	if r.In(z) != z || r.In(s.Select(before, y)) != s.Select(before, y) {
		t.Error("what does not speak of the variable changed")
	}
}
