package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestApart: callers may pass pointers into one object. What fails then is conditional, on a line marked so; what holds
// then, too, rests on no such guess.
func TestApart(t *testing.T) {
	const text = `struct s { int n; unsigned char buf[8]; };
struct node { struct node *next; int n; unsigned char buf[8]; };
struct inner { int k; };
struct outer { struct inner a; int z; unsigned char buf[8]; };
struct ring { unsigned char buf[16]; unsigned head, tail; };
int level;
static int quiet, given;
unsigned char table[8];
void member(struct s *r, int *out) {
	if (r->n >= 0 && r->n < 8) { *out = 100; r->buf[r->n] = 1; } /* apart */
}
void member_ok(struct s *r, int *out) {
	int n = r->n;
	if (n >= 0 && n < 8) { *out = 100; r->buf[n] = 1; }
}
void linked(struct node *r) {
	if (r->next && r->n >= 0 && r->n < 8) { r->next->n = 100; r->buf[r->n] = 1; } /* apart */
}
void part(struct outer *r, struct inner *i) {
	if (r->a.k >= 0 && r->a.k < 8) { i->k = 100; r->buf[r->a.k] = 1; } /* apart */
}
void public(int *p) {
	if (level >= 0 && level < 8) { *p = 100; table[level] = 1; } /* apart */
}
void hidden_ok(int *p) {
	if (quiet >= 0 && quiet < 8) { *p = 100; table[quiet] = 1; }
}
void set(int k) { quiet = k & 7; }
void handed(int *p) {
	if (given >= 0 && given < 8) { *p = 100; table[given] = 1; } /* apart */
}
int *where(int k) { given = k & 7; return &given; }
int same(int *a, int *b, int z) { if (a == b) return 1 / (z - z); return 0; } /* apart */
int get_ok(struct ring *r, unsigned char *c) {
	if (r->head == r->tail) return 0;
	*c = r->buf[r->tail % 16];
	r->tail++;
	return 1;
}
int shifted(unsigned char *dst, const unsigned char *n, unsigned len) {
	if (len < 4 || n[0] > 3) return -1;
	dst[1] = 90;
	return dst[n[0]]; /* apart */
}
int over(struct s *r, const unsigned char *from, unsigned len) {
	if (len < 4 || from[2] > 7) return -1;
	r->n = -1;
	r->buf[from[2]] = 1; /* apart */
	return 0;
}
int over_ok(struct s *r, const unsigned char *from, unsigned len) {
	if (len < 4) return -1;
	r->n = -1;
	r->buf[from[2] & 7] = from[3];
	return 0;
}
void kept(struct s *restrict r, int *out) {
	if (r->n >= 0 && r->n < 8) { *out = 100; r->buf[r->n] = 1; }
}
`
	path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
	for _, target := range []string{"x86_64", "cortex-m3", "msp430"} {
		t.Run(target, func(t *testing.T) {
			_, rep, _ := checkJSON(t, path, "--target", target)
			guessOnMarked(t, rep, text, "/* apart */", func(a verdict.Assumption) bool {
				return a.Relation == verdict.Apart && a.Guessed()
			}, nil)
		})
	}
	_, rep, _ := checkJSON(t, path, "--target", "cortex-m3", "--function", "member", "--assume", "member.out: apart")
	if r := rep.Results[0]; r.Status != verdict.Proved {
		t.Errorf("apart, as given: %s", r.Status)
	}
}
