package ilr

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
)

// TestConstructorsKeepMeaning builds random terms twice, once over variables and
// once over the constants of a model, and compares: every local rule and every
// fold must agree with evaluation.
func TestConstructorsKeepMeaning(t *testing.T) {
	const w = 3
	for seed := int64(1); seed <= 300; seed++ {
		r := rand.New(rand.NewSource(seed))
		s := NewStore(nil)
		m := Model{BV: map[Term]bits.Vec{}}
		sym, con := []Term{}, []Term{}
		for i := 0; i < 3; i++ {
			x := s.Var(string(rune('x'+i)), BV(w))
			m.BV[x] = bits.New(w, uint64(r.Intn(1<<w)))
			sym, con = append(sym, x), append(con, s.Const(m.BV[x]))
		}
		for v := int64(0); v < 1<<w; v++ {
			sym, con = append(sym, s.Int(w, v)), append(con, s.Int(w, v))
		}
		for step := 0; step < 60; step++ {
			k := Kind(int(KBvNot) + r.Intn(int(KSmulO-KBvNot)+1))
			i, j := r.Intn(len(sym)), r.Intn(len(sym))
			a, b := randomTerm(s, r, k, sym[i], sym[j], step),
				randomTerm(s, rand.New(rand.NewSource(seed+int64(step))), k, con[i], con[j], step)
			if a == 0 || b == 0 {
				continue
			}
			va, vb := s.Eval(a, m), s.Eval(b, m)
			if s.Kind(a) != KInvalid && va != vb && k != KExtract {
				t.Fatalf("seed %d: %s of %s, %s: symbolic gives %v, constant gives %v", seed, k, s.String(sym[i]),
					s.String(sym[j]), va, vb)
			}
			if s.Sort(a) == Bool {
				a, b = s.Ite(a, sym[i], sym[j]), s.Ite(b, con[i], con[j])
			}
			if s.Sort(a) == BV(w) {
				sym, con = append(sym, a), append(con, b)
			}
		}
	}
}

func randomTerm(s *Store, r *rand.Rand, k Kind, a, b Term, step int) Term {
	w := s.Width(a)
	switch k {
	case KConcat:
		return s.Extract(s.Concat(a, b), w+step%w, step%w)
	case KExtract:
		return s.Zext(s.Extract(a, step%w, 0), w)
	case KZext:
		return s.Extract(s.Zext(a, 2*w), w+step%w, step%w)
	case KSext:
		return s.Extract(s.Sext(a, 2*w), w+step%w, step%w)
	}
	_ = r
	args := []Term{a, b}[:k.Arity()]
	return s.Make(k, BV(w), 0, args)
}

func TestArrays(t *testing.T) {
	s := NewStore(nil)
	a := s.Var("a", Array(8, 8))
	i, n := s.Var("i", BV(8)), s.Var("n", BV(8))
	src := s.ArrTable(8, []byte("hello"))
	b := s.ArrCopy(s.ArrSet(a, i, n, s.Int(8, 7)), s.Int(8, 10), src, s.Int(8, 1), s.Int(8, 3))
	m := Model{BV: map[Term]bits.Vec{i: bits.New(8, 250), n: bits.New(8, 12)}, Arrays: map[Term]*ArrayValue{
		a: {Default: bits.New(8, 1), Elems: map[bits.Vec]bits.Vec{bits.New(8, 6): bits.New(8, 9)}}}}
	want := map[int64]uint64{249: 1, 250: 7, 255: 7, 0: 7, 5: 7, 6: 9, 10: 'e', 11: 'l', 12: 'l', 13: 1}
	for at, v := range want {
		if got := s.Eval(s.Select(b, s.Int(8, at)), m); got != bits.New(8, v) {
			t.Errorf("element %d: got %v, want %d", at, got, v)
		}
	}
	if s.Select(s.Store(a, i, n), i) != n {
		t.Error("read over write at the same index is not the written value")
	}
}

// TestEvaluator: values of terms far apart are kept, and of their neighbours nothing is known.
func TestEvaluator(t *testing.T) {
	s := NewStore(nil)
	var vars []Term
	for i := range 1000 {
		vars = append(vars, s.Var(fmt.Sprint("x", i), BV(100)))
	}
	e := s.NewEvaluator(Model{BV: map[Term]bits.Vec{vars[900]: bits.New(100, 5)}}, nil)
	sum := s.Add(vars[900], vars[3])
	for range 2 {
		if got := e.Value(sum); got != bits.New(100, 5) {
			t.Errorf("got %v", got)
		}
	}
	for i, v := range vars {
		if want := i == 3 || i == 900; e.Known(v) != want {
			t.Errorf("x%d: known %v", i, !want)
		}
	}
}

func TestSharing(t *testing.T) {
	s := NewStore(nil)
	x, y := s.Var("x", BV(32)), s.Var("y", BV(32))
	if s.Add(x, y) != s.Add(y, x) || s.And(s.Ult(x, y), s.True()) != s.Ult(x, y) {
		t.Error("equal terms are not shared")
	}
	if got := s.String(s.Mul(s.Add(x, y), s.Add(x, y))); got != "t5 := (bvadd x y)\n(bvmul t5 t5)" {
		t.Errorf("printed %q", got)
	}
	n := s.Len()
	for i := 0; i < 100000; i++ {
		s.Add(x, s.Int(32, int64(i%1000)))
	}
	if s.Len()-n > 2000 {
		t.Errorf("%d new terms for 1000 sums", s.Len()-n)
	}
}
