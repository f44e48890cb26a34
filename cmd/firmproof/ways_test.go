package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestWays: an index past the end and one before the start are two findings; who accepts the one does not accept the
// other.
func TestWays(t *testing.T) {
	const both = "int buf[8];\nint get(int i) {\n  return @;\n}\nint walk(int n) {\n" +
		"  int b[4] = {1};\n  const int *p = b;\n  return p[n];\n}\n"
	for text, want := range map[string]int{
		"buf[i]":                  2,
		"i < 8 ? buf[i] : 0":      1,
		"i >= 0 ? buf[i] : 0":     1,
		"buf[(unsigned)i]":        1,
		"buf[i & 7]":              0,
		"i < 9 ? buf[i - 1] : 0":  1,
		"i > -9 ? buf[i % 9] : 0": 2,
	} {
		dir := writeTree(t, map[string]string{"a.c": strings.Replace(both, "@", text, 1)})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "a.c"), "--function", "get", "--function", "walk", "--target", "x86_64")
		found := map[string][]string{}
		for _, r := range rep.Results {
			for _, c := range r.Claims {
				if c.Status == verdict.Violated && c.Check == verdict.Memory {
					found[r.Entry] = append(found[r.Entry], c.ID)
				}
			}
		}
		if n := len(found["any call of get"]); n != want || len(found["any call of walk"]) != 2 {
			t.Errorf("%s: %v %s", text, found, errs)
		}
	}
	dir := writeTree(t, map[string]string{"a.c": strings.Replace(both, "@", "buf[i]", 1)})
	_, rep, _ := checkJSON(t, filepath.Join(dir, "a.c"), "--function", "get", "--target", "x86_64")
	for _, c := range rep.Results[0].Claims {
		if c.Status != verdict.Violated {
			continue
		}
		put(t, dir, ".firmproof.yml", "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: [get]\nsuppress:\n"+
			"  - {claim: "+c.ID+", reason: known}\n")
		code, accepted, errs := checkJSON(t, dir)
		n := 0
		for _, d := range accepted.Results[0].Claims {
			if d.Status == verdict.Violated && d.Accepted != nil {
				n++
			}
		}
		if n != 1 || code != exitViolated {
			t.Errorf("%s: exit %d, %d accepted: %s", c.ID, code, n, errs)
		}
	}
}

// TestWrapped: no size of a block mends an index that wrapped around below zero; one past a block whose size is a guess
// is no finding, nor one before where a pointer leads to, which may be in the middle: with room there it holds.
func TestWrapped(t *testing.T) {
	for text, want := range map[string]verdict.Status{
		"p[(unsigned)k - 1]": verdict.Violated, "p[k + 9]": verdict.Conditional, "p[-1]": verdict.Conditional,
		"k ? p[(unsigned)k - 1] : 0": verdict.Conditional,
	} {
		dir := writeTree(t, map[string]string{"a.c": "int get(const int *p, unsigned char k) {\n  return " + text + ";\n}\n"})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "a.c"), "--function", "get", "--target", "cortex-m3")
		if got := rep.Results[0].Status; got != want {
			t.Errorf("%s: %s, want %s: %s", text, got, want, errs)
		}
	}
}
