package main

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

const generatedC = `#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
struct ring { uint8_t buf[8]; unsigned head; bool full; struct ring *next; };
int sum(const uint8_t *data, size_t len) { int s = 0; for (size_t i = 0; i < len; i++) s += data[i]; return s; }
static void push(struct ring *r, uint8_t b) { r->buf[r->head & 7] = b; if (r->next && r->full) r->next->head = 0; }
void beyond(struct ring *r, uint8_t b) { r->buf[r->head & 15] = b; }
int past(const uint8_t *data, size_t len) { return data[len]; }
int text(const char *s) { int n = 0; while (*s++) n++; return n; }
int through(int (*f)(int)) { return f(1); }
int quotient(int a, int b) { return a / b; }
void harness(void) { struct ring r = {{0}}; push(&r, 1); }
`

// TestGeneratedHarnesses: functions are called with valid pointers of any contents; what
// goes past them is found, on targets of several widths.
func TestGeneratedHarnesses(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": generatedC,
		".firmproof.yml": "version: 1\ntargets: [x86_64, cortex-m3, avr]\nbuild: {sources: [src.c]}\nfunctions: all\nharnesses: [{entry: harness}]\n"})
	code, rep, errs := checkJSON(t, dir)
	want := map[string]verdict.Status{"harness": verdict.Proved, "any call of sum": verdict.Proved,
		"any call of push": verdict.Proved, "any call of beyond": verdict.Violated,
		"any call of past": verdict.Violated,
		"any call of text": verdict.Proved, "any call of through": verdict.Proved,
		"any call of quotient": verdict.Violated}
	if code != 1 || len(rep.Results) != 3*len(want) {
		t.Fatalf("exit %d, %d results\n%s", code, len(rep.Results), errs)
	}
	for i := range rep.Results {
		r := &rep.Results[i]
		if w, ok := want[r.Entry]; !ok || !meets(r.Status, w) {
			t.Errorf("%s on %s is %s, want %s", r.Entry, r.Target, r.Status, w)
		}
		for j := range r.Claims {
			if c := &r.Claims[j]; c.Status == verdict.Violated && c.Replay != verdict.Confirmed {
				t.Errorf("%s on %s: %s: replay %v", r.Entry, r.Target, c.Message, c.Replay)
			}
		}
		if a := strings.Join(verdict.TextsOf(r.Assumptions), "\n"); r.Entry == "any call of sum" && !strings.Contains(a,
			"data leads to as many elements as len says") {
			t.Errorf("assumptions %q", a)
		}
	}
}

// TestGeneratedForChange: only the function with a changed line is called.
func TestGeneratedForChange(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": generatedC,
		".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [src.c]}\nfunctions: changed\n"})
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"},
			args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	put(t, dir, "src.c", strings.Replace(generatedC, "return a / b", "return b > 0 ? a / b : 0", 1))
	code, rep, errs := checkJSON(t, "--changed-since", "HEAD", dir)
	if code != 0 || len(rep.Results) != 1 || rep.Results[0].Entry != "any call of quotient" ||
		rep.Results[0].Status != verdict.Proved {
		t.Fatalf("exit %d, %+v\n%s", code, rep.Results, errs)
	}
	if code, _, errs := checkJSON(t, dir); code != 2 || !strings.Contains(errs, "--changed-since") {
		t.Errorf("no change named: exit %d, %s", code, errs)
	}
	if code, _, errs := checkJSON(t, "--changed-since", "nothing", dir); code != 2 || !strings.Contains(errs,
		"nothing") {
		t.Errorf("bad commit: exit %d, %s", code, errs)
	}
	out := t.TempDir()
	put(t, out, "change.json", `{"lines":{"src.c":[{"from":7,"to":7}]}}`)
	var said strings.Builder
	if code := runWith([]string{"job", "build", "--target", "cortex-m3", "--engine", "test", "--change",
		filepath.Join(out, "change.json"), "-o", out, dir}, &said, &said); code != 0 {
		t.Fatalf("job build: exit %d, %s", code, said.String())
	}
	var jobs []struct{ Label string }
	readJSON(t, filepath.Join(out, "jobs.json"), &jobs)
	if !slices.Equal(jobs, []struct{ Label string }{{"any call of beyond"}}) {
		t.Errorf("jobs %v", jobs)
	}
}

// TestFunctionsOfFiles: files without main have their functions called, header inlines left out; one
// function by name, static ones and those of headers too; a static helper is verified where it is
// called; --entry takes the names that reports show.
func TestFunctionsOfFiles(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"vendor.h": "static inline int vendor(int a) { return 8 / a; }\n",
		"src.c": `#include "vendor.h"
static int at(const int *list, int i) { return list[i]; }
int first(void) { int list[3] = {1, 2, 3}; return at(list, 2); }
int second(int a) { return a > 0 ? vendor(a) : 0; }
static int unused(int a) { return 9 / a; }
`, "other.c": "int third(int a) { return 7 / a; }\nint main(void) { return 0; }\n",
		".firmproof.yml": "version: 1\nbuild: {sources: [src.c, other.c]}\nharnesses: [{entry: main}]\n"})
	src, other := filepath.Join(dir, "src.c"), filepath.Join(dir, "other.c")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{src}, "any call of first=proved any call of second=proved any call of unused=violated"},
		{[]string{src, "--function", "at"}, "any call of at=unknown"},
		{[]string{src, "--function", "vendor", "--entry", "any call of first"},
			"any call of vendor=violated any call of first=proved"},
		{[]string{other}, "main=proved"},
		{[]string{other, "--entry", "main", "--function", "third"}, "main=proved any call of third=violated"},
		{[]string{dir}, "main=proved"},
		{[]string{dir, "--entry", "third"}, "any call of third=violated"},
		{[]string{dir, "--function", "unused"}, "any call of unused=violated"},
	} {
		_, rep, errs := checkJSON(t, c.args...)
		var got []string
		for i := range rep.Results {
			got = append(got, rep.Results[i].Entry+"="+rep.Results[i].Status.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v: %s, want %s\n%s", c.args, s, c.want, errs)
		}
	}
	if code, _, errs := checkJSON(t, dir, "--function", "secondd"); code != 2 || !strings.Contains(errs, `"second"`) {
		t.Errorf("a name that is none: exit %d, %s", code, errs)
	}
}

const assumedC = `#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct text { uint8_t *ptr; size_t len, cap; };
int in_text(struct text *b, size_t i) { return i < b->len ? b->ptr[i] : -1; }
int past_text(struct text *b) { return b->ptr[b->cap]; }
int header(const uint8_t *p) { return p[0] | p[3] << 8; }
void copy(uint8_t *to, const uint8_t *from, int k) { for (int i = 0; i < k; i++) to[i] = from[i]; }
int asked(int *p) { if (!p) return 0; return *p; }
int asked_late(int *p) { int x = *p; return p ? x : 0; }
int asserted(int *p, int n) { assert(p != NULL); assert(n > 0); return *p / n; }
void filled(void *to, const void *from, size_t q) { memcpy(to, from, q); }
int guessed(const uint8_t *t, unsigned i) { return t[i]; }
struct ring { uint8_t *at; void *arg; size_t size, head; };
struct encoder { size_t at; uint8_t buffer[]; };
int sink(struct encoder *e, const uint8_t *in, size_t size) { for (size_t i = 0; i < size; i++) e->buffer[i] = in[i]; return e->at; }
struct bag { uint8_t *at; size_t size; unsigned k; };
int picked(struct bag *r) { return r->at[r->k]; }
int next(struct ring *r) { return r->at[++r->head]; }
int newest(struct ring *r) { return r->at[r->head]; }
struct reader { const uint8_t *p; };
int third_byte(struct reader *r) { return r->p[2]; }
void calls(void) { uint8_t two[2]; static uint8_t t[200]; copy(t, two, 9); }
unsigned last_word(const unsigned *w, unsigned num_bytes) { return num_bytes ? w[(num_bytes - 1) / 4] : 0; }
struct part { const char *at; unsigned len; };
int parts(const struct part *list, unsigned count) {
  return count && list[count - 1].len > 1 ? list[count - 1].at[1] : 0;
}
int pair(const struct part *list) { return list[1].len ? list[1].at[0] : 0; }
struct whole { unsigned n; struct part list[4]; };
int part_of(const struct whole *w, unsigned num) {
  const struct part *p = &w->list[num % 4];
  return w->n > p->len && p != 0;
}
struct enc { union { uint8_t *ptr; ptrdiff_t need; } data; const uint8_t *end; int flags; };
int put(struct enc *e, uint8_t b) { return e->data.ptr < e->end ? *e->data.ptr++ = b : -1; }
int put_over(struct enc *e, uint8_t b) { return *e->data.ptr++ = b; }
int room(const struct enc *e) { ptrdiff_t left = (ptrdiff_t)e->end; left -= (ptrdiff_t)e->data.ptr; return left > 3; }
static int kind(const struct enc *e) { return e->flags & 3; }
int typed(struct enc *e) { assert(kind(e) == 2); return 1; }
int byte_of(struct enc *e, const uint8_t *t) { e->flags = 0; assert(t[1] != 7); return e->flags; }
int between(const struct enc *a, const struct enc *b) { return a->end - b->end > 3; }
int both(const uint8_t *key, const uint8_t *text, size_t len) {
  int s = 0;
  for (int i = 0; i < 20; i++) s += key[i];
  for (size_t i = 0; i < len; i++) s += text[i];
  return s;
}
struct queue { size_t fill; uint8_t buf[]; };
void append(struct queue *q, size_t size, const uint8_t *from) { memcpy(&q->buf[2], from, size); }
void drop(struct queue *q, size_t size, uint8_t **at) {
  *at = &q->buf[q->fill];
  memmove(q->buf, &q->buf[q->fill], size);
}
struct hash { uint8_t *tmp; unsigned block_size, result_size; };
int temporary(struct hash *h) { return h->tmp[h->block_size + h->result_size]; }
struct coder { uint16_t size; uint8_t window, look; };
int coder_set(struct coder *c, uint8_t window, uint8_t look) {
  if (window < 4 || window > 15 || look < 3 || look >= window) return 0;
  int size = 2 << window;
  c->window = window, c->look = look;
  return size;
}
unsigned window_of(const struct coder *c) { return 1 << c->window | 1 << c->look; }
struct mixer { int8_t gain; uint8_t taps, base; };
void mix(struct mixer *m, int gain, int taps, int base) {
  if (gain > 7 || taps > 7 || base < 0 || base > 7) return;
  m->gain = gain, m->taps = taps, m->base = base;
}
struct mixer loud = {0, 0, 9};
int mixed(const struct mixer *m) { return 1 << m->taps; }
int based(const struct mixer *m) { return 100 / (10 - m->base); }
int on_base(const struct mixer *m) { return 100 / (9 - m->base); }
struct wheel { uint8_t head, tail, used, both; int turn; uint8_t data[16], few[12]; };
void moved(struct wheel *r, int n, uint8_t any) {
  r->head = (r->head + 1) & (sizeof r->data - 1), r->tail = (r->tail + 1) % 12, r->used = any % 13u;
  r->turn = n % 12, r->both = (r->both + any) & 15, r->both = any;
}
int at_head(const struct wheel *r) { return r->data[r->head] + r->few[r->tail]; }
int at_used(const struct wheel *r) { return r->few[r->used]; }
int at_turn(const struct wheel *r) { return r->few[r->turn]; }
int at_both(const struct wheel *r) { return r->data[r->both]; }
struct mode { uint8_t kind; };
void set_mode(struct mode *m, uint8_t kind) { if (kind < 8) m->kind = kind; else m->kind = 200; }
int mode_of(const struct mode *m) { return 1 << m->kind; }
unsigned size_of(const struct coder *c) { return 1 << c->size; }
struct head { uint8_t kind, bits; };
int head_of(const uint8_t *raw, uint8_t bits) {
  struct head h;
  memcpy(&h, raw, sizeof h);
  if (bits < 8) h.bits = bits;
  return h.kind;
}
int either(int kind, const struct head *h) {
  assert(kind == 2 || kind == 4 || (h && h->kind == 1));
  return 8 / (kind == 2 || kind == 4 ? kind : h->kind);
}
#define EXPECT(c) ((c) ? (void)0 : __builtin_unreachable())
int expected(int *p, int n) { EXPECT(p); EXPECT(n > 0); return *p / n; }
int expected_late(int n) { if (n < 9) n++; EXPECT(n != 4); return n; }
struct cursor { const char *data, *end; };
unsigned left(const struct cursor *c, unsigned n) {
  EXPECT(n < (unsigned)(c->end - c->data));
  return 64 / ((unsigned)(c->end - c->data) - n);
}
int of_kind(int kind) { switch (kind) { case 1: return 4; case 3: return 2; } EXPECT(0); return kind; }
int no_kind(int kind) { switch (kind) { case 1: EXPECT(0); case 3: return 2; } return 8 / (kind - 4); }
int neither(int kind) { assert(kind == 2 || kind == 4); return 8 / (kind - 4); }
unsigned bits_of(const struct head *h) { return 1 << h->bits; }
struct handler { union { int (*f)(int); int (*g)(int, int); } call; };
int handled(struct handler *h) { return h->call.f(1); }
struct format { char *point; };
struct format *format(void);
struct lconv { char *decimal_point; char *other; };
struct lconv *localeconv(void);
char decimal(void) { return localeconv()->other[0]; }
char other(void) { return format()->point[0]; }
char name_of[8];
unsigned sizes;
void named(const char *name, unsigned size) { sizes = size; if (strlen(name) < sizeof name_of) strcpy(name_of, name); }
void named_over(const char *name, unsigned size) { sizes = size; strcpy(name_of, name); }
size_t both_told(const char *s, unsigned n) { for (unsigned i = 0; i < n; i++) if (!s[i]) return i; return strlen(s); }
char point(void) { struct format *f = format(); return f ? f->point[0] : 0; }
static unsigned word(const uint8_t *s) { return s[0] | s[1] << 8 | s[2] << 16; }
unsigned keyed(uint8_t *text, const uint8_t *key, size_t size) {
  unsigned s = 0;
  for (unsigned i = 0; i < 8; i++) s ^= word(key + i * 4);
  for (size_t i = 0; i < size; i++) text[i] ^= (uint8_t)s;
  return s;
}
unsigned behind(const uint8_t *p) { return word(p + 2); }
`

// anyCall is the answer for any call of a function, and a part of what the result says.
type anyCall struct {
	status verdict.Status
	said   string
}

// meets reports whether a function without a harness has the status that is wanted. What is proved may rest on guesses,
// by number or by contents: which do, is what TestConditional is about.
func meets(got, want verdict.Status) bool {
	return got == want || want == verdict.Proved && (got == verdict.Conditional || got == verdict.Bounded)
}

// withoutCalls has tests about what a single call trusts not wait for calls in any order.
const withoutCalls = "--engines=-calls"

// meetsRange is meets for programs whose violations need contents that the harness made up: the answer may be unknown,
// or say on what condition it holds.
func meetsRange(got, want verdict.Status) bool {
	return meets(got, want) || want == verdict.Violated && (got == verdict.Unknown || got == verdict.Conditional)
}

// assumptionTexts lists in words what a result assumes.
func assumptionTexts(r *verdict.Result) []string { return verdict.TextsOf(r.Assumptions) }

// expectCalls holds the results of generated harnesses to want, by function. A result says what said lists, and the
// messages and reasons of what is violated or unknown.
func expectCalls(t *testing.T, rep *verdict.Report, errs string, want map[string]anyCall,
	said func(*verdict.Result) []string) {
	t.Helper()
	for i := range rep.Results {
		r := &rep.Results[i]
		w, known := want[strings.TrimPrefix(r.Entry, "any call of ")]
		text := strings.Join(said(r), "\n")
		for _, c := range r.Claims {
			if c.Status == verdict.Violated || c.Status == verdict.Unknown {
				text += "\n" + c.Message + c.Reason.String()
			}
		}
		madeUp := w.status == verdict.Violated && r.Status != verdict.Violated // the contents that decide it are
		larger := func(a verdict.Assumption) bool {
			return a.Relation == verdict.Extent && a.Origin == verdict.Chosen
		}
		if strings.Contains(w.said, "is a guess") && r.Status == verdict.Conditional &&
			slices.ContainsFunc(r.Assumptions, larger) {
			continue // with a larger block (TestWiderBlocks), where that took little time
		}
		if !known || !meetsRange(r.Status, w.status) || !madeUp && !strings.Contains(text, w.said) {
			t.Errorf("%s is %s, want %s with %q:\n%s", r.Entry, r.Status, w.status, w.said, text)
		}
	}
	if len(rep.Results) != len(want) {
		t.Errorf("%d results\n%s", len(rep.Results), errs)
	}
}

// TestBehindGuesses: what holds of executions that do not go past a guessed end alone, holds if there is no more.
func TestBehindGuesses(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `#include <assert.h>
unsigned find(const int *p) { unsigned i; for (i = 0; p[i] != 7; i++) ; assert(i < 64); return i; }
struct node { struct node *next; };
struct seg { struct node node; unsigned number; };
struct list { unsigned id; struct node first; };
int before(struct list *l, unsigned number) {
  struct node *p = l->first.next;
  if (p != &l->first) { if (number < ((struct seg *)p)->number) goto out; return 0; }
out:
  assert(0);
  return 0;
}
`})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "x86_64")
	for i := range rep.Results {
		r := &rep.Results[i]
		k := slices.IndexFunc(r.Claims, func(c verdict.Claim) bool { return c.Check == verdict.Assert })
		if k < 0 {
			t.Fatalf("%s: no assertion\n%s", r.Entry, errs)
		}
		c := &r.Claims[k]
		if c.Status.Holds() && (c.Status != verdict.Conditional || !slices.ContainsFunc(r.RestsOn(c), func(a verdict.Assumption) bool {
			return a.Relation == verdict.Extent && a.Guessed()
		})) {
			t.Errorf("%s: %s, resting on %v", r.Entry, c.Status, verdict.TextsOf(r.RestsOn(c)))
		}
	}
}

// TestHarnessesFromCode: what a pointer leads to is what the function's own code, its assertions and its calls
// say; a call that does not keep to it is named; what goes past a guess is no finding, and no proof.
func TestHarnessesFromCode(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": assumedC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "x86_64", "--stub", "*=havoc")
	want := map[string]anyCall{
		"keyed":         {verdict.Proved, "key leads to 31 bytes, which the function accesses"},
		"behind":        {verdict.Proved, "p leads to 5 bytes, which the function accesses"},
		"put":           {verdict.Proved, "e.end is the end of what e.data leads to"},
		"put_over":      {verdict.Violated, "of what 'e.data' leads to"},
		"room":          {verdict.Proved, "lower half of the addresses"},
		"typed":         {verdict.Unknown, "depends on what is in the structure behind e"},
		"byte_of":       {verdict.Violated, "assertion failed"},
		"between":       {verdict.Unknown, "whether a.data and b.data lead into one object is not known"},
		"both":          {verdict.Unknown, "how much key leads to is a guess"},
		"append":        {verdict.Unknown, "how much q leads to is a guess"},
		"drop":          {verdict.Unknown, "how much q leads to is a guess"},
		"temporary":     {verdict.Unknown, "how much h.tmp leads to is a guess"},
		"coder_set":     {verdict.Proved, ""},
		"window_of":     {verdict.Proved, "c.look is 3..14: the program stores nothing else there"},
		"mix":           {verdict.Proved, ""},
		"mixed":         {verdict.Violated, "shift amount"},
		"based":         {verdict.Proved, "m.base is 0..9: the program stores nothing else there"},
		"on_base":       {verdict.Violated, "by zero"},
		"moved":         {verdict.Proved, ""},
		"at_head":       {verdict.Proved, "r.tail is 0..11: the program stores nothing else there"},
		"at_used":       {verdict.Violated, "array index 12 out of bounds"},
		"at_turn":       {verdict.Violated, "out of bounds"},
		"at_both":       {verdict.Violated, "out of bounds"},
		"set_mode":      {verdict.Proved, ""},
		"mode_of":       {verdict.Violated, "shift amount"},
		"size_of":       {verdict.Violated, "shift amount"},
		"head_of":       {verdict.Proved, ""},
		"either":        {verdict.Proved, "holds at the call"},
		"neither":       {verdict.Violated, "by zero"},
		"bits_of":       {verdict.Violated, "shift amount"},
		"handled":       {verdict.Unknown, "which function the pointer leads to is not known"},
		"decimal":       {verdict.Unknown, "what the result of localeconv leads to is not known"},
		"other":         {verdict.Violated, "null pointer"},
		"point":         {verdict.Unknown, "what the result of format leads to is not known"},
		"named":         {verdict.Proved, "name leads to a string of at most 15 characters"},
		"named_over":    {verdict.Violated, "of 'name_of'"},
		"both_told":     {verdict.Violated, "s leads to as many elements as n says"},
		"in_text":       {verdict.Proved, "b.ptr leads to as many elements as b.cap says"},
		"past_text":     {verdict.Violated, "of what 'b.ptr' leads to"},
		"header":        {verdict.Proved, "p leads to 4 bytes, which the function accesses"},
		"copy":          {verdict.Proved, "from leads to 2 bytes there, 9 are assumed"},
		"asked":         {verdict.Proved, "p may be null"},
		"asked_late":    {verdict.Violated, "null pointer"},
		"expected":      {verdict.Proved, "holds at the call"},
		"expected_late": {verdict.Violated, "unreachable code"},
		"left":          {verdict.Proved, "holds at the call"},
		"of_kind":       {verdict.Proved, "holds at the call"},
		"no_kind":       {verdict.Violated, "by zero"},
		"asserted":      {verdict.Proved, "src.c:12:50 holds at the call"},
		"filled":        {verdict.Proved, "to leads to as many elements as q says"},
		"guessed":       {verdict.Unknown, "how much t leads to is a guess"},
		"newest":        {verdict.Proved, "r.head is below r.size"},
		"next":          {verdict.Violated, "of what 'r.at' leads to"},
		"sink":          {verdict.Unknown, "how much e leads to is a guess"},
		"picked":        {verdict.Unknown, "how much r.at leads to is a guess"},
		"third_byte":    {verdict.Unknown, "how much r.p leads to is a guess"},
		"calls":         {verdict.Violated, "'two' (2 bytes)"},
		"parts":         {verdict.Proved, "list[3].at leads to as many elements as list[3].len says"},
		"pair":          {verdict.Proved, "list leads to 32 bytes, which the function accesses"},
		"part_of":       {verdict.Proved, "w leads to one const struct whole"},
		"last_word":     {verdict.Proved, "w leads to as many bytes as num_bytes says"},
	}
	expectCalls(t, rep, errs, want, func(r *verdict.Result) []string { return append(verdict.TextsOf(r.Assumptions), r.Warnings...) })
}

// writtenC holds functions whose written and generated harnesses have to give the same answer.
const writtenC = `#include <stdbool.h>
#include <stddef.h>
struct item { int *data; size_t len; };
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= p[i]; return s; }
static int past(const int *p, int n) { return p[n]; }
int first(struct item *i) { return i && i->data && i->len ? i->data[0] : 0; }
struct part { const char *at; unsigned len; bool last; };
struct flag { int v; bool on; };
int flags(const struct flag *list, unsigned count) { return count ? list[count - 1].on : 0; }
int pair(const struct part *list) { return list[1].len ? list[1].at[0] + list[0].last : 0; }
struct ring { unsigned char *const at; unsigned short size, head; bool full; struct { struct part *up; }; };
int newest(struct ring *r) { return r->at[r->head] + (r->full ? 2 : 0) + (int)r->up->len; }
int after(struct ring *r) { return r->at[++r->head]; }
int nested(struct part **list, int n) { return n > 1 ? (int)list[1]->len : 0; }
int text(const char *s) { int n = 0; while (*s++) n++; return n; }
struct curve { int words, word[4]; };
const struct curve small = {2, {1, 2}}, large = {4, {1, 2, 3, 4}};
int last_of(const struct curve *c) { return c->word[c->words - 1] / c->word[1]; }
int upto(const char *p, const char *end) { return p < end && *p == 1; }
int upto_over(const char *p, const char *end) { return p <= end && *p == 1; }
int between(const short *from, const short *p, const short *end) { return p > from && p < end ? p[-1] + p[0] : 0; }
int moved(const char **pp, const char *stop) { return *pp < stop ? *(*pp)++ : -1; }
int left(char **pp, unsigned *avail) { return *avail ? --*avail, *(*pp)++ : -1; }
int left_over(char **pp, unsigned *avail) { return *avail ? (*pp)[1] : -1; }
struct enc { union { char *ptr; ptrdiff_t need; } data; const char *const end; int flags; };
int put(struct enc *e, char b) { return e->data.ptr < e->end ? *e->data.ptr++ = b : -1; }
int put_over(struct enc *e, char b) { return *e->data.ptr++ = b; }
int words(const void *v) { const struct part *p = v; return p->last; }
struct held { char *buf; unsigned size; };
void hold(struct held *h, char *b, unsigned n) { h->buf = b; h->size = n; }
`

// TestHarnessCommand: harnesses that are written for functions of a file, one of them static, compile, stand in a
// manifest beside the file that they include, and say the same as the generated ones.
func TestHarnessCommand(t *testing.T) {
	dir := writeTree(t, map[string]string{"src/a.c": writtenC,
		"src/b.c":        "int sum(const int *p, int n);\nint other(const int *p) { return sum(p, 1); }\n",
		".firmproof.yml": "version: 1\nbuild: {sources: [\"src/*.c\"]}\nharnesses: [{entry: other}]\n"})
	var out strings.Builder
	want := map[string]verdict.Status{"sum": verdict.Proved, "past": verdict.Violated, "first": verdict.Proved,
		"flags": verdict.Proved, "pair": verdict.Proved, "newest": verdict.Proved,
		"after": verdict.Violated, "nested": verdict.Proved, "text": verdict.Proved, "words": verdict.Proved,
		"last_of": verdict.Proved, "put": verdict.Proved, "put_over": verdict.Violated, "upto": verdict.Proved,
		"upto_over": verdict.Violated, "between": verdict.Proved, "moved": verdict.Proved, "left": verdict.Proved,
		"left_over": verdict.Violated, "hold": verdict.Proved}
	written := "version: 1\nbuild: {sources: [\"src/*.c\"]}\nharnesses:\n"
	generated := "version: 1\nbuild: {sources: [\"src/*.c\"]}\nfunctions:\n"
	for _, f := range slices.Sorted(maps.Keys(want)) {
		if code := runWith([]string{"harness", f, dir}, &out, &out); code != 0 {
			t.Fatalf("%s: exit %d: %s", f, code, out.String())
		}
		written += "  - {entry: " + f + "_harness, file: proofs/a.c}\n"
		generated += "  - " + f + "\n"
	}
	for _, text := range []string{written, generated} {
		put(t, dir, ".firmproof.yml", text)
		_, rep, errs := checkJSON(t, dir)
		for i := range rep.Results {
			r := &rep.Results[i]
			f := strings.TrimSuffix(strings.TrimPrefix(r.Entry, "any call of "), "_harness")
			if !meets(r.Status, want[f]) {
				t.Errorf("%s is %s, want %s", r.Entry, r.Status, want[f])
			}
		}
		if len(rep.Results) != len(want) {
			t.Errorf("%d results\n%s", len(rep.Results), errs)
		}
	}
	if code := runWith([]string{"harness", "sum", dir}, &out, &out); code != exitUsage ||
		!strings.Contains(out.String(), "has a function sum_harness already") {
		t.Errorf("a second time: exit %d: %s", code, out.String())
	}
}

// TestAssume: a line of the manifest, or a flag, replaces what a generated harness makes up, and the report says so. A
// finding names the assumptions that it needs, and those that need fewer come first.
func TestAssume(t *testing.T) {
	const src = `struct ring { unsigned char *buf; unsigned size, head; };
struct node { int v; struct node *next; };
int put(struct ring *r, unsigned char c) { r->buf[r->head] = c; r->head = (r->head + 1) % r->size; return 0; }
int table(const int *t, int k) { return t[k]; }
int safe(int *p) { if (p) *p = 1; return *p; }
int second(struct node *n) { return n->next[1].v > 0; }
int quotient(int a, int b) { return a / b; }
static const unsigned char *key;
static int fifth(void) { return key[5]; }
int kept(const unsigned char *k) { key = k; return fifth(); }
`
	check := func(assume string, args ...string) (int, *verdict.Report, string) {
		dir := writeTree(t, map[string]string{"src.c": src, ".firmproof.yml": "version: 1\ntargets: [x86_64]\n" +
			"build: {sources: [src.c]}\nfunctions: all\n" + assume})
		return checkJSON(t, append(args, dir)...)
	}
	status := func(r *verdict.Report, entry string) verdict.Status {
		for i := range r.Results {
			if r.Results[i].Entry == "any call of "+entry {
				return r.Results[i].Status
			}
		}
		return verdict.Invalid
	}
	_, rep, errs := check("")
	for entry, want := range map[string]verdict.Status{"table": verdict.Unknown, "safe": verdict.Violated,
		"second": verdict.Unknown, "kept": verdict.Unknown, "quotient": verdict.Violated} {
		if got := status(rep, entry); got != want && (want != verdict.Unknown || got != verdict.Conditional) {
			t.Errorf("%s by itself: %s, want %s\n%s", entry, got, want, errs)
		}
	}
	first := reports.Violations(rep.Results)[0]
	if first.Check != verdict.DivByZero || len(first.Claims[0].Claim.Assumptions) != 0 {
		t.Errorf("the first finding: %s %+v", first.Check, first.Claims[0].Claim.Assumptions)
	}
	for _, s := range reports.Violations(rep.Results) {
		c := s.Claims[0]
		if rests := c.Result.RestsOn(c.Claim); s.Entries()[0] == "any call of safe" && (len(rests) != 2 ||
			rests[1].Relation != verdict.Nullness || rests[1].Subject != "p") {
			t.Errorf("%s needs %+v", c.Claim.ID, rests)
		}
	}
	_, rep, errs = check(
		"assume: {put.r.buf: 16 elements, put.r.size: 1..16, put.r.head: 0..15, table.t: 32 bytes, table.k: 0..7, second.n.next: 2 elements}\n",
		"--assume", "safe.p: not null", "--assume", "safe.p: aligned to 4 bytes")
	for _, entry := range []string{"put", "table", "safe", "second"} {
		if got := status(rep, entry); !meets(got, verdict.Proved) {
			t.Errorf("%s as given: %s\n%s", entry, got, errs)
		}
	}
	_, rep, _ = check("assume: {table.t: 8 elements, table.k: -1..7, second.n: may be null}\n")
	for _, entry := range []string{"table", "second"} {
		if got := status(rep, entry); got != verdict.Violated {
			t.Errorf("%s beyond what is given: %s", entry, got)
		}
	}
	for text, want := range map[string]string{"assume: {table.tt: 8 elements}": "did you mean t?",
		"assume: {table.k: 7..1}":                     "no number is in there",
		"assume: {table.t: \"8 elements, 32 bytes\"}": "`8 elements` and `32 bytes` cannot both be said"} {
		if code, _, errs := check(text + "\n"); code != 2 || !strings.Contains(errs, want) ||
			!strings.Contains(errs, ".firmproof.yml:5") {
			t.Errorf("%s: exit %d\n%s", text, code, errs)
		}
	}
}

// TestFurtherArguments: functions that take a variable number of arguments, or a va_list, get harnesses, where the target's
// ABI is known. Where it is not, their callers are called.
func TestFurtherArguments(t *testing.T) {
	const list = `#include <stdarg.h>
int vscan(const char *s, int n, va_list ap) { int *to = va_arg(ap, int *); *to = s[0] / n; return 0; }
int scan(const char *s, int n, ...) { va_list ap; va_start(ap, n); int r = vscan(s, n, ap); va_end(ap); return r; }
int parse(int n) { int x; scan("a", n, &x); return x; }
int by_address(int n, va_list *ap) { return va_arg(*ap, int) / n; }
int plain(int n) { return 7 / n; }
int count(int n, ...) { va_list ap; va_start(ap, n); int r = 0; for (int i = 0; i < n; i++) r ^= va_arg(ap, int); va_end(ap); return r; }
`
	for _, target := range []string{"x86_64", "cortex-m3", "riscv32", "avr", "aarch64"} {
		dir := writeTree(t, map[string]string{"src.c": list,
			".firmproof.yml": "version: 1\ntargets: [" + target + "]\nbuild: {sources: [src.c]}\nfunctions: all\n"})
		_, rep, errs := checkJSON(t, dir)
		got := map[string]verdict.Status{}
		for _, r := range rep.Results {
			got[r.Entry] = r.Status
		}
		want := map[string]verdict.Status{"any call of parse": verdict.Violated, "any call of plain": verdict.Violated,
			"any call of by_address": verdict.Violated, "any call of scan": verdict.Violated,
			"any call of vscan": verdict.Violated, "any call of count": verdict.Unknown}
		if target == "aarch64" { // whose va_list is not followed
			want = map[string]verdict.Status{"any call of parse": verdict.Unknown, "any call of plain": verdict.Violated,
				"any call of by_address": verdict.Unknown, "any call of count": verdict.Unknown}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v\n%s", target, got, errs)
		}
	}
}
