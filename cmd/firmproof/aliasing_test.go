package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestEffectiveTypes: what compilers may change, because C lets them take accesses of different types for accesses of
// different objects, is proved on that condition alone; gcc -O2 has all but the cast fail.
func TestEffectiveTypes(t *testing.T) {
	const heap = `#include <assert.h>
#include <stdlib.h>
static int f(int *i, short *s) { *i = 1; *s = 2; return *i; }
int main(void) { void *m = malloc(4); int r = 2; if (m) r = f(m, m); free(m); assert(r == 2); return 0; }`
	const union = `#include <assert.h>
union u { int i; float f; };
static int f(int *i, float *g) { *i = 1; *g = 2; return *i; }
int main(void) { union u u; int r = f(&u.i, &u.f); assert(r != 1); return 0; }`
	const restricted = `#include <assert.h>
static int f(int *restrict p, int *restrict q) { *p = 1; *q = 2; return *p; }
int main(void) { int x = 0, r = f(&x, &x); assert(r == 2); return 0; }`
	const wrapped = `#include <assert.h>
static int f(int *restrict p, int *restrict q) { *p = 1; *q = 2; return *p; }
static int g(int *a, int *b) { return f(a, b); }
int main(void) { int x = 0, r = g(&x, &x); assert(r == 2); return 0; }`
	const global = `#include <assert.h>
static int x;
static void g(int *restrict p) { *p = 1; x = 2; assert(*p == 2); }
int main(void) { g(&x); return 0; }`
	const made = `#include <assert.h>
#include <stdlib.h>
static int f(void *a, void *b) { int *i = a; short *s = b; *i = 1; *s = 2; return *i; }
int main(void) { void *m = malloc(4); if (!m) return 0; int r = f(m, m); free(m); assert(r == 2); return 0; }`
	const kinds = `#include <assert.h>
static float buf[8], old[8];
static int value(int kind, const void *v) {
	if (kind == 0) { const int *i = v; return *i; }
	const float *f = v; return (int)*f;
}
static void copy(int n, float *restrict d, const float *restrict s) { for (int i = 0; i < n; i++) d[i] = s[i]; }
int main(void) {
	int i = 1; float f = 2; assert(value(0, &i) == 1 && value(1, &f) == 2);
	copy(4, buf, old); assert(buf[0] == 0); return 0;
}`
	const cast = `#include <assert.h>
int main(void) { short s[2] = {1, 0}; int i = *(int *)s; assert(i == 1); return 0; }`
	const plain = `#include <assert.h>
#include <stdlib.h>
#include <string.h>
union u { int i; short s[2]; };
struct head { int kind; }; struct item { struct head h; int v; };
static int value(struct head *h) { return ((struct item *)h)->v; }
static void add(int *restrict p, const int *restrict q) { *p += *q; }
int main(void) {
	union u u = {0}; u.s[0] = 1; int n = u.i, m; memcpy(&m, u.s, sizeof m); assert(n == 1 && m == 1);
	struct item x = {{1}, 2}; assert(value(&x.h) == 2);
	unsigned *p = malloc(sizeof *p); if (!p) return 0; *p = 3; add((int *)p, &n); assert(*p == 4);
	((unsigned char *)p)[0] = 5; assert(*p == 5); free(p); return 0;
}`
	for _, c := range []struct {
		name, text string
		flags      string
		want       verdict.Status
	}{
		{"heap", heap, "", verdict.Conditional}, {"heap", heap, "-fno-strict-aliasing", verdict.Proved},
		{"union", union, "", verdict.Conditional}, {"union", union, "-O0", verdict.Proved},
		{"restrict", restricted, "", verdict.Conditional},
		{"restrict", restricted, "-fno-strict-aliasing", verdict.Conditional},
		{"wrapped", wrapped, "", verdict.Conditional}, {"global", global, "", verdict.Conditional},
		{"made", made, "", verdict.Conditional}, {"made", made, "-fno-strict-aliasing", verdict.Proved},
		{"kinds", kinds, "", verdict.Proved},
		{"cast", cast, "-O2", verdict.Conditional}, {"plain", plain, "-O2", verdict.Proved},
	} {
		path := filepath.Join(writeTree(t, map[string]string{"a.c": c.text}), "a.c")
		args := []string{path, "--target", "cortex-m3"}
		if c.flags != "" {
			args = append(args, "--cflags", c.flags)
		}
		_, rep, errs := checkJSON(t, args...)
		for i := range rep.Results {
			r := &rep.Results[i]
			if r.Status != c.want {
				t.Errorf("%s %s: %s\n%s", c.name, c.flags, r.Status, errs)
			}
			for k := range r.Claims {
				claim := &r.Claims[k]
				for _, a := range r.RestsOn(claim) {
					if a.Origin != verdict.Chosen || !strings.Contains(a.Text, "(C17 6.") {
						t.Errorf("%s %s: %s rests on %q", c.name, c.flags, claim.ID, a.Text)
					}
				}
				if claim.Check == verdict.Assert && claim.Status != c.want {
					t.Errorf("%s %s: the assertion is %s", c.name, c.flags, claim.Status)
				}
			}
		}
		if len(rep.Results) != 1 {
			t.Errorf("%s %s: %d results\n%s", c.name, c.flags, len(rep.Results), errs)
		}
	}
}
