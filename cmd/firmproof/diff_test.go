package main

import (
	"bytes"
	"os"
	"os/exec"
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

// TestDiffEmits: a difference becomes a C program that passes with the old version and fails with the new one.
func TestDiffEmits(t *testing.T) {
	const old = `#include <stdint.h>
struct s { uint8_t len; uint16_t v[3]; };
static int count;
int limit(int x) { return x > 100 ? 100 : x; }
void put(struct s *p, uint16_t v) { p->v[p->len % 3] = v; p->len++; count++; }
int sum(const uint8_t *b, unsigned n) { int s = 0; for (unsigned i = 0; i < n; i++) s += b[i]; return s; }
`
	dir := t.TempDir()
	put(t, dir, "old/a.c", old)
	put(t, dir, "new/a.c", strings.NewReplacer("> 100 ?", "> 101 ?", "p->len++;", "p->len += 2;", "i < n; i", "i + 1 < n; i").Replace(old))
	folder := filepath.Join(dir, "tests")
	diffed(t, filepath.Join(dir, "old", "a.c"), filepath.Join(dir, "new", "a.c"), "--emit", folder)
	for _, name := range []string{"differs_limit_1.c", "differs_put_1.c", "differs_sum_1.c"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for version, fails := range map[string]bool{"old": false, "new": true} {
			there := filepath.Join(dir, version)
			put(t, there, name, strings.ReplaceAll(string(text), filepath.Join(dir, "new", "a.c"), "a.c"))
			exe := filepath.Join(there, "test")
			if out, err := exec.Command("gcc", "-w", "-o", exe, filepath.Join(there, name)).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", name, err, out, text)
			}
			if out, err := exec.Command(exe).CombinedOutput(); (err != nil) != fails || len(out) == 0 {
				t.Errorf("%s with the %s version: %v\n%s\n%s", name, version, err, out, text)
			}
		}
	}
}

// TestDiffOnTwo: one version is compared on two targets, in words that name them.
func TestDiffOnTwo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.c", "unsigned short average(unsigned short a, unsigned short b) { return (a + b) / 2; }\n"+
		"unsigned char low(unsigned short a) { return a; }\nunsigned char first(unsigned short a) { return *(unsigned char *)&a; }\n")
	file := filepath.Join(dir, "a.c")
	code, text := diffed(t, "--targets", "cortex-m3,avr", file)
	if code != exitViolated || !strings.Contains(text, "average: differs") || !strings.Contains(text, "cortex-m3: 32768, avr: 0") ||
		!strings.Contains(text, "low: the same on all inputs") || !strings.Contains(text, "first: the same on all inputs") {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = diffed(t, "--targets", "cortex-r5,cortex-r5-be", file, "--function", "first"); code != exitViolated ||
		!strings.Contains(text, "first: differs") {
		t.Errorf("exit %d\n%s", code, text)
	}
	for _, args := range [][]string{{"--targets", "avr", file}, {"--targets", "avr,avr", file}, {"--targets", "avr,i386", file, "--function", "none"}} {
		var out bytes.Buffer
		if code := runWith(append([]string{"diff"}, args...), &out, &out); code != exitUsage {
			t.Errorf("%v: exit %d\n%s", args, code, &out)
		}
	}
}
