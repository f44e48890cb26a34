package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestSizeByName: what a length counts by its name is a guess where the name is that of another pointer, or counts
// things of which the void pointer beside it does not say how large they are; a length of bytes, or one that is named
// after no other pointer, says it.
func TestSizeByName(t *testing.T) {
	const code = `struct item { int kind; int value; };
struct list { void *base; unsigned short count; };
struct bytes { void *base; unsigned short size; };
int items(struct list *l) { return l->count ? ((struct item *)l->base)[l->count - 1].kind : 0; }
int past(struct bytes *l) { return l->size ? ((char *)l->base)[l->size] : 0; }
int last(struct bytes *l) { return l->size ? ((char *)l->base)[l->size - 1] : 0; }
void frame(const char *in, unsigned in_count, char *out) {
    for (unsigned i = 0; i < in_count; i++) out[i] = in[i];
    out[in_count] = 0;
}
void text(const char *in, unsigned count, char *out) {
    for (unsigned i = 0; i < count; i++) out[i] = in[i];
    out[count] = 0;
}
int behind(const char *in, unsigned in_count, char *out) {
    for (unsigned i = 0; i < in_count; i++) *out = in[i];
    return in[in_count];
}
`
	dir := writeTree(t, map[string]string{"src.c": code})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"))
	expectCalls(t, rep, errs, map[string]anyCall{
		"items":  {verdict.Unknown, "how much l.base leads to is a guess"},
		"past":   {verdict.Violated, "l.base leads to as many elements as l.size says"},
		"last":   {verdict.Proved, ""},
		"frame":  {verdict.Unknown, "how much out leads to is a guess"},
		"text":   {verdict.Violated, "out leads to as many elements as count says"},
		"behind": {verdict.Violated, "in leads to as many elements as in_count says"},
	}, assumptionTexts)
}

// TestSignedLengths: a length with a sign that the function compares with a limit may be negative, for harnesses written in C
// as well; of one that it compares with nothing but what it has done so far, the report says that it is not.
func TestSignedLengths(t *testing.T) {
	const code = `#include <string.h>
static unsigned char t[32];
int above(const unsigned char *p, int len) { if (len > 32) return -1; memcpy(t, p, len); return 0; }
int above_char(const unsigned char *p, signed char len) { if (len <= 32) memcpy(t, p, len); return 0; }
int cut(const unsigned char *p, int len) { if (len > 32) len = 32; memcpy(t, p, len); return 0; }
int room(unsigned char *d, int size, const unsigned char *p, int len) { if (len > size) return -1; memcpy(d, p, len); return 0; }
static int fits(int len) { return len <= 32; }
int called(const unsigned char *p, int len) { if (fits(len)) memcpy(t, p, len); return 0; }
int both(const unsigned char *p, int len) { if (len > 32 || len < 0) return -1; memcpy(t, p, len); return 0; }
int least(const unsigned char *p, int len) { if (len < 4) return -1; return p[len - 4]; }
int sum(const unsigned char *p, int len) { int s = 0; while (len-- > 0) s += p[len]; return s; }
int plain(const unsigned char *p, int len) { int s = 0; for (int i = 0; i != len; i++) s += p[i]; return s; }
`
	dir := writeTree(t, map[string]string{"src.c": code, ".firmproof.yml": "version: 1\ntargets: [cortex-m3]\n" +
		"build: {sources: [src.c]}\nfunctions: all\n"})
	want := map[string]anyCall{
		"above":      {verdict.Violated, "len is at most 64"},
		"above_char": {verdict.Violated, "len is at most 64"},
		"cut":        {verdict.Violated, "len is at most 64"},
		"room":       {verdict.Violated, "len is at most 64"},
		"called":     {verdict.Violated, "len is at most 64"},
		"both":       {verdict.Bounded, "len is at most 64"},
		"least":      {verdict.Bounded, "len is at most 64"},
		"sum":        {verdict.Bounded, "len is 0..64"},
		"plain":      {verdict.Bounded, "len is 0..64"},
	}
	_, rep, errs := checkJSON(t, dir, "--checks", "memory")
	expectCalls(t, rep, errs, want, assumptionTexts)
	var out strings.Builder
	written := "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [src.c]}\nharnesses:\n"
	for _, f := range []string{"above", "both", "plain"} {
		if code := runWith([]string{"harness", f, dir}, &out, &out); code != 0 {
			t.Fatalf("%s: exit %d: %s", f, code, out.String())
		}
		written += "  - {entry: " + f + "_harness, file: proofs/src.c}\n"
	}
	put(t, dir, ".firmproof.yml", written)
	_, rep, errs = checkJSON(t, dir, "--checks", "memory")
	for i := range rep.Results {
		r := &rep.Results[i]
		f := strings.TrimSuffix(r.Entry, "_harness")
		if (r.Status == verdict.Violated) != (want[f].status == verdict.Violated) || r.Status == verdict.Unknown {
			t.Errorf("%s is %s\n%s", r.Entry, r.Status, errs)
		}
	}
	if len(rep.Results) != 3 {
		t.Errorf("%d results\n%s", len(rep.Results), errs)
	}
}

// TestTestedMembers: that a pointer of the caller is not null is a condition where the function comes to code that asks for
// it, however the pointer gets there, of what does not hold with null there.
func TestTestedMembers(t *testing.T) {
	const code = `struct node { int id; struct node *next; };
struct list { struct node *head; int n; };
struct text { char *buf; unsigned len; };
int direct(struct list *l) { if (!l->head) return l->head->id; return 0; }
int copied(struct list *l) { struct node *h = l->head; if (!h) return h->id; return 0; }
int assigned(struct list *l) { struct node *h; if ((h = l->head) == 0) return l->head->id; return 0; }
int behind(struct list *l) { return l->head ? 0 : 100 / l->n; }
int bytes(struct text *s) { char *b = s->buf; if (!b && s->len) return b[0]; return 0; }
int other(struct list *l) { struct node *h = l->head; int id = h->id; h = l->head->next; return h ? id : 0; }
int unasked(struct list *l) { return l->head->id; }
static int in(struct node *q) { if (!q) return q->id; return 0; }
int passed(struct node *p) { return in(p); }
static int sound(const struct node *q) { return q ? q->id : 0; }
int settled(const struct node *p) { return sound(p); }
struct pair { struct node *a[2]; };
struct deep { struct pair *p; };
int element(struct pair *x) { if (x->a[0] == (void *)0) return x->a[0]->id; return 0; }
int varying(struct pair *x, unsigned k) { struct node *q = x->a[k & 1]; if (!q) return q->id; return 0; }
int listed(struct node **n, unsigned k) { struct node *q = n[k & 1]; if (!q) return q->id; return 0; }
int number(struct pair *x) { if ((unsigned long)x->a[0] == 0) return x->a[0]->id; return 0; }
int truth(struct pair *x) { _Bool b = x->a[0]; if (!b) return x->a[0]->id; return 0; }
static struct node *first(struct pair *x) { return x->a[0]; }
int result(struct pair *x) { struct node *q = first(x); if (!q) return q->id; return 0; }
int further(struct deep *d) { struct node *q = d->p->a[1]; if (!q) return q->id; return 0; }
struct owner { void *ctx; };
static int none(const void *p) { return !p; }
int untyped(struct owner *o) { if (none(o->ctx)) return *(char *)o->ctx; return 0; }
#include <assert.h>
int head(struct node *p) { assert(p); return p->id; }
int later(struct list *l) { l->n = 1; assert(l->head); return l->head->id; }
int handed(struct list *l) { return head(l->head); }
int asserts(struct node *p, struct node *q) { assert(p && q); return head(p) + head(q); }
int unless(struct node *p, int k) { assert(k > 3 || p != 0); return in(p); }
static int valid(const struct node *q) { return q != 0; }
static int wrong;
int logged(struct node *p) { if (!valid(p)) wrong |= 1; return p->id; }
static void note(const struct node *q) { if (!q) wrong |= 1; }
int before(struct node *p) { int id = p->id; note(p); return id; }
int spread(struct node *p) { int t[7] = {0}; return t[(unsigned long)p % 7]; }
`
	dir := writeTree(t, map[string]string{"src.c": code})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory,div-by-zero,assert", withoutCalls)
	want := map[string]bool{"direct": true, "copied": true, "assigned": true, "behind": true, "bytes": true,
		"other": false, "unasked": false, "passed": true, "settled": false, "element": true, "varying": true, "listed": true, "number": true, "truth": true,
		"result": true, "further": true, "untyped": true, "head": false, "later": true, "handed": true, "spread": false, "asserts": false, "unless": true,
		"logged": true, "before": false}
	for i := range rep.Results {
		r := &rep.Results[i]
		rests := false
		for k := range r.Claims {
			for _, a := range r.RestsOn(&r.Claims[k]) {
				rests = rests || a.MayBeNull()
			}
		}
		f := strings.TrimPrefix(r.Entry, "any call of ")
		if w, known := want[f]; !known || rests != w || r.Status == verdict.Violated {
			t.Errorf("%s is %s, rests on a pointer that is not null: %v\n%s", f, r.Status, rests, errs)
		}
	}
	if len(rep.Results) != len(want) {
		t.Errorf("%d results\n%s", len(rep.Results), errs)
	}
}

// TestUnionOfStructures: of a union of structures, the pointers of the first that holds some lead to something; what is
// read through them past that is unknown, and through an address that the program makes itself a violation.
func TestUnionOfStructures(t *testing.T) {
	const code = `struct entry {
    int kind;
    union {
        struct { int value; } number;
        struct { const char *name; int *count; } named;
        struct { const char *name; } plain;
    } u;
};
int name(struct entry *e) { return e->u.named.name[0] + *e->u.named.count; }
int plain(struct entry *e) { return e->u.plain.name[0]; }
int further(struct entry *e) { return e->u.plain.name[4000]; }
int null(struct entry *e) { e->u.number.value = 0; e->u.plain.name = 0; return e->u.named.name[0]; }
`
	dir := writeTree(t, map[string]string{"src.c": code})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory")
	expectCalls(t, rep, errs, map[string]anyCall{
		"name":    {verdict.Proved, "of the union e.u, the member named is in use"},
		"plain":   {verdict.Proved, "of the union e.u, the member named is in use"},
		"further": {verdict.Unknown, "leads to is a guess"},
		"null":    {verdict.Violated, ""},
	}, assumptionTexts)
}
