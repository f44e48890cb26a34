package sat

import (
	"bytes"
	"context"
	"math/rand"
	"testing"
	"time"
)

// brute decides clauses over n variables by trying all assignments.
func brute(n int, clauses [][]Lit) bool {
	for m := 0; m < 1<<n; m++ {
		if holds(clauses, func(l Lit) bool { return (m>>(max(l, -l)-1)&1 == 1) == (l > 0) }) {
			return true
		}
	}
	return false
}

func holds(clauses [][]Lit, val func(Lit) bool) bool {
	for _, c := range clauses {
		ok := false
		for _, l := range c {
			ok = ok || val(l)
		}
		if !ok {
			return false
		}
	}
	return true
}

func TestRandomIncremental(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	sat, unsat := 0, 0
	for round := 0; round < 60; round++ {
		s := New(Options{})
		n := 3 + rng.Intn(6)
		for i := 0; i < n; i++ {
			s.NewVar()
		}
		var clauses [][]Lit
		for step := 0; step < 8; step++ {
			for i := 0; i < 4; i++ {
				var c []Lit
				for j := 0; j < 3; j++ {
					l := Lit(1 + rng.Intn(n))
					if rng.Intn(2) == 0 {
						l = -l
					}
					c = append(c, l)
				}
				clauses = append(clauses, c)
				s.Add(c...)
			}
			a := Lit(1 + rng.Intn(n))
			s.Assume(a)
			r, err := s.Solve(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want := brute(n, append(clauses[:len(clauses):len(clauses)], []Lit{a}))
			if (r == Sat) != want || r == Unknown {
				t.Fatalf("round %d step %d: %v, want sat=%v", round, step, r, want)
			}
			if r == Sat {
				sat++
				if !holds(clauses, s.Val) || !s.Val(a) {
					t.Fatal("model breaks a clause")
				}
			} else {
				unsat++
				if brute(n, clauses) && !s.Failed(a) {
					t.Fatal("the assumption must have failed")
				}
			}
		}
		s.Close()
	}
	if sat < 50 || unsat < 50 {
		t.Fatalf("lopsided: %d sat, %d unsat", sat, unsat)
	}
}

// pigeons puts n+1 pigeons into n holes: unsatisfiable and hard.
func pigeons(s Sink, n int) {
	v := make([][]Lit, n+1)
	for i := range v {
		for j := 0; j < n; j++ {
			v[i] = append(v[i], s.NewVar())
		}
		s.Add(v[i]...)
	}
	for j := 0; j < n; j++ {
		for i := range v {
			for k := 0; k < i; k++ {
				s.Add(-v[i][j], -v[k][j])
			}
		}
	}
}

func TestCancel(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	pigeons(s, 12)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	r, err := s.Solve(ctx)
	if d := time.Since(start); r != Unknown || err == nil || d > 30*time.Second {
		t.Fatalf("%v, %v after %v", r, err, d)
	}
	s.LimitConflicts(10)
	if r, err := s.Solve(context.Background()); r != Unknown || err != nil {
		t.Fatalf("after a conflict limit: %v, %v", r, err)
	}
}

func TestDIMACS(t *testing.T) {
	var f Formula
	a, b := f.NewVar(), f.NewVar()
	f.Add(a, -b)
	var out bytes.Buffer
	if err := f.WriteDIMACS(&out, b); err != nil {
		t.Fatal(err)
	}
	if want := "p cnf 2 2\n1 -2 0\n2 0\n"; out.String() != want {
		t.Fatalf("got %q", out.String())
	}
}

func TestTee(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	tee := Tee{Solver: s, Formula: &Formula{}}
	pigeons(tee, 3)
	if r, _ := s.Solve(context.Background()); r != Unsat {
		t.Fatal(r)
	}
	if len(tee.Formula.Clauses) != s.Stats().Clauses || tee.Formula.Vars != s.Stats().Vars {
		t.Fatal("the copy differs")
	}
}
