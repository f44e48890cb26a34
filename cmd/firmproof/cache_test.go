package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// cachedCheck runs `check --cache` on a program.
func cachedCheck(t *testing.T, dir, text string) *verdict.Result {
	t.Helper()
	file := filepath.Join(dir, "main.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	runWith([]string{"check", "--format", "json", "--timeout", timeNet, "--target", "cortex-m3", "--cache",
		filepath.Join(dir, "cache"), file}, &out, &errs)
	var rep verdict.Report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil || len(rep.Results) != 1 {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	return &rep.Results[0]
}

func count(r *verdict.Result, stage, name string) int64 {
	for _, s := range r.Stages {
		if s.Name == stage {
			return s.Counts[name]
		}
	}
	return -1
}

const cachedProgram = `unsigned nondet_uint(void); void __VERIFIER_assert(int);
int main(void) {
  unsigned x = nondet_uint() & 0xfff, y = nondet_uint() & 0xfff;
  __VERIFIER_assert((x ^ y) <= 0xfff);
  __VERIFIER_assert(x / (y + 1) <= x);
  return 0;
}
`

// TestCache: what is the same is not verified again, even where it stands on other
// lines; of what is not, only the claims that changed are.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	first := cachedCheck(t, dir, cachedProgram)
	if first.Status != verdict.Proved || first.Reused != "" || count(first, "solve", "cache hits") != 0 {
		t.Fatalf("%s %q", first.Status, first.Reused)
	}
	second := cachedCheck(t, dir, cachedProgram)
	if second.Status != verdict.Proved || second.Reused != verdict.FromCache ||
		len(second.Claims) != len(first.Claims) {
		t.Errorf("%s %q, %d claims of %d", second.Status, second.Reused, len(second.Claims), len(first.Claims))
	}
	moved := cachedCheck(t, dir, "\n\n"+cachedProgram)
	if moved.Status != verdict.Proved || moved.Reused != verdict.FromCache ||
		moved.Claims[0].Pos.Line != first.Claims[0].Pos.Line+2 {
		t.Errorf("%s %q at %v", moved.Status, moved.Reused, moved.Claims[0].Pos)
	}
	more := cachedCheck(t, dir, strings.Replace(cachedProgram, "  return 0",
		"  __VERIFIER_assert(x * y < 0x1000000);\n  return 0", 1))
	if more.Status != verdict.Proved || more.Reused != "" || count(more, "solve", "cache hits") < 1 {
		t.Errorf("%s %q %v", more.Status, more.Reused, more.Stages)
	}
}

// TestCacheDamaged: a stored answer of which a bit changed, or in whose place a device stands, is none.
func TestCacheDamaged(t *testing.T) {
	dir := t.TempDir()
	first := cachedCheck(t, dir, cachedProgram)
	stored, err := filepath.Glob(filepath.Join(dir, "cache", "results", "*"))
	if err != nil || len(stored) != 1 {
		t.Fatal(stored, err)
	}
	text, err := os.ReadFile(stored[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(stored[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := cachedCheck(t, dir, cachedProgram); r.Reused != "" || r.Status != first.Status {
		t.Errorf("a changed answer: %s %q", r.Status, r.Reused)
	}
	if r := cachedCheck(t, dir, cachedProgram); r.Reused != verdict.FromCache {
		t.Errorf("it was not stored again: %q", r.Reused)
	}
	for _, path := range stored {
		if err := errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)); err != nil {
			t.Fatal(err)
		}
	}
	if r := cachedCheck(t, dir, cachedProgram); r.Reused != "" || r.Status != first.Status {
		t.Errorf("a device: %s %q", r.Status, r.Reused)
	}
}

// TestCacheStart: what runs before and after the entry is part of the question.
func TestCacheStart(t *testing.T) {
	dir := t.TempDir()
	text := `#include <stdlib.h>
void __VERIFIER_assert(int);
static int at = 1, end;
__attribute__((constructor)) static void start(void) { at = 2; }
static void last(void) { end = 3; }
__attribute__((destructor)) static void finish(void) { __VERIFIER_assert(end == 3); }
int main(void) { __VERIFIER_assert(at == 2); atexit(last); return 0; }
`
	for _, c := range []struct {
		old, new string
		want     verdict.Status
	}{{"", "", verdict.Proved}, {"at = 2", "at = 4", verdict.Violated}, {"end = 3", "end = 4", verdict.Violated},
		{"(end == 3)", "(end == 5)", verdict.Violated}, {"((constructor))", "((unused))", verdict.Violated}} {
		if r := cachedCheck(t, dir, strings.Replace(text, c.old, c.new, 1)); r.Status != c.want {
			t.Errorf("%s -> %s: %s %q, want %s", c.old, c.new, r.Status, r.Reused, c.want)
		}
	}
}

// TestCachedViolation: a violation is confirmed by execution each time; inputs that do
// not show it any more cost nothing but the search.
func TestCachedViolation(t *testing.T) {
	dir := t.TempDir()
	bad := strings.Replace(cachedProgram, "<= 0xfff)", "!= 0x5a5)", 1)
	holds := func(name string, r *verdict.Result, tried, confirmed int64) {
		t.Helper()
		if r.Status != verdict.Violated || r.Reused != "" || count(r, "try again", "tried") != tried ||
			count(r, "try again", "confirmed") != confirmed {
			t.Errorf("%s: %s %q %v", name, r.Status, r.Reused, r.Stages)
		}
		for _, c := range r.Claims {
			if c.Status == verdict.Violated && (c.Replay != verdict.Confirmed || c.Pos.Line != 4 ||
				len(c.Trace) == 0 || len(c.Inputs) != 2) {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	holds("first", cachedCheck(t, dir, bad), -1, -1)
	holds("again", cachedCheck(t, dir, bad), 1, 1)
	files, err := filepath.Glob(filepath.Join(dir, "cache", "inputs", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var kept [][]verdict.Input
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	kept[0][0].Value = "00000000"
	kept[0][1].Value = "00000000"
	if text, err = json.Marshal(kept); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		tried int64
	}{{string(text), 1}, {"no JSON", -1}} {
		if err := os.WriteFile(files[0], []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		holds("changed", cachedCheck(t, dir, bad), c.tried, min(c.tried, 0))
	}
	if mended := cachedCheck(t, dir, cachedProgram); mended.Status != verdict.Proved || count(mended, "try again",
		"confirmed") != 0 {
		t.Errorf("mended: %s %v", mended.Status, mended.Stages)
	}
}

// TestProofs: what was refuted is in the proofs, and they are checked.
func TestProofs(t *testing.T) {
	dir := t.TempDir()
	file, proofs := filepath.Join(dir, "main.c"), filepath.Join(dir, "new", "proofs")
	if err := os.WriteFile(file, []byte(cachedProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := runWith([]string{"check", "--format", "json", "--solver", "cadical", "--timeout", timeNet, "--target",
		"cortex-m3", "--proofs", proofs, file}, &out, &errs)
	var rep verdict.Report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil || code != exitOK {
		t.Fatalf("%d %v\n%s%s", code, err, out.String(), errs.String())
	}
	r := &rep.Results[0]
	if count(r, "proof", "refuted") < 1 || count(r, "proof", "steps") < 1 || len(r.Warnings) > 0 {
		t.Errorf("%v %v", r.Stages, r.Warnings)
	}
	if files, err := filepath.Glob(filepath.Join(proofs, "cortex-m3-main-*.proof")); err != nil || len(files) == 0 {
		t.Errorf("%v %v", files, err)
	}
}
