package graphterm

import (
	"context"
	"math/big"
	"math/rand"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// engineOf is the engine over one function of a program.
func engineOf(t *testing.T, src, entry string) (context.Context, *engine) {
	t.Helper()
	return testprogram.Within(t, 5*time.Minute), &engine{p: testprogram.Problem(testprogram.Hosted(t, src), entry),
		a: problem.NewAnswers()}
}

// The programs of Hensel et al. (Fig. 1, section 5): g ends because it wraps around, h without that. The paper's
// bounds are max(21, 7b-7j+14), where b is the greatest unsigned, and max(14, 7j+7); ours are not above them, and no run exceeds ours.
func TestPaperBounds(t *testing.T) {
	const b = 1<<32 - 1
	paper := map[string]func(j int64) int64{
		"g": func(j int64) int64 { return max(21, 7*b-7*j+14) },
		"h": func(j int64) int64 { return max(14, 7*j+7) },
	}
	for name, want := range paper {
		ctx, e := engineOf(t,
			`void g(unsigned int j) { while (j > 0) j++; } void h(unsigned int j) { while (j > 0) j--; }`, name)
		g, err := e.graph(ctx, false)
		if err != nil || !g.Complete || !g.Defined() {
			t.Fatalf("%s: %v, %+v", name, err, g)
		}
		sys, _, cost, err := e.bounds(ctx, g)
		if err != nil || cost.Bound == nil {
			t.Fatalf("%s: %v %s", name, err, cost.Text)
		}
		for _, j := range []int64{0, 1, 2, 9, 500, 1 << 31, b - 300, b - 2, b - 1, b} {
			ours := boundAt(sys, cost, map[string]int64{"j": j})
			if ours.Cmp(big.NewInt(want(j))) > 0 {
				t.Errorf("%s(%d): bound %v, the paper's is %d", name, j, ours, want(j))
			}
			if n := executed(ctx, t, e, j); n >= 0 && ours.Cmp(big.NewInt(n)) < 0 {
				t.Errorf("%s(%d) executes %d instructions, bound %v", name, j, n, ours)
			}
		}
	}
}

// boundAt is the bound for values of the entry's parameters.
func boundAt(sys *its.System, cost termination.Cost, params map[string]int64) *big.Int {
	return cost.Bound.Eval(func(v exact.Var) exact.Int { return exact.I(params[sys.Vars[v]]) })
}

// executed counts the instructions of one run, -1 for a long one.
func executed(ctx context.Context, t *testing.T, e *engine, params ...int64) int64 {
	t.Helper()
	var ins []input.Input
	for i, p := range e.p.Entry.Params {
		ins = append(ins, input.Input{Kind: input.Param, Value: bits.NewInt(p.T.Width, params[i])})
	}
	out, err := interp.Run(ctx, e.p.Module, e.p.Strict(100_000), input.NewRecorded(ins))
	if err != nil {
		t.Fatal(err)
	}
	if out.Kind == interp.StepLimit {
		return -1
	}
	if out.Kind != interp.Returned {
		t.Fatalf("run of %s: %s", e.p.Entry.Name, out)
	}
	return out.Executed
}

// Bounds of loops over two parameters hold for every run that is tried.
func TestBoundsHoldInRuns(t *testing.T) {
	for name, src := range map[string]string{
		"sum":            `int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s ^= i; while (b > 0) b -= 2; return s; }`,
		"nested":         `int f(int a, int b) { int n = 0; for (int i = 0; i < a; i++) for (int j = i; j < b; j++) n ^= j; return n; }`,
		"gap":            `int f(int a, int b) { int n = 0; while (a < b) { if (n & 1) a++; else b--; n++; } return n; }`,
		"down, up":       `int f(int a, int b) { while (a > 0) { a--; b++; } while (b > 0) b--; return a; }`,
		"unsigned":       `int f(unsigned a, unsigned b) { while (a > b) a--; return a; }`,
		"either":         `int f(int a, int b) { int n = 0; while (a > 0 || b > 0) { if (a > 0) a--; else b--; n ^= a; } return n; }`,
		"both":           `int f(int a, int b) { int n = 0; for (int i = 0; i < a && i < b; i++) n ^= i > 3 ? i : 2; return n; }`,
		"recursion":      `int f(int a, int b) { if (a <= 0) return b; return f(a - 1, b) ^ 1; }`,
		"call of it":     `static int g(int n) { if (n <= 0) return 0; return 1 ^ g(n - 1); } int f(int a, int b) { int s = 0; for (int i = 0; i < b; i++) s ^= g(a); return s; }`,
		"loop in it":     `int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s ^= i; if (a <= 0) return b; return s ^ f(a - 1, b); }`,
		"halves":         `static int g(int l, int h) { if (h - l < 2) return 1; int m = l + (h - l) / 2; return g(l, m) ^ g(m, h); } int f(int a, int b) { return g(a, b); }`,
		"two calls":      `static int g(int n) { if (n < 2) return n; return g(n - 1) ^ g(n - 2); } int f(int a, int b) { return g(a & 15) ^ b; }`,
		"calls in a row": `static int g(int n) { if (n <= 0) return 0; return 1 ^ g(n - 1); } int f(int a, int b) { return g(a) ^ g(b) ^ g(a); }`,
		"each other":     `static int h(int n); static int g(int n) { return n <= 0 ? 1 : h(n - 1); } static int h(int n) { int s = 0; for (int i = n; i > 0; i--) s ^= i; return s ^ g(n - 1); } int f(int a, int b) { return g(a) ^ g(b); }`,
		"result":         `static int g(int n) { if (n <= 0) return 0; return 1 + g(n - 1); } int f(int a, int b) { int s = 0, n = g(a); while (n > 0) { n--; s ^= b; } return s; }`,
		"call":           `static int g(int n) { int k = 0; while (n-- > 0) k ^= n; return k; } int f(int a, int b) { return g(a) ^ g(b); }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, e := engineOf(t, src, "f")
			g, err := e.graph(ctx, false)
			if err != nil {
				t.Fatal(err)
			}
			sys, _, cost, err := e.bounds(ctx, g)
			if err != nil || cost.Bound == nil {
				t.Fatalf("no bound: %v\n%s", err, cost.Text)
			}
			r := rand.New(rand.NewSource(7))
			for n := 0; n < 60; n++ {
				a, b := r.Int63n(40), r.Int63n(40)
				if name != "unsigned" {
					a, b = a-8, b-8
				}
				most := boundAt(sys, cost, map[string]int64{"a": a, "b": b})
				if got := executed(ctx, t, e, a, b); most.Cmp(big.NewInt(got)) < 0 {
					t.Fatalf("f(%d, %d) executes %d instructions, bound %v = %s", a, b, got, most,
						cost.Bound.Format(sys.VarName))
				}
			}
		})
	}
}

// Ströder et al. (sections 1, 2.3 and 3): strlen of any string in a block of any size, and strcpy, whose two pointers
// keep their distance, end and stay inside their blocks. Each has a twin that need not.
func TestPaperStrings(t *testing.T) {
	const functions = `
static unsigned length(char *str) { char *s = str; while (*s != 0) s++; return s - str; }
static char *copy(char *s1, char *s2) { char *dst = s1, *src = s2; while ((*dst++ = *src++) != 0) ; return s1; }
static char *block(int n, int last) { char *p = malloc(n); if (last) p[n - 1] = 0; return p; }
`
	for _, c := range []struct {
		name, src string
		safe      bool
	}{
		{"strlen", `int main(void) { int n = nondet_int(); if (n < 1) n = 1; char *p = block(n, 1); length(p); free(p); return 0; }`, true},
		{"strlen without the end",
			`int main(void) { int n = nondet_int(); if (n < 1) n = 1; char *p = block(n, 0); length(p); free(p); return 0; }`, false},
		{"strlen of nothing",
			`int main(void) { int n = nondet_int(); if (n < 0) n = 0; char *p = block(n, 1); length(p); free(p); return 0; }`, false},
		{"strcpy", `int main(void) { int n = nondet_int(), k = nondet_int(); if (n < 1) n = 1; if (k < n) k = n; char *p = block(n, 1), *q = block(k, 0); copy(q, p); free(p); free(q); return 0; }`, true},
		{"strcpy into less", `int main(void) { int n = nondet_int(), k = nondet_int(); if (n < 1) n = 1; if (k < 1) k = 1; char *p = block(n, 1), *q = block(k, 0); copy(q, p); free(p); free(q); return 0; }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, e := engineOf(t, functions+c.src, "main")
			claim, g := e.prove(ctx, false)
			if g == nil || g.Defined() != c.safe {
				t.Fatalf("memory safe %v, want %v: %v", g != nil && g.Defined(), c.safe, claim.Reason)
			}
			if c.safe && (claim.Status != verdict.Proved || claim.Certificate == nil ||
				claim.Certificate.Checked == "") {
				t.Errorf("%s: %v %+v", claim.Status, claim.Reason, claim.Certificate)
			}
		})
	}
}

// Loops are bounded by how often a run reaches their heads: over all calls, and
// as a number where nothing else is in it.
func TestLoopTurns(t *testing.T) {
	ctx, e := engineOf(t, `static int g(int n) { int k = 0; while (n-- > 0) k ^= n; return k; }
int f(int a) { int s = 0; for (int i = 0; i < 10; i++) s ^= i; return s ^ g(a) ^ g(a); }`, "f")
	_, why := e.complexity(ctx)
	c := e.a.Complexity()
	if c == nil || len(c.Loops) != 2 {
		t.Fatalf("%+v %v", c, why)
	}
	f, g := c.Loops[0], c.Loops[1]
	if f.Name != "f.0" || f.Turns != 11 || f.Bound != "11" {
		t.Errorf("ten turns: %+v", f)
	}
	if g.Name != "g.0" || g.Turns != 0 || g.Bound != "2*max(0, a) + 2" {
		t.Errorf("called twice: %+v", g)
	}
}
