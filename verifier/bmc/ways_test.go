package bmc

import (
	"errors"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestOtherWays: an access that may be past the end and before the start fails in two ways; one that is unsigned, or
// bounded from one side, in one.
func TestOtherWays(t *testing.T) {
	for text, want := range map[string]int{
		"int b[8]; int f(int x) { return b[x]; }":                           2,
		"int f(int x) { int b[4] = {1}; const int *p = b; return p[x]; }":   2,
		"int b[8]; int f(int x) { return x < 8 ? b[x] : 0; }":               1,
		"int b[8]; int f(int x) { return x >= 0 ? b[x] : 0; }":              1,
		"int b[8]; int f(unsigned x) { return b[x]; }":                      1,
		"int b[8]; int f(unsigned x) { return b[x & 7]; }":                  0,
		"int b[8]; int f(int x) { int *p = b + 4; p -= x & 7; return *p; }": 1,
	} {
		p := testprogram.Problem(testprogram.Compile(t, text, "-O0"), "f", verdict.Memory)
		a := problem.NewAnswers()
		if err := (Engine{}).Run(testprogram.Within(t, time.Minute), p, a); err != nil && !errors.Is(err, problem.ErrOpen) {
			t.Errorf("%s: %v", text, err)
		}
		n := 0
		for _, s := range a.AllSettled() {
			if s.Status == verdict.Violated {
				n++
				if s.Other != nil {
					n++
				}
			}
		}
		if n != want {
			t.Errorf("%s: %d findings, want %d", text, n, want)
		}
	}
}
