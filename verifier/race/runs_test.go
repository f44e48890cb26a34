package race

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestProvesNothingByAbsence: a check is proved for the engines of whole runs where every claim of it that the program has
// is named as proved, or as one that nothing comes to.
func TestProvesNothingByAbsence(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { int x = nondet_int(); if (x < 9) x = x + 1; return x > 3 ? x - 1 : 0; }`,
		"-O0")
	p := testprogram.Problem(m, "main", verdict.SignedOverflow, verdict.Assert)
	all := p.ListClaims()
	if len(all) != 2 {
		t.Fatalf("%d claims", len(all))
	}
	status := func(list ...verdict.Status) (out []verdict.Claim) {
		for i, s := range list {
			out = append(out, all[i])
			out[i].Status = s
		}
		return out
	}
	complete := problem.NewAnswers()
	complete.SetUnwinding(&problem.Unwinding{Complete: true})
	behind := problem.NewAnswers()
	behind.AddProofs(problem.NewProofs(all[:1], all))
	for i, c := range []struct {
		claims []verdict.Claim
		found  *problem.Answers
		want   bool
	}{
		{status(verdict.Proved, verdict.Proved), nil, true},
		{status(verdict.Proved, verdict.Unknown), complete, false},
		{status(verdict.Proved), nil, false},
		{status(verdict.Proved), problem.NewAnswers(), false},
		{status(verdict.Proved), complete, true},
		{status(verdict.Proved), behind, true},
		{nil, behind, false},
	} {
		r := &runsQuestion{p: p, paths: &verdict.Result{Claims: c.claims}, pathsDone: make(chan struct{})}
		if c.found != nil {
			r.never = neverReached(c.found)
		}
		close(r.pathsDone)
		if got := r.proves(t.Context(), verdict.SignedOverflow); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
