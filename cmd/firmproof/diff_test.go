package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	diffOld = "unsigned scale(unsigned x) { return x * 8; }\nint limit(int x) { return x > 100 ? 100 : x; }\n"
	diffNew = "unsigned scale(unsigned x) { return x << 3; }\nint limit(int x) { return x > 101 ? 100 : x; }\n"
)

// diffed runs `diff` and returns its exit code and what it wrote.
func diffed(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := runWith(append([]string{"diff"}, args...), &out, &errs)
	if code == exitUsage || code == exitInternal {
		t.Fatalf("%v: exit %d: %s", args, code, errs.String())
	}
	return code, out.String()
}

// TestDiff: two files, two commits of a repository without a manifest, and a commit with the work tree, give the same
// answers, and JSON fits its schema.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.c", diffOld)
	commitAll(t, dir, "old")
	put(t, dir, "a.c", diffNew)
	commitAll(t, dir, "new")
	put(t, dir, "old.c", diffOld)
	put(t, dir, "new.c", diffNew)
	old, now := filepath.Join(dir, "old.c"), filepath.Join(dir, "new.c")
	for _, args := range [][]string{{old, now}, {"HEAD~1..HEAD", "--repo", dir}, {"HEAD~1", "--repo", dir}} {
		code, text := diffed(t, args...)
		if code != exitViolated || !strings.Contains(text, "scale: the same on all inputs") ||
			!strings.Contains(text, "limit: differs") || !strings.Contains(text, "old: 100, new: 101") ||
			!strings.Contains(text, "input limit.x = 101") {
			t.Errorf("%v: exit %d\n%s", args, code, text)
		}
	}
	if code, text := diffed(t, old, now, "--function", "scale"); code != exitOK || strings.Contains(text, "limit") {
		t.Errorf("exit %d\n%s", code, text)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../docs/diff.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	_, text := diffed(t, old, now, "--json")
	for _, s := range [][2]string{{}, {`"status": "`, `"status": "not-`}, {`"kind": "result"`, `"kind": "other"`}} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(text, s[0], s[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != (s[0] == "") {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestDiffOnTargets: a target that the manifest describes is compared on like any.
func TestDiffOnTargets(t *testing.T) {
	const manifest = "version: 1\nbuild: {sources: [a.c]}\ntargets: [{name: board, extends: cortex-m4f, defines: [SCALE=7]}, " +
		"{name: eight, extends: cortex-m4f, defines: [SCALE=8]}]\n"
	dir := changesFolder(t, map[string]string{".firmproof.yml": manifest, "a.c": diffOld},
		map[string]string{"a.c": strings.Replace(diffOld, "x * 8", "x * SCALE", 1)})
	for target, want := range map[string]string{"board": "scale: differs", "eight": "no function changed"} {
		if _, text := diffed(t, "HEAD~1..HEAD", "--repo", dir, "--target", target); !strings.Contains(text, want) {
			t.Errorf("%s: %s", target, text)
		}
	}
}
