package graphterm

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
)

// loops writes a function of two numbers: loops in a row and inside each other, up and down, some that call.
func loops(r *rand.Rand, depth int) string {
	v := []string{"a", "b", "n", "i", "j"}
	x, y := v[r.Intn(len(v))], v[r.Intn(len(v))]
	if depth == 0 || r.Intn(4) == 0 {
		return []string{fmt.Sprintf("n ^= %s; ", x), fmt.Sprintf("if (n & %d) %s--; else n++; ", 1+r.Intn(3), x),
			fmt.Sprintf("n ^= g(%s); ", x), fmt.Sprintf("if (%s > 9) %s = 9; ", x, y),
			"if (n & 4) return n; ", fmt.Sprintf("n ^= %s > 3 && %s < 7 || n; ", x, y),
			fmt.Sprintf("n ^= (%s > 5 ? %s : 3) / 2 %% 5; ", x, y),
			fmt.Sprintf("switch (%s) { case 1: n ^= 3; break; case 2: case 5: n ^= %s; default: n++; } ", x, y),
		}[r.Intn(8)]
	}
	body := loops(r, depth-1)
	if r.Intn(3) == 0 {
		body += loops(r, depth-1)
	}
	k := []string{"i", "j"}[depth&1]
	switch r.Intn(9) {
	case 6:
		return fmt.Sprintf("for (%s = %d; %s < %s; %s *= 2) { %s} ", k, r.Intn(3), k, v[r.Intn(2)], k, body)
	case 7:
		return fmt.Sprintf("while (%s > %d) { %s%s /= %d; } ", v[r.Intn(2)], r.Intn(3), body, v[r.Intn(2)], 2+r.Intn(2))
	case 8:
		return fmt.Sprintf("while (a < b) { %si = (a + b) / 2; if (n & 1) b = i; else a = i + %d; } ", body, r.Intn(2))
	case 4:
		return fmt.Sprintf("while (a > 0 || b > 2) { %sif (a > 0) a--; else b--; } ", body)
	case 5:
		return fmt.Sprintf("for (%s = 0; %s < a && %s < b; %s++) { %s} ", k, k, k, k, body)
	case 0:
		return fmt.Sprintf("for (%s = 0; %s < %s; %s += %d) { %s} ", k, k, v[r.Intn(2)], k, 1+r.Intn(3), body)
	case 1:
		return fmt.Sprintf("for (%s = %s; %s > %d; %s--) { %s} ", k, v[r.Intn(2)], k, r.Intn(5), k, body)
	case 2:
		return fmt.Sprintf("while (a < b) { %sif (n & 1) a++; else b--; } ", body)
	}
	return body + loops(r, depth-1)
}

// helpers are what the generated functions call: a loop, and recursion with one call, two, a loop beside it, and calls
// in a loop.
var helpers = []string{
	"static int g(int n) { int k = 0; while (n > 2) { n -= 2; k ^= n; } return k; }",
	"static int g(int n) { if (n <= 2) return n; return 1 ^ g(n - 2); }",
	"static int g(int n) { if (n <= 2) return 5; if (n > 30) return g(30); return g(n - 3) ^ g(n - 9); }",
	"static int g(int n) { int k = 0; for (int i = 0; i < n; i++) k ^= i; if (n <= 1) return k; return k ^ g(n / 2); }",
	"static int h(int l, int r) { if (r - l < 2) return 1; int m = l + (r - l) / 2; return h(l, m) ^ h(m, r); }\n" +
		"static int g(int n) { return h(0, n); }",
	"static int g(int n) { int k = 0; if (n > 4) n = 4; for (int i = 0; i < n; i++) k ^= g(i); return k; }",
	"static int h(int n);\nstatic int g(int n) { if (n <= 0) return 3; return h(n - 1) ^ n; }\n" +
		"static int h(int n) { int k = 0; for (int i = n; i > 0; i -= 2) k ^= i; return k ^ g(n - 1); }",
}

// Bounds of generated functions hold for every run that is counted. As in make soundness, FIRMPROOF_SOUNDNESS is how
// long to go on, and FIRMPROOF_SEED the first seed.
func TestBoundsHoldInGeneratedRuns(t *testing.T) {
	count, seed, until := 6, int64(1), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	bounds, runs := 0, 0
	enough := func(n int) bool { // on a busy machine few have a bound in time: then more are tried
		return n >= count && (bounds >= 3 || n >= 4*count)
	}
	for n := 0; !enough(n) && (until.IsZero() || time.Now().Before(until)); n++ {
		r := rand.New(rand.NewSource(seed + int64(n)))
		src := helpers[r.Intn(len(helpers))] + "\n" +
			"int f(int a, int b) { int n = 0, i = 0, j = 0; " + loops(r, 2) + loops(r, 2) + "return n; }"
		checked := boundHolds(t, src, r)
		if runs += checked; checked > 0 {
			bounds++
		}
	}
	t.Logf("%d bounds, %d runs", bounds, runs)
	if bounds < 3 || runs < 60 {
		t.Errorf("only %d bounds and %d runs", bounds, runs)
	}
}

// boundHolds counts the runs whose instructions were compared with the bound of f, if one is found in time.
func boundHolds(t *testing.T, src string, r *rand.Rand) int {
	t.Helper()
	ctx, e := engineOf(t, src, "f")
	ctx, cancel := budget.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	g, err := e.graph(ctx, false)
	if err != nil || !g.Complete {
		return 0
	}
	sys, _, cost, err := e.bounds(ctx, g)
	if err != nil || cost.Bound == nil {
		return 0
	}
	runs := 0
	for n := 0; n < 25; n++ {
		a, b := r.Int63n(40)-8, r.Int63n(40)-8
		if r.Intn(8) == 0 {
			a = r.Int63n(1 << 12)
		}
		got := executed(context.Background(), t, e, a, b)
		if got < 0 {
			got = 100_000 // and more
		}
		most := boundAt(sys, cost, map[string]int64{"a": a, "b": b})
		if most.Cmp(big.NewInt(got)) < 0 {
			t.Errorf("f(%d, %d) executes %d instructions, bound %s\n%s", a, b, got, cost.Bound.Format(sys.VarName), src)
			break
		}
		runs++
	}
	return runs
}
