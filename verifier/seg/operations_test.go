package seg

import (
	"testing"
	"time"
)

// operations are programs whose loops do what C can do with numbers, memory and calls: after each turn a run is held
// to what the graph knows.
var operations = map[string]string{
	"division": `int main(void) { int x = nondet_int(), s = 0; unsigned u = x; for (int i = 0; i < 4; i++) {
		int d = nondet_int(); if (d == 0 || (d == -1 && x < -2147483647)) d = 3; int q = x / d, r = x % d; unsigned v = u / 3, m = u % 7; unsigned long w = u; w /= 1 + (d & 3);
		s += q / 8 + r % 5 + x / -4 + x % 16 + (int)(v + m) + (int)(w % 9); if (s > 1000 || s < -1000) s = 0; x = nondet_int(); u = x; } return s; }`,
	"bits": `int main(void) { unsigned x = nondet_int(), y = 0; int z = nondet_int(); for (int i = 0; i < 4; i++) {
		unsigned a = x & 12, o = (x & 7) | (y & 3), e = a ^ o, n = ~a, l = (x & 15) << 2, r = x >> 3; int t = z >> 2, k = z & -8, h = z | 1, g = z ^ -1;
		unsigned char c = (unsigned char)(a | o); signed char sc = (signed char)z; unsigned short us = (unsigned short)(c << 3);
		y = a + o + e + (n & 1) + l + (r & 3) + (unsigned)(t & 1) + (unsigned)(k & 8) + (unsigned)(h & 1) + (unsigned)(g & 2) + c + (sc & 1) + us; x = nondet_int(); z = nondet_int(); } return y; }`,
	"truths": `_Bool f(_Bool a, _Bool b) { return a ^ b; } int main(void) { int n = 0; _Bool p = nondet_int() > 0, q = nondet_int() > 1, keep = 0; for (int i = 0; i < 5; i++) {
		_Bool x = p & q, y = p | q, z = p ^ q, w = f(x, y), u = !z; keep = keep | w; if (x) n++; if (y) n += 2; if (z) n += 4; if (u) n += 8; n += w; p = nondet_int() & 1; q = nondet_int() == p; int c = p ? n : -n; n = c < 0 ? -c : c; } return n + keep; }`,
	"overflows": `int main(void) { int s = 0, k = 0; unsigned v = 0; while (k < 5) { int x = nondet_int(), y = nondet_int() & 63, r; unsigned w;
		if (!__builtin_add_overflow(x, y, &r)) s = r & 7; if (!__builtin_sub_overflow(x, y, &r)) s += r & 3; if (!__builtin_mul_overflow(x, 3, &r)) s += r & 1;
		if (!__builtin_uadd_overflow((unsigned)x, v, &w)) v = w & 31; if (!__builtin_usub_overflow(v, (unsigned)y, &w)) v = w; if (!__builtin_umul_overflow(v, 5, &w)) v = w & 63; if (__builtin_mul_overflow(x, 0, &r)) s = 0; k++; } return s; }`,
	"switches": `int main(void) { int s = 0, n = 0; while (n < 6) { switch (nondet_int()) { case -1: s -= 1; break; case 0: case 1: s += 2; case 2: s += 3; break; case 3: continue; default: s = 7; } if (s > 20) s = 0; n++; } return s; }`,
	"copies": `void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long); void *memmove(void *, const void *, unsigned long);
		struct s { int a, b; char t[4]; struct s *p; }; int main(void) { struct s x = {1, 2, {3}, 0}, y = {0}; char b[8] = {0}; int k = 0; for (int i = 0; i < 5; i++) {
		x.a = nondet_int(); y = x; memcpy(&y.b, &x.a, 4); memset(b, i, 3); memmove(b + 2, b, 4); b[i & 7] = (char)x.a; y.p = &x; x.p = i & 1 ? &y : 0; if (y.p->a == y.b) k++; memset(x.t, 0, sizeof x.t); x.b = y.a; if (x.p) x.p->b = i; k += b[2]; k &= 1023; } return k; }`,
	"strings": `unsigned long strlen(const char *); int main(void) { int n = nondet_int() & 7; char *s = malloc(n + 2); for (int i = 0; i < n; i++) s[i] = 'a'; s[n] = 0; s[n + 1] = 0; unsigned long k = 0; for (int i = 0; i < 3; i++) { k = strlen(s); if (k) s[k - 1] = 0; } const char *c = "text"; while (*c) { c++; k++; } free(s); return (int)k; }`,
	"scopes":  `int g(int *p) { int y = *p + 1; if (y > 9) y = 0; return y; } int main(void) { int x = 0, *q = &x; for (int i = 0; i < 5; i++) { int t[3] = {i, x, 2}; int *r = &t[i % 3]; *r = g(&t[1]); { struct { int a; char b; } u = {*r, 1}; x = u.a; q = &x; } *q += t[2]; if (x > 30) x = 0; } return x; }`,
	"globals": `static int a[6] = {5, 4, 3, 2, 1, 0}; static const short c[3] = {7, -8, 9}; static int *p = &a[2]; static struct { int *q; char n; } s = {a + 1, 3}; int main(void) { int k = 0; for (int i = 0; i < 6; i++) {
		k += a[i] + c[i % 3] + *p + s.n; s.n++; if (p < a + 5) p++; *s.q = i; s.q = i & 1 ? a : p; if (k > 99) k -= 50; } return k; }`,
	"heap": `struct n { int v; struct n *next, *prev; }; int main(void) { struct n *h = 0, *last = 0; int k = 0; for (int i = 0; i < 4; i++) { struct n *t = malloc(sizeof *t); t->v = nondet_int(); t->next = h; t->prev = 0; if (h) h->prev = t; else last = t; h = t; }
		while (last) { struct n *b = last->prev; k += last->v & 1; free(last); last = b; if (b) b->next = 0; } int *m = malloc(12); for (int i = 0; i < 3; i++) m[i] = k + i; k = 0; for (int *e = m; e < m + 3; e++) k += *e & 3; free(m); return k; }`,
	"calls": `static int fac(int n) { return n <= 1 ? 1 : n * fac(n - 1); } static int twice(int x) { return x + x; } static int less(int x) { return x - 1; } static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
		int main(void) { int x = 3, y = nondet_int() & 7; for (int i = 0; i < 4; i++) { x = i & 1 ? less(x) : twice(x) & 31; swap(&x, &y); if (i == 2) x += fac(3); } return x + y; }`,
	"pointers": `int main(void) { char b[16] = {0}; char *p = b, *e = b + 16; int n = 0; while (p < e) { long d = e - p; unsigned long u = (unsigned long)p; if (u == 0) return 1; if (p != b && d < 9) n++; *p = (char)d; p += 1 + (nondet_int() & 1); if (p > e) p = e; } int k = 0; for (int *q = (int *)b; (char *)q < e; q++) { unsigned w = (unsigned)*q; k += w & 1; } return n + k; }`,
	"narrow":   `int main(void) { unsigned char c = 250; signed char s = 120; short h = 32760; unsigned short u = 65530; _Bool b = 0; long l = 0; for (int i = 0; i < 12; i++) { c++; s++; h++; u++; b = !b; l += c; l -= s; unsigned x = (unsigned)h; long y = (int)u; l = (l + (long)(x & 3) + y) & 4095; if (nondet_int() < 0) { c = (unsigned char)nondet_int(); s = (signed char)c; h = s; u = (unsigned short)h; } } return (int)l; }`,
	"floats":   `int main(void) { double d = 0; float f = 1; int n = 0; for (int i = 0; i < 5; i++) { d += i * 0.5; f = f * 2; if (d > 1.5) n++; n += (int)f & 1; } return n; }`,
}

// unoptimised are the operations that are run at -O0 alone, since what -O1 makes of them is not compared.
var unoptimised = map[string]string{
	"pointers":  "a run gives integers that were pointers as their object and their number, the graph as an offset",
	"scopes":    "a run has no object before its scope, and no cast of its address",
	"overflows": "no graph in time",
	"bits":      "no graph in time",
	"division":  "takes long",
	"globals":   "takes long",
}

// TestOperationsStayInGraph: concrete runs of each operation stay inside the graph and its system, step by step.
func TestOperationsStayInGraph(t *testing.T) {
	for name, src := range operations {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(2) { // -O0 and -O1
				if seed == 1 && unoptimised[name] != "" {
					continue
				}
				steps, complete := runsStay(t, src, seed, time.Minute)
				if !complete || steps < 20 {
					t.Errorf("complete: %v, %d steps", complete, steps)
				}
			}
		})
	}
}
