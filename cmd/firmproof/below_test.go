package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestBelow: a folder of the repository, or of a project in it, serves as the repository does.
func TestBelow(t *testing.T) {
	const text = "int area(int a) {\n  return a > 0 && a < @ ? a * 300 : 0;\n}\n"
	const project = "version: 1\ntargets: [avr]\nbuild: {sources: [src/a.c]}\nfunctions: changed\n"
	dir := t.TempDir()
	for _, limit := range []string{"100", "200"} {
		for _, at := range []string{".", "fw"} {
			put(t, dir, filepath.Join(at, ".firmproof.yml"), project)
			put(t, dir, filepath.Join(at, "src/a.c"), strings.Replace(text, "@", limit, 1))
		}
		commitAll(t, dir, "limit "+limit)
	}
	for _, at := range []string{"src", "fw", "fw/src"} {
		var out bytes.Buffer
		code := runWith([]string{"diff", "main~1..main", "--repo", filepath.Join(dir, at)}, &out, &out)
		if wantAll(t, out.String(), "area: differs (src/a.c:1, avr)", "1 compared"); code != exitViolated {
			t.Errorf("diff in %s: exit %d: %s", at, code, out.String())
		}
	}
	if code, out := simulate(filepath.Join(dir, "src"), "main~1..main"); code != exitViolated || !strings.Contains(out, "1 new") {
		t.Errorf("simulation: exit %d: %s", code, out)
	}
}
