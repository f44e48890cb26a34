package sat

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProof: the proofs of random incremental questions and of a hard one pass the
// check, which knows how many were refuted; without their last derivations they do not.
func TestProof(t *testing.T) {
	path := filepath.Join(t.TempDir(), "proof")
	check := func(text string) (Proved, error) { return CheckProof(context.Background(), strings.NewReader(text)) }
	read := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rng := rand.New(rand.NewSource(7))
	refuted := 0
	for round := 0; round < 30; round++ {
		s := New(Options{Proof: path})
		n := 6 + rng.Intn(30)
		for i := 0; i < n; i++ {
			s.NewVar()
		}
		lit := func() Lit { return Lit(1+rng.Intn(n)) * Lit(1-2*rng.Intn(2)) }
		unsat := 0
		for step := 0; step < 12; step++ {
			for i := 0; i < n/2; i++ {
				s.Add(lit(), lit(), lit())
			}
			s.Assume(lit())
			s.Assume(lit())
			if r, _ := s.Solve(context.Background()); r == Unsat {
				unsat++
			}
		}
		s.Close()
		p, err := check(read())
		if err != nil || p.Refuted != unsat || p.Inputs != 12*(n/2) {
			t.Fatalf("round %d: %+v %v, %d unsatisfiable", round, p, err, unsat)
		}
		refuted += unsat
	}
	if refuted < 60 {
		t.Errorf("only %d refuted", refuted)
	}
	s := New(Options{Proof: path})
	pigeons(s, 6)
	if r, _ := s.Solve(context.Background()); r != Unsat {
		t.Fatal(r)
	}
	s.Close()
	text := read()
	if p, err := check(text); err != nil || p.Refuted != 1 || p.Lemmas < 10 {
		t.Fatalf("%+v %v", p, err)
	}
	var inputs []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(line, "i ") || strings.HasPrefix(line, "u ") {
			inputs = append(inputs, line)
		}
	}
	if p, err := check(strings.Join(inputs, "")); err == nil {
		t.Errorf("a proof without steps passes: %+v", p)
	}
}

func TestProofErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"i 1 2 0\n1 0\n", "line 2: 1 0 does not follow"},
		{"i 1 2 0\ni -1 0\nu 2 0\n", ""},
		{"i 1 2 0\nu -1 0\n", "line 2: u -1 0 does not follow"},
		{"i 1 2 0\ni -1 2 0\n2 0\nd 1 2 0\ni -2 3 0\nu 3 0\n", ""},
		{"i 1 2 0\ni -1 2 0\ni 1 -2 0\nu 0\n", "line 4"},
		{"i 1 2 0\ni -1 2 0\ni 1 -2 0\n1 0\ni -1 -2 0\nu 0\n", ""},
		{"i 1 x 0\n", "line 1"},
		{"i 1 2\n", "does not end with 0"},
		{"u 1 0\ni 1 0\n", "line 1"},
	} {
		_, err := CheckProof(context.Background(), strings.NewReader(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
