package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestStoredFunctions: functions that are stored at an index that varies, through a pointer to a pointer, or with a
// whole structure are among those that a generated harness takes a pointer to lead to; where a number is written there, all are.
func TestStoredFunctions(t *testing.T) {
	const code = `typedef void (*fn)(int *);
struct s { int id; fn f; };
struct p { int no; fn g; };
static int v[4];
static void a(int *p) { *p = 1; }
static void b(int *p) { p[STORED] = 1; }
static fn table[4] = { a, a, a, a };
void set(unsigned i) { if (i < 4) table[i] = b; }
void run(unsigned i) { if (i < 4) table[i](v); }
void whole(struct s *s) { struct s t = { 1, b }; *s = t; }
void first(struct s *s) { s->f = a; }
void member(struct s *s) { s->f(v); }
static void put(fn *to, fn f) { *to = f; }
void through(struct p *p) { put(&p->g, b); }
void second(struct p *p) { p->g = a; }
void slot(struct p *p) { p->g(v); }
struct o { unsigned no : 3; fn h; };
void literal(struct o *o) { *o = (struct o){ 1, b }; }
void third(struct o *o) { o->h = a; }
void bits(struct o *o) { o->h(v); }
static struct p dev = { 1, a };
void cast(void *to) { ((struct p *)((char *)to + 8))->g = b; }
void changed(void) { dev.g(v); }
struct n { int no; fn k; };
void number(struct n *n, unsigned long w) { *(unsigned long *)&n->k = w; }
void fourth(struct n *n) { n->k = a; }
void numbered(struct n *n) { n->k(v); }
`
	for stored, want := range map[string]verdict.Status{"3": verdict.Proved, "4": verdict.Violated} {
		dir := writeTree(t, map[string]string{"src.c": "#define STORED " + stored + "\n" + code})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--function", "run", "--function", "member",
			"--function", "slot", "--function", "bits", "--function", "changed", "--function", "numbered")
		said := "a or b, which the program stores there"
		expectCalls(t, rep, errs, map[string]anyCall{"run": {want, said},
			"member": {want, "b or a, which the program stores there"}, "slot": {want, said}, "bits": {want, said},
			"changed": {want, said}, "numbered": {want, "a or b, which the program may store there"}},
			assumptionTexts)
	}
}
