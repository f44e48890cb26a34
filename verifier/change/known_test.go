package change

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// changedHead is what both versions of the programs below begin with.
const changedHead = "#include <stdint.h>\n#include <stdbool.h>\nstatic uint32_t seed; static uint8_t state[8]; static volatile uint8_t port;\n" +
	"void set(uint32_t x, const uint8_t *p) { seed = x; for (int i = 0; i < 8; i++) state[i] = p[i]; }\n"

// Functions that changed, and that do the same.
const (
	sumOld = "static uint32_t g(const uint8_t *p, uint8_t n, uint32_t x) { uint32_t c = x; for (uint8_t i = 0; i < n; i++) c = (c << 3 | c >> 29) ^ p[i]; return c; } "
	sumNew = "static uint32_t g(const uint8_t *p, uint8_t n, uint32_t x) { uint8_t i = 0; while (i < n) { x = p[i] ^ (x << 3 | x >> 29); ++i; } return x; } "
	sumOff = "static uint32_t g(const uint8_t *p, uint8_t n, uint32_t x) { uint8_t i = 0; while (i < n) { x = p[i] ^ (x << 3 | x >> 28); ++i; } return x; } "
	oneOld = "static uint32_t g(const uint8_t *p, uint8_t n, uint32_t x) { return seed + x * 2; } "
	oneNew = "static uint32_t g(const uint8_t *p, uint8_t n, uint32_t x) { return (x << 1) + seed; } "
)

// changedPairs are pairs of programs, old and new, of f(p, n, x) and functions that it calls, of which more than one
// changed. same: what is shown there and back without these being followed.
var changedPairs = []struct {
	name, old, now string
	there, back    bool
}{
	{"both changed", sumOld + "F return g(p, n, x) + g(p, n, x ^ 1); }", sumNew + "F uint32_t a = g(p, n, x), b = g(p, n, x ^ 1); return b + a; }", true, true},
	{"the callee differs", sumOld + "F return g(p, n, x) + 1; }", sumOff + "F uint32_t a = g(p, n, x); return 1 + a; }", false, false},
	{"the caller differs", sumOld + "F return g(p, n, x) + 1; }", sumNew + "F uint32_t a = g(p, n, x); return a + 2; }", false, false},
	{"an argument differs", sumOld + "F return g(p, n, x); }", sumNew + "F uint32_t a = g(p, n, x | 1); return a; }", false, false},
	{"a call more", sumOld + "F return g(p, n, x) * 2; }", sumNew + "F return g(p, n, x) + g(p, n, x); }", false, false},
	{"differences that cancel", oneOld + "F return g(p, n, x) + 1; }", strings.Replace(oneNew, "+ seed", "+ seed + 1", 1) + "F uint32_t a = g(p, n, x); return a; }", false, false},
	{"the old callee overflows", "static uint32_t g(int32_t y) { return y + 1 > y; } F return g((int32_t)x) * 3; }",
		"static uint32_t g(int32_t y) { return 1; } F uint32_t r = g((int32_t)x); return r * 2 + r; }", true, false},
	{"the old callee reads", "static uint32_t g(const uint8_t *p, uint32_t x) { uint8_t v = p[0]; return (x ^ v) ^ v; } F return g(p, x) * 3; }",
		"static uint32_t g(const uint8_t *p, uint32_t x) { return x; } F uint32_t r = g(p, x); return r + r * 2; }", true, false},
	{"the old callee traps", "static uint32_t g(uint32_t x) { if (x >= 100) __builtin_trap(); return x; } F return g(x) * 3; }",
		"static uint32_t g(uint32_t x) { return x; } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"the old callee does not end", "static uint32_t g(uint32_t x) { while (x == 7) { } return x / 2; } F return g(x) * 3; }",
		"static uint32_t g(uint32_t x) { return x / 2; } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"it does not where the caller divides", "static uint32_t g(uint32_t x) { while (x == 7) { } return x / 2; } F uint32_t r = g(x); if (x == 7) return r / (x - 7); return r; }",
		"static uint32_t g(uint32_t x) { while (x == 7) { } return x >> 1; } F if (x == 7) return 1; return g(x); }", false, false},
	{"both do not end", "static uint32_t g(uint32_t x) { while (x == 7) { } return x / 2; } F return g(x) * 3; }",
		"static uint32_t g(uint32_t x) { while (x == 7) { } return x >> 1; } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"turns that may never end", "static uint32_t g(const uint8_t *p, uint8_t n) { uint32_t s = 0; for (uint8_t i = 0; i != n; i += 2) s += i; return s; } F return g(p, n) * 3; }",
		"static uint32_t g(const uint8_t *p, uint8_t n) { uint32_t s = 0; for (uint8_t i = 0; i < n; i += 2) s += i; return s; } F uint32_t r = g(p, n); return r + r * 2; }", false, false},
	{"recursion", "static uint32_t g(uint8_t n, uint32_t x) { return n ? g(n - 1, x * 31) : x; } F return g(n, x) * 3; }",
		"static uint32_t g(uint8_t n, uint32_t x) { if (n == 0) return x; return g(n - 1, x * 31); } F uint32_t r = g(n, x); return r * 2 + r; }", false, false},
	{"a variable that is set before", oneOld + "F seed = x; return g(p, n, 1); }", oneNew + "F seed = x; uint32_t r = g(p, n, 1); return r; }", true, true},
	{"a variable that is set behind", oneOld + "F seed = x; return g(p, n, 1); }", oneNew + "F uint32_t r = g(p, n, 1); seed = x; return r; }", false, false},
	{"another element", "static uint32_t g(void) { return state[1]; } F state[1] = n; return g() * 3; }",
		"static uint32_t g(void) { return state[2]; } F state[1] = n; uint32_t r = g(); return r * 2 + r; }", false, false},
	{"the callee writes", "static uint32_t g(uint32_t x) { seed++; return x / 2; } F return g(x) * 3; }", "static uint32_t g(uint32_t x) { seed += 1; return x >> 1; } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"volatile reads", "static uint32_t g(uint32_t x) { return x / 2 + port; } F return g(x) * 3; }", "static uint32_t g(uint32_t x) { return port + (x >> 1); } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"a chain", "static uint32_t h(uint32_t x) { return x / 2; } static uint32_t g(uint32_t x) { return h(x) + 1; } F return g(x) * 3; }",
		"static uint32_t h(uint32_t x) { return x >> 1; } static uint32_t g(uint32_t x) { return 1 + h(x); } F uint32_t r = g(x); return r * 2 + r; }", true, true},
	{"a chain whose end differs", "static uint32_t h(uint32_t x) { return x / 2; } static uint32_t g(uint32_t x) { return h(x) + 1; } F return g(x) * 3; }",
		"static uint32_t h(uint32_t x) { return x >> 2; } static uint32_t g(uint32_t x) { return 1 + h(x); } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"what stands between did not change", "static uint32_t h(uint32_t x) { return x / 2; } static uint32_t g(uint32_t x) { return h(x) * h(x + 1); } F return g(x) * 3; }",
		"static uint32_t h(uint32_t x) { return x >> 1; } static uint32_t g(uint32_t x) { return h(x) * h(x + 1); } F uint32_t r = g(x); return r * 2 + r; }", true, true},
	{"what stands between, and the end differs", "static uint32_t h(uint32_t x) { return x / 2; } static uint32_t g(uint32_t x) { return h(x) * h(x + 1); } F return g(x) * 3; }",
		"static uint32_t h(uint32_t x) { return x / 3; } static uint32_t g(uint32_t x) { return h(x) * h(x + 1); } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"a table", "static uint32_t g(uint8_t x) { uint32_t s = 0; for (int k = 0; k < 4; k++) s += x >> k & 1; return s; } F return g(n) * 3; }",
		"static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4}; static uint32_t g(uint8_t x) { return ones[x & 15]; } F uint32_t r = g(n); return r * 2 + r; }", true, true},
	{"a table that is wrong", "static uint32_t g(uint8_t x) { uint32_t s = 0; for (int k = 0; k < 4; k++) s += x >> k & 1; return s; } F return g(n) * 3; }",
		"static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 3}; static uint32_t g(uint8_t x) { return ones[x & 15]; } F uint32_t r = g(n); return r * 2 + r; }", false, false},
	{"misaligned", "static uint32_t g(const uint32_t *q) { const uint8_t *b = (const void *)q; return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24; } F if (n < 5) return 0; return g((const void *)(p + 1)) * 3; }",
		"static uint32_t g(const uint32_t *q) { return *q; } F if (n >= 5) { uint32_t r = g((const void *)(p + 1)); return r * 2 + r; } return 0; }", false, true},
	{"a truth value", "static uint32_t g(bool b) { return b ? 5 : 6; } F return g(x & 2) * 3; }", "static uint32_t g(bool b) { return 5u + !b; } F uint32_t r = g(x & 2); return r * 2 + r; }", true, true},
	{"a narrower parameter", "static uint32_t g(uint32_t x) { return x & 255; } F return g(x) * 3; }", "static uint32_t g(uint16_t x) { return (uint8_t)x; } F uint32_t r = g(x); return r * 2 + r; }", false, false},
	{"restrict", "static uint32_t g(const uint8_t *restrict a, const uint8_t *restrict b) { return a == b; } F return g(p, p) * 3; }",
		"static uint32_t g(const uint8_t *restrict a, const uint8_t *restrict b) { return 0; } F uint32_t r = g(p, p); return r * 2 + r; }", false, false},
	{"the same place twice", "static uint32_t g(const uint8_t *a, const uint8_t *b) { return a == b; } F return g(p, p) * 3; }",
		"static uint32_t g(const uint8_t *a, const uint8_t *b) { return 0; } F uint32_t r = g(p, p); return r * 2 + r; }", false, false},
	{"null", "static uint32_t g(const uint8_t *a) { return a ? a[0] : 9; } F return g(n ? p : 0) * 3; }",
		"static uint32_t g(const uint8_t *a) { return *a; } F uint32_t r = g(n ? p : 0); return r * 2 + r; }", false, false},
	{"an attribute", "static uint32_t g(const uint8_t *a, uint8_t n) { return n ? a[0] : 9; } F return g(n ? p : 0, n) * 3; }",
		"__attribute__((nonnull)) static uint32_t g(const uint8_t *a, uint8_t n) { if (n) return *a; return 9; } F uint32_t r = g(n ? p : 0, n); return r * 2 + r; }", false, false},
	{"what is local", sumOld + "F uint8_t m[2] = {n, 1}; return g(m, 2, x) + 1; }", sumNew + "F uint8_t m[2]; m[1] = 1; m[0] = n; return 1 + g(m, 2, x); }", true, true},
	{"what is local differs", sumOld + "F uint8_t m[2] = {n, 1}; return g(m, 2, x) + 1; }", sumNew + "F uint8_t m[2] = {n, 2}; return 1 + g(m, 2, x); }", false, false},
	{"unwritten", "static uint32_t g(uint8_t n, uint32_t x) { uint32_t v; if (n > 3) v = x; return v; } F return g(n, x) * 3; }",
		"static uint32_t g(uint8_t n, uint32_t x) { return x; } F uint32_t r = g(n, x); return r * 2 + r; }", false, false},
	{"renamed", strings.ReplaceAll(sumOld, " g(", " once(") + "F return once(p, n, x) * 3; }", sumNew + "F uint32_t r = g(p, n, x); return r * 2 + r; }", true, true},
	{"renamed, and differs", strings.ReplaceAll(sumOld, " g(", " once(") + "F return once(p, n, x) * 3; }", sumOff + "F uint32_t r = g(p, n, x); return r * 2 + r; }", false, false},
	{"two, exchanged", "static uint32_t g(uint32_t x) { return x / 2; } static uint32_t h(uint32_t x) { return x % 8; } F return g(x) * 9 + h(x); }",
		"static uint32_t g(uint32_t x) { return x >> 1; } static uint32_t h(uint32_t x) { return x & 7; } F uint32_t b = g(x), a = h(x); return a * 9 + b; }", false, false},
	{"two, in a loop", "static uint32_t g(uint32_t x) { return x / 2; } static uint32_t h(uint32_t x) { return x % 8; } F for (uint8_t i = 0; i < n; i++) x = g(x) * 9 + h(x); return x; }",
		"static uint32_t g(uint32_t x) { return x >> 1; } static uint32_t h(uint32_t x) { return x & 7; } F uint8_t i = 0; while (i < n) { uint32_t a = g(x), b = h(x); x = b + a * 9; i++; } return x; }", true, true},
	{"alias of two pointers into one block", "static uint32_t g(const uint8_t *a, const uint8_t *b) { return a + 1 == b ? 1 : 0; } F return n > 1 ? g(p, p + 1) * 3 : 7; }",
		"static uint32_t g(const uint8_t *a, const uint8_t *b) { return 0; } F uint32_t r = n > 1 ? g(p, p + 1) : 7; return n > 1 ? r * 2 + r : 7; }", false, false},
	{"order of pointers", "static uint32_t g(const uint8_t *a, const uint8_t *b) { return a < b; } F return n > 1 ? g(p + 1, p) * 3 : 7; }",
		"static uint32_t g(const uint8_t *a, const uint8_t *b) { return a != b; } F uint32_t r = n > 1 ? g(p + 1, p) : 0; return n > 1 ? r * 3 : 7; }", false, false},
	{"reads a variable by pointer and by name", "static uint32_t g(const uint32_t *a) { return *a == seed; } F return g(&seed) * 3; }",
		"static uint32_t g(const uint32_t *a) { return a == &seed ? 0 : *a == seed; } F uint32_t r = g(&seed); return r * 2 + r; }", false, false},
	{"alias of a global", "static uint32_t g(const uint8_t *a) { return a[0] * 256u + state[0]; } F state[0] = n; return g(state) * 3; }",
		"static uint32_t g(const uint8_t *a) { if (a == state) return 5; return state[0] + a[0] * 256u; } F state[0] = n; uint32_t r = g(state); return r * 2 + r; }", false, false},
	{"callees that call each other", "static uint32_t h(uint8_t n); static uint32_t g(uint8_t n) { return n ? h(n - 1) + 1 : 0; } static uint32_t h(uint8_t n) { return n ? g(n - 1) + 2 : 0; } F return g(n) * 3; }",
		"static uint32_t h(uint8_t n); static uint32_t g(uint8_t n) { if (!n) return 0; return 1 + h(n - 1); } static uint32_t h(uint8_t n) { if (!n) return 0; return 1 + g(n - 1); } F uint32_t r = g(n); return r * 2 + r; }", false, false},
	{"callback handed on", "static uint32_t k(uint32_t x) { return x / 2; } static uint32_t g(uint32_t (*h)(uint32_t), uint32_t x) { return h(x); } F return g(k, x) * 3; }",
		"static uint32_t k(uint32_t x) { return x / 4; } static uint32_t g(uint32_t (*h)(uint32_t), uint32_t x) { return (*h)(x); } F uint32_t r = g(k, x); return r * 2 + r; }", false, false},
	{"changed between, hidden in an array", "static uint32_t g(uint8_t i) { return state[i & 7] / 2; } F uint32_t a = g(n); state[x & 7] = 0; return a * 9 + g(n); }",
		"static uint32_t g(uint8_t i) { return state[i & 7] >> 1; } F uint32_t a = g(n); uint32_t b = g(n); state[x & 7] = 0; return a * 9 + b; }", false, false},
	{"pure attribute", "__attribute__((pure)) static uint32_t g(const uint8_t *a) { return seed ? a[0] : 1; } F seed = 1; uint32_t r = g(p); seed = 0; return r + g(p) * 8; }",
		"__attribute__((pure)) static uint32_t g(const uint8_t *a) { if (seed) return a[0]; return 1; } F seed = 1; uint32_t r = g(p); return r + g(p) * 8; }", false, false},
	{"padding of a local", "struct s { uint8_t a; uint32_t b; }; static uint32_t g(const struct s *s) { return ((const uint8_t *)s)[1] + s->b; } F struct s v; v.a = n; v.b = x; ((uint8_t *)&v)[1] = 1; return g(&v) * 3; }",
		"struct s { uint8_t a; uint32_t b; }; static uint32_t g(const struct s *s) { return s->b + ((const uint8_t *)s)[1]; } F struct s v; v.a = n; v.b = x; ((uint8_t *)&v)[1] = 2; uint32_t r = g(&v); return r * 2 + r; }", false, false},
	{"the new one is called where the old is not", "static uint32_t g(uint32_t x) { return 100 / x; } F return x > 3 ? g(x) * 3 : 0; }",
		"static uint32_t g(uint32_t x) { uint32_t q = 100; return q / x; } F uint32_t r = g(x); return x > 3 ? r * 3 : 0; }", false, false},
	{"writes through a cast away const", "static uint32_t g(uint8_t *a) { uint8_t v = a[0]; a[0] = 1; uint32_t r = v; a[0] = v; return r; } F return g(state) * 3; }",
		"static uint32_t g(uint8_t *a) { return a[0]; } F uint32_t r = g(state); return r * 2 + r + (r == 255 && x == 77); }", false, false},
}

// TestChangedCallees: functions that changed and do the same are not followed where it is shown that their callers do the
// same, and never otherwise. gcc's programs agree, of what is said to be the same.
func TestChangedCallees(t *testing.T) {
	for i, p := range changedPairs {
		if i%testprogram.Sample(1, 8) != 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			texts := [2]string{p.old, p.now}
			for i := range texts {
				texts[i] = changedHead + strings.Replace(texts[i], "F ", "uint32_t f(const uint8_t *p, uint8_t n, uint32_t x) { ", 1) + "\n"
			}
			for back, want := range []bool{p.there, p.back} {
				old, now := texts[back], texts[1-back]
				var names map[string]string
				switch {
				case strings.Contains(old, "once("):
					names = map[string]string{"g": "once"}
				case strings.Contains(now, "once("):
					names = map[string]string{"once": "g"}
				}
				v := versions{old: "f", now: "f", plan: problem.Plan{Target: "x86_64"}, known: NewKnown(names)}
				for i, m := range []**ir.Module{&v.was, &v.is} {
					*m = testprogram.Hosted(t, []string{old, now}[i])
				}
				got := v.byCallees(testprogram.Within(t, 20*time.Second))
				if want != (got != nil) {
					t.Errorf("back %d: the same: %t, want %t; %v", back, got != nil, want, v.callees)
				}
				if got != nil {
					native(t, old, now)
				}
			}
		})
	}
}

// nativeDriver calls both versions on the same inputs, and leaves out those with which the old one is undefined. What p
// leads to ends where memory does.
const nativeDriver = `#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
void old_set(uint32_t x, const uint8_t *p), new_set(uint32_t x, const uint8_t *p);
uint32_t old_f(const uint8_t *p, uint8_t n, uint32_t x), new_f(const uint8_t *p, uint8_t n, uint32_t x);
static sigjmp_buf back;
static void stop(int s) { siglongjmp(back, s); }
static int run(uint32_t (*f)(const uint8_t *, uint8_t, uint32_t), const uint8_t *p, uint8_t n, uint32_t x, uint32_t *r) {
	struct itimerval t = {{0, 0}, {0, 50000}}, none = {{0, 0}, {0, 0}};
	int s = sigsetjmp(back, 1);
	setitimer(ITIMER_VIRTUAL, s ? &none : &t, 0);
	if (s == 0) { *r = f(p, n, x); setitimer(ITIMER_VIRTUAL, &none, 0); }
	return s;
}
int main(void) {
	int all[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGVTALRM};
	for (int i = 0; i < 6; i++) signal(all[i], stop);
	uint8_t *end = (uint8_t *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096, m[8];
	mprotect(end, 4096, PROT_NONE);
	for (int k = 0; k < 3000; k++) {
		uint8_t n = k % 3 ? rand() % 9 : rand();
		uint32_t x = k % 4 == 0 ? (uint32_t)rand() * 5u : k % 4 == 1 ? rand() % 16 : k % 4 == 2 ? 0u - rand() % 4 : 0x80000000u - rand() % 3;
		uint32_t seed = rand(), was = 0, is = 0;
		for (int i = 0; i < 8; i++) m[i] = rand();
		for (int i = 1; i <= n; i++) end[-i] = rand();
		old_set(seed, m);
		new_set(seed, m);
		int how = run(old_f, end - n, n, x, &was);
		if (how != 0 && how != SIGVTALRM) continue;
		if (run(new_f, end - n, n, x, &is) != how || was != is) { printf("n %u, x %u: %u and %u\n", n, x, was, is); return 1; }
	}
	return 0;
}
`

// native runs gcc's programs of both versions.
func native(t *testing.T, old, now string) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-w", "-o", filepath.Join(dir, "both")}
	for name, text := range map[string]string{"old": old, "new": now, "drive": nativeDriver} {
		file, object := filepath.Join(dir, name+".c"), filepath.Join(dir, name+".o")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := []string{"-w", "-O0", "-c", "-o", object, file}
		if name != "drive" {
			flags = append(flags, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", fmt.Sprintf("-Df=%s_f", name), fmt.Sprintf("-Dset=%s_set", name))
		}
		if out, err := exec.Command("gcc", flags...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		args = append(args, object)
	}
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(filepath.Join(dir, "both")).CombinedOutput(); err != nil {
		t.Errorf("natively, they differ: %v %s", err, out)
	}
}
