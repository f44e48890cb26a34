package main

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// volatileC: `_kept` functions trust indices that all stores keep in range; the others trust some that may be out of it.
const volatileC = `#include <stdint.h>
#include <string.h>
#define SIZE 64
static uint8_t buf[SIZE], big[300];
struct ring { volatile unsigned head, tail; uint8_t data[SIZE]; };
struct wiped { volatile uint8_t head, tail; uint8_t data[SIZE]; };
struct bytes { volatile uint8_t head, tail, more; uint8_t data[SIZE]; };
struct copied { volatile uint8_t head, tail, more, most; uint8_t data[SIZE]; };

static volatile uint8_t a;
void remainder_kept(uint8_t c) { buf[a] = c; a = (a + 1) % SIZE; }
static volatile uint8_t b;
void branch_kept(uint8_t c) { uint8_t n = b + 1; if (n == SIZE) n = 0; buf[b] = c; b = n; }
static volatile int8_t d;
void down_kept(uint8_t c) { buf[d] = c; int n = d - 1; if (n < 0) n = SIZE - 1; d = n; }
static volatile uint8_t e;
void steps_kept(uint8_t c) { buf[e] = c; uint8_t n = e; n += 7; while (n >= SIZE) n -= SIZE; e = n; }
static volatile uint8_t f;
void set_kept(uint8_t c, unsigned m) { buf[f] = c; if (m < SIZE) f = m; }
void member_kept(struct ring *r, uint8_t c) {
    unsigned n = (r->head + 1) % SIZE;
    if (n != r->tail) { r->data[r->head] = c; r->head = n; }
}
int take_kept(struct ring *r) {
    if (r->head == r->tail) return -1;
    uint8_t c = r->data[r->tail];
    unsigned t = r->tail + 1;
    r->tail = t < SIZE ? t : 0;
    return c;
}
static volatile uint16_t g;
void word(uint8_t c) { big[g] = c; g = (g + 1) % 300; }

static volatile uint8_t h;
void late(uint8_t c) { uint8_t n = h + 1; if (n > SIZE) n = 0; buf[h] = c; h = n; }
static volatile uint8_t i;
static volatile uint8_t *const ip = &i;
void behind(void) { *ip = 255; }
void taken(uint8_t c) { buf[i] = c; i = (i + 1) % SIZE; }
extern volatile uint8_t j;
void elsewhere(uint8_t c) { buf[j] = c; j = (j + 1) % SIZE; }
static volatile uint8_t k;
void set_any(uint8_t n) { k = n; }
void also_set(uint8_t c) { buf[k] = c; k = (k + 1) % SIZE; }
static volatile uint8_t l = 100;
void at_first(uint8_t c) { buf[l] = c; l = (l + 1) % SIZE; }
static volatile int8_t m;
void negative(uint8_t c) { buf[m] = c; m = (m - 1) % SIZE; }
static volatile uint8_t o;
void two_reads(uint8_t c) { buf[o] = c; o++; if (o == SIZE) o = 0; }
static volatile uint8_t p;
void other_sign(uint8_t c, int n) { buf[p] = c; if (n < SIZE) p = n; }
static struct wiped q;
void wipe(void) { memset(&q, 0xff, sizeof q); }
void wiped(uint8_t c) { q.data[q.head] = c; q.head = (q.head + 1) % SIZE; }
static struct bytes r;
void as_bytes(void) { uint8_t *x = (uint8_t *)&r; *x = 255; }
void from_bytes(uint8_t c) { r.data[r.head] = c; r.head = (r.head + 1) % SIZE; }
static struct copied s;
void copy(const uint8_t *from) { memcpy(&s, from, sizeof s); }
void from_copy(uint8_t c) { s.data[s.head] = c; s.head = (s.head + 1) % SIZE; }
static volatile uint8_t u;
int constant(void) { u = 1; return buf[u]; }
`

// TestVolatileRanges: generated harnesses trust what the program stores in a volatile number, where it keeps that in a
// range in all places; where a processor reads a number in parts, they may be of two.
func TestVolatileRanges(t *testing.T) {
	want := map[string]anyCall{
		"remainder_kept": {verdict.Proved, "a is 0..63: the program stores nothing else there"},
		"branch_kept":    {verdict.Proved, "b is 0..63"},
		"down_kept":      {verdict.Proved, "d is 0..63"},
		"steps_kept":     {verdict.Proved, "e is 0..63"},
		"set_kept":       {verdict.Proved, "f is 0..63"},
		"member_kept":    {verdict.Proved, "r.tail is 0..63"},
		"take_kept":      {verdict.Proved, "r.tail is 0..63"},
		"late":           {verdict.Violated, "h is 0..64"},
		"set_any":        {verdict.Proved, ""}, "behind": {verdict.Proved, ""}, "wipe": {verdict.Proved, ""},
		"as_bytes": {verdict.Proved, ""}, "copy": {verdict.Proved, ""},
	}
	for _, f := range []string{"taken", "elsewhere", "also_set", "at_first", "negative", "two_reads", "other_sign", "wiped",
		"from_bytes", "from_copy", "constant"} {
		want[f] = anyCall{verdict.Violated, "out of bounds"}
	}
	dir := writeTree(t, map[string]string{"src.c": volatileC})
	for target, torn := range map[string]anyCall{"cortex-m3": {verdict.Proved, "g is 0..299"},
		"avr": {verdict.Violated, "out of bounds"}} {
		want["word"] = torn
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target)
		expectCalls(t, rep, errs, want, func(r *verdict.Result) []string { return r.Assumptions })
	}
}

// TestVolatileRangesKeepNames: claims are named alike whether or not a harness is generated.
func TestVolatileRangesKeepNames(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": volatileC + "int main(void) { remainder_kept(1); return 0; }\n"})
	names := func(args ...string) map[string]bool {
		_, rep, errs := checkJSON(t, append([]string{filepath.Join(dir, "src.c"), "--target", "avr", "--checks",
			"memory,uninitialised"}, args...)...)
		out := map[string]bool{}
		for i := range rep.Results {
			for _, c := range rep.Results[i].Claims {
				if c.Pos.Function == "remainder_kept" {
					out[c.ID] = true
				}
			}
		}
		if len(out) < 8 {
			t.Fatalf("%d claims\n%s", len(out), errs)
		}
		return out
	}
	if called, written := names("--function", "remainder_kept"), names("--entry", "main"); !maps.Equal(called, written) {
		t.Errorf("a generated harness has claims %v, main %v", called, written)
	}
}
