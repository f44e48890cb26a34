package prepare

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestVolatileLayouts compares versions with volatile members of structures that have another layout: they access the same
// members in the same order.
func TestVolatileLayouts(t *testing.T) {
	const old, now = "struct r { volatile uint8_t a, b; }; ", "struct r { volatile uint8_t c, b, a; }; "
	const both = "void f(struct r *r, uint8_t x) { r->a = x; r->b = x + 1; }"
	const ring = "uint8_t d[8]; volatile uint8_t h, t; }; "
	for _, c := range []layoutCase{
		{"the same", old + both, now + both, verdict.SameBounded, "`c` of `struct r` is new"},
		{"another order", old + both, now + "void f(struct r *r, uint8_t x) { r->b = x + 1; r->a = x; }", verdict.Differs, ""},
		{"a new member", old + "void f(struct r *r) { r->a = 1; }", now + "void f(struct r *r) { r->c = 1; }", verdict.Differs, ""},
		{"once more", old + "int f(struct r *r) { return r->a; }", now + "int f(struct r *r) { return r->a + 0 * r->a; }", verdict.Differs, ""},
		{"of another one", old + "void f(struct r *r, struct r *q) { r->a = 1; q->a = 1; }",
			now + "void f(struct r *r, struct r *q) { q->a = 1; r->a = 1; }", verdict.Differs, ""},
		{"a variable", "static struct { volatile uint8_t a, b; } s; void f(uint8_t x) { s.a = x; } int g(void) { return s.b; }",
			"static struct { volatile uint8_t n, a, b; } s; void f(uint8_t x) { s.a = x; } int g(void) { return s.b; }", verdict.Same, ""},
		{"an array", "struct r { volatile uint8_t d[4]; }; void f(struct r *r, uint8_t i) { if (i < 4) r->d[i] = 1; }",
			"struct r { int z; volatile uint8_t d[4]; }; void f(struct r *r, uint8_t i) { if (i < 4) r->d[3 - i] = 1; }", verdict.Differs, ""},
		{"a ring", "struct q { " + ring + "int f(struct q *q) { uint8_t t = q->t; if (q->h == t) return -1; int v = q->d[t & 7]; q->t = t + 1; return v; }",
			"struct q { uint8_t lost; " + ring + "int f(struct q *q) { uint8_t t = q->t; if (t == q->h) return -1; uint8_t v = q->d[t % 8]; q->t = t + 1; return v; }",
			verdict.SameBounded, "`lost` of `struct q` is new"},
	} {
		c.run(t)
	}
}
