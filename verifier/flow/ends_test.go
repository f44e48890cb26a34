package flow

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// marked returns what the store to the variable mark, or the last one of 77, rests on, of the inputs x, y and z of main, which call in_x, in_y
// and in_z.
func marked(t *testing.T, src string, holds bool) string {
	t.Helper()
	r, store := follow(t, src, holds)
	return strings.Join(r.At(store, false), "")
}

// allRest asks of each program what marked says, for claims that need not hold.
func allRest(t *testing.T, programs map[string]string) {
	t.Helper()
	for src, want := range programs {
		if got := marked(t, src, false); got != want {
			t.Errorf("%s: rests on %q, not on %q", src, got, want)
		}
	}
}

// isMark reports the store that is asked about: to the variable mark, or of 77.
func isMark(in *ir.Instr) bool {
	if in.Op != ir.OpStore {
		return false
	}
	g := ir.VariableAt(in.Args[1])
	return g != nil && g.Name == "mark" || ir.IsConst(in.Args[0], 77)
}

// follow works out what such a program rests on, and finds the store.
func follow(t *testing.T, src string, holds bool) (r *Rests, store *ir.Instr) {
	t.Helper()
	m := testprogram.Compile(t, `static int in_x(void) { return nondet_int(); } static int in_y(void) { return nondet_int(); }
static int in_z(void) { return nondet_int(); } void exit(int); void abort(void); void __VERIFIER_assume(int);
static int mark, g;
`+src, "-O0")
	q := Question{Module: m, Holds: func(*ir.Instr) bool { return holds }}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Model == ir.ModelNondet {
					in.Assumes = []string{f.Name[len("in_"):]}
				}
				if isMark(in) {
					store = in
				}
			}
		}
	}
	q.IDs = []string{"x", "y", "z"}
	return Follow(q), store
}

// What is behind something that may end executions rests on what leads there, whether the compiler knows that or not.
func TestBehindEnds(t *testing.T) {
	const three = "int main(void) { int x = in_x(), y = in_y(), z = in_z(); "
	allRest(t, map[string]string{
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
		three + "if (y) goto b; a: g++; b: g--; if (x) goto a; mark = 1; return 0; }":                               "xy",
		three + "if (y) goto b; a: g++; b: g--; if (x) goto c; goto a; c: mark = 1; return 0; }":                    "xy",
		three + "while (g) { if (y) goto b; a: g++; b: g--; if (x) goto a; } mark = z; return 0; }":                 "xyz",
		three + "if (y) goto b; g++; b: g--; if (x) goto c; g += 2; c: mark = 1; return 0; }":                       "",
		// what is behind a pointer is there or not
		three + "int *p = malloc(4); if (x) free(p); *p = (mark, 77); return 0; }":                                          "x",
		three + "int *p = malloc(4); int *q = x ? p : &g; free(q); *p = (mark, 77); return 0; }":                            "x",
		three + "int *p = malloc(4); free(0); *p = (mark, 77); return 0; }":                                                 "",
		"static void va(int n, ...) { mark = n; }" + three + "void (*f)(int, ...) = va; f(x, y); return 0; }":               "x",
		"static void va(int n, ...) { if (n) mark = 1; }" + three + "void (*f)(int, ...) = va; if (y) f(x, z); return 0; }": "xy",
	})
	// one that holds has its own claim
	for _, src := range []string{"CHECK(x); mark = 1; return 0; }", "if (x) reach_error(); mark = 1; return 0; }"} {
		if got := marked(t, three+src, true); got != "" {
			t.Errorf("%s: rests on %q", src, got)
		}
	}
}

// Which blocks are lost rests on where addresses go, and which.
func TestLeft(t *testing.T) {
	const three = "static int *tab[2], n; int main(void) { int x = in_x(), y = in_y(), z = in_z(); "
	for src, want := range map[string]string{
		three + "tab[0] = malloc(4); n = x; free(tab[0]); return y; }":                                    "",
		three + "tab[x & 1] = malloc(4); tab[y & 1] = malloc(4); free(tab[0]); free(tab[1]); return 0; }": "xy",
		three + "int *p = malloc(4); tab[0] = x ? p : 0; free(p); return 0; }":                            "x",
		three + "tab[0] = malloc(4); free(tab[x & 1]); return 0; }":                                       "x",
		three + "tab[0] = malloc(4); if (x) free(tab[0]); return 0; }":                                    "x",
		three + "tab[0] = malloc(4); memcpy(&tab[0], &tab[1], x); return 0; }":                            "x",
		three + "int *p = malloc(4); p[x & 1] = 0; free(p); return 0; }":                                  "x",
	} {
		r, _ := follow(t, src, false)
		if got := strings.Join(r.Left(), ""); got != want {
			t.Errorf("%s: rests on %q, not on %q", src, got, want)
		}
	}
}
