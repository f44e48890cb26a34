package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvidence: the folder traces requirements to answers, brings checked certificates, names what was accepted, and has
// the same bytes a second time; a folder that is there is left alone.
func TestEvidence(t *testing.T) {
	dir := writeTree(t, map[string]string{".firmproof.yml": `version: 1
targets: [cortex-m3, x86_64]
build: {sources: [a.c]}
harnesses: [{entry: clamp_harness}, {entry: open_harness}, {entry: broken_harness}]
suppress: [{claim: "assert@broken_harness#1", reason: mended later, by: Ann, until: 2999-01-31}]
`, "a.c": `#include "firmproof.h"
static int clamp(int n) { return n < 0 ? 0 : n > 9 ? 9 : n; }
/* The gain stays in range.
 * @req SYS-7, SYS-12 */
void clamp_harness(void) { firmproof_assert(clamp(firmproof_nondet_int()) <= 9, "in range"); }
void open_harness(void) { int a[2] = {0}; firmproof_assert(a[1] == 0, "zero"); }
// nothing of a requirement: @required
void broken_harness(void) {
    // @req SYS-9
    firmproof_assert(firmproof_nondet_int() != 5, "never five");
}
`})
	t.Chdir(dir)
	for _, name := range []string{"one", "two"} {
		var out bytes.Buffer
		if code := runWith([]string{"evidence", "-o", name}, &out, &out); code != exitOK && code != exitViolated {
			t.Fatalf("exit %d: %s", code, out.String())
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	if a, b := read("one/SHA256SUMS"), read("two/SHA256SUMS"); a != b || strings.Count(a, "\n") < 15 {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
	wantAll(t, read("one/requirements.csv"), "SYS-7,clamp_harness,a.c,5,cortex-m3,proved", "SYS-12,clamp_harness,a.c,5,x86_64,proved",
		"SYS-9,broken_harness,a.c,8,cortex-m3,", ",open_harness,,,,no @req,")
	if strings.Contains(read("one/requirements.csv"), "required") {
		t.Error("@required is no tag")
	}
	wantAll(t, read("one/certificates.txt"), "clamp_harness on cortex-m3: program", "answers certified")
	wantAll(t, read("one/index.html"), "SYS-7", "mended later", "Ann", "2999-01-31", "claims no conformity")
	if text := read("one/index.pdf"); !strings.HasPrefix(text, "%PDF-") || !strings.Contains(text, "%%EOF") || len(text) < 3000 {
		t.Errorf("no PDF: %d bytes", len(text))
	}
	wantAll(t, read("one/tool/CERTIFICATES.md"), "# Certificates")
	wantAll(t, read("one/targets/cortex-m3.yml"), "thumbv7m")
	if text := read("one/report.json"); strings.Contains(text, `"seconds"`) || strings.Contains(text, dir) {
		t.Error("the report has times, or paths of this machine")
	}
	var out bytes.Buffer
	if code := runWith([]string{"evidence", "-o", "one"}, &out, &out); code != exitUsage {
		t.Errorf("a folder that is there: exit %d: %s", code, out.String())
	}
}
