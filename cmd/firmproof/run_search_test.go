package main

import (
	"strings"
	"testing"
)

// TestSimulationByBoth: an input that one commit fails with and the other handles is a finding, even where by itself it
// would rest on what a generated harness made up.
func TestSimulationByBoth(t *testing.T) {
	for what, c := range map[string]struct{ good, bad, says string }{
		"a count of elements": {
			"void fill(int *count, int max, int *out, unsigned k) {\n  *count = 0;\n  while (k--) {\n" +
				"    if (*count == max) return;\n    out[*count] = 1;\n    ++*count;\n  }\n}\n",
			"void fill(int *count, int max, int *out, unsigned k) {\n  *count = 0;\n  while (k--) {\n" +
				"    out[*count] = 1;\n    ++*count;\n  }\n}\n", "the change comes to the same place with it, and does not fail"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := changesFolder(t, map[string]string{"a.c": c.good}, map[string]string{"a.c": c.bad},
				map[string]string{"a.c": c.good})
			code, out := simulate(dir, "main~2..main~1")
			if wantAll(t, out, "1 new, 0 fixed, 0 known", c.says); code != exitViolated {
				t.Errorf("exit %d: %s", code, out)
			}
			code, out = simulate(dir, "main~1..main")
			if wantAll(t, out, "0 new, 1 fixed, 0 known"); code == exitViolated || strings.Contains(out, "violated") {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}
