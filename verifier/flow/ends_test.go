package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// marked returns what the store to the variable mark rests on, of the inputs x, y and z of main, which call in_x, in_y
// and in_z.
func marked(t *testing.T, src string, holds bool) string {
	t.Helper()
	m := testprogram.Compile(t, `int in_x(void), in_y(void), in_z(void); void exit(int); void abort(void); void __VERIFIER_assume(int);
static int mark, g;
`+src, "-O0")
	q := Question{Module: m, Holds: func(*ir.Instr) bool { return holds }}
	var store *ir.Instr
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if c := ir.CalledFunc(in); c != nil && strings.HasPrefix(c.Name, "in_") {
					in.Assumes = []string{c.Name[3:]}
				}
				if in.Op != ir.OpStore {
					continue
				}
				if g := ir.VariableAt(in.Args[1]); g != nil && g.Name == "mark" {
					store = in
				}
			}
		}
	}
	q.IDs = []string{"x", "y", "z"}
	rests := Follow(q).At(store, false)
	slices.Sort(rests)
	return strings.Join(rests, "")
}

// What is behind something that may end executions rests on what leads there, whether the compiler knows that or not.
func TestBehindEnds(t *testing.T) {
	const three = "int main(void) { int x = in_x(), y = in_y(), z = in_z(); "
	for src, want := range map[string]string{
		three + "if (x) g = 1; mark = 1; return 0; }":                                                               "",
		three + "if (x) mark = 1; return 0; }":                                                                      "x",
		three + "if (x) exit(y); mark = 1; return 0; }":                                                             "xy",
		three + "if (x) abort(); mark = 1; return 0; }":                                                             "x",
		three + "if (x) __VERIFIER_assume(y); mark = 1; return 0; }":                                                "xy",
		three + "if (x) mark = 1; __VERIFIER_assume(y); return 0; }":                                                "x",
		three + "if (x) reach_error(); mark = 1; return 0; }":                                                       "x",
		three + "CHECK(x); mark = 1; return 0; }":                                                                   "x",
		three + "if (x) for (;;) ; mark = 1; return 0; }":                                                           "x",
		three + "while (x) ; mark = 1; return 0; }":                                                                 "x",
		"static void stay(void) { for (;;) g++; }" + three + "if (x) stay(); mark = 1; return 0; }":                 "x",
		"static void stay(int z) { if (z) for (;;) g++; }" + three + "if (x) stay(z); mark = 1; return 0; }":        "xz",
		"static void stay(int z) { if (z) for (;;) g++; }" + three + "mark = 1; if (x) stay(z); return 0; }":        "",
		"static void no(int y) { if (y) exit(1); }" + three + "if (x) no(y); mark = 1; return 0; }":                 "xy",
		"static void no(int y) { if (y) exit(1); }" + three + "if (x) { no(y); mark = 1; } return 0; }":             "xy",
		"static void yes(int y) { if (y) g = 1; }" + three + "if (x) yes(y); mark = 1; return 0; }":                 "",
		"static int yes(int y) { if (y) return 1; return 2; }" + three + "if (x) g = yes(y); mark = z; return 0; }": "z",
		three + "mark = 1; exit(x); }":                                                                              "",
		three + "mark = 1; __VERIFIER_assume(x); g = 1; return 0; }":                                                "",
		three + "__VERIFIER_assume(x); mark = 1; return 0; }":                                                       "x",
		"static void f(int x) { mark = 1; if (x) exit(1); }" + three + "f(y); return 0; }":                          "",
		"static void f(int x) { mark = 1; if (x) exit(1); }" + three + "f(y); f(z); return 0; }":                    "yz", // f is one for all that call it
	} {
		if got := marked(t, src, false); got != want {
			t.Errorf("%s: rests on %q, not on %q", src, got, want)
		}
	}
	// one that holds has its own claim
	for _, src := range []string{"CHECK(x); mark = 1; return 0; }", "if (x) reach_error(); mark = 1; return 0; }"} {
		if got := marked(t, three+src, true); got != "" {
			t.Errorf("%s: rests on %q", src, got)
		}
	}
}
