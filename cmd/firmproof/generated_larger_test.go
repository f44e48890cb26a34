package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestLargerStructures: a function that takes a structure for the beginning of a larger one is passed the larger one, as a
// condition. What the function does wrong with that one is found; where it takes it for several, nothing is said of more
// than of their bytes.
func TestLargerStructures(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `#include <stdint.h>
typedef struct shape { int32_t kind; } shape;
typedef struct rect { shape base; int32_t w; int64_t *data; uint8_t n, side[4]; } rect;
typedef struct square { rect base; int32_t q; } square;
typedef struct circle { shape base; int32_t r; int64_t *data; } circle;
typedef struct alike { int32_t kind; int32_t w; void *user; } alike;
int area(const shape *s) { const rect *r = (const rect *)s; return r->data[0] > 0; }
int direct(shape *s) { return ((rect *)s)->data[0] > 0; }
int checked(shape *s) { if (s->kind != 1) return 0; rect *r = (rect *)s; return r->side[r->n & 3]; }
int deep(shape *s) { rect *r = (rect *)s; if (r->w != 4) return r->n; return ((square *)r)->q / 2; }
int same(shape *s) { alike *a = (alike *)s; return a->user != 0; }
int past(shape *s) { rect *r = (rect *)s; return r->side[r->n & 7]; }
int share(shape *s) { return 100 / ((rect *)s)->w; }
int behind(shape *s) { square *q = (square *)s; return (&q->q)[1]; }
int either(shape *s) { if (s->kind) { rect *r = (rect *)s; return r->n; } circle *c = (circle *)s; return c->r / 2; }
int n;
int given(shape *s) { rect *r = (rect *)s; r->n = 5; n = r->side[r->n]; return 0; }
`})
	for _, target := range []string{"cortex-m3", "x86_64", "avr"} {
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target)
		expectCalls(t, rep, errs, map[string]anyCall{
			"area":    {verdict.Conditional, "s leads to one const rect, which the function takes it for"},
			"direct":  {verdict.Conditional, "s leads to one rect, which the function takes it for"},
			"checked": {verdict.Conditional, "s leads to one rect, which the function takes it for"},
			"deep":    {verdict.Conditional, "s leads to one square, which the function takes it for"},
			"same":    {verdict.Conditional, "s leads to one alike, which the function takes it for"},
			"past":    {verdict.Violated, "array index"},
			"share":   {verdict.Violated, "division"},
			"behind":  {verdict.Violated, "of what 's' leads to"},
			"either":  {verdict.Conditional, "which the function accesses"},
			"given":   {verdict.Violated, "array index"},
		}, assumptionTexts)
	}
}
