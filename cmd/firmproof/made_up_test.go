package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// madeUpCases are pairs: a failure by something that a generated harness made up, which is no finding, and one that the
// caller, or calls of the program, bring about.
var madeUpCases = []struct {
	name, text, function string
	violated             bool
}{
	{"a counter of the program", `struct s { int n; };
void up(struct s *s) { s->n++; }`, "up", false},
	{"a number of the caller", `struct s { int n; };
int up(const struct s *s) { return s->n + 1; }`, "up", true},

	{"a bit-field of the program", `struct r { unsigned head : 4; unsigned char buf[8]; };
void put(struct r *r, unsigned char c) { r->buf[r->head] = c; if (++r->head >= 8) r->head = 0; }
void seek(struct r *r, unsigned c) { r->head = c & 7; }`, "put", false},
	{"a bit-field that a call sets", `struct r { unsigned head : 4; unsigned char buf[8]; };
void put(struct r *r, unsigned char c) { r->buf[r->head] = c; if (++r->head >= 8) r->head = 0; }
void seek(struct r *r, unsigned c) { r->head = c & 15; }`, "put", true},

	{"an enumeration beside a pointer that walks", `enum st { A, B, C }; struct cfg { enum st s; unsigned char x; };
static const int tab[3] = {1, 2, 3};
void set(struct cfg *c) { c->s = B; }
static unsigned char *conv(unsigned char *p) { return (unsigned char *)((uintptr_t)p - 1); }
void odd(struct cfg *c, unsigned char v) { *conv(&c->x) = v % 3; }
int use(const struct cfg *c) { return tab[c->s]; }`, "use", false},
	{"an enumeration that a call sets", `enum st { A, B, C }; struct cfg { enum st s; unsigned char x; };
static const int tab[3] = {1, 2, 3};
void set(struct cfg *c) { c->s = B; }
static unsigned char *conv(unsigned char *p) { return (unsigned char *)((uintptr_t)p - 1); }
void odd(struct cfg *c, unsigned char v) { *conv(&c->x) = v % 4; }
int use(const struct cfg *c) { return tab[c->s]; }`, "use", true},

	{"null, with an index of the program", `struct row { int v[4]; }; struct s { unsigned at; };
void seek(struct s *s, unsigned at) { s->at = at & 3; }
int get(const struct s *s, const struct row *t, int c) { if (!t && c) return 0; return t->v[s->at & 3]; }`, "get", true},
	{"no null, with an index of the program", `struct row { int v[4]; }; struct s { unsigned at; };
void seek(struct s *s, unsigned at) { s->at = at & 3; }
int get(const struct s *s, const struct row *t, int c) { if (!t || c) return 0; return t->v[s->at & 3]; }`, "get", false},
	{"one too many in each state of the program", `struct s { int mode; }; static const int t[4] = {1, 2, 3, 4};
void begin(struct s *s) { s->mode = 2; }
int get(const struct s *s) { unsigned k = s->mode == 2 ? 4 : 5; return t[k]; }`, "get", true},
	{"one too many in another state than the program's", `struct s { int mode; }; static const int t[4] = {1, 2, 3, 4};
void begin(struct s *s) { s->mode = 2; }
int get(const struct s *s) { unsigned k = s->mode == 2 ? 3 : 5; return t[k]; }`, "get", false},
	{"a difference of two counts of the program", `struct s { int a, b; };
void put(struct s *s) { s->a++; s->b++; }
int left(const struct s *s) { return s->a - s->b; }`, "left", false},
	{"a guard and an index of the program", `struct s { unsigned n; }; static const int t[4] = {1, 2, 3, 4};
void seek(struct s *s, unsigned n) { s->n = n & 3; }
int get(const struct s *s) { return s->n > 3 ? t[s->n] : 0; }`, "get", false},

	{"a header in front", `struct head { unsigned size; int used; };
int release(void *p) { struct head *h = (struct head *)((char *)p - sizeof(struct head)); return h->used; }`,
		"release", false},
	{"a header in front of the first", `struct head { unsigned size; int used; };
static struct head heads[2];
int release(int i) { struct head *h = &heads[i & 1] - 1; return h->used; }`, "release", true},

	{"null is asked for later", `char *grow(char *s, unsigned n);
int copy(char *s, unsigned n) { int c = s[0]; if (n > 1) { s = grow(s, n); if (!s) return 0; } return c; }`,
		"copy", false},
	{"null is asked for", `char *grow(char *s, unsigned n);
int copy(char *s, unsigned n) { if (!s && n > 1) return 0; return s[0]; }`, "copy", true},

	{"one more than the length says", `void clear(unsigned char *p, unsigned n) { for (unsigned i = 0; i <= n; i++) p[i] = 0; }`,
		"clear", true},
	{"the last one", `void clear(unsigned char *p, unsigned end) { for (unsigned i = 0; i <= end; i++) p[i] = 0; }`,
		"clear", false},

	{"a pointer that is made of bytes", `struct r { unsigned char *data; unsigned kind; }; struct v { unsigned kind; unsigned char *data; };
struct e { unsigned kind; const void *object; };
int get(const struct e *e) {
	const unsigned char *p = e->kind == 1 ? ((const struct r *)e->object)->data : ((const struct v *)e->object)->data;
	return *p; }`, "get", false},
	{"a pointer that is made of a number", `struct m { unsigned char kind; uintptr_t at; };
int get(const struct m *m) { const unsigned char *p = (const unsigned char *)m->at; return m->kind == 3 ? *p : 0; }`,
		"get", true},
	{"a pointer into bytes, one too far", `struct r { unsigned char *data; unsigned size; };
static unsigned char four[4];
int get(void *raw, unsigned n) { struct r *r = raw; if (n < sizeof *r) return 0; r->data = four; return r->data[4]; }`,
		"get", true},

	{"a number behind a handle", `typedef void *heap_t; struct heap { unsigned map; unsigned rows[4]; };
unsigned rows(heap_t h, unsigned size) { struct heap *c = h; return c->rows[size & 3]; }`, "rows", false},
	{"a number behind bytes", `struct heap { unsigned map; unsigned rows[4]; };
unsigned rows(void *h, unsigned size) { struct heap *c = h; return c->rows[size & 3]; }`, "rows", true},
	{"a handle, past its structure", `typedef void *heap_t; struct heap { unsigned map; unsigned rows[4]; };
unsigned rows(heap_t h, unsigned size) { struct heap *c = h; return c->rows[size & 7]; }`, "rows", true},

	{"a header in front, by a constant", `struct head { unsigned size; unsigned used; };
static const size_t start = sizeof(struct head);
unsigned release(void *p, size_t size) { struct head *h = (struct head *)((char *)p - start); return h->used + size; }`,
		"release", false},
	{"a header in front of the first, by a constant", `struct head { unsigned size; unsigned used; };
static const size_t start = sizeof(struct head);
static struct head heads[2];
unsigned release(int i) { return ((struct head *)((char *)&heads[i & 1] - start))->used; }`, "release", true},

	{"an address that is computed from what is behind a pool", `struct head { unsigned size, used; };
unsigned next(void *pool, unsigned k) { const struct head *h = (const struct head *)((uintptr_t)pool + k % 8 * 8);
	return ((const struct head *)((uintptr_t)h + h->size))->used; }`, "next", false},
	{"an index that is behind a pool", `static const unsigned char table[4] = {1, 2, 3, 4};
int next(const void *pool, unsigned k) { return table[((const unsigned char *)pool)[k & 3]]; }`, "next", true},

	{"a loop by what is behind a pool", `void walk(void *pool) {
	unsigned i = 0;
	while (i < 16) i += ((const unsigned char *)pool)[i]; }`, "walk", false},
	{"a loop by the bytes of a message", `void skip(const unsigned char *msg, unsigned len) {
	unsigned i = 0;
	while (i < len) i += msg[i]; }`, "skip", true},

	{"a list in a pool behind a member", `struct pool { void *at; unsigned size; unsigned short blocks; };
struct cell { unsigned short next, prev; };
int count(const struct pool *p) { const struct cell *c = p->at; int n = 0; unsigned short k = 0; if (p->size < 256) return 0;
  do { k = c[k & 63].next; n ^= 1; } while (k); return n; }`, "count", false},
	{"records in a buffer behind a member", `struct packet { const unsigned char *at; unsigned size; };
int count(const struct packet *p) { int n = 0; for (unsigned k = 0; k < p->size; k += p->at[k]) n ^= 1; return n; }`,
		"count", true},

	{"the order of two blocks", `void check(char *low, char *high) { low[0] = 0; assert((uintptr_t)low <= (uintptr_t)high); }`,
		"check", false},
	{"a volatile count of one handler", `static uint8_t buf[32]; static volatile uint8_t n;
void irq(uint8_t c) { if (n < sizeof buf) buf[n++] = c; }`, "irq", false},
	{"a volatile count of one handler, one too many", `static uint8_t buf[32]; static volatile uint8_t n;
void irq(uint8_t c) { if (n <= sizeof buf) buf[n++] = c; }`, "irq", true},
	{"a volatile count of two", `static uint8_t buf[32]; static volatile uint8_t n;
void irq(uint8_t c) { if (n < sizeof buf) buf[n++] = c; }
void set(uint8_t c) { n = c; }`, "irq", true},
	{"a volatile index of one handler, which is read for a moment", `static uint8_t buf[48]; static volatile uint8_t head;
void irq(uint8_t c) { buf[head] = c; head++; if (head >= sizeof buf) head = 0; }
int last(void) { return buf[head]; }`, "last", true},
	{"a volatile index of one handler, set back", `static uint8_t buf[48]; static volatile uint8_t head;
void irq(uint8_t c) { buf[head] = c; head++; if (head >= sizeof buf) head = 0; }
int last(void) { return buf[head]; }`, "irq", false},

	{"a state that few numbers stand for", `struct h { int n; }; void init(struct h *x, int k) { x->n = 0x5a5a; if (k) x->n++; }
int get(struct h *x) { int *p = (x->n & ~1) == 0x5a5a ? &x->n : 0; return *p; }`, "get", false},
	{"a state by cases", `struct h { int n; }; void init(struct h *x, int k) { x->n = 7001; if (k) x->n++; }
int get(struct h *x) { int *p = 0; switch (x->n) { case 7001: case 7002: p = &x->n; } return *p; }`, "get", false},

	{"a number within what is stored, that is not", `struct rtc { uint8_t mon; }; static const uint8_t days[12] = {31};
void set(struct rtc *r, uint8_t m) { if (m < 1 || m > 12) m = 1; r->mon = (uint8_t)((m / 10) << 4 | m % 10); }
uint8_t get(const struct rtc *r) { return days[(r->mon >> 4) * 10 + (r->mon & 15) - 1]; }`, "get", false},
	{"a number within what is stored", `struct rtc { uint8_t mon; }; static const uint8_t days[12] = {31};
void set(struct rtc *r, uint8_t m) { if (m < 1 || m > 13) m = 1; r->mon = (uint8_t)((m / 10) << 4 | m % 10); }
uint8_t get(const struct rtc *r) { return days[(r->mon >> 4) * 10 + (r->mon & 15) - 1]; }`, "get", true},
	{"a limit in floating point", `struct pid { float max; }; static uint8_t out[101];
void init(struct pid *p) { p->max = 100.0f; }
void act(const struct pid *p, float u) { if (!(u >= 0.0f)) u = 0.0f; if (u > p->max) u = p->max; out[(int)u] = 1; }`,
		"act", false},
	{"an array that is filled", `struct thr { int16_t v[3]; };
void set(struct thr *t, int16_t a) { if (a > 1000 || a < 0) a = 0; t->v[0] = a; t->v[1] = (int16_t)(a + 5); t->v[2] = 9; }
int use(const struct thr *t) { return 100 / (t->v[1] - t->v[0]); }`, "use", false},
	{"a checksum", `struct rec { uint32_t d, sum; };
void set(struct rec *r, uint32_t v) { r->d = v; r->sum = v ^ 0x5a5a1234; }
unsigned uses; void use(const struct rec *r) { uses++; assert(r->sum == (r->d ^ 0x5a5a1234)); }`, "use", false},
	{"a base of addresses", `struct pin { uint32_t base; }; static uint32_t shadow[4];
void init(struct pin *p, uint8_t port) { p->base = 0x40020000u + 0x400u * (port & 3); }
void high(const struct pin *p) { shadow[(p->base - 0x40020000u) >> 10] = 1; }`, "high", false},
	{"a volatile pointer", `static uint8_t a, b; static uint8_t *volatile which = &a;
void put(uint8_t c) { *which = c; }
void choose(int x) { which = x ? &a : &b; }`, "put", false},

	{"the order in one block", `void check(char *low) { low[0] = 0; assert((uintptr_t)(low + 1) <= (uintptr_t)low); }`, "check",
		true},
}

// TestMadeUp: only what the interface leaves open, and what calls bring about, makes a violation.
func TestMadeUp(t *testing.T) {
	for _, c := range madeUpCases {
		t.Run(c.name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{
				"src.c": "#include <assert.h>\n#include <stddef.h>\n#include <stdint.h>\n" + c.text + "\n"})
			_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", c.function)
			if len(rep.Results) != 1 {
				t.Fatalf("%+v\n%s", rep.Results, errs)
			}
			if r := &rep.Results[0]; (r.Status == verdict.Violated) != c.violated {
				t.Errorf("%s, want violated: %v", r.Status, c.violated)
			}
		})
	}
}

// TestSizedInput: that a structure is whole is read off its type, unless a length in bytes stands beside it.
func TestSizedInput(t *testing.T) {
	for params, want := range map[string]verdict.Status{"const struct head *h, unsigned size": verdict.Conditional,
		"const struct head *h, unsigned index": verdict.Proved, "struct head *h, unsigned size": verdict.Proved} {
		text := "struct head { unsigned char type, len, id; };\nint parse(" + params + ") { return h->id; }\n"
		dir := writeTree(t, map[string]string{"src.c": text})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", "parse")
		if len(rep.Results) != 1 || rep.Results[0].Status != want {
			t.Errorf("%s: %+v, want %s\n%s", params, rep.Results, want, errs)
		}
	}
}
