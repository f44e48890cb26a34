package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/verdict"
)

const callbacksC = `#include <stddef.h>
#include <stdint.h>
struct bus;
struct bus { int (*read)(struct bus *b, uint8_t *to, size_t n); void (*wait)(int ms); void *(*get)(size_t n);
	int (*op)(struct bus *b); void (*done)(void *arg, int code); void *arg; int state; };
int polled(struct bus *b) { uint8_t r[4]; if (b->read(b, r, sizeof r) < 0) return -1; b->wait(3); return r[3]; }
int trusted(struct bus *b) { static const int list[4]; uint8_t r[1]; b->read(b, r, 1); return list[r[0]]; }
char *got(struct bus *b) { char *p = b->get(4); if (p) p[3] = 0; return p; }
char *got_past(struct bus *b) { char *p = b->get(4); if (p) p[4] = 0; return p; }
static int one(struct bus *b) { return 10 / (b->state - 1); }
static int two(struct bus *b) { return b->state / 2; }
static struct bus both = { .op = one };
void choose(void) { both.op = two; }
int chosen(struct bus *b) { return b->op(b); }
void ended(struct bus *b) { if (b->done) b->done(b->arg, 0); }
void ended_early(struct bus *b) { b->done(b->arg, 0); }
static void on_end(void *arg, int code) { int *p = arg; *p = code; }
void listen(struct bus *b) { b->done = on_end; }
static int (*hook)(int);
void set_hook(int (*f)(int)) { hook = f; }
int hooked(int x) { return hook(x) / 2; }
static int (*never)(int);
int unset(int x) { return never(x); }
static int square(int x) { return x * x; }
int apply(int (*f)(int), int x) { return x > 100 ? 0 : x < 0 ? 0 : f(x); }
int use(void) { return apply(square, 3); }
`

// TestCallbacks: a pointer to a function in an argument or a variable leads to what the program stores there or
// passes, or else to any function; a variable that nothing is stored in keeps its initial value, and one that something
// is stored in has it before.
func TestCallbacks(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": callbacksC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"polled":      {verdict.Proved, "b.read leads to any function"},
		"trusted":     {verdict.Violated, "array index"},
		"got":         {verdict.Proved, "b.get leads to any function"},
		"got_past":    {verdict.Violated, "offset 4"},
		"choose":      {verdict.Proved, ""},
		"chosen":      {verdict.Violated, "b.op leads to one or two, which the program stores there"},
		"ended":       {verdict.Proved, "b.done may be null"},
		"ended_early": {verdict.Proved, ""},
		"listen":      {verdict.Proved, ""},
		"set_hook":    {verdict.Proved, "f leads to any function"},
		"hooked":      {verdict.Violated, "(calls: hooked(x = "}, // before set_hook
		"unset":       {verdict.Violated, "call through a pointer"},
		"apply":       {verdict.Proved, "f leads to square, which the program passes"},
		"use":         {verdict.Proved, ""},
		"one":         {verdict.Violated, "division"},
		"two":         {verdict.Proved, ""},
		"on_end":      {verdict.Proved, ""},
		"square":      {verdict.Violated, "overflows"},
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
}

const withinC = `#include <stdint.h>
#define HOLDS(x) (1 / ((x) != 0))
#include <stddef.h>
struct stamp { int day, hour; };
struct port { int (*read)(uint8_t *to, unsigned n, void *arg); int (*now)(struct stamp *to); void *arg;
	struct { uint8_t buf[4]; unsigned at; } in; struct stamp last, seen; struct port *next; int set[2][3]; };
int kept(struct port *p) { p->in.at = 2; p->read(p->in.buf, 4, p->arg); HOLDS(p->in.at == 2); return p->in.buf[3]; }
int changed(struct port *p) { p->in.buf[1] = 7; p->read(p->in.buf, 4, p->arg); HOLDS(p->in.buf[1] == 7); return 0; }
int part(struct port *p) { p->in.buf[0] = 7; p->read(p->in.buf + 2, 2, p->arg);
	HOLDS(p->in.buf[0] == 7); return 0; }
int pointer(struct port *p) { struct port *n = p->next; p->read(p->in.buf, 4, p->arg);
	HOLDS(p->next == n); return 0; }
int single(struct port *p) { p->in.at = 2; p->read((uint8_t *)&p->in.at, 4, p->arg);
	HOLDS(p->in.at == 2); return 0; }
int stamped(struct port *p) { p->last.day = p->seen.day = 1; p->now(&p->last); HOLDS(p->seen.day == 1); return 0; }
int restamped(struct port *p) { p->last.hour = 1; p->now(&p->last); HOLDS(p->last.hour == 1); return 0; }
int rows(struct port *p) { p->set[0][0] = 1; p->read((uint8_t *)p->set[1], 12, p->arg);
	HOLDS(p->set[0][0] == 1); return 0; }
int over(struct port *p) { struct port *n = p->next; p->read((uint8_t *)&p->next, 8, p->arg);
	HOLDS(p->next == n); return 0; }
int past(struct port *p, unsigned i) { p->in.at = 2; p->read(p->in.buf + i, 1, p->arg);
	HOLDS(p->in.at == 2); return 0; }
int linked(struct port *p) { p->next->in.at = 2; p->read(p->next->in.buf, 4, p->arg);
	HOLDS(p->next->in.at == 2); return 0; }
int beside(struct port *p) { uint8_t b[2] = {1, 1}; p->in.at = 2; p->read(b, 2, p->arg);
	HOLDS(p->in.at == 2 && b[0] == 1); return 0; }
`

// TestWithin: of a structure with pointers, a function that is not known changes the member that it is handed, as a
// whole, and nothing beside it; an address where no such member is makes what follows unknown.
func TestWithin(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": withinC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"kept":      {verdict.Proved, "behind p, a function that is not known changes the member alone"},
		"changed":   {verdict.Violated, "division"},
		"part":      {verdict.Violated, "division"},
		"pointer":   {verdict.Proved, ""},
		"single":    {verdict.Violated, "division"},
		"stamped":   {verdict.Proved, ""},
		"restamped": {verdict.Violated, "division"},
		"rows":      {verdict.Violated, "division"},
		"over":      {verdict.Unknown, "its pointer leads to no number"},
		"past":      {verdict.Violated, "division"},
		"linked":    {verdict.Proved, ""},
		"beside":    {verdict.Violated, "division"},
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
}

const contextC = `#include <assert.h>
#include <stddef.h>
struct part { struct part *up; int key; };
struct whole { int id; struct part part; };
struct table { struct part *parts; unsigned count; int (*now)(void); };
int share(int a, int b) { return a / b; }
int halves(int a) { return share(a, 2); }
int open_share(int a, int b) { return a / b; }
int passes_on(int a, int b) { return open_share(a, b); }
int embedded(struct part *p) { return ((struct whole *)((char *)p - offsetof(struct whole, part)))->id; }
int above(struct part *p) { return p->up->up->up->key; }
int at(struct table *t, unsigned i) { return t->parts[i].key; }
int check(struct table *t) { return t->now == NULL ? -1 : 0; }
static int ticks(struct table *t) { assert(t->now != NULL); return t->now(); }
int elapsed(struct table *t) { int before = ticks(t); return ticks(t) == before; }
struct many { struct part *of[300]; };
struct box; struct kinds { void *(*get)(struct box b, size_t n); };
struct box { const struct kinds *kinds; void *arg; };
struct owner { struct box box; };
static void *from(const struct box b, size_t n) { return b.kinds->get(b, n); }
void *owned(struct owner *o) { return from(o->box, 3); }
int many(struct many *m) { return m->of[200]->key; }
`

// TestContext: what no call in the program brings about is no finding unless it is asked for; nor is what the
// harness made up: the place of a structure in a larger one, pointers deep in an object, elements nobody counts.
func TestContext(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": contextC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"share":      {verdict.Unknown, "share is called by halves, where it is proved"},
		"halves":     {verdict.Proved, ""},
		"open_share": {verdict.Violated, "division"},
		"passes_on":  {verdict.Violated, "division"},
		"embedded":   {verdict.Unknown, "how much p leads to is a guess"},
		"above":      {verdict.Unknown, "is a guess"},
		"at":         {verdict.Unknown, "how much t.parts leads to is a guess"},
		"check":      {verdict.Proved, "t.now may be null"},
		"elapsed":    {verdict.Proved, "t.now leads to any function"},
		"owned":      {verdict.Proved, "get leads to any function"},
		"many":       {verdict.Unknown, "a structure has many pointers"},
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
	_, rep, _ = checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", "share")
	if len(rep.Results) != 1 || rep.Results[0].Status != verdict.Violated {
		t.Errorf("share itself: %+v", rep.Results)
	}
}

// TestAnnounced: what is announced while the rest goes on, what init lists, and what ends a check with --fail-fast is
// a finding in the end: not what callers do not bring about, nor what stands behind a guess.
func TestAnnounced(t *testing.T) {
	const past = `struct ends { int *head, *tail; };
int past(struct ends *e) { return e->head >= e->tail ? 0 : 10 / (e->head == e->tail); }
`
	for name, c := range map[string]struct {
		src, entry string // the entry that is announced; "": none
		code       int
	}{
		"callers": {"int share(int a, int b) { return a / b; }\nint halves(int a) { return share(a, 2); }\n", "",
			exitUnknown},
		"a guess": {past, "", exitUnknown},
		"finding": {past + "int ratio(int a) { return 7 / a; }\n", "any call of ratio", exitViolated},
		"by calls": {"int open(int a, int b) { return a / b; }\nint on(int a, int b) { return open(a, b); }\n",
			"any call of on", exitViolated},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(writeTree(t, map[string]string{"src.c": c.src}), "src.c")
			jobs, err := prepare.Jobs(t.Context(), prepare.Request{Paths: []string{file}, Targets: []string{"cortex-m3"}})
			if err != nil {
				t.Fatal(err)
			}
			line := newProgress(io.Discard, len(jobs), true)
			run := &checking{line: line, cache: answers.OpenFolder("")}
			for i := range jobs {
				run.job(t.Context(), i, &jobs[i])
			}
			if c.entry == "" && line.found != "" || !strings.Contains(line.found, c.entry) {
				t.Errorf("announced %q, want %q", line.found, c.entry)
			}
			var out bytes.Buffer
			code := runWith([]string{"check", "--fail-fast", "--target", "cortex-m3", file}, &out, &out)
			if code != c.code {
				t.Errorf("--fail-fast: exit %d, want %d\n%s", code, c.code, out.String())
			}
			out.Reset()
			code = runWith([]string{"init", "--timeout", "20s", filepath.Dir(file)}, &out, &out)
			if none := strings.Contains(out.String(), "none within"); code != exitOK || none != (c.entry == "") {
				t.Errorf("init: exit %d\n%s", code, out.String())
			}
		})
	}
}

const setUpC = `struct regs { volatile unsigned status, data; };
struct driver { struct regs *regs; int k, a[4]; };
static struct driver *driver;
void set(struct driver *d) { driver = d; }
int get(unsigned i) { return driver->a[i & 3]; }
int get_past(unsigned i) { return driver->a[i & 7]; }
static struct driver uart;
void set_up(void) { uart.regs = (struct regs *)0x40001000; }
unsigned data(void) { return uart.regs->data; }
static struct { int *p; } wrong;
void set_wrong(void) { wrong.p = (int *)0x1fff0000; }
void write_rom(void) { *wrong.p = 1; }
static int table[4];
static const int *row;
void choose(int up) { if (up) row = table + 2; else row = table; }
int column(unsigned i) { return row[i & 1]; }
int column_past(unsigned i) { return row[i & 3]; }
static int *ready;
void prepare(int *p) { ready = p; }
int is_ready(void) { return ready != 0; }
int unasked(void) { return *ready; }
static int *cleared;
void clear(void) { cleared = 0; }
int after(void) { return *cleared; }
static int *never;
int unset(void) { return *never; }
static int one[1], *first = one;
void next(int *p) { first = p; }
int last(void) { return first[1]; }
`

// TestSetUp: a pointer among the variables that the program sets, and that nothing compares with null, is taken to be
// set, to the constants that are stored there, if nothing else is; any other keeps its initial value.
func TestSetUp(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": setUpC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"get":         {verdict.Proved, "driver is set: the program sets it, and compares it with null nowhere"},
		"get_past":    {verdict.Violated, "array index"},
		"data":        {verdict.Proved, "uart.regs is set: it holds 0x40001000, which the program stores there"},
		"write_rom":   {verdict.Violated, "constant region"},
		"column":      {verdict.Proved, "row is set: it holds &table + 8 bytes or &table"},
		"column_past": {verdict.Violated, "'table'"},
		"unasked":     {verdict.Violated, "null pointer"},
		"after":       {verdict.Violated, "null pointer"},
		"unset":       {verdict.Violated, "null pointer"},
		"last":        {verdict.Violated, "'one'"},
	}
	for _, f := range []string{"set", "set_up", "set_wrong", "choose", "prepare", "is_ready", "clear", "next"} {
		want[f] = anyCall{verdict.Proved, ""}
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
}
