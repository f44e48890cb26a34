package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestNonnull: an address that wraps around to null is no null pointer that is passed, in a generated harness; null
// itself is one, also where it is moved on from, and a harness of the project asks where the address wraps around.
func TestNonnull(t *testing.T) {
	const code = `#include <stddef.h>
#include <stdint.h>
#include <string.h>
void from(char *to, const char *buf, size_t len, size_t off) { memcpy(to, buf + off, off < len); }
void null(char *to, int n) { memcpy(n ? to : NULL, "", 0); }
void moved(char *to, uintptr_t n) { char *p = NULL; memcpy(to, p + n, 0); }
void number(char *to, uintptr_t n) { memcpy(to, (char *)n, 0); }
`
	dir := writeTree(t, map[string]string{"src.c": code})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "i386")
	expectCalls(t, rep, errs, map[string]anyCall{
		"from":   {verdict.Proved, "do not wrap around to null"},
		"null":   {verdict.Violated, "null passed where nonnull is promised"},
		"moved":  {verdict.Violated, "null passed where nonnull is promised"},
		"number": {verdict.Violated, "null passed where nonnull is promised"},
	}, assumptionTexts)

	own := writeTree(t, map[string]string{"src.c": code + `size_t nondet_size(void);
int main(void) { char to[1], buf[8]; from(to, buf, 8, nondet_size()); return 0; }
`})
	_, rep, errs = checkJSON(t, filepath.Join(own, "src.c"), "--target", "i386", "--checks", "nonnull")
	if len(rep.Results) != 1 || rep.Results[0].Status != verdict.Violated || strings.Contains(
		strings.Join(verdict.TextsOf(rep.Results[0].Assumptions), "\n"), "wrap around") {
		t.Errorf("main: %v\n%s", rep.Results, errs)
	}
}
