package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestStructsByValue: a function that returns a structure gets a harness, whether it fills the result in place or copies
// it there; one that is passed structures gets what their members lead to, whatever the ABI makes of them.
func TestStructsByValue(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `#include <stdbool.h>
#include <string.h>
struct slice { char *p; size_t n; };
struct tiny { char a, b; bool on; };
struct ref { const char *s; };
int slice_first(struct slice s) { return s.n ? s.p[0] : 0; }
int slice_past(struct slice s) { return s.n ? s.p[s.n] : 0; }
int tiny_on(struct tiny t, int k) { return t.on ? t.a : k; }
int tiny_div(struct tiny t) { return 10 / t.b; }
int ref_first(int k, struct ref r, struct slice s) { return k ? r.s[0] : s.n > 2 ? s.p[2] : 0; }
struct wide { int a[4]; const char *name; };
struct wide named(int n) { struct wide w = {.a = {n}}; w.name = "x"; return w; }
struct wide copied(struct wide *from) { return from->name ? *from : (struct wide){0}; }
struct wide passed(struct wide in, int n) { in.a[n & 3] = n; return in; }
struct wide outside(int n) { struct wide w; memset(&w, 0, sizeof w); w.a[n & 7] = 1; return w; }
`})
	for _, target := range []string{"cortex-m3", "x86_64", "i386", "avr", "riscv64", "mips32-be"} {
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target)
		expectCalls(t, rep, errs, map[string]anyCall{
			"named":       {verdict.Proved, ""},
			"copied":      {verdict.Proved, "from leads to one struct wide"},
			"passed":      {verdict.Proved, "in.name leads to one const char"},
			"slice_first": {verdict.Proved, "s.p leads to as many elements as s.n says"},
			"slice_past":  {verdict.Violated, "of what 's.p' leads to"},
			"tiny_on":     {verdict.Proved, ""},
			"tiny_div":    {verdict.Violated, "by zero"},
			"ref_first":   {verdict.Proved, "r.s leads to one const char"},
			"outside":     {verdict.Violated, "out of bounds"},
		}, assumptionTexts)
	}
}
