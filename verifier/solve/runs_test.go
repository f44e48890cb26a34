package solve

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// TestRuns: arrays written at many constant indices, some under conditions, some
// twice, read at unknown ones: answers as by trying all indices, models that hold.
func TestRuns(t *testing.T) {
	counts := map[Answer]int{}
	for seed := int64(0); seed < 150; seed++ {
		rng := rand.New(rand.NewSource(seed))
		s := ilr.NewStore(nil)
		if seed%3 == 0 {
			s = rewrite.NewStore()
		}
		w := []int{4, 6, 7, 8}[rng.Intn(4)]
		table := make([]byte, 1<<w) // what the array holds, initially zeros
		known := make([]bool, 1<<w) // whether that is for certain
		for i := range known {
			known[i] = true
		}
		arr := s.ArrConst(w, s.Int(8, 0))
		if rng.Intn(2) == 0 {
			arr = s.Var("a", ilr.Array(w, 8))
			for i := range known {
				known[i] = false
			}
		}
		for n := policy.TableLeast + rng.Intn(100); n > 0; n-- {
			i, v := rng.Intn(1<<w), byte(1+rng.Intn(3))
			next := s.Store(arr, s.Int(w, int64(i)), s.Int(8, int64(v)))
			if rng.Intn(8) == 0 {
				next = s.Ite(s.Fresh("c", ilr.Bool), next, arr)
				known[i] = false
			} else {
				table[i], known[i] = v, true
			}
			arr = next
		}
		i, want := s.Var("i", ilr.BV(w)), byte(rng.Intn(8))
		lo, hi := rng.Intn(1<<w), rng.Intn(1<<w)
		goal := s.And(s.Eq(s.Select(arr, i), s.Int(8, int64(want))), s.Ule(s.Int(w, int64(min(lo, hi))), i),
			s.Ule(i, s.Int(w, int64(max(lo, hi)))))
		possible, open := false, false
		for k := min(lo, hi); k <= max(lo, hi); k++ {
			possible = possible || known[k] && table[k] == want
			open = open || !known[k]
		}
		x := New(s, Options{})
		a, err := x.Check(context.Background(), goal)
		if err != nil {
			t.Fatal(err)
		}
		counts[a]++
		switch {
		case a == Sat:
			checkModel(t, s, x.Model(), goal)
			if !possible && !open {
				t.Fatalf("seed %d: sat", seed)
			}
		case possible:
			t.Fatalf("seed %d: %v", seed, a)
		}
		x.Close()
	}
	if counts[Sat] < 30 || counts[Unsat] < 30 {
		t.Errorf("lopsided: %v", counts)
	}
}

// TestRunLemmas: a table of n elements needs fewer lemmas than elements.
func TestRunLemmas(t *testing.T) {
	const n = 1000
	s := rewrite.NewStore()
	arr := s.Var("a", ilr.Array(32, 8))
	for i := int64(0); i < n; i++ {
		arr = s.Store(arr, s.Int(32, i), s.Add(s.Int(8, i%100), s.Zext(s.Var(fmt.Sprint("v", i), ilr.BV(4)), 8)))
	}
	i := s.Var("i", ilr.BV(32))
	x := New(s, Options{})
	defer x.Close()
	bad := s.And(s.Ult(i, s.Int(32, n)), s.Ult(s.Const(bits.New(8, 114)), s.Select(arr, i)))
	if a, err := x.Check(context.Background(), bad); a != Unsat {
		t.Fatal(a, err)
	}
	if l := x.Stats().Lemmas; l > 4*n>>policy.TableIndexBits {
		t.Errorf("%d lemmas for %d elements", l, n)
	}
}
