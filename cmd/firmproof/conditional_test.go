package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// conditionalC has a line for each way in which a guess comes to a claim. The name of a function says which statuses the
// divisions and accesses in it that are marked have: A (always: proved), B (bounded), C (conditional), in their order.
const conditionalC = `
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct ring { uint8_t head, tail; uint8_t buf[8]; };
static uint8_t table[8]; static uint8_t at; static int quiet; int shared = 1;
void ring_put(struct ring *r, uint8_t c) { r->buf[r->head] = c; r->head = (r->head + 1) % 8; }
void step(void) { at = (at + 1) % 8; }
int set_shared(void) { return shared; }

int value_CA(struct ring *r, int x) { int a = table[r->head]; /*1*/ int b = table[x & 7]; /*2*/ return a + b; }
int branch_C(struct ring *r, int d) { if (r->head > 7) return 8 / d; /*1*/ return 0; }
int result_helper(struct ring *r) { if (r->head < 8) return 1; return 0; }
int result_C(struct ring *r) { return 8 / result_helper(r); /*1*/ }
static void out(struct ring *r, int *p) { *p = r->head; }
int memory_CA(struct ring *r) { int i, k = 3; out(r, &i); return table[i] /*1*/ + table[k]; /*1*/ }
int copied_C(struct ring *r) { struct ring o; memcpy(&o, r, sizeof o); return table[o.head]; /*1*/ }
int late_C(struct ring *r, int d) { if (r->head <= 7) return 0; return 8 / d; /*1*/ }
static void forever(void) { for (;;) ; }
int hung_C(struct ring *r, int d) { if (r->head <= 7) forever(); return 8 / d; /*1*/ }
int gone_C(struct ring *r) { int *p = malloc(4); if (!p) return 0; if (r->head > 7) free(p); *p = 1; /*1*/ free(p); return 0; }
int early_A(struct ring *r, int x) { int b = table[x & 7]; /*1*/ return b + r->head; }
int start_A(void) { return table[at]; /*1*/ }
int quiet_A(void) { return quiet + table[3]; /*1*/ }
int public_C(void) { return 8 / shared; /*1*/ }
int length_B(const uint8_t *p, unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += p[i]; /*1*/ return s; }
int overlap_C(int *p, int *q) { *p = 1; *q = 0; return 8 / *p; /*1*/ }
int restrict_A(int *restrict p, int *q) { *p = 1; *q = 0; return 8 / *p; /*1*/ }
int distinct_A(int *p, int *q) { int one = 1; *p = one; *q = 0; return 8 / one; /*1*/ }
int asserted_C(struct ring *r) { assert(r->head < 8); /*1*/ return 0; }
int freed_C(int *p, int *q) { free(p); return *q; /*1*/ }
int nan_C(float f) { unsigned u; f = f - f; memcpy(&u, &f, 4); return 8 / (1 - (int)(u >> 31)); /*1*/ }
int finite_A(float f, int x) { unsigned u; memcpy(&u, &f, 4); return (int)u + table[x & 7]; /*1*/ }
extern int _sdata[], _edata[];
int linked_C(void) { int n = 0; for (int *p = _sdata; p != _edata; p = _edata) n++; return 8 / n; /*1*/ }
int linked_A(int x) { return _sdata != 0 ? table[x & 7] : 0; /*1*/ }
int callback_C(int (*f)(int), int x) { int k = 1; f(x); return 8 / k; /*1*/ }
`

// TestConditional: what a claim of a generated harness rests on is followed to it, and not to others.
func TestConditional(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": conditionalC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	lines := strings.Split(conditionalC, "\n")
	statuses := map[byte]verdict.Status{'A': verdict.Proved, 'B': verdict.Bounded, 'C': verdict.Conditional}
	seen := 0
	for i := range rep.Results {
		r := &rep.Results[i]
		name := strings.TrimPrefix(r.Entry, "any call of ")
		_, letters, marked := strings.Cut(name, "_")
		if !marked || strings.Trim(letters, "ABC") != "" {
			continue
		}
		for k := range letters {
			seen++
			want := statuses[letters[k]]
			if !slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
				text := lines[c.Pos.Line-1]
				return c.Pos.Function == name && c.Status == want && strings.Contains(text, "/*1*/") &&
					(want == verdict.Proved || len(r.RestsOn(&c)) > 0) &&
					(c.Check == verdict.Memory || c.Check == verdict.DivByZero || c.Check == verdict.Assert)
			}) {
				t.Errorf("%s: nothing is %s:\n%+v\n%s", name, want, r.Claims, errs)
			}
		}
		if letters == "A" || letters == "B" {
			for _, c := range r.Claims {
				if c.Status == verdict.Conditional && (c.Check == verdict.Memory || c.Check == verdict.DivByZero) {
					t.Errorf("%s: %s is conditional: %v", name, c.ID, c.Assumptions)
				}
			}
		}
		if strings.Contains(letters, "C") && r.Status != verdict.Conditional {
			t.Errorf("%s is %s", name, r.Status)
		}
	}
	if seen < 16 {
		t.Errorf("only %d claims looked at\n%s", seen, errs)
	}
}
