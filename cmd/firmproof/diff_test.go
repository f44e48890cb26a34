package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// repository makes a function that runs git in a new repository in dir.
func repository(t *testing.T, dir string) (git func(args ...string)) {
	git = func(args ...string) {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e"},
			args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	return git
}

// TestDiff: two files, two commits of a repository without a manifest, and a commit with the work tree, give the same
// answers, and JSON fits its schema.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	git := repository(t, dir)
	write("a.c", diffOld)
	git("add", "a.c")
	git("commit", "-qm", "old")
	write("a.c", diffNew)
	git("commit", "-qam", "new")
	old, now := write("old.c", diffOld), write("new.c", diffNew)
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
	dir := t.TempDir()
	git := repository(t, dir)
	for i, text := range []string{diffOld, strings.Replace(diffOld, "x * 8", "x * SCALE", 1)} {
		for name, text := range map[string]string{"a.c": text,
			".firmproof.yaml": "version: 1\nbuild: {sources: [a.c]}\ntargets: [{name: board, extends: cortex-m4f, defines: [SCALE=7]}, " +
				"{name: eight, extends: cortex-m4f, defines: [SCALE=8]}]\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git("add", ".")
		git("commit", "-qm", strconv.Itoa(i))
	}
	for target, want := range map[string]string{"board": "scale: differs", "eight": "no function changed"} {
		if _, text := diffed(t, "HEAD~1..HEAD", "--repo", dir, "--target", target); !strings.Contains(text, want) {
			t.Errorf("%s: %s", target, text)
		}
	}
}
