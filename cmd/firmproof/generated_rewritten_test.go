package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const rewrittenC = `#include <stdint.h>
#include <stddef.h>
#include <string.h>
typedef void (*fn)(int *);
struct dev { int id; fn f; };
struct outer { int no; struct dev d; };
struct list { int no; fn in[2]; };
static int v[4];
static void a(int *p) { *p = 1; }
static void b(int *p) { p[STORED] = 1; }
static void bytes(void *to, const void *from, size_t n) {
    uint8_t *d = to; const uint8_t *s = from;
    while (n--) *d++ = *s++;
}
static int sum(const void *from, size_t n) {
    const uint8_t *s = from; int x = 0;
    while (n--) x ^= *s++;
    return x;
}
static struct dev dev = { 1, a };
static const struct dev other = { 2, b };
fn use(void) { return other.f; }
`

// TestRewrittenFunctions: a variable with a pointer to a function that is copied over as bytes or words, by a function
// without a body, as a whole, or set through a pointer to its type, does not keep the function that it has at first.
// Where it is handed to what only reads it, or writes another member, it does.
func TestRewrittenFunctions(t *testing.T) {
	const run = "void run(void) { dev.f(v); }\n"
	kept := map[string]string{
		"read":    "int init(void) { return sum(&dev, sizeof dev); }\n" + run,
		"member":  "static void inc(int *p) { *p += 1; }\nvoid init(void) { inc(&dev.id); }\n" + run,
		"context": "static void on(void *c) { ((struct dev *)c)->id++; }\nvoid init(void) { on(&dev); }\n" + run,
	}
	changed := map[string]string{
		"bytes": "void init(void) { bytes(&dev, &other, sizeof dev); }\n" + run,
		"words": "void init(void) { uint32_t *d = (uint32_t *)&dev; const uint32_t *s = (const uint32_t *)&other;\n" +
			"for (unsigned i = 0; i < sizeof dev / 4; i++) d[i] = s[i]; }\n" + run,
		"walk":     "void init(const int *s) { int *d = &dev.id; for (int i = 1; i < 4; i++) d[i] = s[i]; }\n" + run,
		"length":   "void init(size_t n) { if (n <= sizeof dev) memcpy(&dev, &other, n); }\n" + run,
		"address":  "void init(uintptr_t *p) { *p = (uintptr_t)&dev; }\n" + run,
		"nobody":   "void fill(struct dev *to);\nvoid init(void) { fill(&dev); }\n" + run,
		"stored":   "static void *at;\nvoid init(void) { at = &dev; }\nvoid put(void) { bytes(at, &other, 16); }\n" + run,
		"initial":  "static uint8_t *raw = (uint8_t *)&dev;\nvoid init(void) { bytes(raw, &other, sizeof dev); }\n" + run,
		"pointer":  "static void set(struct dev *p) { p->f = b; }\nvoid init(void) { set(&dev); }\n" + run,
		"whole":    "static void set(struct dev *p) { *p = other; }\nvoid init(void) { set(&dev); }\n" + run,
		"assigned": "void init(void) { dev = other; }\n" + run,
		"inner": "static struct outer w = {1, {1, a}};\nvoid init(void) { bytes(&w.d, &other, sizeof other); }\n" +
			"void run(void) { w.d.f(v); }\n",
		"array": "static struct list l = {1, {a, a}};\nstatic void set(struct list *p, int i) { p->in[i & 1] = b; }\n" +
			"void init(int i) { set(&l, i); }\nvoid run(int i) { l.in[i & 1](v); }\n",
		"table": "static fn l[2] = {a, a};\nstatic const fn m[2] = {b, b};\n" +
			"void init(void) { memcpy(l, m, sizeof l); }\nvoid run(int i) { l[i & 1](v); }\n",
		"union": "static union { struct dev d; uint32_t w[4]; } u = {{1, a}};\n" +
			"void init(const uint32_t *s) { for (int i = 0; i < 4; i++) u.w[i] = s[i]; }\nvoid run(void) { u.d.f(v); }\n",
		"null": "static struct dev z;\nvoid init(void) { bytes(&z, &other, sizeof z); }\n" +
			"void run(void) { if (z.f) z.f(v); }\n",
		"reached": "static struct { const struct dev *d; } l = {&dev};\nvoid init(void) { l.d = &other; }\n" +
			"void run(void) { l.d->f(v); }\n",
		"parameter": "struct o { long no; fn g; };\nvoid first(struct dev *d) { d->f = a; }\n" +
			"void init(struct dev *d, const struct o *o) { memcpy(d, o, sizeof *d); }\nvoid run(struct dev *d) { d->f(v); }\n",
	}
	for stored, want := range map[string]verdict.Status{"3": verdict.Proved, "4": verdict.Violated} {
		for name, code := range changed {
			want := want
			if name == "walk" || name == "length" || name == "union" { // whoever calls init says what f is then
				want = verdict.Violated
			}
			dir := writeTree(t, map[string]string{name + ".c": "#define STORED " + stored + "\n" + rewrittenC + code})
			_, rep, errs := checkJSON(t, filepath.Join(dir, name+".c"), "--function", "run", withoutCalls)
			expectCalls(t, rep, errs, map[string]anyCall{"run": {want, ""}}, assumptionTexts)
		}
	}
	for name, code := range kept {
		dir := writeTree(t, map[string]string{name + ".c": "#define STORED 4\n" + rewrittenC + code})
		_, rep, errs := checkJSON(t, filepath.Join(dir, name+".c"), "--function", "run", withoutCalls)
		expectCalls(t, rep, errs, map[string]anyCall{"run": {verdict.Proved, ""}},
			assumptionTexts)
	}
}
