package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// rangeWriters are functions that put any number into the member tail of a struct s by a way of their own.
var rangeWriters = map[string]string{
	"index of a pointer":   `void w(struct s *q, int i) { q[i].tail = 255; }`,
	"index of an array":    `static struct s g[4]; void w(int i) { g[i & 3].tail = 255; }`,
	"of two arrays":        `static struct s g[2][3]; void w(int i, int j) { g[i & 1][j % 3u].tail = 255; }`,
	"array in a structure": `struct o { int k; struct s in[3]; }; void w(struct o *o, int i) { o->in[i].tail = 255; }`,
	"address in an array":  `static void to(uint8_t *p) { *p = 255; } void w(struct s *q, int i) { to(&q[i].tail); }`,
	"result of a call": `static struct s g;
static struct s *get(void) { return &g; }
void w(void) { get()->tail = 255; }`,
	"result through a pointer": `void w(struct s *(*get)(void)) { get()->tail = 255; }`,
	"choice":                   `void w(struct s *a, struct s *b, int k) { (k ? a : b)->tail = 255; }`,
	"array of pointers":        `static struct s *g[3]; void w(int i) { g[i]->tail = 255; }`,
	"pointer to pointers":      `void w(struct s **p, int i) { p[i]->tail = 255; }`,
	"cast":                     `void w(void *v) { ((struct s *)v)->tail = 255; }`,
	"cast of an address":       `void w(char *base) { ((struct s *)(base + 16))->tail = 255; }`,
	"cast of another":          `struct b { int x, y; }; void w(struct b *b) { ((struct s *)b)->tail = 255; }`,
	"around a member": `struct n { void *next; }; struct o { struct n n; struct s s; };
void w(struct n *n) { ((struct o *)((char *)n - 0))->s.tail = 255; }`,
	"choice of casts": `struct b { int x; };
void w(struct b *b, struct s *q, int k) { (k ? (struct s *)b : q)->tail = 255; }`,
	"bytes of a cast": `#include <string.h>
struct b { int x; };
void w(struct b *b) { memset(&((struct s *)b)->tail, 255, 1); }`,
	"address in a cast": `static void to(uint8_t *p) { *p = 255; }
struct b { int x; };
void w(struct b *b) { to(&((struct s *)b)->tail); }`,
	"pointer of another type": `struct b { int x; }; void w(struct b **b) { (*(struct s **)b)->tail = 255; }`,
	"floating point":          `struct f { float a; }; void w(struct s *g) { ((struct f *)g)->a = 3.0f; }`,
	"union":                   `union u { struct s s; uint32_t w; }; void w(union u *u) { u->w = 0xffffffff; }`,
	"other type":              `void w(struct s *g) { *(uint16_t *)g = 65535; }`,
	"the next one":            `void w(struct s *g) { (g + 1)->tail = 255; }`,
	"the one before":          `void w(struct s *g) { g[-1].tail = 255; }`,
	"walk":                    `void w(struct s *g, int n) { while (n-- > 0) (g++)->tail = 255; }`,
	"by value":                `void w(struct s *g, struct s v) { *g = v; }`,
	"result by value":         `struct s get(void); void w(struct s *g) { *g = get(); }`,
	"literal":                 `void w(struct s *g) { *g = (struct s){1, 255}; }`,
	"part of another": `struct o { uint8_t k; struct s in; };
void to(void *);
void w(struct o *o) { to(&o->in); }`,
	"number": `void w(struct s *g) { *(uint8_t *)((uintptr_t)g + 1) = 255; }`,
}

// TestRangesOfMembers: whichever way a number is stored in a member, it is in no range that leaves that number out;
// where all stores keep to one, it is.
func TestRangesOfMembers(t *testing.T) {
	const src = `#include <stdint.h>
struct s { uint8_t head, tail; };
static uint8_t data[64];
%s
void put(struct s *g, uint8_t c) { data[g->tail] = c; g->tail = (g->tail + 1) %% 64; }
`
	files, want := map[string]string{}, map[string]verdict.Status{}
	for name, writer := range rangeWriters {
		files[strings.ReplaceAll(name, " ", "-")+".c"] = fmt.Sprintf(src, writer)
		want[strings.ReplaceAll(name, " ", "-")+".c"] = verdict.Violated
	}
	inner := `struct o { uint8_t k; struct s in; };
static void to(struct s *s) { s->tail = 3; }
void w(struct o *o) { to(&o->in); }`
	files["kept.c"], want["kept.c"] = fmt.Sprintf(src, inner), verdict.Proved
	dir := writeTree(t, files)
	for file, status := range want {
		_, rep, errs := checkJSON(t, filepath.Join(dir, file), "--target", "cortex-m3", "--function", "put",
			withoutCalls)
		if len(rep.Results) != 1 || !meetsRange(rep.Results[0].Status, status) {
			t.Errorf("%s: %v, want %s\n%s", file, rep.Results, status, errs)
		}
	}
}
