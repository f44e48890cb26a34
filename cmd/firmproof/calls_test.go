package main

import (
	"bytes"
	"fmt"
	"math/rand"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// callsCases are pairs: what a call comes to after others, and its mended twin. want is what is said of the functions
// that are named: a status, and for a violation the calls that bring it about.
var callsCases = []struct {
	name, text string
	want       map[string]string
}{
	{"line", `static uint8_t pos; static char line[8];
void put(char c) { line[pos++] = c; }`, map[string]string{"put": "violated put 9 times"}},
	{"line, guarded", `static uint8_t pos; static char line[8];
void put(char c) { if (pos < sizeof line) line[pos++] = c; }
void clear(void) { pos = 0; }`, map[string]string{"put": "proved"}},

	{"setter", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
void r_set(uint8_t v) { i = v; }
int r_get(void) { return t[i]; }`, map[string]string{"r_get": "violated calls: r_set(v = ", "r_set": "proved"}},
	{"setter, guarded", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
void r_set(uint8_t v) { if (v < 4) i = v; }
int r_get(void) { return t[i]; }`, map[string]string{"r_get": "proved", "r_set": "proved"}},

	{"two states that one function sets", `static uint8_t line[32], pos, stack[6], sp;
void put(uint8_t b) { line[pos++] = b; if (pos > 32) pos = 0; }
void init(void) { pos = 0; sp = 0; }
void push(uint8_t v) { if (sp < 6) stack[sp++] = v; }
uint8_t pop(void) { return sp ? stack[--sp] : 0; }`, map[string]string{"put": "violated put 33 times", "pop": "proved", "push": "proved"}},
	{"state machine", `enum st { IDLE, RX, DONE }; static enum st s; static uint8_t n; static uint8_t buf[4];
void start(void) { if (s != RX) { s = RX; n = 0; } }
void rx(uint8_t c) { if (s == RX) { if (c == 0) s = DONE; else buf[n++] = c; } }
int sum(void) { int a = 0; if (s == DONE) a = buf[n]; return a; }`,
		map[string]string{"rx": "violated start()", "sum": "violated sum()"}},
	{"state machine, guarded", `enum st { IDLE, RX, DONE }; static enum st s; static uint8_t n; static uint8_t buf[4];
void start(void) { if (s != RX) { s = RX; n = 0; } }
void rx(uint8_t c) { if (s == RX) { if (c == 0 || n == 3) s = DONE; else buf[n++] = c; } }
int sum(void) { int a = 0; if (s == DONE) a = buf[n]; return a; }`, map[string]string{"rx": "proved", "sum": "proved"}},

	{"callback", `static void (*cb)(int);
void reg(void (*f)(int)) { cb = f; }
void event(int x) { cb(x); }`, map[string]string{"event": "violated event("}},
	{"callback, guarded", `static void (*cb)(int);
void reg(void (*f)(int)) { cb = f; }
void event(int x) { if (cb) cb(x); }`, map[string]string{"event": "holds"}},

	{"ring with init", `struct ring { uint8_t *buf; uint16_t size, head; };
void ring_init(struct ring *r, uint8_t *buf, uint16_t size) { r->buf = buf; r->size = size; r->head = 0; }
void ring_seek(struct ring *r, uint16_t h) { if (r->size > 1) r->head = h; }
void ring_put(struct ring *r, uint8_t c) { if (r->size == 0) return; r->buf[r->head] = c; if (++r->head >= r->size) r->head = 0; }`,
		map[string]string{"ring_put": "violated ring_seek(h = "}},
	{"ring with init, guarded", `struct ring { uint8_t *buf; uint16_t size, head; };
void ring_init(struct ring *r, uint8_t *buf, uint16_t size) { r->buf = buf; r->size = size; r->head = 0; }
void ring_seek(struct ring *r, uint16_t h) { if (h < r->size) r->head = h; }
void ring_put(struct ring *r, uint8_t c) { if (r->size == 0) return; r->buf[r->head] = c; if (++r->head >= r->size) r->head = 0; }`,
		map[string]string{"ring_put": "holds"}},

	// a function that gives the object back makes it, by a pointer or by value
	{"constructor", `struct q { uint8_t *buf; uint16_t size, head; };
struct q *q_new(uint16_t n) { struct q *q = malloc(sizeof *q); if (!q) return 0;
	q->buf = malloc(n); if (!q->buf) { free(q); return 0; } q->size = n; q->head = 0; return q; }
void q_put(struct q *q, uint8_t c) { if (q->head <= q->size) q->buf[q->head++] = c; }`,
		map[string]string{"q_put": "violated q_new(n = "}},
	{"constructor, guarded", `struct q { uint8_t *buf; uint16_t size, head; };
struct q *q_new(uint16_t n) { struct q *q = malloc(sizeof *q); if (!q) return 0;
	q->buf = malloc(n); if (!q->buf) { free(q); return 0; } q->size = n; q->head = 0; return q; }
void q_put(struct q *q, uint8_t c) { if (q->head < q->size) q->buf[q->head++] = c; }`,
		map[string]string{"q_put": "not violated"}},
	{"constructor by another", `struct q { uint16_t low, high, at; };
static void q_init(struct q *q, uint16_t n) { q->low = 0; q->high = n; q->at = 0; }
struct q *q_new(uint16_t n) { struct q *q = calloc(1, sizeof *q); if (q) q_init(q, n); return q; }
int q_part(struct q *q) { q->at++; return 100 / q->high; }`, map[string]string{"q_part": "violated q_new(n = 0)"}},
	{"constructor by another, guarded", `struct q { uint16_t low, high, at; };
static void q_init(struct q *q, uint16_t n) { q->low = 0; q->high = n ? n : 1; q->at = 0; }
struct q *q_new(uint16_t n) { struct q *q = calloc(1, sizeof *q); if (q) q_init(q, n); return q; }
int q_part(struct q *q) { q->at++; return 100 / q->high; }`, map[string]string{"q_part": "not violated"}},
	{"constructor by value", `struct q { uint16_t low, high, at, step; uint32_t sum, more; };
struct q q_make(uint16_t n) { struct q q; q.low = 0; q.high = n; q.at = 0; q.step = 1; q.sum = 0; q.more = 0; return q; }
int q_part(struct q *q) { q->at++; return 100 / q->high; }`, map[string]string{"q_part": "violated q_make("}},
	{"constructor by value, guarded", `struct q { uint16_t low, high, at, step; uint32_t sum, more; };
struct q q_make(uint16_t n) { struct q q; q.low = 0; q.high = n ? n : 1; q.at = 0; q.step = 1; q.sum = 0; q.more = 0; return q; }
int q_part(struct q *q) { q->at++; return 100 / q->high; }`, map[string]string{"q_part": "not violated"}},
	{"constructor by value in a register", `struct q { uint16_t high, at; };
struct q q_make(uint16_t n) { struct q q; q.high = n; q.at = 0; return q; }
int q_part(struct q *q) { q->at++; return 100 / q->high; }`, map[string]string{"q_part": "violated q_make("}},
	{"constructor by value in a register, guarded", `struct q { uint16_t high, at; };
struct q q_make(uint16_t n) { struct q q; q.high = n ? n : 1; q.at = 0; return q; }
int q_part(struct q *q) { q->at++; return 100 / q->high; }`, map[string]string{"q_part": "not violated"}},

	{"pointer that is taken back", `static int *cur;
void start(int *p) { cur = p; }
void stop(void) { cur = 0; }
int step(void) { return *cur; }`, map[string]string{"step": "violated stop()"}},
	{"pointer that is set up", `static int *cur;
void start(int *p) { cur = p; }
int step(void) { return *cur; }`, map[string]string{"step": "holds"}},

	{"size that the caller says", `struct q { uint8_t *items; uint8_t size, tail; };
void q_reset(struct q *q, uint8_t size) { q->size = size; q->tail = 0; }
void q_put(struct q *q, uint8_t v) { q->items[q->tail] = v; q->tail = (q->tail + 1) % (q->size ? q->size : 1); }`,
		map[string]string{"q_put": "holds"}},

	// what others may change holds nothing that is proved of it
	{"public", `uint8_t i; static const int t[4] = {1, 2, 3, 4};
void set(uint8_t v) { i = v & 3; }
int get(void) { return t[i]; }`, map[string]string{"get": "conditional"}},
	{"returned address", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
uint8_t *where(void) { return &i; }
int get(void) { return t[i]; }`, map[string]string{"get": "conditional"}},
	{"address in a table", `static uint8_t i; uint8_t *const regs[1] = {&i}; static const int t[4] = {1, 2, 3, 4};
int get(void) { return t[i]; }
void set(uint8_t v) { i = v & 3; }`, map[string]string{"get": "conditional"}},
	{"address handed on", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
static uint8_t *pass(uint8_t *p) { uint8_t *q = p; return q; }
uint8_t *where(void) { return pass(&i); }
int get(void) { return t[i]; }`, map[string]string{"get": "conditional"}},
	{"kept address", `static uint8_t i; static uint8_t *p; static const int t[4] = {1, 2, 3, 4};
void keep(void) { p = &i; }
void poke(uint8_t v) { if (p) *p = v; }
int get(void) { return t[i]; }`, map[string]string{"get": "open"}},
	{"code that is not there", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
void ext(void);
static void on(uint8_t v) { i = v; }
extern void hook(void (*f)(uint8_t));
void begin(void) { hook(on); }
void set(uint8_t v) { i = v & 3; ext(); }
int get(void) { return t[i]; }`, map[string]string{"get": "open"}},
	{"called back", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
void ext(void);
void set(uint8_t v) { i = v; ext(); i = v & 3; }
int get(void) { return t[i]; }`, map[string]string{"get": "open"}},
	{"variable arguments", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
void setf(const char *f, ...) { i = (uint8_t)f[0]; }
int get(void) { return t[i]; }`, map[string]string{"get": "open"}},
	{"static function whose address is taken", `static uint8_t i; static const int t[4] = {1, 2, 3, 4};
static void on(int v) { i = (uint8_t)v; }
void (*handler(void))(int) { return on; }
int get(void) { return t[i]; }`, map[string]string{"get": "open"}},
	{"the same object twice", `static int *a, *b;
void set_a(int *p) { a = p; }
void set_b(int *p) { b = p; }
int get(void) { if (!a || !b) return 0; *a = 1; *b = 0; return 8 / *a; }`, map[string]string{"get": "open"}},
	{"a call that fails elsewhere", `struct sv { uint8_t v, nv; }; static const int t[1] = {7};
void set(struct sv *s, uint8_t v) { s->v = v; s->nv = (uint8_t)(0xff - v); }
int part(struct sv *s, int d) { return d / (s->v - 3); }
int get(const struct sv *s) { return t[(uint8_t)(s->v + s->nv) - 0xff]; }`, map[string]string{"get": "conditional"}},
	{"a call that fails elsewhere, and one that breaks it", `struct sv { uint8_t v, nv; }; static const int t[1] = {7};
void set(struct sv *s, uint8_t v) { s->v = v; s->nv = (uint8_t)(0xfe - v); }
int part(struct sv *s, int d) { return d / (s->v - 3); }
int get(const struct sv *s) { return t[(uint8_t)(s->v + s->nv) - 0xff]; }`, map[string]string{"get": "violated get("}},
	{"after a constructor", `static uint8_t i, up; static const int t[4] = {1, 2, 3, 4};
__attribute__((constructor)) static void begin(void) { up = 1; }
int get(void) { return t[i++ & 7]; }`, map[string]string{"get": "violated get 5 times"}},
	{"beside a variable of another file", `static uint8_t i; extern uint8_t other; static const int t[4] = {1, 2, 3, 4};
int get(void) { return t[i++ & 7] + other; }`, map[string]string{"get": "violated get 5 times"}},
	{"a list that may have no elements", `struct t { struct t *next; int due; }; static struct t *list;
void add(struct t *t) {
	struct t **p = &list;
	while (*p && (*p)->due < t->due) p = &(*p)->next;
	t->next = *p; *p = t;
}
int first(void) { return list->due; }
int each(int now) { int n = 0; if (!list) return 0; while (list->due < now) { list = list->next; n++; } return n; }`,
		map[string]string{"first": "violated read through a null pointer", "each": "violated read through a null pointer"}},
	{"end of a life", `struct r { int x; }; static uint8_t i; static const int t[4] = {1, 2, 3, 4};
void r_free(struct r *r) { free(r); i = 200; }
int get(struct r *r) { r->x = 1; return t[i]; }`, map[string]string{"get": "open"}},
}

// TestCalls: what rests on the state that calls before a call leave is found in a sequence of calls, or proved of all.
func TestCalls(t *testing.T) {
	for _, c := range callsCases {
		t.Run(c.name, func(t *testing.T) {
			text := "#include <stdint.h>\n#include <stdlib.h>\n" + c.text + "\n"
			dir := writeTree(t, map[string]string{"src.c": text})
			_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--timeout", "20s")
			seen := 0
			for i := range rep.Results {
				r := &rep.Results[i]
				want, calls, _ := strings.Cut(c.want[strings.TrimPrefix(r.Entry, "any call of ")], " ")
				if want == "" {
					continue
				}
				seen++
				said := ""
				for _, claim := range r.Claims {
					if claim.Status == verdict.Violated || claim.Status == verdict.Unknown {
						said += claim.Message + claim.Reason.String() + "\n"
					}
				}
				ok := map[string]bool{"proved": r.Status == verdict.Proved, "conditional": r.Status == verdict.Conditional,
					"violated": r.Status == verdict.Violated && strings.Contains(said, calls),
					"holds":    r.Status == verdict.Proved || r.Status == verdict.Conditional || r.Status == verdict.Bounded,
					"not":      r.Status != verdict.Violated && r.Status != verdict.Proved,
					"open":     r.Status != verdict.Proved}[want]
				if !ok {
					t.Errorf("%s is %s, want %s %q:\n%s\n%s", r.Entry, r.Status, want, calls, said, errs)
				}
			}
			if seen != len(c.want) {
				t.Errorf("%d results of %d\n%s", seen, len(c.want), errs)
			}
		})
	}
}

// TestCallsOfHandles: what fills a structure may be handed another one, which is there by then.
func TestCallsOfHandles(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `struct stamp { long s, us; }; struct date { int year, month; };
void date_set(struct date *d, int y) { if (y > 0) d->year = y; }
int get(struct stamp *t, const struct date *d) { t->s = 100 / (d->year - 7); t->us = 0; return 0; }
`})
	var out bytes.Buffer
	args := []string{"check", filepath.Join(dir, "src.c"), "--function", "get", "--timeout", "5s", "--dump", "ir"}
	runWith(args, &out, &out)
	if text := out.String(); !strings.Contains(text, "@firmproof.handle.get.1") || strings.Contains(text, "<nil>") {
		t.Errorf("a call is handed what was not made:\n%s", text)
	}
}

// TestCallsOnce: a function that its program alone calls leaves nothing in a structure that nobody makes, which a call of
// its own would meet; one that others may call does.
func TestCallsOnce(t *testing.T) {
	const body = `unsigned get(struct bits *b, int n) {
	if (n == 0) { b->pos = 8; return 0; }
	return b->pos == 8 ? 1u << n : 0;
}
`
	for head, want := range map[string]bool{"": true, "static ": false} {
		dir := writeTree(t, map[string]string{"src.c": "struct bits { int pos; };\n" + head + body +
			"unsigned two(struct bits *b) { return get(b, 2); }\n"})
		_, rep, _ := checkJSON(t, filepath.Join(dir, "src.c"), "--function", "get")
		if got := slices.ContainsFunc(rep.Results[0].Claims, func(c verdict.Claim) bool {
			return c.Check == verdict.Shift && c.Status == verdict.Violated
		}); got != want {
			t.Errorf("%qunsigned get: violated %t, want %t", head, got, want)
		}
	}
}

// moduleOf writes a module whose functions change three variables at random, and say of them what may be so. Each CHECK
// stands on a line of its own.
func moduleOf(r *rand.Rand) (text string, functions int) {
	var out strings.Builder
	out.WriteString("static uint8_t a, b, c;\n")
	pick := func() string { return string("abc"[r.Intn(3)]) }
	n := func() int { return 1 + r.Intn(9) }
	check := 0
	functions = 4
	for f := range functions {
		fmt.Fprintf(&out, "void f%d(uint8_t v) {\n", f)
		for range 2 + r.Intn(2) {
			x, y := pick(), pick()
			switch r.Intn(9) {
			case 0:
				fmt.Fprintf(&out, "%s = v & %d;\n", x, n())
			case 1:
				fmt.Fprintf(&out, "%s = v %% %d;\n", x, n())
			case 2:
				fmt.Fprintf(&out, "if (%s < %d) %s++;\n", x, n(), x)
			case 3:
				fmt.Fprintf(&out, "%s = (%s + 1) %% %d;\n", x, x, n())
			case 4:
				fmt.Fprintf(&out, "if (v < %d) %s = v;\n", n(), x)
			case 5:
				fmt.Fprintf(&out, "if (%s < %s) %s = %s;\n", x, y, x, y)
			case 6:
				fmt.Fprintf(&out, "if (%s > %d) %s = 0;\n", x, n(), x)
			case 7:
				fmt.Fprintf(&out, "if (%s == %d) %s = %d;\n", x, n(), y, n())
			case 8:
				fmt.Fprintf(&out, "if (%s) %s--;\n", x, x)
			}
		}
		bound := []string{fmt.Sprintf("%s <= %d", pick(), n()), fmt.Sprintf("%s + %s <= %d", pick(), pick(), n()+n())}
		fmt.Fprintf(&out, "CHECK(%d, %s)\n}\n", check, bound[r.Intn(2)])
		check++
	}
	return out.String(), functions
}

const nativeHead = `#include <stdint.h>
#include <stdio.h>
#define CHECK(i, c) if (!(c)) { failed[i] = 1; reset(); return; }
static int failed[16]; static void reset(void);
`

// TestCallsOfModules: what executions of random calls break, nothing proves, and most of it is found.
func TestCallsOfModules(t *testing.T) {
	broken, found, proved := 0, 0, 0
	for seed := range testprogram.Sample[int64](24, 4) {
		r := rand.New(rand.NewSource(seed))
		module, n := moduleOf(r)
		table := ""
		for f := range n {
			table += fmt.Sprintf("f%d, ", f)
		}
		dir := writeTree(t, map[string]string{
			"src.c": "#include <stdint.h>\n#include <assert.h>\n#define CHECK(i, c) assert(c);\n" + module,
			"native.c": nativeHead + module + `static void reset(void) { a = b = c = 0; }
static void (*const all[])(uint8_t) = { ` + table + `};
int main(void) {
	unsigned x = 1;
	for (long k = 0; k < 2000000; k++) {
		x = x * 1664525 + 1013904223;
		all[(x >> 16) % (sizeof all / sizeof *all)]((uint8_t)(x >> 24 & ((x >> 8 & 3) ? 15 : 255)));
		if ((x >> 12) % 64 == 0) reset();
	}
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) printf("%d", failed[i]);
}
`})
		bin := filepath.Join(dir, "native")
		if out, err := llvmtest.Clang(t, "-O1", "-w", "-o", bin, filepath.Join(dir, "native.c")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		fails, err := exec.Command(bin).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"))
		for i := range rep.Results {
			var f int
			if _, err := fmt.Sscanf(rep.Results[i].Entry, "any call of f%d", &f); err != nil {
				t.Fatal(err, errs)
			}
			for _, c := range rep.Results[i].Claims {
				if c.Check != verdict.Assert {
					continue
				}
				switch fails := fails[f] == '1'; {
				case fails && c.Status == verdict.Proved:
					t.Errorf("seed %d: the assertion of f%d is proved, and fails:\n%s", seed, f, module)
				case fails:
					broken++
					if c.Status == verdict.Violated {
						found++
					}
				case c.Status == verdict.Violated:
					t.Logf("seed %d: f%d: not seen in native runs: %s\n%s", seed, f, c.Message, module)
				case c.Status == verdict.Proved:
					proved++
				}
			}
		}
	}
	t.Logf("%d fail, %d of them are found; %d others are proved", broken, found, proved)
	if found*10 < broken*8 || proved == 0 {
		t.Errorf("%d fail, %d of them are found; %d others are proved", broken, found, proved)
	}
}
