package replay

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Violations after many turns, each with a twin one token away that has none.
func TestLongExecutions(t *testing.T) {
	for _, c := range []struct {
		name, src string
		violated  bool
	}{
		{"a sum", `unsigned n = nondet_uint(), s = 0; for (unsigned i = 0; i < n; i++) s += 2; CHECK(s != 4000);`,
			true},
		{"a sum that is even",
			`unsigned n = nondet_uint(), s = 0; for (unsigned i = 0; i < n; i++) s += 2; CHECK(s != 4001);`,
			false},
		{"a sum of billions, in a call", `unsigned n = nondet_uint(), s = 0; for (unsigned i = 0; i < n; i++) s += 3;
			check(s != 600000000u);`, true},
		{"a sum that a call cannot see", `unsigned n = nondet_uint(), s = 0; for (unsigned i = 0; i < n; i++) s += 4;
			check(s != 600000001u);`, false},
		{"a sum of billions", `unsigned n = nondet_uint(), s = 0; for (unsigned i = 0; i < n; i++) s += 2;
			CHECK(n < 3 || s != 4000000000u);`, true},
		{"a sum of sums", `long n = nondet_int(), s = 0; for (long i = 0; i < n; i++) s += i; CHECK(s != 499500);`,
			true},
		{"the second of two", `int a = nondet_int(), n = nondet_int(), s = 0; if (a != 1) return 0;
			for (int i = 0; i < n; i++) s += 3; CHECK(s != 1200);`, true},
		{"after a wait", `unsigned n = nondet_uint(), s = 0; for (unsigned i = 0; i < n; i++) s += 2; while (nondet_uint()) ;
			CHECK(s != 600);`, true},
		{"as long as it is told", `unsigned k = 0; while (nondet_int()) { k++; CHECK(k != 2000); }`, true},
		{"as long as it is told, and resets",
			`unsigned k = 0; while (nondet_int()) { k++; if (k == 2000) k = 0; CHECK(k != 2000); }`, false},
		{"an index that grows slowly", `char a[20]; unsigned k = 0; while (nondet_int()) { a[k / 100] = 1; k++; }`,
			true},
		{"an index that grows slowly, and ends",
			`char a[20]; unsigned k = 0; while (nondet_int() && k < 2000) { a[k / 100] = 1; k++; }`, false},
		{"what nobody wrote, late", `int c[4000]; for (int i = 0; i < 3999; i++) if (nondet_int() == 0) c[i] = 0;
			CHECK(c[3000] == 0);`, true},
		{"what nobody wrote, but for where it is read",
			`int c[4000]; for (int i = 0; i < 3999; i++) if (nondet_int() == 0) c[i] = 0; c[3000] = 0;
			CHECK(c[3000] == 0);`, false},
		{"what nobody wrote, and is 0", `int c[4000]; for (int i = 0; i < 3999; i++) if (nondet_int() == 0) c[i] = 1;
			CHECK(c[3000] != 0);`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := testprogram.Problem(testprogram.Hosted(t, `static void check(int c) { CHECK(c); }
				int main(void) { `+c.src+` return 0; }`), "main",
				verdict.Assert, verdict.Memory, verdict.Unreachable)
			a := problem.NewAnswers()
			_ = LongExecutions{Steps: 400_000}.Run(context.Background(), p, a)
			got := a.AllSettled()
			if (len(got) > 0) != c.violated {
				t.Fatalf("%d claims settled", len(got))
			}
			for _, s := range got {
				if s.Claim.Status != verdict.Violated || s.Claim.Replay != verdict.Confirmed ||
					len(s.Claim.Trace) == 0 {
					t.Errorf("%+v", s.Claim)
				}
			}
		})
	}
}
