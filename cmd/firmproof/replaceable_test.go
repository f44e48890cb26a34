package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestReplaceable: another file may define a weak function. What fails then is conditional, on a line marked so; what
// holds whatever it does rests on no such guess. A program with main is whole.
func TestReplaceable(t *testing.T) {
	const text = `static char buf[8];
int idx; static int hid;
void set(int x) { hid = x; }
__attribute__((weak)) int limit(void) { return 8; }
__attribute__((weak)) const int most = 8;
__attribute__((weak)) void hook(void) { }
__attribute__((weak)) void fill(int *p) { *p = 3; }
__attribute__((weak)) void stop(void) { for (;;) ; }
inline int eight(void) { return 8; }
extern int eight(void);
void f(int i) { if (i < 0 || i >= limit()) return; buf[i] = 1; } /* weak */
void g(int i) { if (i < 0 || i >= most) return; buf[i] = 1; } /* weak */
void k(void) { if (idx < 0 || idx > 7) return; hook(); buf[idx] = 1; } /* weak */
void k2(void) { if (hid < 0 || hid > 7) return; hook(); buf[hid] = 1; } /* weak */
void l(void) { int v = 1; fill(&v); buf[v] = 1; } /* weak */
void s(int i) { if (i < 0 || i > 7) stop(); buf[i] = 1; } /* weak */
void m_ok(int i) { hook(); buf[i & 7] = 1; }
void n_ok(int i) { int v = 9; fill(&v); buf[v & 7] = limit(); }
void o_ok(int i) { if (i < 0 || i >= eight()) return; buf[i] = 1; }
`
	for _, main := range []string{"", "int main(void) { return 0; }\n"} {
		text := text + main
		path := filepath.Join(writeTree(t, map[string]string{"a.c": text,
			".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]}\nfunctions: all\n"}), "a.c")
		_, rep, _ := checkJSON(t, filepath.Dir(path), "--timeout", "4s")
		mark := "/* weak */"
		if main != "" {
			mark = ""
		}
		guessOnMarked(t, rep, text, mark, func(a verdict.Assumption) bool {
			return a.Other == verdict.Replaceable || a.Relation == verdict.Start && a.Subject == "most"
		}, func(c *verdict.Claim, _ string) bool { return c.Check == verdict.Termination })
	}
}

// TestLibraryIsNotReplaced: what functions of the C library do is what the standard says, whoever defines them.
func TestLibraryIsNotReplaced(t *testing.T) {
	path := filepath.Join(writeTree(t, map[string]string{"a.c": `#include <stdio.h>
#include <stdlib.h>
int f(void) { char b[8]; snprintf(b, sizeof b, "%d", 7); return b[0] + abs(-3); }
`}), "a.c")
	_, rep, errs := checkJSON(t, path, "--target", "cortex-m3")
	if len(rep.Results) != 1 || rep.Results[0].Status != verdict.Proved {
		t.Errorf("not proved\n%s", errs)
	}
	for _, a := range rep.Results[0].Assumptions {
		if a.MayBeReplaced() {
			t.Errorf("assumed: %s", a.Text)
		}
	}
}
