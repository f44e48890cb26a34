package graphterm

import (
	"math/big"
	"testing"

	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/termination"
)

// TestCountedRuns: the runs beside a bound are real ones below it; a bound that one exceeds is none.
func TestCountedRuns(t *testing.T) {
	ctx, e := engineOf(t,
		`int f(int a, signed char b) { int n = 0; for (int i = 0; i < a; i++) for (int j = 0; j < b; j++) n ^= j; return n; }`, "f")
	g, err := e.graph(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	sys, _, cost, err := e.bounds(ctx, g)
	if err != nil || cost.Bound == nil {
		t.Fatalf("no bound: %v\n%s", err, cost.Text)
	}
	runs, err := e.countedRuns(ctx, g, sys, cost.Bound)
	if err != nil || len(runs) != 8 { // up to 64: 128 is no signed char
		t.Fatalf("%+v %v", runs, err)
	}
	for i, r := range runs {
		if most, ok := new(big.Int).SetString(r.Bound, 10); !ok || most.Cmp(big.NewInt(r.Executed)) < 0 ||
			r.At != countedAt[i] ||
			executed(ctx, t, e, r.At, r.At) != r.Executed {
			t.Errorf("%+v", r)
		}
	}
	if _, err := e.countedRuns(ctx, g, sys, new(termination.Bound)); err == nil {
		t.Error("runs are longer than nothing, and nobody says so")
	}
	if d := diagrams(g, sys); len(d) != 2 || len(d[1].Nodes) != len(sys.Locs) || len(d[0].Edges) == 0 {
		t.Errorf("the graph and the system are not drawn: %+v", d)
	}
	ctx, e = engineOf(t, `int f(int *p, int n) { while (n > 0) n--; return n; }`, "f")
	if runs, err := e.countedRuns(ctx, g, sys, cost.Bound); len(runs) > 0 || err != nil {
		t.Errorf("a pointer is no number: %+v %v", runs, err)
	}
}

// TestCountedRunsOfHugeBounds: where the bound is too large to write down, nothing is counted.
func TestCountedRunsOfHugeBounds(t *testing.T) {
	sys, err := its.ReadKoAT("h", "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS s))\n(RULES\n"+
		"s(a) -> h(a)\nh(a) -> Com_2(h(a-1), h(a-1)) :|: a + 200000 > 0\n)")
	if err != nil {
		t.Fatal(err)
	}
	ctx, e := engineOf(t, `int f(int a) { return a; }`, "f")
	cost := termination.Bounds(ctx, sys, termination.Options{})
	if cost.Order() != "O(EXP)" {
		t.Fatal(cost.Text)
	}
	if runs, err := e.countedRuns(ctx, nil, sys, cost.Bound); len(runs) > 0 || err != nil {
		t.Errorf("%+v %v", runs, err)
	}
}

// TestBoundOverInputs: a bound speaks of what the entry asks for before its first loop as of parameters, and not of
// what it asks for later, or in a loop, or what is asked for elsewhere; no run exceeds it.
func TestBoundOverInputs(t *testing.T) {
	for _, c := range []struct{ src, order string }{
		{"int f(void) { unsigned n = __VERIFIER_nondet_uint(), c = 0; while (n > 1) { n /= 2; c++; } return c; }",
			"O(log(n))"},
		{"int f(void) { unsigned n = 0; if (__VERIFIER_nondet_int()) n = __VERIFIER_nondet_uint(); " +
			"while (n) n--; return 0; }",
			"O(n^1)"},
		{"int f(void) { unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint(), k = 0; " +
			"for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < m; j++) k ^= j; return k; }", "O(n^2)"},
		{"int f(void) { while (__VERIFIER_nondet_uint() > 3) if (__VERIFIER_nondet_uint()) return 1; return 0; }", ""},
		{"int f(void) { for (int i = 0; i < 5; i++) { unsigned n = __VERIFIER_nondet_uint(); while (n) n--; } return 0; }",
			"O(1)"},
		{"static int g(void) { unsigned n = __VERIFIER_nondet_uint(); while (n) n--; return 0; } " +
			"int f(void) { return g(); }", "O(1)"},
	} {
		ctx, e := engineOf(t, "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); "+
			c.src, "f")
		g, err := e.graph(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		sys, _, cost, err := e.bounds(ctx, g)
		if err != nil || cost.Bound == nil != (c.order == "") || cost.Bound != nil && cost.Class() != c.order {
			t.Errorf("%s: %s, not %q: %v", c.src, cost.Class(), c.order, err)
			continue
		}
		if cost.Bound == nil {
			continue
		}
		if _, err := e.countedRuns(ctx, g, sys, cost.Bound); err != nil {
			t.Errorf("%s: %v", c.src, err)
		}
	}
	ctx, e := engineOf(t, "extern unsigned __VERIFIER_nondet_uint(void); "+
		"int f(void) { unsigned n = __VERIFIER_nondet_uint(); while (n) n--; return 0; }", "f")
	g, err := e.graph(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	sys, _, cost, err := e.bounds(ctx, g)
	if err != nil || cost.Bound == nil {
		t.Fatal(cost.Text, err)
	}
	if runs, err := e.countedRuns(ctx, g, sys, cost.Bound); err != nil || len(runs) != len(countedAt) {
		t.Errorf("%+v %v", runs, err)
	}
	if _, err := e.countedRuns(ctx, g, sys, new(termination.Bound)); err == nil {
		t.Error("runs are longer than nothing, and nobody says so")
	}
}
