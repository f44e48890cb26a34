package seg

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Memory that recursion frees is not there any more when it comes back. Each program has a twin,
// with the second text at the hole, whose use is no violation or comes before.
func TestMemoryFreedByRecursion(t *testing.T) {
	for _, c := range []struct{ name, src, bad, good string }{
		{"double free in the caller", `void f(int n, int *p) { if (n <= 0) { @; return; } f(n - 1, p); }
			int main(void) { int *p = malloc(4); f(nondet_int(), p); free(p); return 0; }`, `free(p)`, `n = 1`},
		{"use after free in the caller", `void f(int n, int *p) { if (n <= 0) { @; return; } f(n - 1, p); }
			int main(void) { int *p = malloc(4); f(nondet_int(), p); *p = 1; return 0; }`, `free(p)`, `n = 1`},
		{"read after free in the caller", `int f(int n, int *p) { if (n <= 0) { @; return 0; } return f(n - 1, p); }
			int main(void) { int *p = malloc(4); *p = 1; f(nondet_int(), p); return *p; }`, `free(p)`, `n = 1`},
		{"free on the way back", `void f(int n, int *p) { if (n <= 0) return; f(n - 1, p); @; }
			int main(void) { int *p = malloc(4); f(nondet_int(), p); return 0; }`, `free(p)`, `n = 2`},
		{"free of a field", `struct s { int *b; }; void f(int n, struct s *p) { if (n <= 0) { @; return; } f(n - 1, p); }
			int main(void) { struct s x; int *b = malloc(4); x.b = b; f(nondet_int(), &x); *b = 1; return 0; }`,
			`free(p->b)`, `n = 1`},
		{"free of a global", `int *g; void f(int n) { if (n <= 0) { @; return; } f(n - 1); }
			int main(void) { int *p = g = malloc(4); f(nondet_int()); *p = 1; return 0; }`, `free(g)`, `n = 1`},
		{"free by another function", `void h(int *p) { @; } void f(int n, int *p) { if (n <= 0) { h(p); return; } f(n - 1, p); }
			int main(void) { int *p = malloc(4); f(nondet_int(), p); *p = 1; return 0; }`, `free(p)`, `int q = 0`},
		{"free in mutual recursion", `void h(int n, int *p); void f(int n, int *p) { if (n <= 0) { @; return; } h(n - 1, p); }
			void h(int n, int *p) { if (n > 0) f(n - 1, p); } int main(void) { int *p = malloc(4); h(nondet_int(), p); *p = 1; return 0; }`,
			`free(p)`, `n = 1`},
		{"use of a local that is gone", `int *g; void f(int n, int *p) { int x = n; if (n <= 0) { @; return; } f(n - 1, &x); }
			int main(void) { int y = 0; g = &y; f(nondet_int(), &y); *g = 1; return 0; }`, `g = p`, `n = 1`},
		{"comparison beyond the end", `int memcmp(const void *, const void *, unsigned long); int main(void) { int *p = malloc(4), *q = malloc(4);
			int n = @; free(p); return n; }`, `memcmp(p, q, 5)`, `p != q`},
	} {
		for _, safe := range []bool{false, true} {
			name, hole := c.name, c.bad
			if safe {
				name, hole = name+", not so", c.good
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := compile(t, strings.ReplaceAll(c.src, "@", hole))
				g, err := Build(context.Background(), m, Options{Semantics: ir.Semantics{MallocNeverFails: true}})
				if err != nil || !g.Complete {
					t.Fatalf("no complete graph: %v %+v", err, g)
				}
				if g.Defined() != safe {
					t.Errorf("memory safe: %t, want %t", g.Defined(), safe)
				}
			})
		}
	}
}

// What reallocates is not modelled: no graph with it is complete.
func TestReallocIsNotModelled(t *testing.T) {
	m := compile(t, `void *realloc(void *, unsigned long); void f(int n, int *p) { if (n <= 0) { realloc(p, 8); return; } f(n - 1, p); }
		int main(void) { int *p = malloc(4); f(nondet_int(), p); *p = 1; return 0; }`)
	g, err := Build(context.Background(), m, Options{Semantics: ir.Semantics{MallocNeverFails: true}})
	if err != nil || g.Complete || g.Defined() {
		t.Errorf("%v, complete %t, safe %t", err, g != nil && g.Complete, g != nil && g.Defined())
	}
}
