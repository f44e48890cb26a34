package verifier

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// limitFor returns the time for a question: a search for what there is not ends with its time.
func limitFor(settled bool) time.Duration {
	if settled {
		return 5 * time.Minute
	}
	return 4 * time.Second
}

// terminationOf asks whether src ends; settled says that this is known to be found out.
func terminationOf(t *testing.T, src, integers string, settled bool) *verdict.Claim {
	t.Helper()
	ctx, cancel := testprogram.Limit(limitFor(settled))
	defer cancel()
	res := Run(ctx, testprogram.Hosted(t, src), Plan{Target: "x86_64", Entry: "main",
		Checks: verdict.CheckSet{verdict.Termination: true}, Integers: integers,
		Semantics: ir.Semantics{MallocNeverFails: true}})
	if len(res.Claims) != 1 {
		t.Fatalf("claims %+v, reason %v", res.Claims, res.Reason)
	}
	return &res.Claims[0]
}

// TestProvedBeyondTheBound: what is proved beyond the bound of the rounds is not said to be never reached.
func TestProvedBeyondTheBound(t *testing.T) {
	m := testprogram.Hosted(t, `static unsigned step(unsigned z) { return z + 2; }
int a[4];
int main(void) {
	unsigned x = nondet_uint() & 1;
	while (x < 0x0fffffff) x = step(x);
	return a[x & 3];
}`)
	res := Run(testprogram.Within(t, time.Minute), m, Plan{Target: "x86_64", Entry: "main", Checks: verdict.CheckSet{
		verdict.Memory: true}})
	at := map[int][]string{}
	for _, c := range res.Claims {
		if c.Status != verdict.Proved {
			t.Errorf("%+v", c)
		}
		at[c.Pos.Line] = append(at[c.Pos.Line], c.Message)
	}
	if got := at[testprogram.HeaderLines+6]; !slices.Contains(got, "read is valid") || slices.Contains(got, encode.NeverReached) {
		t.Errorf("the program ends there: %q", got)
	}
}

// Each program that ends has a twin that differs in one token and does not.
func TestTermination(t *testing.T) {
	for _, c := range []struct {
		name, src, integers string
		want                verdict.Status
	}{
		{"countdown", `int main(void) { int x = nondet_int(), y = nondet_int(); if (y <= 0) return 0; while (x > 0) x -= y; return 0; }`, "", verdict.Proved},
		{"countdown by nothing",
			`int main(void) { int x = nondet_int(), y = nondet_int(); if (y < 0) return 0; while (x > 0) x -= y; return 0; }`, "", verdict.Violated},
		// Hensel et al., Fig. 1: f ends for bounded integers only when n is not the greatest
		{"unsigned below", `int main(void) { unsigned j = 0, n = nondet_uint(); while (j < n) j++; return 0; }`, "",
			verdict.Proved},
		{"unsigned up to", `int main(void) { unsigned j = 0, n = nondet_uint(); while (j <= n) j++; return 0; }`,
			"unbounded", verdict.Proved},
		{"a byte wraps", `int main(void) { unsigned char j = 0; unsigned n = nondet_uint(); while (j <= n) j++; return 0; }`, "", verdict.Violated},
		{"wraps to zero", `int main(void) { unsigned x = nondet_uint(); while (x != 0) x++; return 0; }`, "",
			verdict.Proved},
		{"steps over zero", `int main(void) { unsigned char x = nondet_uint(); while (x != 0) x += 2; return 0; }`, "",
			verdict.Violated},
		{"nested", `int main(void) { int n = nondet_int(); for (int i = 0; i < n; i++) for (int j = i; j < n; j++) ; return 0; }`, "", verdict.Proved},
		{"nested, resets", `int main(void) { int n = nondet_int(); for (int i = 0; i < n; i++) for (int j = i; j < n; j++) i = 0; return 0; }`, "", verdict.Violated},
		{"call", `static int dec(int x) { return x - 1; } int main(void) { int x = nondet_int(); while (x > 0) x = dec(x); return 0; }`, "", verdict.Proved},
		{"call that keeps", `static int dec(int x) { return x - 0; } int main(void) { int x = nondet_int(); while (x > 0) x = dec(x); return 0; }`, "", verdict.Violated},
		{"through pointers", `static void dec(int *x) { *x = *x - 1; } int main(void) { int *p = malloc(sizeof *p); *p = nondet_int(); while (*p > 0) dec(p); free(p); return 0; }`, "", verdict.Proved},
		{"another pointer", `static void dec(int *x) { *x = *x - 1; } int main(void) { int *p = malloc(sizeof *p), *q = malloc(sizeof *q); *p = *q = 1; while (*p > 0) dec(q), *q = 5; return 0; }`, "", verdict.Violated},
		{"global", `int g; static void step(void) { g++; } int main(void) { while (g < 100) step(); return 0; }`, "",
			verdict.Proved},
		{"volatile", `volatile int g; int main(void) { while (g < 100) ; return 0; }`, "", verdict.Violated},
		{"halving", `int main(void) { unsigned x = nondet_uint(); while (x > 0) x >>= 1; return 0; }`, "",
			verdict.Proved},
		{"halving to one", `int main(void) { unsigned x = nondet_uint(); while (x >= 0) x >>= 1; return 0; }`, "",
			verdict.Violated},
		{"recursion", `static int f(int n) { if (n <= 0) return 0; return n + f(n - 1); } int main(void) { return f(nondet_int()) == 3; }`, "", verdict.Proved},
		{"recursion without overflow",
			`static int f(int n) { if (n <= 0) return 0; return f(n - 1); } int main(void) { return f(nondet_int()) == 3; }`, "", verdict.Proved},
		{"recursion for ever",
			`static int f(int n) { if (n <= 0) return 0; return f(n - 0); } int main(void) { return f(nondet_int()) == 3; }`, "", verdict.Violated},
		{"mutual recursion", `static int odd(unsigned); static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); } static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); } int main(void) { return even(nondet_uint()); }`, "", verdict.Proved},
		{"recursion that writes a global",
			`int g; static void f(int n) { g = n; if (n > 0) f(n - 1); } int main(void) { int k = nondet_int(); g = 9; f(k); while (g > 5) ; return 0; }`, "", verdict.Proved},
		{"recursion that writes a global on its way back",
			`int g; static void f(int n) { if (n > 0) f(n - 1); g = n; } int main(void) { int k = nondet_int(); f(k); while (g > 5) ; return 0; }`, "", verdict.Violated},
		{"counter that nobody reads",
			`int main(void) { unsigned i = 0, n = nondet_uint(); while (n < 7) i += 3; return i; }`, "",
			verdict.Violated},
		{"counter that ends it",
			`int main(void) { unsigned i = 0, n = nondet_uint(); while (i < 7) i += 3; return i; }`, "",
			verdict.Proved},
		{"no overflow ends it", `int main(void) { int i = 0; while (1) i++; return 0; }`, "", verdict.Violated},
		{"switch", `int main(void) { int s = nondet_int(), n = 10; while (n > 0) switch (s) { case 1: s = 2; break; case 2: s = 3; break; default: n--; s = 1; } return 0; }`, "", verdict.Proved},
		{"switch, forgets", `int main(void) { int s = nondet_int(), n = 10; while (n > 0) switch (s) { case 1: s = 2; break; case 2: s = 1; break; default: n--; s = 1; } return 0; }`, "", verdict.Violated},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := terminationOf(t, c.src, c.integers, c.want != verdict.Unknown)
			if got.Status != c.want {
				t.Fatalf("%s, want %s: %s %v %+v", got.Status, c.want, got.Message, got.Reason, got.Certificate)
			}
			if got.Status == verdict.Unknown {
				return
			}
			if got.Certificate == nil || got.Certificate.Checked == "" {
				t.Fatalf("%s without a checked certificate: %+v", got.Status, got)
			}
			if got.Status == verdict.Violated && c.integers == "" && got.Replay != verdict.Confirmed {
				t.Fatalf("replay %s", got.Replay)
			}
		})
	}
}

// A loop that is not understood stays unknown, with a reason.
func TestTerminationUnknown(t *testing.T) {
	for name, src := range map[string]string{
		"no body":           `void other(void); int main(void) { int x = nondet_int(); while (x > 0) { other(); x--; } return 0; }`,
		"through a pointer": `int main(void) { int x = nondet_int(); int *p = (int *)(long)nondet_int(); int *q = &x; *(int **)p = 0; while (*q > 0) { (*q)--; *p = 7; } return 0; }`,
	} {
		if got := terminationOf(t, src, "", false); got.Status != verdict.Unknown || got.Reason == nil {
			t.Errorf("%s: %s %v", name, got.Status, got.Reason)
		}
	}
}

// The bound of a loop is a term over the entry's parameters.
func TestComplexity(t *testing.T) {
	m := testprogram.Hosted(t,
		`int f(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s ^= j; return s; }`)
	ctx, cancel := testprogram.Limit(5 * time.Minute)
	defer cancel()
	res := Run(ctx, m, Plan{Target: "x86_64", Entry: "f", Checks: verdict.CheckSet{verdict.ComplexityBound: true}})
	if res.Complexity == nil || res.Complexity.Class != "O(n^2)" {
		t.Fatalf("%+v %+v", res.Complexity, res.Claims)
	}
}

// Dumps of one program are the same each time: the graph before the system.
func TestDumpsAreDeterministic(t *testing.T) {
	m := testprogram.Hosted(t,
		`int a[4]; int main(void) { int x = nondet_int(), y = nondet_int(), *p = malloc(8); p[0] = x; p[1] = y; while (p[0] > 0) { p[0]--; a[1] = p[1]; for (int i = 0; i < a[1]; i++) y++; } return y; }`)
	dump := func() string {
		var all string
		Run(context.Background(), m, Plan{Target: "x86_64", Entry: "main",
			Checks: verdict.CheckSet{verdict.Termination: true}, Semantics: ir.Semantics{MallocNeverFails: true},
			Dumps: map[string]bool{"seg": true, "its": true}, Dump: func(stage, text string) {
				all += "== " + stage +
					"\n" + text
			}})
		return all
	}
	first := dump()
	if !strings.HasPrefix(first, "== seg\ndigraph") || !strings.Contains(first, "== its\n") {
		t.Fatalf("dumps:\n%s", first)
	}
	for n := 0; n < 5; n++ {
		if again := dump(); again != first {
			t.Fatalf("dump %d differs:\n%s\n---\n%s", n, first, again)
		}
	}
}

// Signed overflow ends no loop. A proof needs that there is none, or that it does
// not matter; a run that never ends must do so whatever the overflow does.
func TestTerminationAndOverflow(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      verdict.Status
	}{
		{"none: a difference is bounded",
			`int main(void) { int x = nondet_int(), y = nondet_int(), n = 0; if (y <= 0) return 0; while (x >= y) { int z = y; while (z > 0) { z--; x--; } n++; } return n; }`, verdict.Proved},
		{"some: below the difference",
			`int main(void) { int x = nondet_int(), y = nondet_int(), n = 0; if (y <= 0) return 0; while (x <= y) { int z = y; while (z > 0) { z--; x--; } n++; } return n; }`, verdict.Unknown},
		{"of a counter nobody reads", `int main(void) { int i = 0; for (;;) i++; return 0; }`, verdict.Violated},
		{"of the counter that ends it, by wrapping", `int main(void) { int i = 0; for (; i >= 0;) i++; return 0; }`,
			verdict.Proved},
		{"of the counter that would go on",
			`int main(void) { int i = 0, n = nondet_int(); for (; i <= n;) i++; return 0; }`, verdict.Unknown},
		{"of no shift", `int main(void) { int n = nondet_int(), i = 1; if (n > 1000) return 0; while (i <= n) i <<= 1; return 0; }`, verdict.Proved},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := terminationOf(t, c.src, "", c.want != verdict.Unknown); got.Status != c.want {
				t.Errorf("%s, want %s\n%v %v", got.Status, c.want, got.Reason, got.Certificate)
			}
		})
	}
}
