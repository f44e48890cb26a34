package main

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAccepted: an accepted violation keeps its status, what is proved without it alone is behind it, and entries that
// accept nothing are warned of.
func TestAccepted(t *testing.T) {
	dir := writeTree(t, map[string]string{"main.c": `#include "firmproof.h"
static int f(int i) { int a[4] = {0}; return a[i]; }
int main(void) {
    int i = firmproof_nondet_int(), before[2] = {0};
    int x = before[i & 1] + f(i);
    firmproof_assert(i >= 0 && i < 4, "in range");
    return x;
}
`, ".firmproof.yml": `version: 1
targets: [x86_64]
build: {sources: [main.c]}
harnesses: [{entry: main}]
suppress:
  - {claim: "memory@f#72c807", reason: masked, by: ann, until: 2999-01-01}
  - {claim: "memory@f#72c807-before", reason: masked, by: ann, until: 2999-01-01}
  - {claim: "assert@gone#1", reason: old}
`})
	code, rep, errs := checkJSON(t, dir)
	if code != 0 || len(rep.Results) != 1 {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	r := &rep.Results[0]
	accepted, behind := 0, 0
	for _, c := range r.Claims {
		switch {
		case c.Accepted != nil:
			accepted++
			if c.Status != verdict.Violated || c.Accepted.String() != "masked (by ann, until 2999-01-01)" {
				t.Errorf("%s, %s", c.Status, c.Accepted)
			}
		case c.IsShadowed():
			behind++
		case c.Check == verdict.Assert:
			t.Errorf("the assertion is %s", c.Status)
		}
	}
	if accepted != 2 || behind == 0 || !strings.Contains(strings.Join(r.Warnings, "\n"), "assert@gone#1 accepts nothing") {
		t.Errorf("%d accepted, %d behind, warnings %q", accepted, behind, r.Warnings)
	}
}
