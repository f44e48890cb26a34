package interp_test

import (
	"reflect"
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestFacts: runs that share what is known of their program end as runs that do not, one after the other, those of
// another program between them, and where a call leaves without a value what an earlier one computed.
func TestFacts(t *testing.T) {
	one := testprogram.Compile(t, `
static unsigned down(unsigned n) {
  volatile unsigned kept = n;
  unsigned sum;
  if (n > 6) sum = n;
  { unsigned inner[2] = {n, 1}; sum += inner[n & 1]; }
  return n ? down(n - 1) + kept : sum;
}
int main(void) {
  unsigned n = nondet_uint();
  unsigned a[8] = {0};
  CHECK(n < 12);
  return a[n] + (int)down(n);
}`, "-O0")
	other := testprogram.Compile(t, "static int f(int x) { return 100 / x; }\nint main(void) { return f(nondet_uint()); }\n", "-O0")
	facts := interp.NewFacts(one)
	for _, n := range []int64{0, 3, 7, 8, 5, 12, 0, 7} {
		for i, m := range []string{"one", "other"} {
			p := testprogram.Problem(one, "main", verdict.Memory, verdict.Assert, verdict.DivByZero, verdict.Uninitialised)
			if i == 1 {
				p = testprogram.Problem(other, "main", verdict.Memory, verdict.Assert, verdict.DivByZero, verdict.Uninitialised)
			}
			run := func(shared *interp.Facts) *interp.Outcome {
				p.Facts = shared
				out, err := interp.Run(t.Context(), p.Module, p.Execution(10_000), &testprogram.Inputs{List: []int64{n}})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			if alone, shared := run(nil), run(facts); !reflect.DeepEqual(alone, shared) {
				t.Errorf("%s, %d: %v alone, %v with what is known", m, n, alone, shared)
			}
		}
	}
}
