package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestLinkerSymbols: code that walks from one symbol of the linker to another is no finding where no linker script says
// what lies between; past a variable of a declared size is one, and so is past one that nothing marks.
func TestLinkerSymbols(t *testing.T) {
	const walks = `extern unsigned _sdata, _edata, _sidata;
extern void (*start[])(void), (*end[])(void);
extern int table[4];
extern struct { int a; } one;
void copy(void) { unsigned *from = &_sidata, *to = &_sdata; while (to < &_edata) *to++ = *from++; }
void inits(void) { for (void (**p)(void) = start; p < end; p++) (*p)(); }
int past(void) { return (&table[0])[4]; }
int beyond(void) { return (&one.a)[1]; }
`
	for _, c := range []struct {
		src, entry string
		want       verdict.Status
	}{{walks, "copy", verdict.Unknown}, {walks, "inits", verdict.Unknown}, {walks, "past", verdict.Violated},
		{walks, "beyond", verdict.Violated},
		{"extern int x;\nint f(void) { return (&x)[1]; }\n", "f", verdict.Violated}} {
		dir := writeTree(t, map[string]string{"a.c": c.src})
		_, rep, errs := checkJSON(t, dir+"/a.c", "--entry", c.entry, "--target", "cortex-m3", "--checks",
			"memory,pointer-overflow")
		if len(rep.Results) != 1 || rep.Results[0].Status != c.want {
			t.Errorf("%s: want %s\n%+v\n%s", c.entry, c.want, rep.Results, errs)
			continue
		}
		for _, cl := range rep.Results[0].Claims {
			if c.want == verdict.Unknown && cl.Status == verdict.Unknown && !cl.IsShadowed() &&
				!strings.Contains(cl.Reason.String(), "defined nowhere") {
				t.Errorf("%s: %s: %s", c.entry, cl.ID, cl.Reason)
			}
		}
	}
}

// TestSymbolsDiffer: the linker may give two symbols one address. What rests on their being two is conditional, wherever
// their addresses were copied to; order and what is asked of one symbol are not.
func TestSymbolsDiffer(t *testing.T) {
	const text = `#include <assert.h>
#include <stdint.h>
extern char low[], high[];
static char *at, *end;
static int same(const char *a, const char *b) { return a == b; }
void arrays(void) { assert(!same(low, high)); } /* differ */
void numbers(void) { uintptr_t a = (uintptr_t)low, b = (uintptr_t)high; assert(a - b); } /* differ */
void kept(void) { at = low; end = high; assert(at != end); } /* differ */
void one(void) { assert(same(low, low)); }
void named(void) { at = low; assert(at); }
`
	path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
	_, rep, _ := checkJSON(t, path, "--target", "cortex-m3", "--timeout", "4s")
	guessOnMarked(t, rep, text, "/* differ */", func(a verdict.Assumption) bool {
		return strings.HasSuffix(a.Text, "symbols that the linker provides have different addresses")
	}, nil)
}
