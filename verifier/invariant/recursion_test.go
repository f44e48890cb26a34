package invariant

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Every assertion here fails in some execution, by what a recursive call changes
// or gives back: nothing may be proved of it.
func TestRecursionMissesNothing(t *testing.T) {
	levels := []string{"-O0", "-O1"}[:testprogram.Sample(2, 1)]
	var count searched
	for name, src := range map[string]string{
		"result":               `int f(int n) { return n > 0 ? f(n - 1) + 1 : 0; } int main(void) { CHECK(f(nondet_int()) < 3); }`,
		"result of the base":   `int f(int n) { if (n == 0) return 7; if (n < 0) return 1; return f(n - 1); } int main(void) { CHECK(f(nondet_int()) == 1); }`,
		"argument":             `void f(int n) { CHECK(n != 3); if (n > 0) f(n - 1); } int main(void) { f(nondet_int()); }`,
		"argument of the last": `void f(int n) { CHECK(n != 0); if (n > 0) f(n - 1); } int main(void) { int n = nondet_int(); if (n > 5) f(n); }`,
		"global":               `int g; void f(int n) { if (n > 0) { f(n - 1); g++; } } int main(void) { f(nondet_int()); CHECK(g < 3); }`,
		"global before":        `int g; void f(int n) { if (n > 0) { g++; f(n - 1); } else CHECK(g < 3); } int main(void) { f(nondet_int()); }`,
		"global between":       `int g; void f(int n) { if (n > 0) { g++; f(n - 1); CHECK(g < 3); g--; } } int main(void) { f(nondet_int()); }`,
		"local of main":        `void f(int *p, int n) { if (n > 0) { f(p, n - 1); *p = n; } } int main(void) { int x = 0; f(&x, nondet_int()); CHECK(x < 2); }`,
		"local of the caller":  `void f(int *p, int n) { int x = n; if (n > 0) { f(&x, n - 1); CHECK(x == n); } if (p) *p = 5; } int main(void) { f(0, nondet_int()); }`,
		"local through a way":  `int *q; void f(int n) { int x = n; if (n > 0) { q = &x; f(n - 1); CHECK(x == n); } else if (q) *q = 9; } int main(void) { f(nondet_int()); }`,
		"heap of the caller":   `void f(int *p, int n) { int *x = malloc(4); *x = n; if (n > 0) { f(x, n - 1); CHECK(*x == n); } if (p) *p = 5; } int main(void) { f(0, nondet_int()); }`,
		"pointer result":       `int a, b; int *f(int n) { return n > 0 ? f(n - 1) : n < 0 ? &a : &b; } int main(void) { a = 1; CHECK(*f(nondet_int()) == 1); }`,
		"pointer moved":        `int a[9], *p = a; void f(int n) { if (n > 0 && p < a + 8) { p++; f(n - 1); } } int main(void) { f(nondet_int()); *p = 1; CHECK(a[4] == 0); }`,
		"pointer to pointer":   `void f(int **p, int *q, int n) { if (n > 0) f(p, q, n - 1); else *p = q; } int main(void) { int x = 0, y = 0, *p = &x; f(&p, &y, nondet_int()); *p = 1; CHECK(y == 0); }`,
		"mutual":               `int g; void h(int n); void f(int n) { if (n > 0) h(n - 1); } void h(int n) { g++; if (n > 0) f(n - 1); } int main(void) { f(nondet_int()); CHECK(g < 3); }`,
		"mutual result":        `int h(int n); int f(int n) { return n > 0 ? h(n - 1) : 1; } int h(int n) { return n > 0 ? f(n - 1) : 2; } int main(void) { CHECK(f(nondet_int()) == 1); }`,
		"nested":               `int g(int n) { return n > 0 ? g(n - 1) + 1 : 0; } int f(int n) { return n > 0 ? f(n - 1) + g(n) : 0; } int main(void) { CHECK(f(nondet_int()) < 4); }`,
		"through each other":   `int k; void f(int n); void g(int n) { k++; if (n > 2) { g(n - 1); f(n - 2); } } void f(int n) { if (n > 0) { g(n - 1); f(n - 1); } } int main(void) { f(nondet_int()); CHECK(k < 6); }`,
		"function pointer":     `int g; void f(int n); void (*p)(int) = f; void f(int n) { if (n > 0) { g++; p(n - 1); } } int main(void) { f(nondet_int()); CHECK(g < 3); }`,
		"in a loop":            `int g; void f(int n) { for (int i = 0; i < n; i++) { g++; f(n - 2); } } int main(void) { f(nondet_int()); CHECK(g < 6); }`,
		"loop around":          `int g; void f(int n) { if (n > 0) f(n - 1); else g++; } int main(void) { while (nondet_int()) f(nondet_int()); CHECK(g < 3); }`,
		"two calls":            `int f(int n) { return n > 1 ? f(n - 1) + f(n - 2) : n; } int main(void) { CHECK(f(nondet_int()) != 5); }`,
		"second call":          `int f(int n) { return n > 0 ? f(n - 1) : n; } int main(void) { int a = f(1), b = f(nondet_int()); CHECK(a == b); }`,
		"of one caller":        `int g; void f(int n) { if (n > 0) { f(n - 1); g = n; } } int main(void) { f(0); f(nondet_int()); CHECK(g == 0); }`,
		"array":                `int a[50]; void f(int i) { if (i < 49) { a[i] = 1; f(i + 1); } } int main(void) { f(0); CHECK(a[49] == 1); }`,
		"array after":          `int a[50]; void f(int i) { if (i < 50) { f(i + 1); a[i] = i; } } int main(void) { f(0); CHECK(a[nondet_uint() % 50] != 31); }`,
		"struct result":        `struct s { int a, b; }; struct s f(int n) { struct s x = {1, 2}; if (n > 0) { x = f(n - 1); x.b++; } return x; } int main(void) { CHECK(f(nondet_int()).b < 5); }`,
		"struct argument":      `struct s { int a[9]; }; int f(struct s x, int n) { x.a[2]++; return n > 0 ? f(x, n - 1) : x.a[2]; } int main(void) { struct s x = {{0}}; CHECK(f(x, nondet_int()) < 4); }`,
		"narrow":               `char f(char n) { return n ? f(n - 1) + 3 : 0; } int main(void) { CHECK(f(nondet_uchar()) != 30); }`,
		"bool":                 `_Bool f(unsigned n) { return n > 1 ? f(n - 2) : n; } int main(void) { CHECK(f(nondet_uint())); }`,
		"static":               `int f(int n) { static int k; k++; if (n > 0) f(n - 1); return k; } int main(void) { CHECK(f(nondet_int()) < 4); }`,
		"memset":               `char a[8]; void f(int n) { if (n > 0) f(n - 1); else memset(a, 1, n & 7); } int main(void) { f(nondet_int()); CHECK(a[1] == 0); }`,
		"ends inside":          `void f(int n) { if (n > 3) { CHECK(0); } f(n + 1); } int main(void) { f(nondet_int()); }`,
		"entry":                `int main(void) { static int n; if (n++ > 3) CHECK(0); return main(); }`,
		"freed":                `int *p; void f(int n) { if (n > 0) f(n - 1); else free(p); } int main(void) { p = malloc(4); *p = 0; f(nondet_int()); int *q = malloc(4); *q = 1; CHECK(*q == 0); }`,
		"input inside": `int f(int n) { return n > 1 ? f(n - 1) + f(n - 2) : nondet_int() & 1; } int main(void)
			{ unsigned n = nondet_uint() % 12; CHECK(f(n) < 100); }`,
		"input at one number": `int f(int n) { return n == 3 && nondet_int() == 77 ? 9 : n > 0 ? f(n - 1) * 2 :
			1; } int main(void) { unsigned n = nondet_uint() % 12; CHECK(f(n) == 1 << n); }`,
		"table of a global": `int k; int f(int n) { return n > 0 ? f(n - 1) + k : 1; } int main(void) { k =
			nondet_int(); CHECK(f(nondet_uint() % 6) < 90); }`,
		"global moves": `int k; int f(int n) { k += 2; return n > 0 ? f(n - 1) + k : 1; } int main(void) { f(2);
			CHECK(f(2) == 24); }`,
		"from which call": `int k; int f(int n) { k++; return n > 0 ? f(n - 1) : k; } int main(void) { int a =
			f(nondet_uint() % 4); CHECK(a == 4 || a < 3); }`,
	} {
		for _, level := range levels {
			proofs, ids := provedAsserts(t, testprogram.Compile(t, src, level), &count)
			if len(ids) > 0 {
				t.Errorf("%s %s: %v are proved by %v", name, level, ids, proofs.Certificate.Detail)
			}
		}
	}
	count.atLeast(t, 70)
}

// Properties of recursion to any depth; each has a twin, one token apart, for which
// that is not so.
// TestRecursionArgumentMoves: a number that a call from within gets anew is no number that stays; taken for one, lemmas about
// elements said that no call returns.
func TestRecursionArgumentMoves(t *testing.T) {
	const src = `unsigned g, h, t[2]; unsigned k(unsigned d, unsigned *p);
unsigned f(unsigned d, unsigned x, unsigned *p) { if (d == 0) return (t[x & 1] + *p) & 7; g = k(d - 1, p); f(d - 1, h + 1, p); return g + 1; }
unsigned k(unsigned d, unsigned *p) { if (d == 0) return d; p = t; g = f(d - 1, g ^ 1, p); return (h + *p) & 7; }
int main(void) { unsigned z = 0; z = f(1, nondet_uint() & 1, &z); CHECK(h == 3); }`
	var count searched
	if proofs, ids := provedAsserts(t, testprogram.Compile(t, src, "-O1"), &count); len(ids) > 0 {
		t.Errorf("%v are proved by %v", ids, proofs.Certificate.Detail)
	}
}

func TestRecursion(t *testing.T) {
	for i, c := range []struct {
		name, src string
		proved    bool
	}{
		{"count", `unsigned f(unsigned n) { return n == 0 ? 0 : f(n - 1) + 1; } int main(void) { unsigned x = nondet_uint(); CHECK(f(x) == x); }`, true},
		{"count bad", `unsigned f(unsigned n) { return n == 0 ? 0 : f(n - 1) + 2; } int main(void) { unsigned x = nondet_uint(); CHECK(f(x) == x); }`, false},
		{"McCarthy", `int f(int x) { return x > 100 ? x - 10 : f(f(x + 11)); } int main(void) { int x = nondet_int(), r = f(x); CHECK(r == 91 || x > 101 && r == x - 10); }`, true},
		{"McCarthy bad", `int f(int x) { return x > 100 ? x - 10 : f(f(x + 12)); } int main(void) { int x = nondet_int(), r = f(x); CHECK(r == 91 || x > 101 && r == x - 10); }`, false},
		{"sum of arguments", `int f(int m, int n) { if (n == 0) return m; if (n > 0) return f(m + 1, n - 1); return f(m - 1, n + 1); } int main(void) { int m = nondet_int(), n = nondet_int(); CHECK(f(m, n) == m + n); }`, true},
		{"sum of arguments bad",
			`int f(int m, int n) { if (n == 0) return m; if (n > 0) return f(m + 1, n - 1); return f(m - 1, n + 1); } int main(void) { int m = nondet_int(), n = nondet_int(); CHECK(f(m, n) == m - n); }`, false},
		{"even and odd", `int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } int main(void) { int n = nondet_int(); if (n < 0) return 0; CHECK(even(n) == (n % 2 == 0)); }`, true},
		{"even and odd bad", `int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 1 ? 0 : even(n - 1); } int main(void) { int n = nondet_int(); if (n < 0) return 0; CHECK(even(n) == (n % 2 == 0)); }`, false},
		{"global restored", `int g; void f(int n) { if (n > 0) { g++; f(n - 1); g--; } } int main(void) { g = nondet_int(); int h = g; f(nondet_int()); CHECK(g == h); }`, true},
		{"global restored bad",
			`int g; void f(int n) { if (n > 0) { g++; f(n - 1); g++; } } int main(void) { g = nondet_int(); int h = g; f(nondet_int()); CHECK(g == h); }`, false},
		{"entry", `void f(int n, int m) { CHECK(n <= m); if (n < m) f(n + 1, m); } int main(void) { int m = nondet_int(); if (m > 7) f(7, m); }`, true},
		{"entry bad", `void f(int n, int m) { CHECK(n < m); if (n < m) f(n + 1, m); } int main(void) { int m = nondet_int(); if (m > 7) f(7, m); }`, false},
		{"array", `int a[100]; void f(int i) { if (i < 100) { a[i] = 7; f(i + 1); } } int main(void) { f(0); CHECK(a[nondet_uint() % 100] == 7); }`, true},
		{"array bad", `int a[100]; void f(int i) { if (i < 100) { a[i] = 7; f(i + 2); } } int main(void) { f(0); CHECK(a[nondet_uint() % 100] == 7); }`, false},
		{"Fibonacci",
			`int f(int n) { return n < 1 ? 0 : n == 1 ? 1 : f(n - 1) + f(n - 2); } int main(void) { int x =
			nondet_int(); if (x > 46 || x < -9) return 0; CHECK(f(x) >= x - 1); }`, true},
		{"Fibonacci bad",
			`int f(int n) { return n < 1 ? 0 : n == 1 ? 1 : f(n - 1) + f(n - 2); } int main(void) { int x =
			nondet_int(); if (x > 47 || x < -9) return 0; CHECK(f(x) >= x - 1); }`, false},
		{"Hanoi",
			`int g; void f(int n, int a, int b, int c) { if (n) { g++; f(n - 1, a, c, b); f(n - 1, c, b, a); } } int
			main(void) { int x = nondet_int(); if (x < 0 || x > 20) return 0; f(x, 1, 2, 3); CHECK(g == (1 << x) -
			1); }`, true},
		{"Hanoi bad",
			`int g; void f(int n, int a, int b, int c) { if (n) { g += a != 3 || n != 9; f(n - 1, a, c, b); f(n - 1,
			c, b, a); } } int main(void) { int x = nondet_int(); if (x < 0 || x > 20) return 0; f(x, 1, 2, 3);
			CHECK(g == (1 << x) - 1); }`, false},
		{"Ackermann",
			`int f(int m, int n) { return m == 0 ? n + 1 : n == 0 ? f(m - 1, 1) : f(m - 1, f(m, n - 1)); } int
			main(void) { unsigned m = nondet_uint(), n = nondet_uint(); if (m < 4 && n < 10) CHECK(f(m, n) > n); }`,
			true},
		{"Ackermann bad",
			`int f(int m, int n) { return m == 0 ? n + 1 : n == 0 ? f(m - 1, 1) : f(m - 1, f(m, n - 1)); } int
			main(void) { unsigned m = nondet_uint(), n = nondet_uint(); if (m < 4 && n < 10) CHECK(f(m, n) != 125);
			}`, false},
		{"own local", `int f(int n) { int x = n; if (n > 0) { f(n - 1); CHECK(x == n); } return 0; } int main(void) { return f(nondet_int()); }`, true},
		{"own local bad", `int f(int n) { static int x; x = n; if (n > 0) { f(n - 1); CHECK(x == n); } return 0; } int main(void) { return f(nondet_int()); }`, false},
	} {
		if !testprogram.Every(i, 2) {
			continue
		}
		limit := 5 * time.Minute // a proof takes seconds
		if !c.proved {
			limit = 2 * time.Second
		}
		ctx, cancel := testprogram.Limit(limit)
		prob := testprogram.Problem(testprogram.Compile(t, c.src, "-O0"), "main", verdict.Assert)
		prob.MallocNeverFails, prob.VolatileMemory = false, true
		p := induct(ctx, prob, false)
		cancel()
		got := false
		if p != nil {
			for id := range p.Holds {
				got = got || strings.HasPrefix(id, "assert@")
			}
		}
		if got != c.proved {
			t.Errorf("%s: proved is %v", c.name, got)
		} else if got && (p.Certificate.Checked == "" || len(p.Certificate.Detail) == 0) {
			t.Errorf("%s: certificate %+v", c.name, p.Certificate)
		}
	}
}

// TestRecursionFrees: a block that each call frees or hands on is freed when the
// outermost one comes back.
func TestRecursionFrees(t *testing.T) {
	for last, want := range map[string]bool{"free(p)": true, "*p = 0": false} {
		src := `void f(int *p, int n) { if (n > 0) f(p, n - 1); else ` + last +
			`; } int main(void) { while (nondet_int()) { int *p = malloc(4); *p = 1; f(p, nondet_int()); } return 0; }`
		prob := volatileMemory(testprogram.Compile(t, src, "-O0"), verdict.Memory, verdict.Free, verdict.Leak)
		prob.Depth = 0
		if p := induct(context.Background(), prob, false); p.All() != want {
			t.Errorf("%s: all proved %v, want %v", last, p.All(), want)
		}
	}
}
