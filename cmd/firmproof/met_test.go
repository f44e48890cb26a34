package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestTypesThatMeet: an object of one type that functions access as another, by pointers that others keep or hand on, is
// accessed on the condition that compilers take it for one; the same with types that fit is none.
func TestTypesThatMeet(t *testing.T) {
	for _, c := range []struct {
		name string
		want verdict.Status
		text string
	}{
		{"member", verdict.Conditional, `struct box { void *p; int n; }; static int x; static struct box b; static void put(struct box *q) { q->p = &x;
}
static int get(struct box *q) { short *s = q->p; *s = 2; return x; } int main(void) { put(&b); x = 1; int r =
get(&b); assert(r == 2); return 0; }`},
		{"member", verdict.Proved, `struct box { void *p; int n; }; static int x; static struct box b; static void put(struct box *q) { q->p = &x;
}
static int get(struct box *q) { unsigned *s = q->p; *s = 2; return x; } int main(void) { put(&b); x = 1; int r
= get(&b); assert(r == 2); return 0; }`},
		{"file", verdict.Conditional, `static void *where; static int x; static void put(void) { where = &x; } static float get(void) { float *f =
where; return *f; }
int main(void) { put(); x = 0; float r = get(); assert(r == 0); return 0; }`},
		{"file", verdict.Proved, `static void *where; static int x; static void put(void) { where = &x; } static int get(void) { int *f = where;
return *f; }
int main(void) { put(); x = 0; int r = get(); assert(r == 0); return 0; }`},
		{"down", verdict.Conditional, `static short third(void *p); static short second(void *p) { return third(p); } int main(void) { int x = 5;
short r = second(&x); assert(r == 5); return 0; }
static short third(void *p) { short *s = p; return *s; }`},
		{"down", verdict.Proved, `static char third(void *p); static char second(void *p) { return third(p); } int main(void) { int x = 5; char
r = second(&x); assert(r == 5); return 0; }
static char third(void *p) { char *s = p; return *s; }`},
		{"first", verdict.Conditional, `struct item { int a; float f; }; struct other { int a; int n; }; static struct item it; static void *cur;
static void sel(void) { cur = &it; }
static int read(void) { struct other *o = cur; return o->n; } int main(void) { sel(); it.f = 0; int r =
read(); assert(r == 0); return 0; }`},
		{"first", verdict.Proved, `struct head { int kind; }; struct item { struct head h; int v; }; static struct item it; static struct head
*cur; static void sel(void) { cur = &it.h; }
static int read(void) { struct item *o = (struct item *)cur; return o->v + o->h.kind + *(int *)cur; } int
main(void) { sel(); it.v = 1; int r = read(); assert(r == 1); return 0; }`},
		{"restrict", verdict.Conditional, `static int f(int *a) { int *restrict p = a; int *restrict q = a; *p = 1; *q = 2; return *p; } int main(void) {
int x = 0; int r = f(&x); assert(r == 2); return 0; }`},
		{"restrict", verdict.Proved, `static int f(int *a, int *b) { int *restrict p = a; int *restrict q = b; *p = 1; *q = 2; return *p; } int
main(void) { int x = 0, y = 0; int r = f(&x, &y); assert(r == 1); return 0; }`},
		{"cases", verdict.Proved, `struct job { int kind; void *arg; }; static int i = 1; static float f = 2; static struct job jobs[2] = {{0,
&i}, {1, &f}};
static int run(struct job *j) { if (j->kind == 0) { int *a = j->arg; return *a; } float *a = j->arg; return
(int)*a; }
int main(void) { int r = run(&jobs[0]) + run(&jobs[1]); assert(r == 3); return 0; }`},
		{"union", verdict.Proved, `union u { int i; short h; short s[2]; }; static union u x; static void *cur; static void sel(void) { cur = &x;
} static void put(union u *p) { p->i = 0; }
static int read(void) { union u *o = cur; return o->i + o->s[0]; } int main(void) { sel(); put(&x); int r =
read(); assert(r == 0); return 0; }`},
		{"copy", verdict.Proved, `static float x; static void *cur; static void sel(void) { cur = &x; } static int read(void) { int n;
memcpy(&n, cur, sizeof n); return n; }
int main(void) { sel(); int r = read(); assert(r == 0); return 0; }`},
		{"pool", verdict.Proved, `static _Alignas(8) unsigned char pool[64]; static unsigned used; static void *take(unsigned n) { void *p =
&pool[used]; used += (n + 7u) & ~7u; return p; }
struct a { int x; }; struct b { float y; }; int main(void) { struct a *a = take(sizeof *a); struct b *b =
take(sizeof *b); a->x = 1; b->y = 2; assert(a->x == 1); return 0; }`},
		{"heap", verdict.Proved, `struct a { int x; }; struct b { float y; }; static void *take(unsigned n) { return malloc(n); }
int main(void) { struct a *a = take(sizeof *a); struct b *b = take(sizeof *b); if (a && b) { a->x = 1; b->y =
2; assert(a->x == 1); } free(a); free(b); return 0; }`},
		{"array", verdict.Proved, `static int t[8]; static int *cur; static void sel(void) { cur = t + 2; } static int sum(const int *p, int n) {
int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int main(void) { sel(); cur[1] = 2; int r = sum(cur, 2) + sum(t, 8); assert(r == 4); return 0; }`},
	} {
		const head = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n"
		path := filepath.Join(writeTree(t, map[string]string{"a.c": head + c.text}), "a.c")
		_, rep, errs := checkJSON(t, path, "--target", "cortex-m3")
		if len(rep.Results) != 1 || rep.Results[0].Status != c.want {
			t.Errorf("%s is not %s: %v\n%s", c.name, c.want, rep.Results, errs)
			continue
		}
		r := &rep.Results[0]
		for i := range r.Claims {
			for _, a := range r.RestsOn(&r.Claims[i]) {
				if a.Origin != verdict.Chosen || !strings.Contains(a.Text, "(C17 6.") {
					t.Errorf("%s: %s rests on %q", c.name, r.Claims[i].ID, a.Text)
				}
			}
		}
		if c.name == "member" {
			_, rep, errs = checkJSON(t, path, "--target", "cortex-m3", "--cflags", "-fno-strict-aliasing")
			if len(rep.Results) != 1 || rep.Results[0].Status != verdict.Proved {
				t.Errorf("%s without the rule: %v\n%s", c.name, rep.Results, errs)
			}
		}
	}
}
