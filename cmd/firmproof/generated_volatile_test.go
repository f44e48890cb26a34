package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
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

// addressedC: each function w writes a member through its address that a ring in p trusts.
const addressedC = `#include <stdint.h>
#define SIZE 64
struct s1 { volatile uint8_t head, tail, a1; uint8_t data[SIZE]; };
static struct s1 g1; static void reset(volatile uint8_t *p) { *p = 255; } void w1(void) { reset(&g1.tail); }
void p1(uint8_t c) { g1.data[g1.tail] = c; g1.tail = (g1.tail + 1) % SIZE; }
struct s2 { volatile uint8_t head, tail, a2; uint8_t data[SIZE]; };
static struct s2 g2; void w2(void) { reset(&g2.head); }
void p2(uint8_t c) { g2.data[g2.head] = c; g2.head = (g2.head + 1) % SIZE; }
struct s3 { volatile uint8_t head, tail, a3; uint8_t data[SIZE]; };
static struct s3 g3; static volatile uint8_t *at(void) { return &g3.tail; } void w3(void) { *at() = 255; }
void p3(uint8_t c) { g3.data[g3.tail] = c; g3.tail = (g3.tail + 1) % SIZE; }
struct s4 { volatile uint8_t head, tail, a4; uint8_t data[SIZE]; };
static struct s4 g4; void w4(int k) { *(k ? &g4.head : &g4.tail) = 255; }
void p4(uint8_t c) { g4.data[g4.tail] = c; g4.tail = (g4.tail + 1) % SIZE; }
struct s5 { volatile uint8_t head, tail, a5; uint8_t data[SIZE]; };
static struct s5 g5; static volatile uint8_t *const ip = &g5.tail; void w5(void) { *ip = 255; }
void p5(uint8_t c) { g5.data[g5.tail] = c; g5.tail = (g5.tail + 1) % SIZE; }
struct s6 { volatile uint8_t head, tail, a6; uint8_t data[SIZE]; };
static struct s6 g6; void w6(void) { __atomic_fetch_add(&g6.tail, 1, __ATOMIC_SEQ_CST); }
void p6(uint8_t c) { g6.data[g6.tail] = c; g6.tail = (g6.tail + 1) % SIZE; }
struct s7 { volatile uint8_t head, tail, a7; uint8_t data[SIZE]; };
void w7(struct s7 *r, int k) { volatile uint8_t *q = k ? &r->head : &r->tail; *q = 255; }
void p7(struct s7 *r, uint8_t c) { r->data[r->tail] = c; r->tail = (r->tail + 1) % SIZE; }
struct s8 { volatile uint8_t head, tail, a8; uint8_t data[SIZE]; };
static struct s8 g8; void w8(void) { __asm__ volatile("" : "=m"(g8.tail)); }
void p8(uint8_t c) { g8.data[g8.tail] = c; g8.tail = (g8.tail + 1) % SIZE; }
struct s9 { volatile uint8_t head, tail, a9; uint8_t data[SIZE]; };
static struct s9 g9; static volatile uint8_t *const both[] = {&g9.head, &g9.tail}; void w9(int k) { *both[k & 1] = 255; }
void p9(uint8_t c) { g9.data[g9.head] = c; g9.head = (g9.head + 1) % SIZE; }
struct s0 { volatile uint8_t head, tail, a0; uint8_t data[SIZE]; };
static struct s0 g0; static volatile uint8_t *first(void) { return &g0.head; } void w0(void) { *first() = 255; }
void p0(uint8_t c) { g0.data[g0.head] = c; g0.head = (g0.head + 1) % SIZE; }
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
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target, withoutCalls)
		expectCalls(t, rep, errs, want, assumptionTexts)
	}
}

// TestAddressedRanges: a member whose address is passed, given back, stored, chosen, changed as one, or given to assembly,
// is in no range.
func TestAddressedRanges(t *testing.T) {
	want := map[string]anyCall{}
	for _, n := range "0123456789" {
		want["w"+string(n)], want["p"+string(n)] = anyCall{verdict.Proved, ""}, anyCall{verdict.Violated, "out of bounds"}
	}
	dir := writeTree(t, map[string]string{"src.c": addressedC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", withoutCalls)
	expectCalls(t, rep, errs, want, assumptionTexts)
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

// overlaidC: each w has memory that anybody may have written as bytes taken for a structure whose index p trusts.
const overlaidC = `#include <stdint.h>
#include <stdlib.h>
struct m1 { uint8_t n, a1; uint8_t data[64]; };
static uint8_t rx[80], out[64];
void s1(struct m1 *m, uint8_t n) { m->n = n % 64; }
void w1(unsigned i, uint8_t c) { if (i < 80) rx[i] = c; }
void p1(struct m1 *m) { out[m->n] = 1; }
static void on(void *p) { p1(p); }
void c1(void) { on(rx); }
struct m2 { uint8_t n, a2; uint8_t data[64]; };
void s2(struct m2 *m, uint8_t n) { m->n = n % 64; }
struct m2 *w2(uint8_t c) { uint8_t *p = malloc(sizeof(struct m2)); if (p) p[0] = c; return (struct m2 *)p; }
void p2(struct m2 *m) { out[m->n] = 1; }
struct m3 { uint8_t n, a3; uint8_t data[64]; };
void s3(struct m3 *m, uint8_t n) { m->n = n % 64; }
static struct m3 g3;
void get(void *p, unsigned n);
void w3(void) { get(&g3, sizeof g3); }
void p3(struct m3 *m) { out[m->n] = 1; }
struct m4 { uint8_t n, a4; uint8_t data[64]; };
void s4(struct m4 *m, uint8_t n) { m->n = n % 64; }
void w4(struct m4 *m) { __asm__ volatile("" : : "r"(m) : "memory"); }
void p4(struct m4 *m) { out[m->n] = 1; }
struct m5 { uint8_t n, a5; uint8_t data[64]; };
void s5(struct m5 *m, uint8_t n) { m->n = n % 64; }
struct m5 *w5(void) { struct m5 *m = malloc(sizeof *m); if (m) m->n = 1; return m; }
void w6(struct m5 *m, uint8_t c) { for (int i = 0; i < 64; i++) m->data[i] = c; }
void p5(struct m5 *m) { out[m->n] = 1; }
`

// TestOverlaidRanges: a structure that bytes in a buffer or a heap block are taken for, or that a function without a body
// or assembly gets, has its members in no range. One from malloc that is only used as what it is keeps them.
func TestOverlaidRanges(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": overlaidC})
	want := map[string]anyCall{"p5": {verdict.Proved, "m.n is 0..63: the program stores nothing else there"}}
	args := []string{filepath.Join(dir, "src.c"), "--target", "cortex-m3"}
	for _, f := range []string{"p1", "p2", "p3", "p4", "p5"} {
		args = append(args, "--function", f)
		if f != "p5" {
			want[f] = anyCall{verdict.Violated, "out of bounds"}
		}
	}
	// what is written to a block before it is taken for a structure is not seen: the range stands, as a condition
	want["p2"] = anyCall{verdict.Conditional, "m.n is 0..63"}
	_, rep, errs := checkJSON(t, args...)
	expectCalls(t, rep, errs, want, assumptionTexts)
}

// ownC: what ends with _proved holds whoever interrupts whom. What ends with _alone does not, if put is interrupted by itself.
const ownC = `#include <stdint.h>
#include <stdbool.h>
static uint8_t buf[64], more[65], two[2];
static volatile uint32_t errors;
void count_proved(void) { errors++; }
static volatile uint8_t head;
void ring_proved(uint8_t c) { buf[head] = c; head = (head + 1) % 64; }

static volatile uint8_t o;
static void put(uint8_t c) { more[o] = c; o++; if (o == 64) o = 0; }
void RX_IRQHandler(void) { put(1); }
void put_alone(void) { put(2); }
uint8_t get_alone(void) { return more[o]; }
static volatile uint8_t q;
void TX_IRQHandler(void) { more[q] = 1; q++; if (q == 64) q = 0; }
uint8_t sent_proved(void) { return more[q]; }

static volatile uint8_t ready;
void half(void) { ready = 1; }
void full(void) { ready = 2; }
uint8_t half_of_proved(void) { uint8_t r = ready; return r ? two[r - 1] : 0; }
static volatile bool done;
void ADC_IRQHandler(void) { done = true; }
bool wait_proved(void) { bool was = done; done = false; return was; }
static volatile enum state { IDLE, BUSY } state;
static const char *const names[] = { "idle", "busy" };
void begin(void) { state = BUSY; }
char name_proved(void) { return *names[state]; }
volatile uint8_t mode;
void high(void) { mode = 1; }
uint8_t of_others(void) { return two[mode]; }
static volatile uint8_t debug;
uint8_t of_debugger(void) { return two[debug]; }
`

// TestReadsOfOwnVariables: that a function finds in a volatile variable what it left is no condition of what holds without,
// and one of the range that rests on it, also where others read it. What a variable holds that no other file can name is
// all that the program stores; that another one holds no more is a condition.
func TestReadsOfOwnVariables(t *testing.T) {
	const left = "nothing calls that while it runs"
	want := map[string]anyCall{
		"count_proved": {verdict.Proved, ""}, "ring_proved": {verdict.Proved, "head is 0..63"},
		"put_alone": {verdict.Conditional, left}, "get_alone": {verdict.Conditional, "o is as put left it"},
		"RX_IRQHandler": {verdict.Conditional, left},
		"TX_IRQHandler": {verdict.Proved, ""}, "sent_proved": {verdict.Proved, "q is 0..64"},
		"half": {verdict.Proved, ""}, "full": {verdict.Proved, ""}, "half_of_proved": {verdict.Proved, "ready is 0..2"},
		"ADC_IRQHandler": {verdict.Proved, ""}, "wait_proved": {verdict.Proved, "done is 0..1"},
		"begin": {verdict.Proved, ""}, "name_proved": {verdict.Proved, "state is 0..1"},
		"high": {verdict.Proved, ""}, "of_others": {verdict.Conditional, "mode is 0..1"},
		"of_debugger": {verdict.Violated, "out of bounds"},
	}
	dir := writeTree(t, map[string]string{"src.c": ownC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	for i := range rep.Results {
		r := &rep.Results[i]
		w := want[strings.TrimPrefix(r.Entry, "any call of ")]
		if text := strings.Join(assumptionTexts(r), "\n"); r.Status != w.status || w.status != verdict.Violated && !strings.Contains(text, w.said) {
			t.Errorf("%s is %s, want %s with %q:\n%s", r.Entry, r.Status, w.status, w.said, text)
		}
	}
	if len(rep.Results) != len(want) {
		t.Errorf("%d results\n%s", len(rep.Results), errs)
	}
}

// TestVolatilePointersInMain: what fails by any pointer that a volatile one holds is open in an entry that somebody wrote,
// too; null that it holds at first is a finding where volatile objects are memory. A truth value is one.
func TestVolatilePointersInMain(t *testing.T) {
	const text = `#include <stdbool.h>
#include <stddef.h>
struct msg { struct msg *next; unsigned char len; };
static struct msg pool[2];
static struct msg *volatile first;
static volatile bool got;
static unsigned sum;
void RX_IRQHandler(void) { first = &pool[0]; got = true; }
int main(void) {
    for (int i = 0; i < 2; i++) {
        struct msg *m = first;
        if (got) got = false;
        %s
            sum += m->len;
    }
}
`
	for _, c := range []struct {
		test, volatile string
		status         verdict.Status
	}{
		{"if (m)", "kept", verdict.Unknown}, {"", "kept", verdict.Unknown},
		{"if (m)", "memory", verdict.Proved}, {"", "memory", verdict.Violated},
	} {
		dir := writeTree(t, map[string]string{"a.c": fmt.Sprintf(text, c.test), ".firmproof.yml": "version: 1\n" +
			"targets: [cortex-m3]\nbuild: {sources: [a.c]}\nharnesses: [{entry: main}]\nvolatile: " + c.volatile + "\n"})
		_, rep, errs := checkJSON(t, dir, "--entry", "main", "--timeout", "5s")
		if len(rep.Results) != 1 {
			t.Fatalf("%d results\n%s", len(rep.Results), errs)
		}
		r := &rep.Results[0]
		if r.Status != c.status {
			t.Errorf("%q, volatile: %s: %s", c.test, c.volatile, r.Status)
		}
		for _, claim := range r.Claims {
			if claim.Check == verdict.Bool && !claim.Status.Holds() {
				t.Errorf("volatile: %s: a truth value is %s", c.volatile, claim.Status)
			}
		}
	}
}
