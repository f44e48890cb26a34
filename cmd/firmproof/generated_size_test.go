package main

import (
	"path/filepath"
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
	}, func(r *verdict.Result) []string { return verdict.TextsOf(r.Assumptions) })
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
	}, func(r *verdict.Result) []string { return verdict.TextsOf(r.Assumptions) })
}
