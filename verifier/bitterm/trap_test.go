package bitterm

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Loops that lemmas show never to be left, each with a twin that ends after more turns than executions are followed for.
func TestTraps(t *testing.T) {
	for _, c := range []struct {
		name, src string
		endless   bool
	}{
		{"numbers in step", `unsigned s = 0, x = 0; while (s == 2 * x || s == 0) s += 2, x++; return 0;`, true},
		{"numbers out of step late",
			`unsigned s = 0, x = 0; while (s == 2 * x) { s += 2, x++; if (x == 100000) s = 1; } return 0;`, false},
		{"products that stay", `unsigned a = nondet_uint(), b = nondet_uint(), x = a, v = 0;
			if (a < 1 || b < 1 || a > 65535 || b > 65535) return 0;
			while (x * b + b * v == a * b) { x -= b; v += b; } return 0;`, true},
		{"products that stay for long", `unsigned a = nondet_uint(), b = nondet_uint(), x = a, v = 0, n = 0;
			if (a < 1 || b < 1 || a > 65535 || b > 65535) return 0;
			while (x * b + b * v == a * b) { x -= b; v += b; if (++n == 100000) v++; } return 0;`, false},
		{"squares by sums", `unsigned n = 0, q = 0; while (q == n * n) { q += 2 * n + 1; n++; } return 0;`, true},
		{"squares by sums, but one",
			`unsigned n = 0, q = 0; while (q == n * n) { q += 2 * n + (n != 70000); n++; } return 0;`, false},
		{"by undefined reads", `int a[4] = {0}; unsigned s = 0, x = 0;
			while (s == 2 * x) { s += 2, x++; a[x < 100000 ? 0 : 5] = 1; } return 0;`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claim, ok := settledBy(t, Traps{}, `int main(void) { `+c.src+` }`)
			if ok != c.endless {
				t.Fatalf("endless %v, want %v: %+v", ok, c.endless, claim.Certificate)
			}
			if ok && (claim.Status != verdict.Violated || claim.Replay != verdict.Confirmed ||
				claim.Certificate.Checked == "") {
				t.Errorf("%+v", claim)
			}
		})
	}
}
