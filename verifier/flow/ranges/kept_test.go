package ranges

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// keptIn words the ranges of the variable g, and of the members of struct s, that a program keeps: "g 0..7 a 1..2".
func keptIn(m *ir.Module) string {
	s := Of(m, false)
	var out []string
	seen := map[string]bool{}
	say := func(name string, p places.Place, t *ir.DType) {
		if low, high, ok := s.Kept(p, t); ok && !seen[name] {
			seen[name] = true
			out = append(out, fmt.Sprintf("%s %d..%d", name, low, high))
		}
	}
	for _, g := range m.Globals {
		if HoldsNumber(g) && g.Var.Name == "g" {
			say("g", places.Place{Global: g}, g.Var.T)
		}
	}
	ir.EachType(m, func(t *ir.DType) {
		for i := range t.Fields {
			if f := &t.Fields[i]; t.Name == "struct s" && ir.IsNumber(f.T) && !f.IsBits {
				say(f.Name, places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}, f.T)
			}
		}
	})
	return strings.Join(out, " ")
}

// What a program keeps a number in, by all that it stores there; "" is any number.
func TestKept(t *testing.T) {
	const O1 = "/* optimised */ "
	const s = "typedef unsigned char u8; struct s { u8 a, b; }; static struct s x; "
	for _, c := range []struct{ src, want string }{
		{"static int g; void f(int n) { g = n & 7; }", "g 0..7"},
		{s + "void f(struct s *p, struct s *q, int n) { if (p->a < 5) { q->a = n & 7; p->a++; } }", ""},
		{s + "void f(struct s *p, struct s *q, int n) { if (p->a < 5) { q->b = n & 7; p->a++; } }", "a 0..5 b 0..7"},
		{s + "void f(struct s *p, struct s *q, int n) { p->a = n; q->a = 3; if (p->a > 5) p->a = 0; }", ""},
		{s + "void f(struct s *p, struct s *q, int n) { p->a = n; q->b = 3; if (p->a > 5) p->a = 0; }", "a 0..5"},
		{s + "u8 f(struct s *p, struct s *q, int n) { p->a = n; u8 k = q->a; if (p->a > 5) p->a = 0; return k; }", ""},
		{s + "u8 f(struct s *p, struct s *q, int n) { p->a = n; u8 k = q->b; if (p->a > 5) p->a = 0; return k; }", "a 0..5"},
		{s + "void h(void); void f(struct s *p, int n) { p->a = n; h(); if (p->a > 5) p->a = 0; }", ""},
		{s + "void f(struct s *p, int n) { p->a = n; if (n > 2) return; if (p->a > 5) p->a = 0; }", ""},
		{s + "void f(struct s *p, int n) { int k = 0; p->a = n; k = 7; if (p->a > 5) p->a = 0; p->b = k; }", "a 0..5"},
		{"static int g; void f(int n) { if (n < 0) g = 1; else if (n == 0) g = 2; else g = 4; }", ""},
		{"static int g; void f(int n) { g = n > 3 ? 3 : n < 0 ? 0 : n; }", "g 0..3"},
		{"static int g = 9; void f(int n) { g = n & 7; }", "g 0..9"},
		{"static int g; int *p = &g; void f(int n) { g = n & 7; }", ""},
		{"static int g; void f(int n) { g = n & 7; } int *h(void) { return &g; }", ""},
		{"static int g; int *k[2]; void f(int n) { g = n & 7; k[n & 1] = &g; }", ""},
		{"static int g; int k[20]; void f(int n) { g = n & 7; k[(unsigned long)&g & 15] = 1; }", ""},
		{"static int g; void f(int n) { g = n & 7; __asm__(\"\" : \"=m\"(g)); }", ""},
		{"static int g; void f(int n) { g = n & 7; __atomic_fetch_add(&g, 1, 5); }", ""},
		{"static int g; void f(int n) { g = n & 7; *((char *)&g + 1) = 1; }", ""},
		{"static int g; void f(int n) { for (g = 0; g < 5; g++) nondet_int(); }", ""},
		{"static int g; void f(int n) { if (++g > 5) g = 0; }", "g 0..6"},
		{"static int g; void f(int n) { if (g < 5) g++; } void h(void) { g = 20; }", "g 0..20"},
		{"static unsigned g; void f(unsigned n) { g = n % 10; }", "g 0..9"},
		{"static unsigned g; void f(unsigned n) { g = n >> 28; }", ""},
		{"static unsigned g; void f(unsigned n) { g = (n & 3) << 2; }", "g 0..12"},
		{"static int g; void f(int n) { g = (n & 3) | 8; }", "g 0..15"},
		{"static int g; void f(int n) { g = (n & 3) ^ 4; }", "g 0..7"},
		{"static int g; void f(int n) { g = (n & 7) - (n & 3); }", "g -3..7"},
		{"static int g; void f(int n) { g = -(n & 7); }", "g -7..0"},
		{"static volatile int g; void f(int n) { if (n < 0) g = 1; else if (n == 0) g = 2; else g = 4; }", "g 0..4"},
		{"static volatile unsigned g; void f(unsigned n) { g = n >> 28; }", "g 0..15"},
		{"volatile int g; void f(int n) { g = n ? 1 : 2; }", ""},
		{"volatile int g; void f(int n) { g = n ? 1 : 2; } int main(void) { f(1); return g; }", "g 0..2"},
		{"volatile int g; void f(int n) { g = n ? 1 : 2; } int main(void);", ""},
		{"static volatile int g; int f(void) { return g; }", ""},
		{"static volatile int g = 3; void f(void) { g = 3; }", ""},
		{"static volatile int g; void f(int n) { g = 1; } int *h(void) { return (int *)&g; }", ""},
		{"static volatile _Bool g; void f(void) { g = 1; }", "g 0..1"},
		{"static volatile enum { A, B = 5 } g; void f(void) { g = B; }", "g 0..5"},
		{"static enum { A, B = 5 } g; void f(void) { g = B; }", ""},
		{s + "void f(int n) { x.a = n & 3; x.b = n & 7; }", "a 0..3 b 0..7"},
		{s + "void f(struct s *p, int n, int k) { *(k ? &p->a : &p->b) = n; p->a = n & 3; }", ""},
		{s + "void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void h(struct s *p) { memset(p, 9, sizeof *p); }", ""},
		{s + "void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void h(struct s *p) { memset(p, 0, sizeof *p); }", "a 0..3 b 0..7"},
		{s + "void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void h(struct s *p, void *q) { memcpy(p, q, sizeof *p); }", ""},
		{s + "void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void h(struct s *p, struct s *q) { *p = *q; }", "a 0..3 b 0..7"},
		{s + "union u { struct s s; int i; } u; void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; }", ""},
		{s + "void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void h(u8 *p) { *p = 200; } void k(struct s *p) { h(&p->a); }", "b 0..7"},
		{s + "void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void h(struct s *p) { *(short *)p = -1; }", ""},
		{s + "struct s y = { 6, 7 }; void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; }", "a 0..6 b 0..7"},
		{s + "void f(struct s *p, int n) { if (p->a < 9) p->a++; }", "a 0..9"},
		{s + "struct s *h(void) { struct s *p = malloc(sizeof *p); return p; } void f(struct s *p, int n) { p->a = n & 3; p->b = (n & 3) + 1; }", ""},
		{"typedef unsigned char u8; struct s { volatile u8 a, b; }; void f(struct s *p, int n) { p->a = n & 3; }", ""},
		{"typedef unsigned char u8; struct s { volatile u8 a, b; }; struct s x; void f(struct s *p, int n) { p->a = n & 3; }", "a 0..3"},
		{"typedef unsigned char u8; struct s { u8 a; volatile u8 b; }; void f(struct s *p, int n) { p->a = n & 3; }", "a 0..3"},
		{"typedef unsigned char u8; struct s { u8 a, b; }; void f(struct s *p, int n) { p->a = n & 3; }", "a 0..3"},
		{s + "static u8 buf[8]; void *raw; void h(void) { raw = buf; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } u8 k(void) { struct s *q = raw; return q->a; }", "a 0..3 b 0..7"},
		{s + "static u8 buf[8]; u8 *raw = buf; void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } u8 k(void) { struct s *q = (struct s *)raw; return q->a; }", "a 0..3 b 0..7"},
		{s + "static u8 buf[8]; static struct s *at; void h(void) { void *r = buf; at = r; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } u8 k(void) { return at->a; }", ""},
		{s + "static u8 buf[8]; static struct s *at; static void *r; void h(int n) { r = buf; buf[n & 7] = n; } void k(void) { at = r; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; }", ""},
		{s + "static struct s *at; static struct s *r = &x; void k(void) { at = r; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; }", "a 0..3 b 0..7"},
		{O1 + s + "__attribute__((noinline)) void h(u8 *p) { *p = 200; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void k(struct s *p) { h(&p->a); }", ""},
		{O1 + s + "__attribute__((noinline)) void h(u8 *p, int n) { p[n] = 200; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void k(struct s *p) { h(&p->a, 1); }", ""},
		{O1 + s + "__attribute__((noinline)) u8 h(u8 *p) { return *p; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } u8 k(struct s *p) { return h(&p->a); }", ""},
		{s + "u8 h(u8 *p) { return *p; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } u8 k(struct s *p) { return h(&p->a); }", "b 0..7"},
		{s + "void h(u8 *p, int n) { p[n] = 200; } void f(struct s *p, int n) { p->a = n & 3; p->b = n & 7; } void k(struct s *p) { h(&p->a, 1); }", ""},
		{s + "void f(struct s *p, int n) { u8 *q = &p->a; p->a = n & 3; p->b = n & 7; __atomic_fetch_add(q, 1, 5); }", "b 0..7"},
	} {
		level := "-O0"
		if strings.HasPrefix(c.src, O1) {
			level = "-O1"
		}
		m := testprogram.Compile(t, c.src, level)
		if got := keptIn(m); got != c.want {
			t.Errorf("{%q, %q},", strings.Replace(c.src, s, "", 1), got)
		}
	}
}
