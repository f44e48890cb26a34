package bmc

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestUnguarded: a violation is one without earlier claims, too, and where all of those
// hold, it is the same; both proved by the solver, some claims being violated.
func TestUnguarded(t *testing.T) {
	differ := 0
	for name, src := range map[string]string{
		"branches": `int main(void) { int a[4] = {0}, i = nondet_int(), j = nondet_uchar(); if (i > 0) { a[i] = j; if (j > 9) CHECK(i < 3); } else if (j < 4) a[j] = i; else CHECK(j != 77);
 CHECK(i + j > 3); return a[i & 3] / (j - 5); }`,
		"loop":  `int main(void) { int s = nondet_int(), n = nondet_uchar() & 3; for (int i = 0; i < n; i++) { s += i; CHECK(s != 5); if (s == nondet_int()) break; s = s * 2; } CHECK(s > n); return s; }`,
		"calls": `static int f(int *p, int n) { if (!p) return 1; if (n < 0) return *p / n; *p = n; return 8 / n; } int main(void) { int x = 0, n = nondet_int(); int r = f(nondet_int() ? &x : 0, n); CHECK(r != 4); r = f(&x, r); CHECK(x < 9); return r; }`,
		"early": `int main(void) { int n = nondet_int(); switch (n) { case 1: CHECK(nondet_int() < 5); break; case 2: return 0; default: if (n < 0) return 1; CHECK(n != 8); } CHECK(n < 100); return 100 / (n - 1); }`,
	} {
		s := ilr.NewStore(nil)
		m := testprogram.Compile(t, src, "-O0")
		f, err := encode.Encode(context.Background(), m, m.Func("main"), s,
			encode.Options{Checks: verdict.DefaultChecks(), Unwind: 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		own := solve.New(s, solve.Options{})
		defer own.Close()
		for _, a := range f.Assumptions {
			own.Assert(a)
		}
		never := func(c *encode.Claim, what string, terms ...ilr.Term) {
			if a, err := own.Check(context.Background(), terms...); a != solve.Unsat {
				t.Errorf("%s: %s %s: %s: %v %v", name, c.ID, c.Pos, what, a, err)
			}
		}
		before := s.True()
		for i := range f.Claims {
			c := &f.Claims[i]
			never(c, "violated, but not unguarded", c.Violated, s.Not(c.Unguarded))
			never(c, "not the same where earlier ones hold", before, c.Unguarded, s.Not(c.Violated))
			before = s.And(before, s.Not(c.Unguarded))
			if c.Unguarded != c.Violated {
				differ++
			}
		}
	}
	if differ < 20 {
		t.Errorf("alone and after the others is different for %d claims", differ)
	}
}
