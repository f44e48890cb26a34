package verifier

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Loops over elements at places that are not constant. Each that ends has a twin
// one token away that need not.
func TestTerminationOfArrays(t *testing.T) {
	const fill = `int a[100]; int main(void) { int i = nondet_int(), j = nondet_int(); if (i < 1 || i >= 99 || j < 1 || j >= 99) return 0; for (int k = 0; k < 100; k++) a[k] = nondet_int(); `
	for _, c := range []struct {
		name, src string
		proved    bool
	}{
		{"count down", fill + `while (a[i] > 0) a[i]--; return 0; }`, true},
		{"count another down", fill + `while (a[i] > 0) a[j]--; return 0; }`, false},
		{"count each down", fill + `for (int k = 0; k < 100; k++) while (a[k] > 0) a[k]--; return 0; }`, true},
		{"count the next down", fill + `for (int k = 0; k < 99; k++) while (a[k] > 0) a[k + 1]--; return 0; }`, false},
		{"write beside", fill + `while (a[i] > 0) { a[i]--; a[i + 1] = 9; } return 0; }`, true},
		{"write over it", fill + `while (a[i] > 0) { a[i]--; a[i + 0] = 9; } return 0; }`, false},
		{"write over it perhaps", fill + `while (a[i] > 0) { a[i]--; a[j] = 9; } return 0; }`, false},
		{"a constant place", fill + `while (a[3] >= 0) a[3] = a[2 + 1] - 1; return 0; }`, true},
		{"another constant place", fill + `while (a[3] >= 0) a[3] = a[2 + 2] - 1; return 0; }`, false},
		{"lexicographic", fill + `while (i < 100 && a[i] >= 0) if (nondet_int()) i++; else a[i]--; return 0; }`, true},
		{"lexicographic, reset",
			fill + `while (i < 100 && a[i] >= 0) if (nondet_int()) i++; else { a[i]--; i = j; } return 0; }`, false},
		{"through a pointer that walks",
			fill + `int *p = a; while (p < a + 100 && *p >= 0) if (nondet_int()) p++; else (*p)--; return 0; }`, true},
		{"through a pointer that walks back",
			fill + `int *p = a + 1; while (p < a + 100 && *p >= 0) if (nondet_int()) p++; else (*--p)--; return 0; }`,
			false},
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
