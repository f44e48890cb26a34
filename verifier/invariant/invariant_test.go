package invariant

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// volatileMemory asks checks of main, where volatile objects behave like memory.
func volatileMemory(m *ir.Module, checks ...verdict.Check) *problem.Problem {
	p := testprogram.Problem(m, "main", checks...)
	p.VolatileMemory, p.Depth = true, 64
	return p
}

// induct returns what is proved; nothing, if the search found no proof.
func induct(ctx context.Context, p *problem.Problem, cutAll bool) *problem.Proofs {
	a := problem.NewAnswers()
	_ = Engine{CutAll: cutAll}.Run(ctx, p, a)
	return a.Proofs()
}

// searched counts the searches that came to an end: those that their limit cut short show nothing.
type searched struct{ ended, all int }

// atLeast fails the test if fewer than percent of the searches came to an end.
func (s *searched) atLeast(t *testing.T, percent int) {
	t.Helper()
	t.Logf("%d of %d searches came to an end", s.ended, s.all)
	if s.ended*100 < s.all*percent {
		t.Errorf("only %d of %d searches came to an end: the others show nothing", s.ended, s.all)
	}
}

// provedAsserts lists the assertions that are proved, with every loop cut. It counts the search in count.
func provedAsserts(t *testing.T, m *ir.Module, count *searched) (proofs *problem.Proofs, ids []string) {
	t.Helper()
	ctx := testprogram.Within(t, 2*time.Second)
	proofs = induct(ctx, volatileMemory(m, verdict.Assert), true)
	count.all++
	if ctx.Err() == nil {
		count.ended++
	}
	if proofs != nil {
		for _, c := range proofs.Claims {
			if proofs.Holds[c.ID] && c.Check == verdict.Assert {
				ids = append(ids, c.ID)
			}
		}
	}
	return proofs, ids
}

// asked reports whether the cut program's formula has an assertion that can fail, or unmodelled code in front of it.
func asked(t *testing.T, m *ir.Module) bool {
	t.Helper()
	cut, err := OpenCut(context.Background(), volatileMemory(m, verdict.Assert), CutOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	return slices.ContainsFunc(NewProver(cut).goals(), func(g goal) bool {
		return g.exit || strings.HasPrefix(g.id,
			"assert@")
	})
}

// missedWrites returns programs whose assertion fails in some execution, by a write that is easily missed.
func missedWrites() map[string]string {
	return map[string]string{
		"alias":             `int main(void) { int x = 0, *p = &x; for (int i = 0; i < nondet_int(); i++) *p = 1; CHECK(x == 0); }`,
		"pointer moves":     `int main(void) { int x = 0, y = 0, *p = &y; for (int i = 0; i < nondet_int(); i++) { *p = 1; p = &x; } CHECK(x == 0); }`,
		"pointer chain":     `int main(void) { int a = 0, b = 0, c = 0, *p = &a; while (nondet_int()) { *p = 1; p = p == &a ? &b : &c; } CHECK(c == 0); }`,
		"pointer to it":     `int main(void) { int x = 0, y = 0, *p = &y, **q = &p; while (nondet_int()) { **q = 1; *q = &x; } CHECK(x == 0); }`,
		"callee":            `void f(int *p) { *p = 1; } int main(void) { int x = 0; while (nondet_int()) f(&x); CHECK(x == 0); }`,
		"callee's global":   `int g; void f(void) { g++; } int main(void) { while (nondet_int()) f(); CHECK(g < 5); }`,
		"callee's static":   `int f(void) { static int n; return n++; } int main(void) { int x = 0; while (nondet_int()) x = f(); CHECK(x < 3); }`,
		"function pointer":  `int g; void f(void) { g = 1; } void h(void) {} int main(void) { void (*p)(void) = h; while (nondet_int()) { p(); p = f; } CHECK(g == 0); }`,
		"table of calls":    `int g; void f(void) { g = 1; } void h(void) {} void (*t[2])(void) = {h, h}; int main(void) { int i = 0; while (nondet_int()) { t[i](); i = 1; t[1] = f; } CHECK(g == 0); }`,
		"memcpy":            `int main(void) { int x = 0, y = 1; while (nondet_int()) memcpy(&x, &y, sizeof x); CHECK(x == 0); }`,
		"memcpy of pointer": `int main(void) { int x = 0, y = 0, *p = &y, *q = &x; while (nondet_int()) { *p = 1; memcpy(&p, &q, sizeof p); } CHECK(x == 0); }`,
		"memset":            `int main(void) { char a[8] = {0}; while (nondet_int()) memset(a, 1, nondet_uint() % 8); CHECK(a[2] == 0); }`,
		"struct copy":       `struct s { int a, *p; }; int main(void) { int x = 0, y = 0; struct s u = {1, &y}, v = {2, &x}; while (nondet_int()) { *u.p = u.a; u = v; } CHECK(x == 0); }`,
		"integer pointer":   `int main(void) { int x = 0, y = 0; unsigned long p = (unsigned long)&y; while (nondet_int()) { *(int *)p = 1; p = (unsigned long)&x; } CHECK(x == 0); }`,
		"bytewise pointer":  `int main(void) { int x = 0, y = 0, *p = &y, *q = &x; while (nondet_int()) { *p = 1; for (int i = 0; i < 8; i++) ((char *)&p)[i] = ((char *)&q)[i]; } CHECK(x == 0); }`,
		"array of pointers": `int main(void) { int x = 0, y = 0, *a[40]; for (int i = 0; i < 40; i++) a[i] = &y; while (nondet_int()) { *a[nondet_uint() % 40] = 1; a[nondet_uint() % 40] = &x; } CHECK(x == 0); }`,
		"heap pointer":      `int main(void) { int x = 0, y = 0, **p = malloc(8); *p = &y; while (nondet_int()) { **p = 1; *p = &x; } CHECK(x == 0); }`,
		"node of last turn": `int main(void) { int *p = malloc(4), *q = p, s = 0; *p = 0; while (nondet_int()) { s |= *q; p = malloc(4); *p = 1; q = p; } CHECK(s == 0); }`,
		"list":              `struct n { struct n *next; int v; }; int main(void) { struct n *l = 0; int k = 0; while (nondet_int()) { struct n *m = malloc(sizeof *m); m->next = l; m->v = k++; l = m; } while (l) { CHECK(l->v < 3); l = l->next; } }`,
		"elements":          `int a[64]; int main(void) { for (int i = 0; i < 64; i++) a[i] = i; CHECK(a[40] != 40); }`,
		"addresses":         `long a[50]; int main(void) { int x; unsigned i = 0; while (nondet_int()) a[i++ % 50] = (long)&x; CHECK(a[3] == 0); }`,
		"element later":     `int a[500]; int main(void) { int i; for (i = 0; i < 500; i++) a[i] = 7; for (i = 499; i > 3; i--) if (nondet_int()) a[i] = 6; for (i = 0; i < 500; i++) CHECK(a[i] == 7); }`,
		"element of a view": `int a[500]; int main(void) { char *p = (char *)a; int i; for (i = 0; i < 500; i++) a[i] = 7; for (i = 0; i < 2000; i++) if (nondet_int()) p[i] = 1; for (i = 0; i < 500; i++) CHECK(a[i] == 7); }`,
		"big array":         `int a[4096]; int main(void) { for (int i = 0; i < 4096; i++) a[i] = i; CHECK(a[4000] != 4000); }`,
		"nested":            `int main(void) { int n = 0; for (int i = 0; i < 50; i++) for (int j = 0; j < 3; j++) n++; CHECK(n != 150); }`,
		"nested shared":     `int main(void) { int i, n = 0; for (i = 0; i < 50; i++) { for (; nondet_int() && i < 90; i++) n++; } CHECK(n < 60); }`,
		"break":             `int main(void) { int i = 0, f = 0; while (1) { if (f) break; i++; if (i == 77) { f = 1; continue; } } CHECK(i != 77); }`,
		"carried":           `int main(void) { int a = 0, b = 1, c = 2; while (nondet_int()) { int t = a; a = b; b = c; c = t; } CHECK(a != 2); }`,
		"last value":        `int main(void) { int x = 5, l = 0; while (nondet_int()) { l = x; x = nondet_int(); } CHECK(l == 5 || l == 0); }`,
		"goto":              `int main(void) { int i = 0; again: i += 2; if (nondet_int()) goto again; CHECK(i < 20); }`,
		"two entries":       `int main(void) { int i = 0, x = 0; if (nondet_int()) goto in; while (i < 30) { x = i; in: i++; } CHECK(x != 29); }`,
		"switch in loop":    `int main(void) { int i = 0, n = nondet_int(); switch (n & 3) { case 0: do { i++; case 1: i++; case 2: i++; } while (i < 40); } CHECK(i != 41); }`,
		"volatile":          `volatile int v; int main(void) { int x = 0; while (nondet_int()) { v = v + 1; x = v; } CHECK(x < 4); }`,
		"wrap":              `int main(void) { unsigned char c = 0; unsigned n = nondet_uint(); for (unsigned i = 0; i < n; i++) c += 2; CHECK(c < 200); }`,
		"parity breaks":     `int main(void) { unsigned i = 0; while (nondet_int()) { i += 2; if (i == 100) i++; } CHECK(i % 2 == 0); }`,
		"aggregate":         `struct s { int a, b; }; struct s f(struct s x) { x.a++; return x; } int main(void) { struct s x = {0, 0}; while (nondet_int()) x = f(x); CHECK(x.a < 9); }`,
		"recursion":         `int g; void f(int n) { while (n > 0) { g++; n--; f(n - 1); } } int main(void) { f(nondet_int() & 7); CHECK(g < 10); }`,
		"bit field":         `struct { unsigned a : 3, b : 5; } s; int main(void) { while (nondet_int()) s.b++; CHECK(s.b < 7); }`,
		"union":             `union { int i; char c[4]; } u; int main(void) { while (nondet_int()) u.c[nondet_uint() & 3] = 1; CHECK(u.i == 0); }`,
		"freed":             `int main(void) { int *p = malloc(4), x = 0; *p = 0; int *q = p; while (nondet_int()) { x = *q; q = &x; *q = 1; } CHECK(x == 0); }`,
		"variable array":    `int main(void) { int x = 0, *p = &x; for (int i = 1; i < 9; i++) { int a[i]; a[i - 1] = *p + 1; *p = a[i - 1]; } CHECK(x < 8); }`,
		"sum into past":     `int g[4]; int main(void) { int *p = g; for (int i = 0; i < 4; i++) *p++ = 1; CHECK(g[3] == 0); }`,
		"early out":         `int f(void) { for (int i = 0; i < 60; i++) if (i == 55 && nondet_int()) return 1; return 0; } int main(void) { CHECK(f() == 0); }`,
	}
}

// Nothing may be proved of a program with a write that is easily missed.
func TestInductionMissesNoWrite(t *testing.T) {
	levels := []string{"-O0", "-O2", "-O1"}
	var count searched
	programs := missedWrites()
	for i, name := range slices.Sorted(maps.Keys(programs)) {
		src := programs[name]
		for j := range testprogram.Sample(len(levels), 1) {
			level := levels[(i+j)%len(levels)]
			m := testprogram.Compile(t, src, level)
			proofs, ids := provedAsserts(t, m, &count)
			if len(ids) > 0 {
				t.Errorf("%s %s: %v are proved by %v", name, level, ids, proofs.Certificate.Detail)
			}
			if level == "-O0" && !asked(t, m) {
				t.Errorf("%s: the assertion is not in the formula", name)
			}
		}
	}
	count.atLeast(t, 70)
}

// Loops without a bound whose properties follow from invariants; each has a twin,
// one token apart, for which that is not so.
func TestInduction(t *testing.T) {
	var refuted searched
	for i, c := range []struct {
		name, src string
		proved    bool
	}{
		{"sum of both", `int main(void) { int n = nondet_int(), i = 0; if (n < 0) return 0; while (i < n) i++; CHECK(i == n); }`, true},
		{"sum of both bad", `int main(void) { int n = nondet_int(), i = 0; if (n < 1) return 0; while (i < n) i++; CHECK(i == 1); }`, false},
		{"index", `int a[10]; int main(void) { int i = 0; while (nondet_int()) { CHECK(i < 10); a[i] = 1; i = (i + 1) % 10; } }`, true},
		{"index bad", `int a[10]; int main(void) { int i = 0; while (nondet_int()) { CHECK(i < 10); a[i % 10] = 1; i = (i + 1) % 11; } }`, false},
		{"machine", `int main(void) { int s = 0, x = 0; while (1) { int in = nondet_int(); if (s == 0 && in == 1) { s = 3; x = 1; } else if (s == 3 && in == 2) { s = 7; x = 5; } else if (s == 7) { CHECK(x == 5); s = 0; x = 9; } } }`, true},
		{"machine bad", `int main(void) { int s = 0, x = 0; while (1) { int in = nondet_int(); if (s == 0 && in == 1) { s = 7; x = 1; } else if (s == 3 && in == 2) { s = 7; x = 5; } else if (s == 7) { CHECK(x == 5); s = 0; x = 9; } } }`, false},
		{"two loops", `int main(void) { int l = 0, n = 0; while (nondet_int()) { if (l) break; l = 1; do { if (nondet_int()) { l = 0; n = 1; } } while (n < 0 && l); CHECK(n != 0 || l == 1); } }`, true},
		{"two loops bad", `int main(void) { int l = 0, n = 0; while (nondet_int()) { if (l) break; l = 1; do { if (nondet_int()) { l = 0; n = 1; } } while (n < 0 && l); CHECK(n != 0 || l == 0); } }`, false},
		{"elements", `int a[900]; int main(void) { int i; for (i = 0; i < 900; i++) a[i] = 7; for (i = 0; i < 900; i++) CHECK(a[i] == 7); }`, true},
		{"elements bad", `int a[900]; int main(void) { int i; for (i = 1; i < 900; i++) a[i] = 7; for (i = 0; i < 900; i++) CHECK(a[i] == 7); }`, false},
		{"elements past", `int a[900]; int main(void) { int i; for (i = 0; i < 900; i++) a[i] = 7; a[nondet_uint() % 900] = 8; for (i = 0; i < 900; i++) CHECK(a[i] == 7); }`, false},
		{"copy", `int a[900], b[900]; int main(void) { unsigned i; for (i = 0; i < 900; i++) a[i] = nondet_int(); for (i = 0; i < 900; i++) b[i] = a[i]; for (i = 0; i < 900; i++) CHECK(a[i] == b[i]); }`, true},
		{"copy bad", `int a[900], b[900]; int main(void) { unsigned i; for (i = 0; i < 900; i++) a[i] = nondet_int(); for (i = 0; i < 900; i++) b[i] = a[i]; for (i = 0; i < 899; i++) CHECK(a[i] == b[i + 1]); }`, false},
		{"order", `int a[900], b[900]; int main(void) { int i; for (i = 0; i < 900; i++) { int x = nondet_int(), y = nondet_int(); if (x <= y) return 0; a[i] = x; b[i] = y; } for (i = 0; i < 900; i++) CHECK(a[i] > b[i]); }`, true},
		{"order bad", `int a[900], b[900]; int main(void) { int i; for (i = 0; i < 900; i++) { int x = nondet_int(), y = nondet_int(); if (x < y) return 0; a[i] = x; b[i] = y; } for (i = 0; i < 900; i++) CHECK(a[i] > b[i]); }`, false},
		{"multiples", `int main(void) { unsigned i = 0, j = 0, k = 0; while (k < 0x0fffffff) { i++; j += 2; k += 3; CHECK(k == 3 * i && j == 2 * i); } }`, true},
		{"multiples bad", `int main(void) { unsigned i = 0, j = 0, k = 0; while (k < 0x0fffffff) { i++; j += 2; k += 5; CHECK(k == 3 * i && j == 2 * i); } }`, false},
		{"up and down", `int main(void) { int n = nondet_int(), i = 0, k = 0, j = 0; while (i < n) { i++; k++; } while (j < n) { CHECK(k > 0); j++; k--; } }`, true},
		{"up and down bad", `int main(void) { int n = nondet_int(), i = 0, k = 0, j = 0; while (i < n) { i++; k++; } while (j < n) { CHECK(k > 1); j++; k--; } }`, false},
		{"low bits", `int main(void) { unsigned x = 0, y = 0; while (1) { x += 1024 * nondet_uint(); y += 2048 * nondet_uint(); CHECK(2 * x - y != 1024); } }`, true},
		{"low bits bad", `int main(void) { unsigned x = 0, y = 0; while (1) { x += 512 * nondet_uint(); y += 2048 * nondet_uint(); CHECK(2 * x - y != 1024); } }`, false},
		{"pointer", `int a[9000]; int main(void) { int *p = a; while (p < a + 9000) { CHECK(p - a < 9000); *p++ = 1; } }`, true},
		{"pointer bad", `int a[9000]; int main(void) { int *p = a; while (p <= a + 9000) { CHECK(p - a < 9000); p++; } }`, false},
		{"frame", `int main(void) { unsigned char d[16], n = 0, i = 0; int s = 0; while (1) { ` +
			`unsigned char c = nondet_uchar(); if (s == 0 && c == 126) { i = 0; s = 1; } else if (s == 1) { n = c; ` +
			`s = c > 16 ? 0 : c == 0 ? 3 : 2; } else if (s == 2) { CHECK(i < 16); d[i++] = c; if (i == n) s = 3; } ` +
			`else s = 0; } }`, true},
		{"frame of 17 bad", `int main(void) { unsigned char d[16], n = 0, i = 0; int s = 0; while (1) { ` +
			`unsigned char c = nondet_uchar(); if (s == 0 && c == 126) { i = 0; s = 1; } else if (s == 1) { n = c; ` +
			`s = c > 17 ? 0 : c == 0 ? 3 : 2; } else if (s == 2) { CHECK(i < 16); d[i++] = c; if (i == n) s = 3; } ` +
			`else s = 0; } }`, false},
		{"frame of none bad", `int main(void) { unsigned char d[16], n = 0, i = 0; int s = 0; while (1) { ` +
			`unsigned char c = nondet_uchar(); if (s == 0 && c == 126) { i = 0; s = 1; } else if (s == 1) { n = c; ` +
			`s = c > 16 ? 0 : 2; } else if (s == 2) { CHECK(i < 16); d[i++] = c; if (i == n) s = 3; } ` +
			`else s = 0; } }`, false},
		{"frame begun late bad", `int main(void) { unsigned char d[16], n = 0, i = 0; int s = 0; while (1) { ` +
			`unsigned char c = nondet_uchar(); if (s == 0 && c == 126) s = 1; else if (s == 1) { n = c; ` +
			`s = c > 16 ? 0 : c == 0 ? 3 : 2; } else if (s == 2) { CHECK(i < 16); d[i++] = c; if (i == n) s = 3; } ` +
			`else s = 0; } }`, false},
		{"filter",
			`int main(void) { float y = 0; while (1) { float x = nondet_float(); if (!(x >= -1 && x <= 1)) ` +
				`continue; y += 0.25f * (x - y); CHECK(y >= -2 && y <= 2); } }`, true},
		{"filter bad",
			`int main(void) { float y = 0; while (1) { float x = nondet_float(); if (!(x >= -1 && x <= 1)) ` +
				`continue; y += 2.25f * (x - y); CHECK(y >= -2 && y <= 2); } }`, false},
		{"filter of NaN bad",
			`int main(void) { float y = 0; while (1) { float x = nondet_float(); if (x < -1 || x > 1) ` +
				`continue; y += 0.25f * (x - y); CHECK(y >= -2 && y <= 2); } }`, false},
		{"filter one way",
			`double y = 20; int main(void) { while (1) { double x = nondet_double(); if (!(x >= 20 && x <= ` +
				`90)) continue; y = 0.5 * y + 0.5 * x; CHECK(y >= 19); } }`, true},
		{"filter one way bad",
			`double y = 20; int main(void) { while (1) { double x = nondet_double(); if (!(x >= 16 && x <= ` +
				`90)) continue; y = 0.5 * y + 0.5 * x; CHECK(y >= 19); } }`, false},
		{"clamp", `float sum; int main(void) { while (1) { sum += nondet_float(); if (!(sum < 8)) sum = 8; if ` +
			`(!(sum > -3.5f)) sum = -3.5f; CHECK(sum <= 8 && sum >= -3.5f); } }`, true},
		{"clamp bad", `float sum; int main(void) { while (1) { CHECK(sum <= 8 && sum >= -3.5f); sum += ` +
			`nondet_float(); if (!(sum < 8)) sum = 8; if (sum <= -3.5f) sum = -3.75f; } }`, false},
	} {
		if !testprogram.Every(i, 2) {
			continue
		}
		limit := 5 * time.Minute // a proof takes seconds
		if !c.proved {
			limit = 3 * time.Second
		}
		ctx, cancel := testprogram.Limit(limit)
		prob := testprogram.Problem(testprogram.Compile(t, c.src, "-O0"), "main", verdict.Assert)
		prob.MallocNeverFails, prob.Depth = false, 64
		p := induct(ctx, prob, false)
		if !c.proved {
			refuted.all++
			if ctx.Err() == nil {
				refuted.ended++
			}
		}
		cancel()
		if got := p != nil && p.Holds[firstAssertion(prob)]; got != c.proved {
			t.Errorf("%s: proved is %v", c.name, got)
		} else if got && (p.Certificate.Checked == "" || len(p.Certificate.Detail) == 0) {
			t.Errorf("%s: certificate %+v", c.name, p.Certificate)
		}
	}
	refuted.atLeast(t, testprogram.Sample(30, 15))
}

// Nothing reads an element, or a sum of elements, that nobody wrote; each has a twin in which something does.
func TestInductionOfMasks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		proved    bool
	}{
		{"buffer", `int main(void) { unsigned char b[900]; for (int i = 0; i < 900; i++) b[i] = nondet_uchar(); unsigned n = 0; for (unsigned i = 0; i < 900;) { unsigned l = b[i++]; if (l > 900 - i) break; if (l > 1) n += b[i] + b[i + 1]; i += l; } if (n == 7) return 1; }`, true},
		{"buffer bad", `int main(void) { unsigned char b[900]; for (int i = 1; i < 900; i++) b[i] = nondet_uchar(); unsigned n = 0; for (unsigned i = 0; i < 900;) { unsigned l = b[i++]; if (l > 900 - i) break; if (l > 1) n += b[i] + b[i + 1]; i += l; } if (n == 7) return 1; }`, false},
		{"end bad", `int main(void) { unsigned char b[900]; for (int i = 0; i < 899; i++) b[i] = nondet_uchar(); unsigned n = 0; for (unsigned i = 0; i < 900; i++) n += b[i]; if (n == 7) return 1; }`, false},
		{"table", `int main(void) { unsigned char next[900], s = 0; for (int i = 0; i < 900; i++) next[i] = nondet_uchar() % 100; while (nondet_int()) { s = next[s * 9 + nondet_uchar() % 9]; CHECK(s < 100); } if (s > 9) return 1; }`, true},
		{"table bad", `int main(void) { unsigned char next[900], s = 0; for (int i = 0; i < 900; i++) next[i] = nondet_uchar() % 102; while (nondet_int()) { CHECK(s < 100); s = next[s * 9 % 900 + nondet_uchar() % 9 % 900]; } if (s > 9) return 1; }`, false},
		{"late", `int main(void) { int x, n = nondet_int() & 1023; for (int i = 0; i < n; i++) x = i; if (n > 0) if (x > 3) return 1; return 0; }`, true},
		{"late bad", `int main(void) { int x, n = nondet_int() & 1023; for (int i = 0; i < n; i++) x = i; if (n >= 0) if (x > 3) return 1; return 0; }`, false},
		{"carried bad", `int main(void) { int x, y = 0; while (nondet_int()) { if (y > 5) return 1; y = x; x = 3; } return 0; }`, false},
	} {
		p := induct(testprogram.Within(t, time.Minute), volatileMemory(testprogram.Compile(t, c.src, "-O0"),
			verdict.Assert,
			verdict.Memory, verdict.Uninitialised), false)
		if p.All() != c.proved {
			t.Errorf("%s: all proved is %v", c.name, p.All())
		}
	}
}

// TestInductionStrings proves walks through strings whose length is any number: a
// pointer stays inside because the last byte is zero, not because it is compared.
func TestInductionStrings(t *testing.T) {
	const fill = `
int main(void) {
	int n = nondet_int();
	if (n < 1) n = 1;
	char *s = __builtin_alloca(n);
	for (int i = 0; i < n - 1; i++) s[i] = nondet_int();
	s[n - 1] = END;
	char c = nondet_int();
	while (*s != 0 && *s != c) s++;
	return *s;
}`
	for end, all := range map[string]bool{"0": true, "1": false} {
		p := induct(context.Background(), volatileMemory(testprogram.Compile(t, "#define END "+end+fill, "-O0"),
			verdict.Memory), false)
		if p.All() != all {
			t.Errorf("with the last byte %s: all proved %v, want %v", end, p.All(), all)
		}
	}
}

// firstAssertion returns the ID of the first assertion of main.
func firstAssertion(p *problem.Problem) string {
	main := func(b *ir.Block) bool { return b.Func.Name == "main" }
	return encode.ListClaims(p.Module, verdict.CheckSet{verdict.Assert: true}, p.Leaks, main)[0].ID
}
