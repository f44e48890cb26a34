package places_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// takenIn words what a program does with objects that hold pointers to functions, beside stores in their members:
// "kinds n,f; vars x; copied n,f; whole y; taken z". Kinds are told by their members.
func takenIn(m *ir.Module) string {
	r := places.Of(m).Re
	var out []string
	for _, part := range []struct {
		name  string
		kinds map[string]bool
		vars  map[*ir.Global]bool
	}{{"kinds", r.Kinds, nil}, {"vars", nil, r.Vars}, {"copied", r.Copied, nil}, {"whole", nil, r.Whole}, {"taken", nil, r.Taken}} {
		var names []string
		for kind := range maps.Keys(part.kinds) {
			members, _, _ := strings.Cut(kind, "/")
			names = append(names, members)
		}
		for g := range maps.Keys(part.vars) {
			names = append(names, ir.NameOf(g))
		}
		slices.Sort(names)
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("%s %s", part.name, strings.Join(names, " ")))
		}
	}
	return strings.Join(out, "; ")
}

// TestTaken: what a program writes in members of a structure with a pointer to a function, by their types, leaves it what
// it is; all else may be any function.
func TestTaken(t *testing.T) {
	const s = "typedef void (*fn)(void); typedef unsigned char u8; void a(void); void b(void); struct s { u8 n; fn f; }; "
	const u = "typedef void (*fn)(void); struct s { int n; union { fn f; long l; } v; }; "
	const w = "typedef void (*fn)(void); struct s { char n[4]; fn f; }; "
	holdTo(t, takenIn, []words{
		{s + "void f(struct s *p, u8 n) { p->n = n; p->f = a; }", ""},
		{s + "void f(struct s *p) { *(u8 *)&p->n = 1; }", ""},
		{s + "void f(struct s *p) { *(short *)&p->n = 1; }", "kinds n,f"},
		{s + "void f(struct s *p) { *(long *)&p->f = 1; }", "kinds n,f"},
		{s + "void f(struct s *p, long n) { *(long *)&p->f = n; }", "kinds n,f"},
		{s + "void f(struct s *p) { *(long *)&p->f = (long)b; }", "kinds n,f"},
		{s + "void f(struct s *p, u8 n) { *(u8 *)&p->f = n; }", "kinds n,f"},
		{s + "void f(struct s *p) { *(long *)&p->f = 0; }", ""},
		{s + "void f(struct s *p, void *q) { *(void **)&p->f = q; }", ""},
		{s + "void f(struct s *p, long n) { __atomic_store_n((long *)&p->f, n, 5); }", "kinds n,f"},
		{s + "void f(struct s *p, long n) { __atomic_exchange_n((long *)&p->f, n, 5); }", "kinds n,f"},
		{s + "void f(struct s *p, fn g) { __atomic_exchange_n(&p->f, g, 5); }", "kinds n,f"},
		{s + "void f(struct s *p) { __atomic_fetch_add(&p->n, 1, 5); }", ""},
		{s + "void f(struct s *p, int i) { (&p->n)[i] = 1; }", "kinds n,f"},
		{s + "void f(struct s *p) { *(long *)p = 1; }", "kinds n,f"},
		{s + "void f(struct s *p, long *q) { *q = 1; p->n = 2; }", ""},
		{s + "static struct s x; void f(void) { x.n = 1; x.f = a; }", ""},
		{s + "static struct s x, y; void f(void) { *(long *)&x = 1; y.n = 2; }", "kinds n,f; vars x"},
		{s + "static struct s x; static long y; void f(void) { *(short *)&y = 1; x.n = 1; }", ""},
		{s + "static fn x; void f(void) { x = a; }", ""},
		{s + "static fn x; void f(void) { *(long *)&x = 1; }", "vars x"},
		{s + "static struct s x; struct s *q = &x;", "taken x"},
		{s + "static struct s x; void *q = &x;", "kinds n,f; vars x; taken x"},
		{s + "void f(struct s *p, struct s *q) { *p = *q; }", "copied n,f"},
		{s + "static struct s x, y; void f(void) { x = y; }", "copied n,f; whole x"},
		{s + "void f(struct s *p, void *q) { memcpy(p, q, sizeof *p); }", "kinds n,f"},
		{s + "void f(struct s *p, struct s *q) { memmove(p, q, sizeof *p); }", "copied n,f"},
		{s + "void f(struct s *p, struct s *q, int n) { memcpy(p, q, n); }", "kinds n,f"},
		{s + "void f(struct s *p) { memcpy(&p->n, \"ab\", 2); }", "kinds n,f"},
		{s + "void f(struct s *p) { struct s x = { 1, a }; *p = x; }", "copied n,f"},
		{s + "void f(struct s *p) { memset(p, 0, sizeof *p); }", ""},
		{s + "void f(struct s *p) { memset(p, 1, sizeof *p); }", "kinds n,f"},
		{s + "void f(struct s *p) { memset(&p->n, 1, 1); }", ""},
		{s + "void f(struct s *p) { memset(&p->n, 1, 2); }", "kinds n,f"},
		{s + "void h(u8 *q) { *q = 1; } void f(struct s *p) { h(&p->n); }", ""},
		{s + "void h(void *q) { *(long *)q = 1; } void f(struct s *p) { h(p); }", "kinds n,f"},
		{s + "void h(void *q) { } void f(struct s *p) { h(p); }", ""},
		{s + "void h(u8 *q) { *q = 1; } void (*k)(u8 *) = h; void f(struct s *p) { k(&p->n); }", ""},
		{s + "void h(void *q) { *(long *)q = 1; } void (*k)(void *) = h; void f(struct s *p) { k(p); }", "kinds n,f"},
		{s + "void h(void *q) { } void (*k)(void *) = h; void f(struct s *p) { k(p); }", ""},
		{s + "void h(void *q); void (*k)(void *) = h; void f(struct s *p) { k(p); }", "kinds n,f"},
		{w + "void f(struct s *p) { memset(p->n, 1, 4); }", ""},
		{w + "void f(struct s *p) { memset(p->n, 1, 5); }", "kinds n,f"},
		{w + "void f(struct s *p, int n) { memset(p->n, 1, n); }", "kinds n,f"},
		{u + "void f(struct s *p) { p->n = 1; }", ""},
		{u + "void f(struct s *p) { *(long *)&p->v = 1; }", "kinds f,l n,v"},
	})
}
