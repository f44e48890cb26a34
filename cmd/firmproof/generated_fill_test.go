package main

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// fillC: use trusts an index that step keeps in a range; work takes memory for its structure.
const fillC = `void *memcpy(void *, const void *, unsigned);
void *malloc(unsigned);
struct rec { unsigned a; unsigned char tab[4]; };
struct io { void *mem; };
struct cur { unsigned char *p; unsigned n; };
struct frame { unsigned char b[8]; };
static unsigned char rx[8], *out;
static void in(void *to, unsigned n) { unsigned char *d = to; while (n--) *d++ = rx[n & 7]; }
static void in2(void *to, unsigned n) { in(to, n); }
static void copy(void *to) { memcpy(to, rx, 8); }
static void words(void *to) { unsigned *d = to; d[0] = rx[0]; d[1] = rx[1]; }
static void one(unsigned *to) { *to = rx[0]; }
static void cast(void *to) { *(unsigned *)to = rx[0]; }
static void zero(void *to, unsigned n) { unsigned char *d = to; while (n--) *d++ = 0; }
static int sum(const void *p, unsigned n) { const unsigned char *d = p; int s = 0; while (n--) s ^= *d++; return s; }
static void *same(void *to) { return to; }
static void *fill(void *to) { in(to, 8); return to; }
static void *mem(struct io *o) { return o->mem; }
static void put(unsigned char **p, unsigned char c) { *(*p)++ = c; }
static unsigned char get(unsigned char **p) { return *(*p)++; }
static void cursor(void *to) { unsigned char *d = to; put(&d, rx[0]); put(&d, rx[1]); }
static int reads(void *at) { unsigned char *d = at; return get(&d) + get(&d); }
static void emit(struct cur *c, unsigned char x) { *c->p++ = x; c->n++; }
static void stream(void *to) { struct cur c = {to, 0}; emit(&c, rx[0]); emit(&c, rx[1]); }
static void deep(void **to) { in(*to, 8); }
static void next(void) { *out++ = rx[0]; }
static void frame(void *to) { struct frame *f = to; for (int i = 0; i < 8; i++) f->b[i] = rx[i]; }
static void context(void *c) { struct rec *r = c; r->a = (r->a + 1) % 4; r->tab[0] = rx[0]; }
static void whole(void *c, struct rec *v) { struct rec *r = c; *r = *v; }
void step(struct rec *q) { q->a = (q->a + 1) % 4; }
int use(struct rec *p) { return p->tab[p->a]; }
int work(struct io *o, void *m, struct rec *v, int n) { struct rec *r = o->mem; WORK; return use(r); }
`

// TestFilledRanges: a number has no range where a function of the program writes bytes or words, through a pointer
// without a type, to what is taken for its structure. One that reads there, writes zeros, or takes it for the same
// structure leaves the range.
func TestFilledRanges(t *testing.T) {
	expectUse(t, fillC, "WORK", map[string]verdict.Status{
		"in(o->mem, 8)":             verdict.Violated,
		"in(rx, 8)":                 verdict.Proved,
		"in2(o->mem, 8)":            verdict.Violated,
		"in2(rx, 8)":                verdict.Proved,
		"copy(o->mem)":              verdict.Violated,
		"copy(rx)":                  verdict.Proved,
		"words(o->mem)":             verdict.Violated,
		"one(o->mem)":               verdict.Violated,
		"one(&n)":                   verdict.Proved,
		"cast(o->mem)":              verdict.Violated,
		"frame(o->mem)":             verdict.Violated,
		"zero(o->mem, 8)":           verdict.Proved,
		"sum(o->mem, 8)":            verdict.Proved,
		"in(m, 8); r = m":           verdict.Violated,
		"in(rx, 8); r = m":          verdict.Proved,
		"m = malloc(8); in(m, 8)":   verdict.Proved,
		"r = fill(o->mem)":          verdict.Violated,
		"r = same(o->mem)":          verdict.Proved,
		"in(mem(o), 8); r = mem(o)": verdict.Violated,
		"in(same(o->mem), 8)":       verdict.Violated,
		"cursor(o->mem)":            verdict.Violated,
		"reads(o->mem)":             verdict.Proved,
		"stream(o->mem)":            verdict.Violated,
		"deep(&o->mem)":             verdict.Violated,
		"deep(&m); r = m":           verdict.Violated,
		"out = o->mem; next()":      verdict.Violated,
		"out = rx; next()":          verdict.Proved,
		"context(o->mem)":           verdict.Proved,
		"whole(o->mem, v)":          verdict.Proved,
		"in(r, 8)":                  verdict.Violated,
		"in(r->tab, 4)":             verdict.Proved,
		"unsigned char *d = o->mem; d[n & 7] = rx[n & 7]":   verdict.Violated,
		"unsigned char *d = n ? o->mem : rx; *d = rx[1]":    verdict.Violated,
		"unsigned char *d = o->mem; n = d[n & 7]":           verdict.Proved,
		"void (*f)(void *, unsigned) = in; f(o->mem, 8)":    verdict.Violated,
		"m = malloc(8); if (!m) return 0; in(m, 8); r = m":  verdict.Violated,
		"m = malloc(8); if (!m) return 0; sum(m, 8); r = m": verdict.Proved,
	})
}
