package replay_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestClaims: the claim that an execution violates is the same whether those of its function were listed before or not,
// in two programs that ask for different checks.
func TestClaims(t *testing.T) {
	m := testprogram.Compile(t, `static unsigned low(unsigned n) {
  CHECK(n != 1);
  CHECK(n != 2);
  return 8 / (n - 3);
}
int main(void) {
  unsigned n = nondet_uint(), a[8] = {0};
  if (n < 4) return low(n);
  return a[n];
}`, "-O0")
	all := testprogram.Problem(m, "main", verdict.Assert, verdict.DivByZero, verdict.Memory)
	few := testprogram.Problem(m, "main", verdict.Assert)
	claims, found := replay.Claims{}, map[string]bool{}
	for _, p := range []*problem.Problem{all, few, all} {
		for n := range int64(10) {
			out, err := interp.Run(t.Context(), m, p.Execution(1000), &testprogram.Inputs{List: []int64{n}})
			if err != nil {
				t.Fatal(err)
			}
			_, want, fails := replay.Violated(p, out)
			_, id, is := claims.Violated(p, out)
			if id != want || is != fails {
				t.Errorf("%d: %q %t, want %q %t", n, id, is, want, fails)
			}
			if fails {
				found[id] = true
			}
		}
	}
	if len(found) != 4 {
		t.Errorf("%d claims are violated: %v", len(found), found)
	}
}
