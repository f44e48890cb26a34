package graphterm

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// sharing returns an engine for a program that has shared functions, with the hole filled.
func sharing(t *testing.T, src, hole, entry string, checks ...verdict.Check) (context.Context, *engine) {
	t.Helper()
	m := testprogram.Hosted(t, strings.ReplaceAll(src, "@", hole))
	ctx, e := testprogram.Within(t, time.Minute),
		&engine{p: testprogram.Problem(m, entry, checks...), a: problem.NewAnswers()}
	if len(seg.Shared(e.p.Entry)) == 0 {
		t.Fatal("no function is shared")
	}
	return ctx, e
}

// Functions that are called from many places are proved to end on one graph for all of their calls. Each program has a
// twin, with the second text at the hole, in which one call does not come back, or a loop rests on what another one
// leaves behind.
func TestSharedTermination(t *testing.T) {
	for _, c := range []struct{ name, src, good, bad string }{
		{"one caller's step", `void down(int n, int s) { while (n > 0) n -= s; }
			int main(void) { down(8, 2); down(6, 3); down(4, 1); down(9, @); return 0; }`, "1", "0"},
		{"what a callee writes", `int g; void set(int n, int v) { while (n > 0) n--; g = v; }
			int main(void) { set(1, 2); set(2, 3); set(3, @); while (g == 0) ; return 0; }`, "1", "0"},
		{"through a helper", `void a(int n, int s) { while (n > 0) n -= s; }
			void b(int n, int s) { a(n, s); a(n - 1, s); a(n - 2, 2); }
			int main(void) { b(8, 2); b(6, 3); b(4, 1); b(9, @); return 0; }`, "1", "0"},
		{"the result", `int less(int n) { int m = n; while (m > 3) m -= 2; return m < n ? m : n - 1 @; }
			int main(void) { int n = nondet_int() & 255; less(3); less(5); while (n > 0) n = less(n); return 0; }`,
			"", "+ 1"},
	} {
		for _, hole := range []string{c.good, c.bad} {
			ctx, e := sharing(t, c.src, hole, "main")
			claim, g := e.terminationModularly(ctx)
			if got, want := claim.Status == verdict.Proved, hole == c.good; got != want {
				t.Errorf("%s with %q: %v", c.name, hole, claim.Status)
			} else if got && (!g.Modular || g.Recursive) {
				t.Errorf("%s: modular %v, recursive %v", c.name, g.Modular, g.Recursive)
			}
		}
	}
}

// Safety of callers and callees on the modular graph. Each program has a twin that is undefined in some run.
func TestSharedSafety(t *testing.T) {
	for _, c := range []struct{ name, src, good, bad string }{
		{"a block is filled", `void *calloc(unsigned long, unsigned long);
			void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 1; }
			int main(void) { int n = 3 + (nondet_int() & 255); char *p = calloc(n, 1);
			fill(p, n); fill(p, n - 1); fill(p, @); free(p); return 0; }`, "n", "n + 1"},
		{"an index is returned", `void *calloc(unsigned long, unsigned long);
			int within(int n) { while (n > 3) n -= 4; return n < 0 ? 0 : n; }
			int main(void) { int x = nondet_int(); char *p = calloc(@, 1);
			p[within(x)] = 1; p[within(7)] = 1; p[within(-1)] = 1; free(p); return 0; }`, "4", "3"},
	} {
		for _, hole := range []string{c.good, c.bad} {
			ctx, e := sharing(t, c.src, hole, "main", verdict.Memory, verdict.Leak)
			if _, err := e.safety(ctx, &certificate.Safe{Modular: true}); err != nil {
				t.Fatal(err)
			}
			if got, want := e.a.Proofs().All(), hole == c.good; got != want {
				t.Errorf("%s with %q: all claims proved %v", c.name, hole, got)
			}
		}
	}
}

// A bound of the modular graph is above what runs execute (countedRuns), and costs of all calls count.
func TestSharedBounds(t *testing.T) {
	ctx, e := sharing(t, `int g(int n) { int k = 0; while (n-- > 0) k ^= n; return k; }
		int f(int a) { return g(a) ^ g(a / 2) ^ g(a + 3) ^ g(7); }`, "", "f")
	claim, why := e.complexityModularly(ctx, nil)
	if claim.Status != verdict.Proved || e.a.Complexity().Class == "" {
		t.Fatalf("%+v %v", claim, why)
	}
	if runs := e.a.Complexity().Runs; len(runs) == 0 {
		t.Error("no run was counted")
	}
}

// Random programs whose functions are called with the addresses of several variables and write them: no run breaks what
// the modular graph proves of them, and none goes on where it says that all end.
func TestSharedAgainstRuns(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	pick := func(of ...string) string { return of[r.Intn(len(of))] }
	ended, safe := 0, 0
	n := testprogram.Sample(60, 10)
	for range n {
		src := fmt.Sprintf(`int g; int *q; int h(int *p, int n) { int k = 0; while (n > 0) { n -= %s; %s; k++; } %s; return k; }
			int main(void) { int a[4] = {1, 2, 3, 1}, b = 1, x = nondet_int() & 7, y = 1; q = &b;`,
			pick("1", "1", "2", "p[0]", "(g < 2)"), pick("", "*p = n", "g = k", "if (k > 5) *p = 1"),
			pick("", "*p = n + 1", "g++", "if (n < 0) *p = k", "q = p", "*q = 2"))
		for range 4 {
			src += fmt.Sprintf(" %s h(%s, %s); %s;", pick("", "y =", "x ="), pick("a", "&a[1]", "&b", "&g", "q"),
				pick("3", "x", "b", "g", "a[0]"),
				pick("", "", "while (b == 0) ;", "while (g > 3) ;", "a[b] = 1", "a[g] = 1", "x = 8 / b"))
		}
		m := testprogram.Hosted(t, src+" return a[y]; }")
		ctx, cancel := testprogram.Limit(time.Minute)
		p := testprogram.Problem(m, "main", verdict.Memory, verdict.DivByZero)
		e := &engine{p: p, a: problem.NewAnswers()}
		if len(seg.Shared(p.Entry)) == 0 {
			t.Fatal("no function is shared")
		}
		if _, err := e.safety(ctx, &certificate.Safe{Modular: true}); err != nil {
			t.Fatal(err)
		}
		claim, _ := e.terminationModularly(ctx)
		proofs := e.a.Proofs()
		if claim.Status == verdict.Proved {
			ended++
		}
		if proofs.All() {
			safe++
		}
		for seed := range int64(12) {
			if id, _ := broken(ctx, t, p, proofs, seed); id != "" {
				t.Errorf("%s\nproved, and broken by run %d: %s", src, seed, id)
			}
			out, err := interp.Run(ctx, m, p.Execution(20_000), dice{rand.New(rand.NewSource(seed))})
			if err != nil {
				t.Fatal(err)
			}
			if claim.Status == verdict.Proved && out.Kind != interp.Returned && out.Kind != interp.Violation {
				t.Errorf("%s\nproved to end, and run %d says %v", src, seed, out)
			}
		}
		cancel()
	}
	if ended < n/6 || n > 24 && safe == 0 { // few are safe
		t.Errorf("only %d of the programs are proved to end, %d to be safe", ended, safe)
	}
}
