package race

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestInputCases: a program that lets only few values of an input through is proved by them, if each of them and all
// others are.
func TestInputCases(t *testing.T) {
	for name, c := range map[string]struct {
		src    string
		proved bool
	}{
		"steps": {`int main(void) { int i, k = nondet_int(); if (!(0 <= k && k <= 10)) return 0;
			for (i = 0; i < 100000 * k; i += k) ; CHECK(i == 100000 * k); }`, true},
		"steps, too short a range": {`int main(void) { int i, k = nondet_int(); if (!(0 <= k && k <= 10)) return 0;
			for (i = 0; i < 100000 * k; i += k) ; CHECK(i == 100000 * k && k < 10); }`, false},
		"steps, and one value more": {`int main(void) { int i, k = nondet_int(); if (k < 0 || k == 11 || k > 12) return 0;
			for (i = 0; i < 100000 * k; i += k) ; CHECK(i == 100000 * k && k != 12); }`, false},
		"steps, any at all": {`int main(void) { int i = 0, k = nondet_int(); if (0 <= k && k <= 10) return 0;
			CHECK(k != 11); }`, false},
		"read again": {`int main(void) { int i = 0, k; do { k = nondet_int(); if (k < 1 || k > 3) return 0;
			CHECK(k >= i); i = k; } while (1); }`, false},
		"read in a call": {`static int get(void) { return nondet_int(); }
			int main(void) { int k = get(), l = get(); if (k < 1 || k > 3 || l < 1 || l > 3) return 0; CHECK(k == l); }`,
			false},
		"a sign": {`int main(void) { unsigned k = nondet_uint(); if (k - 1u > 3) return 0; if (k < 2) return 0;
			CHECK(k != 3); }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testprogram.Problem(testprogram.Hosted(t, c.src), "main", verdict.Assert)
			ctx, cancel := testprogram.Limit(time.Minute)
			defer cancel()
			a := problem.NewAnswers()
			err := inputCases{}.Run(ctx, p, a)
			if (err == nil) != c.proved || a.Proofs().All() != c.proved || a.AnySettled() {
				t.Errorf("%v, proofs %+v", err, a.Proofs())
			}
		})
	}
}
