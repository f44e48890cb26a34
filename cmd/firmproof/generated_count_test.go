package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// countCode has functions that say how much a pointer leads to by where they give up, or by a number behind another
// pointer, each in pairs, and such that say nothing of it.
const countCode = `#include <string.h>
int guarded(int k, int more, const int *p, int limit) { if (k < 0 || k >= limit) return 0; return p[k] + !more; }
int guarded_over(int k, int more, const int *p, int limit) { if (k < 0 || k >= limit) return 0; return p[k + 1] + !more; }
int guarded_len(int k, int more, const int *p, int *q, int plen) { if (k < 0 || k >= plen) return 0; return p[k + 1] + !more + *q; }
int from(int k, int more, const int *p, int start) { if (k < 0 || k >= start) return p[k] + !more; return 0; }
int again(int k, int more, int *p, int limit) { for (; more; more--) { if (k >= limit) break; k = 0; } return p[k]; }
int taken(char *to, unsigned *room, unsigned n) { if (n >= *room) return 0; to[n] = 0; *room = n; return 1; }
int taken_over(char *to, unsigned *room, unsigned n) { if (n + 1 > *room) return 0; to[n] = 0; *room = n; return 1; }
int maybe(char *to, unsigned *room, unsigned n) { if (!room || n >= *room) return 0; to[n] = 0; return 1; }
int maybe_first(unsigned *room, char *to, int more, unsigned k) { if (!room || k >= *room) return 0; to[k] = 0; return more; }
int part(int lo, int hi, const int *p) { if (lo < 0 || lo >= hi) return 0; return p[lo] < p[hi]; }
int appended(int c, char *to, unsigned *got) {
  for (unsigned i = 0; i < *got; i++) if (to[i] == c) return 0;
  to[*got] = c;
  return 1;
}
int told(char *to, unsigned *got) { *got = 4; for (unsigned i = 0; i < *got; i++) to[i + 60] = 0; return 1; }
static void count(unsigned *n) { *n = 9; }
int counted(char *to, unsigned *got, unsigned k) { count(got); if (k >= *got) return 0; to[k + 60] = 0; return 1; }
static int inner(char *to, unsigned *room, unsigned v) {
  unsigned k = v & 127;
  if (k > *room) return 0;
  memset(to, 1, k);
  return 1;
}
int outer(unsigned v, char *to, unsigned *room) { return inner(to, room, v); }
int outer_over(unsigned v, char *to, unsigned *room) { *room = 90; return inner(to, room, v); }
int copied(unsigned v, int more, const char *from, char *to, unsigned limit) {
  unsigned k = v & 127;
  if (k > limit) return 0;
  memset(to, more, k);
  return from != 0;
}
`

// TestCountByGuard: where a function gives up before it accesses a block, and where it compares with a number that
// another pointer leads to when it is called, it says how large the block is.
func TestCountByGuard(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": countCode})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory")
	expectCalls(t, rep, errs, map[string]anyCall{
		"guarded":      {verdict.Bounded, "p leads to as many elements as limit says"},
		"guarded_over": {verdict.Conditional, "p leads to 1 more elements than limit says"},
		"from":         {verdict.Unknown, "how much p leads to is a guess"},
		"again":        {verdict.Unknown, "how much p leads to is a guess"},
		"guarded_len":  {verdict.Violated, "p leads to as many elements as plen says"},
		"taken":        {verdict.Bounded, "to leads to as many elements as *room says"},
		"taken_over":   {verdict.Violated, "to leads to as many elements as *room says"},
		"maybe":        {verdict.Bounded, "to leads to as many elements as *room says"},
		"maybe_first":  {verdict.Unknown, "how much to leads to is a guess"},
		"part":         {verdict.Unknown, "how much p leads to is a guess"},
		"appended":     {verdict.Unknown, "how much to leads to is a guess"},
		"told":         {verdict.Conditional, "to leads to 64 bytes: a guess"},
		"counted":      {verdict.Conditional, "to leads to 64 bytes: a guess"},
		"outer":        {verdict.Bounded, "to leads to as many elements as *room says"},
		"outer_over":   {verdict.Conditional, "to leads to 64 bytes: a guess"},
		"copied":       {verdict.Bounded, "to leads to as many elements as limit says"},
	}, assumptionTexts)
}

// TestCountInSource: a harness in C makes the number before the block that it counts.
func TestCountInSource(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": countCode})
	var out bytes.Buffer
	code := runWith([]string{"harness", "taken", filepath.Join(dir, "src.c"), "-o", "-"}, &out, &out)
	room, to := strings.Index(out.String(), "*room <= 64"), strings.Index(out.String(), "malloc(*room)")
	if code != exitOK || room < 0 || to < room {
		t.Errorf("exit %d\n%s", code, out.String())
	}
}

// TestCountByMembers: of several buffers in a structure, each has the length that is named after it, or stands behind it,
// which is a guess. How many lead to something says nothing of how large that is.
func TestCountByMembers(t *testing.T) {
	const head = "struct line { char *buf; unsigned buflen; const char *prompt; unsigned plen; unsigned at; };\n" +
		"struct pair { const char *text; unsigned len; char *more; unsigned size; };\n" +
		"struct item { const char *data; unsigned refcount; };\n"
	dir := writeTree(t, map[string]string{"src.c": head + `
void within(struct line *l) { if (l->at < l->buflen) l->buf[l->at] = 0; }
void past(struct line *l) { l->buf[l->buflen] = 0; }
int other(struct line *l) { return l->at < l->plen ? l->prompt[l->at] : 0; }
void behind(struct pair *p) { p->more[p->size] = 0; }
int counted(const struct item *i, unsigned k) { return k < i->refcount ? i->data[k] : 0; }
`})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory")
	expectCalls(t, rep, errs, map[string]anyCall{
		"within":  {verdict.Conditional, "l.buf leads to as many elements as l.buflen says"},
		"past":    {verdict.Violated, "l.buf leads to as many elements as l.buflen says"},
		"other":   {verdict.Conditional, "l.prompt leads to as many elements as l.plen says"},
		"behind":  {verdict.Unknown, "how much p.more leads to is a guess"},
		"counted": {verdict.Unknown, "how much i.data leads to is a guess"},
	}, assumptionTexts)
}

// TestCountedElements: elements that a count leaves away are no reason to end an execution: the harness fills something in
// their place, and nothing is claimed of that.
func TestCountedElements(t *testing.T) {
	const code = `struct entry { int key; int *value; };
int last(struct entry *list, unsigned count) {
  for (unsigned i = 0; i < count; i++) list[i].key ^= 1;
  return count == 2 ? 10 / (int)(count - 2) : 0;
}
`
	_, rep, errs := checkJSON(t, filepath.Join(writeTree(t, map[string]string{"src.c": code}), "src.c"), "--target", "x86_64")
	found := false
	for _, r := range rep.Results {
		for _, c := range r.Claims {
			found = found || c.Check == verdict.DivByZero && c.Status == verdict.Violated
			if strings.Contains(c.ID, "@firmproof.") && !c.Status.Holds() {
				t.Errorf("%s is %s: %s", c.ID, c.Status, c.Message)
			}
		}
	}
	if !found {
		t.Errorf("the division by zero is not found\n%s", errs)
	}
}
