package seg

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

const treeFunctions = `struct n { struct n *l, *r; int v; };
	struct n *build(int d) { struct n *t; if (d <= 0) return 0; t = malloc(sizeof *t); t->v = d; t->l = build(d - 1); t->r = build(d - 1); return t; }
	void drop(struct n *t) { if (!t) return; drop(t->l); drop(t->r); free(t); }
	struct n *insert(struct n *t, int v) { if (!t) { t = malloc(sizeof *t); t->v = v; t->l = t->r = 0; return t; }
		if (v < t->v) t->l = insert(t->l, v); else t->r = insert(t->r, v); return t; }
	int sum(struct n *t) { return t ? (t->v & 1) + sum(t->l) + sum(t->r) : 0; }
	void exit(int); `

// Memory that recursion builds, changes and frees, and what its callers keep of it. Each program has a twin, with the
// other text at the hole, that is undefined in some run, or loses memory.
func TestHeapOfRecursion(t *testing.T) {
	for _, c := range []struct{ name, src, good, bad string }{
		{"a tree is built and freed",
			`int main(void) { struct n *t = build(nondet_int()); sum(t); drop(t); @ return 0; }`,
			``, `sum(t);`},
		{"a tree is freed twice", `int main(void) { struct n *t = build(nondet_int()); drop(t); @ return 0; }`, ``,
			`drop(t);`},
		{"a part is left out", `void half(struct n *t) { if (!t) return; half(t->l); @ free(t); }
			int main(void) { half(build(nondet_int())); return 0; }`, `half(t->r);`, ``},
		{"a node is used after its subtrees are freed", `void d(struct n *t) { if (!t) return; struct n *l = t->l; d(l); d(t->r); @; free(t); }
			int main(void) { d(build(nondet_int())); return 0; }`, `t->v = 1`, `if (l) l->v = 1`},
		{"a subtree is shared", `struct n *dag(int d) { struct n *t; if (d <= 0) return 0; t = malloc(sizeof *t); t->v = d; t->l = dag(d - 1); t->r = @; return t; }
			int main(void) { drop(dag(nondet_int())); return 0; }`, `0`, `t->l`},
		{"a tree leads back to its root",
			`int main(void) { struct n *t = build(3 + (nondet_int() & 1)), *l = t->l; @; drop(t); return 0; }`,
			`l->v = 3`, `drop(l->l); l->l = t`},
		{"the caller keeps a node",
			`int main(void) { struct n *t = build(nondet_int()); if (!t) return 0; struct n *p = t->l; drop(@); if (p) p->v = 1; drop(p); free(t); return 0; }`,
			`t->r`, `t->l`},
		{"an inserted node", `int main(void) { struct n *t = 0; for (int i = nondet_int(); i > 0; i--) t = insert(t, nondet_int()); drop(t); @ return 0; }`,
			``, `if (t) t->v = 1;`},
		{"a lost tree", `int main(void) { struct n *t = 0; for (int i = nondet_int(); i > 0; i--) { @; t = insert(t, nondet_int()); } drop(t); return 0; }`,
			`i--`, `t = 0`},
		{"a field without value", `struct n *add(struct n *t) { if (!t) { t = malloc(sizeof *t); t->v = 0; t->l = 0; @; return t; } t->l = add(t->l); return t; }
			int main(void) { struct n *t = add(add(0)); drop(t); return 0; }`, `t->r = 0`, `t->v = 1`},
		{"two arguments are one", `void f(int n, int *p, int *q) { if (n <= 0) { free(p); return; } f(n - 1, p, q); }
			int main(void) { int *p = malloc(4), *q = malloc(4); f(nondet_int(), p, @); *q = 1; free(q); return 0; }`, `p`, `(free(q), q = p)`},
		{"the result is an argument", `int *f(int n, int *p) { if (n <= 0) return p; return f(n - 1, p); }
			int main(void) { int *p = malloc(4), *q = f(nondet_int(), p); *p = 1; free(q); @; return 0; }`, `q = 0`, `*p = 2`},
		{"the result may be new", `int *f(int n, int *p) { if (n <= 0) return p; if (n == 7) { free(p); p = malloc(4); } return f(n - 1, p); }
			int main(void) { int *p = malloc(4), *q = f(nondet_int(), p); @ = 1; free(q); return 0; }`, `*q`, `*p`},
		{"a counter behind a pointer", `void f(int n, int *i) { if (n <= 0) return; if (*i < @) ++*i; f(n - 1, i); }
			int main(void) { int a[4], i = 0; f(nondet_int(), &i); a[i] = 1; return 0; }`, `3`, `4`},
		{"a global counter", `int g; void f(int n) { if (n <= 0) return; if (g < @) g++; f(n - 1); }
			int main(void) { int a[4]; f(nondet_int()); a[g] = 1; return 0; }`, `3`, `4`},
		{"a pointer is put into a global", `int *g; void f(int n, int *p) { if (n <= 0) { g = p; return; } f(n - 1, p); }
			int main(void) { int *p = malloc(4); f(nondet_int(), p); @; *g = 1; free(p); return 0; }`, `*p = 2`, `free(p); p = malloc(4)`},
		{"a block behind a block", `struct b { int *p; }; void f(int n, struct b *x) { if (n <= 0) { @; return; } f(n - 1, x); }
			int main(void) { struct b *x = malloc(sizeof *x); x->p = malloc(4); f(nondet_int(), x); *x->p = 1; free(x->p); free(x); return 0; }`,
			`*x->p = 3`, `free(x->p)`},
		{"a list is appended to", `struct c { struct c *next; }; struct c *app(struct c *l, struct c *x) { if (!l) return x; l->next = app(l->next, x); return l; }
			int main(void) { struct c *l = 0; while (nondet_int()) { struct c *x = malloc(sizeof *x); x->next = 0; l = app(l, x); @; }
			while (l) { struct c *t = l->next; free(l); l = t; } return 0; }`, `;`, `if (nondet_int()) free(x)`},
		{"the end inside of a call", `void f(int n) { if (n <= 0) @; f(n - 1); }
			int main(void) { int *p = malloc(4); f(nondet_int()); free(p); return 0; }`, `return`, `exit(0)`},
		{"an array in parts", `void *calloc(unsigned long, unsigned long); void sort(int *a, int lo, int hi) {
				if (lo >= hi) return;
				int v = a[hi], i = lo;
				for (int j = lo; j < hi; j++) if (a[j] < v) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; }
				a[hi] = a[i]; a[i] = v; sort(a, lo, i - 1); sort(a, i + 1, hi); }
			int main(void) { int n = 1 + (nondet_int() & 255), *a = calloc(n, 4); sort(a, 0, @); free(a); return 0; }`,
			`n - 1`, `n`},
		{"a block has the size that it had", `void *calloc(unsigned long, unsigned long);
			void f(int n, char *p) { if (n <= 0) return; *p = 1; f(n - 1, p); }
			int main(void) { int m = 1 + (nondet_int() & 15); char *p = calloc(m, 1); f(nondet_int(), p); p[@] = 1;
				free(p); return 0; }`, `m - 1`, `m`},
		{"a block has the size of another", `void *calloc(unsigned long, unsigned long);
			char *f(int n, char *p) { if (n <= 0) return p; if (n == 7) { free(p); p = calloc(1, 1); }
				return f(n - 1, p); }
			int main(void) { int m = 1 + (nondet_int() & 15); char *p = calloc(m, 1); p = f(nondet_int(), p); p[@] = 1;
				free(p); return 0; }`, `0`, `m - 1`},
	} {
		for _, safe := range []bool{false, true} {
			name, hole := c.name+", not so", c.bad
			if safe {
				name, hole = c.name, c.good
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := compile(t, treeFunctions+strings.ReplaceAll(c.src, "@", hole))
				g, err := Build(context.Background(), m, Options{Semantics: ir.Semantics{MallocNeverFails: true}})
				if err != nil {
					t.Fatal(err)
				}
				if got := g.Defined() && g.Frees() && g.Valued(); got != safe {
					t.Errorf("safe: %t, want %t: %v", got, safe, g.Faults)
				}
			})
		}
	}
}

// TestRecursionNotSafe: programs of which some run is undefined, or loses memory, for reasons of their own.
func TestRecursionNotSafe(t *testing.T) {
	for name, src := range map[string]string{
		"a block is lost on one way": `void f(int n) { int *p = malloc(4); *p = n; if (n > 0) f(n-1); if (n != 3) free(p); }
			int main(void){ f(nondet_int()); return 0; }`,
		"two functions leave out every second block": `void o(struct n*p); void e(struct n*p){ if(!p) return; o(p->l); o(p->r); free(p);} void o(struct n*p){ if(!p) return; e(p->l); e(p->r); }
			int main(void){ e(build(nondet_int())); return 0; }`,
		"arguments change places": `void c(int d, int *k, int *m){ if(d <= 0) { *k = 20; return; } c(d-1,m,k); }
			int main(void){ int k=0,m=5; int a[10]; c(nondet_int() & 1,&k,&m); a[m]=1; return 0; }`,
		"a subtree is freed and stays": `void cut(struct n *p){ if(!p) return; if(nondet_int()){ drop(p->l); return;} cut(p->l); cut(p->r); }
			int main(void){ struct n*t=build(nondet_int()); cut(t); drop(t); return 0; }`,
		"a subtree is shared later": `void rot(struct n *p){ if(!p) return; if(nondet_int()){ p->l = p->r; return;} rot(p->l); rot(p->r); }
			int main(void){ struct n*t=build(nondet_int()); rot(t); drop(t); return 0; }`,
		"a global leads to a freed block": `struct n *g; struct n *b2(int d) { struct n *t; if (d <= 0) return 0; t = malloc(sizeof *t); g = t; t->v = d; t->l = b2(d - 1); t->r = b2(d - 1); return t; }
			int main(void){ struct n*t=b2(nondet_int()); drop(t); if (g) g->v = 2; return 0; }`,
		"a block of the run before is freed": `int *g; void f(int n) { if (n <= 0) return; if (g) free(g); g = malloc(4); f(n-1); }
			int main(void){ f(nondet_int()); int *p = g; f(nondet_int()); if (p) *p = 1; free(g); return 0; }`,
		"the local of a call that is over": `int *f(int n, int *p) { int x = 0; if (n <= 0) return p; return f(n-1, nondet_int() ? &x : p); }
			int main(void){ int y = 0; *f(nondet_int(), &y) = 1; return 0; }`,
		"a structure is copied": `void *memcpy(void*,const void*,unsigned long); void f(int n, struct n *p, struct n *q) { if (n <= 0) return; memcpy(p, q, sizeof *p); f(n-1,p,q); }
			int main(void){ struct n *p = build(1), *q = build(1); f(nondet_int(), p, q); if (q->l == 0) q->l = malloc(sizeof *q), q->l->l = q->l->r = 0, q->l->v = 0; f(nondet_int(), p, q); drop(p); drop(q); return 0; }`,
		"the result is a block that the caller holds": `struct n *dup(int n, struct n *p) { if (n <= 0) return p; return dup(n-1, p); }
			int main(void){ struct n *p = build(1); if (!p) return 0; struct n *q = malloc(sizeof *q); q->v = 0; q->l = p; q->r = dup(nondet_int(), p); drop(q); return 0; }`,
		"a shorter block stands for a longer one": `void *calloc(unsigned long, unsigned long);
			void f(int n, char **p) { if (n <= 0) return; if (n == 3) { free(*p); *p = calloc(1, 1); } f(n - 1, p); }
			int main(void){ int m = 1 + (nondet_int() & 15); char *p = calloc(m, 1); f(nondet_int(), &p); p[m - 1] = 1;
				free(p); return 0; }`,
		"blocks of two sizes change places": `void *calloc(unsigned long, unsigned long);
			void f(int n, char **p, char **q) { if (n <= 0) return; char *t = *p; *p = *q; *q = t; f(n - 1, p, q); }
			int main(void){ int m = 1 + (nondet_int() & 15); char *p = calloc(m, 1), *q = calloc(1, 1);
				f(nondet_int(), &p, &q); p[m - 1] = 1; free(p); free(q); return 0; }`,
		"a pointer moves on": `void *calloc(unsigned long, unsigned long);
			char *f(int n, char *p) { if (n <= 0) return p; return f(n - 1, p + 1); }
			int main(void){ char *p = calloc(9, 1); *f(nondet_int() & 15, p) = 1; free(p); return 0; }`,
		"results of two sizes": `int *f(int n) { if (n <= 0) return malloc(4); if (n == 5) return malloc(8); return f(n-1); }
			int main(void){ int *p = f(nondet_int()); p[1] = 1; free(p); return 0; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := compile(t, treeFunctions+src)
			g, err := Build(context.Background(), m, Options{Semantics: ir.Semantics{MallocNeverFails: true}})
			if err != nil {
				t.Fatal(err)
			}
			if g.Defined() && g.Frees() && g.Valued() {
				t.Error("safe")
			}
		})
	}
}
