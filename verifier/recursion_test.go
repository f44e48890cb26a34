package verifier

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// What a recursive function gives back decides whether these end. Each that does
// has a twin one token away that does not.
func TestTerminationByResults(t *testing.T) {
	for _, c := range []struct {
		name, src string
		proved    bool
	}{
		{"McCarthy", `int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); } int main(void) { f(nondet_int()); return 0; }`, true},
		{"McCarthy, one less",
			`int f(int n) { return n > 100 ? n - 10 : f(f(n + 10)); } int main(void) { f(nondet_int()); return 0; }`,
			false},
		{"nested", `int f(int n) { return n <= 0 ? 1 : f(f(n - 1) - 1); } int main(void) { f(nondet_int()); return 0; }`, true},
		{"nested, without the step",
			`int f(int n) { return n <= 0 ? 1 : f(f(n - 1) - 0); } int main(void) { f(nondet_int()); return 0; }`,
			false},
		{"positive", `int f(int n) { return n <= 0 ? 1 : f(n - 1); } int main(void) { int x = nondet_int(); while (x > 0) x -= f(x); return 0; }`, true},
		{"not negative", `int f(int n) { return n <= 0 ? 0 : f(n - 1); } int main(void) { int x = nondet_int(); while (x > 0) x -= f(x); return 0; }`, false},
		{"of a path without recursion",
			`int f(int n) { if (n == 0) return 0; return f(n - 1) | 0x7fffffff & 1; } int main(void) { int x = nondet_int(); if (x <= 0 || x > 9) return 0; while (f(0) != 0) ; return 0; }`, true},
		{"a global written below",
			`int g; int f(int n) { g = 5; return n <= 0 ? 0 : f(n - 1); } int main(void) { g = 1; f(nondet_int()); while (g > 3) ; return 0; }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := terminationOf(t, c.src, "", c.proved)
			if c.proved != (got.Status == verdict.Proved) {
				t.Errorf("%s, want proved: %t\n%v\n%s", got.Status, c.proved, got.Certificate, got.Message)
			}
		})
	}
}
