package change

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// calleeHeader has functions that no version changes.
const calleeHeader = `#include <stdint.h>
static uint16_t crc(const uint8_t *p, uint8_t n) {
	uint16_t c = 0xffff;
	for (uint8_t i = 0; i < n; i++) {
		c ^= (uint16_t)(p[i] << 8);
		for (int k = 0; k < 8; k++) c = c & 0x8000 ? (uint16_t)(c << 1 ^ 0x1021) : (uint16_t)(c << 1);
	}
	return c;
}
static uint32_t mix(uint32_t x, uint32_t y) {
	uint32_t h = 2166136261u;
	for (int k = 0; k < 32; k++) { h = (h ^ (x >> k & 0xff)) * 16777619u; h ^= y << (k & 7); }
	return h % 1000003u;
}
static uint32_t seed; static uint8_t state[8], state2[8];
static uint32_t hash(void) {
	uint32_t h = seed;
	for (int k = 0; k < 8; k++) h = (h ^ state[k]) * 16777619u % 65521u;
	return h;
}
static uint32_t spin(uint32_t n) { while (n == 7) { } return n / 2; }
static uint32_t spin_before(const uint8_t *p) { while (p[-1] == 7) { } return *p; }
static uint32_t fill(uint8_t *b, uint8_t n, uint32_t x) {
	for (uint8_t i = 0; i < n; i++) { x = x * 1664525u + 1013904223u; b[i] = (uint8_t)(x >> 24); }
	return x;
}
static uint32_t next(void) { return ++seed; }
static uint8_t *bank = state;
static uint32_t first(void) { return mix(bank[0], bank[1]); }
static volatile uint8_t port;
static uint32_t poll(uint32_t x) { for (int k = 0; k < 4; k++) x = x * 31 + port; return x; }
static uint32_t unwritten(uint32_t n) { uint8_t b[4]; if (n > 3) b[0] = 1; return mix(b[0], n); }
static uint16_t twice(const uint8_t *p, uint8_t n) { return (uint16_t)(crc(p, n) + crc(p, 2)); }
static uint32_t word(const uint8_t *p) { return mix(*(const uint32_t *)(const void *)p, 1); }
static uint32_t either(const uint8_t *x, const uint8_t *y) { return mix(x ? x[0] : 1000, y ? y[0] : 1000); }
static uint32_t partly(uint32_t n) { uint32_t v; if (n > 3) v = n; return v; }
static uint32_t written(uint32_t n) { uint32_t v; if (n > 3) v = n; else v = 3; return mix(v, n); }
int get(void);
static int pull(int n) { return get() + n; }
`

// calleePairs are pairs of bodies of a function: old, new. They differ, or a call may, but for those that are named so.
var calleePairs = []struct{ name, params, old, now string }{
	{"the same: checksum", "const uint8_t *p, uint8_t n", "if (n < 2) return 0; uint16_t c = crc(p, (uint8_t)(n - 2)); return c == p[n - 1] ? 1 : 2;",
		"if (n >= 2) { uint8_t m = (uint8_t)(n - 2); return crc(p, m) != p[m + 1] ? 2 : 1; } return 0;"},
	{"the same: in a loop", "const uint8_t *p, uint8_t n", "uint32_t s = 0; for (uint8_t i = 0; i < n; i++) s += mix(p[i], i); return s;",
		"uint32_t s = 0; uint8_t i = 0; while (i < n) { s = mix(p[i], i) + s; ++i; } return s;"},
	{"the same: variables", "uint8_t x", "state[3] = x; seed += 5; return hash() + x;", "seed = seed + 5; state[3] = x; return x + hash();"},
	{"the same: what is local", "uint8_t a, uint8_t b", "uint8_t m[3]; m[0] = a; m[1] = b; m[2] = 7; return crc(m, 3);",
		"uint8_t m[3]; m[2] = 7; m[1] = b; m[0] = a; uint16_t r = crc(m, 3); return r;"},
	{"the same: memory", "uint8_t *p, uint8_t n", "p[0] = n; return crc(p, n);", "*p = n; uint16_t r = crc(p, n); return r;"},
	{"argument", "uint32_t a, uint32_t b", "return mix(a, b);", "return mix(a, b + 1);"},
	{"width of an argument", "uint32_t a", "return mix(a, 1);", "return mix((uint16_t)a, 1);"},
	{"pointer", "const uint8_t *p, uint8_t n", "return crc(p, n);", "return crc(p + 1, n);"},
	{"order", "uint32_t a, uint32_t b", "uint32_t x = mix(a, b), y = mix(b, a); return x * 4 + y;", "uint32_t y = mix(b, a), x = mix(a, b); return y * 4 + x;"},
	{"exchanged", "uint32_t a, uint32_t b", "uint32_t x = mix(a, b), y = mix(b, a); return x * 4 + y;", "uint32_t x = mix(a, b), y = mix(b, a); return y * 4 + x;"},
	{"left out", "uint32_t a", "return mix(a, 1) + mix(a, 2);", "return mix(a, 1) + (a == 77 ? 0 : mix(a, 2));"},
	{"use", "const uint8_t *p, uint8_t n", "return crc(p, n) < 500;", "return crc(p, n) <= 500;"},
	{"variable changed in front", "uint8_t x", "state[3] = x; uint32_t h = hash(); seed += 5; return h;", "state[3] = x; seed += 5; return hash();"},
	{"element changed and put back", "uint8_t x", "seed = x; return hash();", "uint8_t k = state[5]; state[5] = 0; seed = x; uint32_t h = hash(); state[5] = k; return h;"},
	{"called later", "uint8_t x", "uint32_t h = hash(); state[0] = x; return h - hash();", "uint32_t h = hash(); h -= hash(); state[0] = x; return h;"},
	{"memory changed behind", "uint8_t *p, uint8_t n", "p[0] = n; return crc(p, n);", "uint16_t r = crc(p, n); p[0] = n; return r;"},
	{"overlap", "const uint8_t *p, uint8_t *q", "q[0] = 1; return crc(p, 4);", "uint16_t r = crc(p, 4); q[0] = 1; return r;"},
	{"overlap of what is kept", "uint32_t *p, uint32_t *q", "*p = mix(1, 1); *q = 5; return mix(*p, 2);", "uint32_t x = mix(1, 1); *p = x; *q = 5; return mix(x, 2);"},
	{"what is local", "uint8_t a", "uint8_t m[2]; m[0] = a; m[1] = 1; return crc(m, 2);", "uint8_t m[2]; m[0] = a; m[1] = 2; return crc(m, 2);"},
	{"which local", "uint8_t k", "uint8_t a[2], b[2]; a[0] = k; a[1] = 1; b[0] = k; b[1] = 2; return crc(a, 2);",
		"uint8_t a[2], b[2]; a[0] = k; a[1] = 1; b[0] = k; b[1] = 2; return crc(b, 2);"},
	{"a smaller local", "uint8_t k", "uint8_t m[4] = {k}; return crc(m, 4);", "uint8_t m[3] = {k}; return crc(m, 4);"},
	{"a local aligned otherwise", "uint8_t k", "_Alignas(4) uint8_t m[4] = {k}; return word(m);", "_Alignas(1) uint8_t m[4] = {k}; return word(m);"},
	{"a local, or null", "uint8_t k", "uint8_t m[2] = {k}; return either(m, 0);", "uint8_t m[2] = {k}; return either(0, m);"},
	{"a local and null, or twice that", "uint8_t k", "uint8_t m[2] = {k}; return either(m, m);", "uint8_t m[2] = {k}; return either(m, 0);"},
	{"zeros, or null", "uint8_t k", "uint8_t m[2] = {0}; return crc(m, k & 1);", "return crc(0, k & 1);"},
	{"the same: a local in a loop", "uint8_t n", "uint8_t m[2] = {1}; uint32_t s = 0; for (uint8_t i = 0; i < n; i++) { m[i & 1] = i; s += crc(m, 2); } return s;",
		"uint8_t m[2] = {1}; uint32_t s = 0; for (uint8_t i = 0; i < n; i++) { m[i % 2] = i; s = crc(m, 2) + s; } return s;"},
	{"a local in a loop", "uint8_t n", "uint8_t m[2] = {1}; uint32_t s = 0; for (uint8_t i = 0; i < n; i++) { m[i & 1] = i; s += crc(m, 2); } return s;",
		"uint8_t m[2] = {1}; uint32_t s = 0; for (uint8_t i = 0; i < n; i++) { s += crc(m, 2); m[i & 1] = i; } return s;"},
	{"a local by a pointer", "uint8_t a", "uint8_t m[2]; m[0] = a; m[1] = 1; uint8_t *q = m; return crc(q, 2);", "uint8_t m[2]; m[0] = a; m[1] = 2; uint8_t *q = m; return crc(q, 2);"},
	{"a local by a choice", "uint8_t k", "uint8_t a[1], b[1]; a[0] = 1; b[0] = 2; return crc(k & 1 ? a : b, 1);", "uint8_t a[1], b[1]; a[0] = 1; b[0] = 2; return crc(k & 1 ? b : a, 1);"},
	{"a local of a caller", "uint8_t k", "uint8_t m[2]; m[0] = k; m[1] = 1; return twice(m, 2);", "uint8_t m[2]; m[0] = k; m[1] = 2; return twice(m, 2);"},
	{"another variable", "uint8_t x", "state[0] = x; return crc(state, 8);", "state[0] = x; return crc(state2, 8);"},
	{"in a loop", "const uint8_t *p, uint8_t n", "uint32_t s = 0; for (uint8_t i = 0; i < n; i++) s += mix(p[i], i); return s;",
		"uint32_t s = 0; for (uint8_t i = 0; i < n; i++) s ^= mix(p[i], i); return s;"},
	{"a call that never ends, and an overflow", "int n", "uint32_t x = spin((uint32_t)n); if (n == 7) return 2147483647 + n; return (int)(x & 15);",
		"if (n == 7) return 0; uint32_t x = spin((uint32_t)n); return (int)(x & 15);"},
	{"a call that never ends, and an access", "const uint8_t *p, uint32_t n", "uint32_t x = spin(n); return x + p[0];", "uint32_t y = p[0]; uint32_t x = spin(n); return x + y;"},
	{"a call that never ends by what is before", "const uint8_t *p, const uint8_t *q", "uint32_t x = spin_before(p); return x + q[0];", "uint32_t y = q[0]; return spin_before(p) + y;"},
	{"a buffer written behind", "uint8_t *b", "uint32_t r = fill(b, 4, 1); b[0] = 9; return r;", "b[0] = 9; return fill(b, 4, 1);"},
	{"a counter", "uint32_t x", "uint32_t a = next(), b = next(); return a * 2 + b;", "uint32_t b = next(), a = next(); return a * 2 + b;"},
	{"a pointer in memory", "uint8_t x", "bank = state2; state2[0] = x; return first();", "state2[0] = x; uint32_t r = first(); bank = state2; return r;"},
	{"a volatile read", "uint32_t x", "return poll(x);", "poll(x); return poll(x);"},
	{"what was never written", "uint32_t x", "return unwritten(x);", "uint32_t r = unwritten(x); return r;"},
	{"what was never written decides", "uint32_t x", "partly(x); return x;", "if (partly(x)) return x; return x;"},
	{"the same: what is always written", "uint32_t x", "return written(x) + x;", "uint32_t r = written(x); return x + r;"},
	{"the environment", "int x", "int a = pull(x & 7), b = pull(1); return a - b;", "int b = pull(1), a = pull(x & 7); return a - b;"},
}

// TestCallees: calls of functions that did not change show, without being followed, that versions are the same, and never
// of such that are not.
func TestCallees(t *testing.T) {
	for i, p := range calleePairs {
		if i%testprogram.Sample(1, 3) != 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			var sides [2]*ir.Module
			for i, body := range []string{p.old, p.now} {
				sides[i] = testprogram.Hosted(t, fmt.Sprintf("%suint32_t f(%s) { %s }\n", calleeHeader, p.params, body))
			}
			v := versions{was: sides[0], is: sides[1], old: "f", now: "f", plan: problem.Plan{Target: "x86_64"}, known: NewKnown(nil)}
			got := v.byCallees(testprogram.Within(t, 10*time.Second))
			if want := strings.HasPrefix(p.name, "the same"); want != (got != nil) {
				t.Errorf("the same: %t, want %t; %v", got != nil, want, v.callees)
			}
		})
	}
}

// byCallees is what a comparison comes to in which functions that do the same are not followed.
func (v *versions) byCallees(ctx context.Context) (got *verdict.Comparison) {
	v.findCallees(ctx)
	for _, args := range []pair.Arguments{pair.AnyApart, pair.Any} {
		if got == nil {
			got = v.withCallees(ctx, verdict.Comparison{}, form{args: args}, true)
		}
	}
	return got
}
