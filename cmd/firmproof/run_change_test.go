package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// changesFolder makes a repository with a commit for each tree, over the one before.
func changesFolder(t *testing.T, trees ...map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, ".firmproof.yml", "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n")
	for _, files := range trees {
		for name, text := range files {
			put(t, dir, name, text)
		}
		commitAll(t, dir, "change")
	}
	return dir
}

// TestSimulationOfWhatChanged: what changes the meaning of a function without touching its lines is a change of it: it
// is found when it comes, and when it goes.
func TestSimulationOfWhatChanged(t *testing.T) {
	for what, c := range map[string]struct{ text, from, to string }{
		"macro": {"#define LIMIT @\nint buf[8];\nint get(unsigned i) {\n  return i < LIMIT ? buf[i] : 0;\n}\n", "8", "9"},
		"type":  {"typedef unsigned @ id;\nint buf[256];\nint get(id i) {\n  return buf[i];\n}\n", "char", "short"},
		"array": {"int buf[@];\nint get(unsigned i) {\n  return i < 4 ? buf[i] : 0;\n}\n", "4", "3"},
		"table": {"const unsigned char steps[2] = {1, @};\nint buf[3];\nint get(unsigned i) {\n" +
			"  return buf[steps[i & 1]];\n}\n", "2", "4"},
		"member": {"struct s {\n  unsigned @ n;\n};\nint buf[256];\nint get(struct s *s) {\n  return buf[s->n];\n}\n",
			"char", "short"},
		"setter": {"struct s {\n  unsigned at;\n};\nint buf[4];\nvoid set(struct s *s, unsigned n) {\n" +
			"  if (n < @) s->at = n;\n}\nint get(struct s *s) {\n  return buf[s->at];\n}\n", "4", "5"},
		"getter": {"int buf[4];\nunsigned limit(void) {\n  return @;\n}\nint get(unsigned i) {\n" +
			"  return i < limit() ? buf[i] : 0;\n}\n", "4", "5"},
		"inline": {"static inline unsigned limit(void) {\n  return @;\n}\nint buf[4];\nint get(unsigned i) {\n" +
			"  return i < limit() ? buf[i] : 0;\n}\n", "4", "5"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := changesFolder(t, map[string]string{"a.c": strings.Replace(c.text, "@", c.from, 1)},
				map[string]string{"a.c": strings.Replace(c.text, "@", c.to, 1)})
			code, out := simulate(dir, "main~1..main")
			if wantAll(t, out, "firmproof / x86_64: failure", "1 new, 0 fixed, 0 known"); code != exitViolated {
				t.Errorf("exit %d", code)
			}
			put(t, dir, "a.c", strings.Replace(c.text, "@", c.from, 1))
			commitAll(t, dir, "mended")
			code, out = simulate(dir, "main~1..main")
			if wantAll(t, out, "firmproof / x86_64: success", "0 new, 1 fixed, 0 known"); code != exitOK {
				t.Errorf("exit %d", code)
			}
		})
	}
}

// TestSimulationOfAssertions: a function with an assertion is no part of a change that has its file's name stand elsewhere
// in the program. Nor are those of a header that is no more included.
func TestSimulationOfAssertions(t *testing.T) {
	const tail = "int f(int a) {\n  assert(a < 100);\n  return a / 2;\n}\n"
	dir := changesFolder(t, map[string]string{"a.c": "#include <assert.h>\n#include <stdlib.h>\n" +
		"unsigned long get(const char *a) {\n  return strtoul(a, 0, 10);\n}\n" + tail},
		map[string]string{"a.c": "#include <assert.h>\nunsigned long get(const char *a) {\n  return *a ? *a - '0' : 0;\n}\n" + tail})
	if _, out := simulate(dir, "main~1..main"); strings.Contains(out, "any call of f`") || !strings.Contains(out, "any call of get`") ||
		strings.Contains(out, "Not looked at") {
		t.Error(out)
	}
}

// TestSimulationOfTruths: code that reads truth values is the same whether or not a harness puts some into a union, and
// whichever harness does so first.
func TestSimulationOfTruths(t *testing.T) {
	const head = "#include <stdbool.h>\nstruct value { int type; union { bool flag; int word; } as; };\n"
	const flag = "int flag_of(const struct value *v) { return v->type == 1 && v->as.flag; }\n"
	const use, other = "int use(const bool *b, int n) { return *b ? n & @ : 0; }\n", "int other(const bool *b) { return *b ? 2 : 1; }\n"
	dir := changesFolder(t, map[string]string{"a.c": head + strings.Replace(use, "@", "7", 1) + other + flag},
		map[string]string{"a.c": head + strings.Replace(use, "@", "3", 1) + other + flag},
		map[string]string{"a.c": head + strings.Replace(flag, "flag_of", "first", 1) + strings.Replace(use, "@", "3", 1) + other + flag})
	for commits, want := range map[string]string{"main~2..main~1": "any call of use", "main~1..main": "any call of first"} {
		code, out := simulate(dir, commits)
		if code != exitOK || strings.Count(out, "`any call of") != 1 || !strings.Contains(out, "`"+want+"`") || strings.Contains(out, "internal") {
			t.Errorf("%s: exit %d: %s", commits, code, out)
		}
	}
}

// TestSimulationWithoutBase: a base that does not build takes nothing from the answer, not even where the head asks for
// another target.
func TestSimulationWithoutBase(t *testing.T) {
	const manifest = "version: 1\nbuild: {sources: [a.c]}\nfunctions: changed\n"
	dir := changesFolder(t, map[string]string{".firmproof.yml": manifest, "a.c": "int x = ;\n"},
		map[string]string{".firmproof.yml": manifest + "targets: [cortex-m4]\n", "a.c": "int f(int i) {\n  return 100 / i;\n}\n"})
	code, out := simulate(dir, "main~1..main")
	if wantAll(t, out, "The base cannot be verified", "division"); code != exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
	dir = changesFolder(t, map[string]string{"a.c": "int x = ;\n"}, map[string]string{"a.c": "int main(void) {\n  return 0;\n}\n"})
	code, out = simulate(dir, "main~1..main")
	if wantAll(t, out, "The base cannot be verified", "firmproof / x86_64: neutral", "nothing to check"); code != exitUnknown {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationOfFlags: a flag of the manifest is a part of the program.
func TestSimulationOfFlags(t *testing.T) {
	const manifest = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c], cflags: [-DLIMIT=%d]}\nfunctions: changed\n"
	dir := changesFolder(t, map[string]string{".firmproof.yml": fmt.Sprintf(manifest, 8),
		"a.c": "int buf[8];\nint get(unsigned i) {\n  return i < LIMIT ? buf[i] : 0;\n}\nint other(void) { return 1; }\n"},
		map[string]string{".firmproof.yml": fmt.Sprintf(manifest, 9)})
	code, out := simulate(dir, "main~1..main")
	if wantAll(t, out, "1 new, 0 fixed, 0 known"); code != exitViolated || strings.Contains(out, "other") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationOfNothing: where nothing was checked, that is no success, and what was not looked at is said.
func TestSimulationOfNothing(t *testing.T) {
	const harness = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: [part]\n"
	const text = "int part(unsigned a) {\n  int b[2] = {0};\n  return b[a & 1];\n}\n" +
		"int other(int a) {\n  return 7 / (a | 1);\n}\n"
	dir := changesFolder(t, map[string]string{"a.c": text}, map[string]string{"README": "changed\n"},
		map[string]string{".firmproof.yml": harness}, map[string]string{"a.c": strings.Replace(text, "7 /", "8 /", 1)})
	code, out := simulate(dir, "main~3..main~2")
	wantAll(t, out, "firmproof / x86_64: neutral", "nothing to check", "no function that is built differs")
	if code != exitOK {
		t.Errorf("no code changed: exit %d", code)
	}
	code, out = simulate(dir, "main~1..main")
	if wantAll(t, out, "firmproof / x86_64: neutral", "**Not looked at**: `other`"); code != exitUnknown {
		t.Errorf("no harness comes to the change: exit %d", code)
	}
}

// TestSimulationOfCallers: a changed static function is called itself, beside the nearest of its callers, and what only
// that call shows says so.
func TestSimulationOfCallers(t *testing.T) {
	text := "static int part(int a, int b) {\n  return @;\n}\nint first(int a, ...) {\n  return part(a, 2);\n}\n"
	for i := range 12 {
		text += fmt.Sprintf("int caller%02d(int a) {\n  return part(a, %d);\n}\n", i, i+1)
	}
	dir := changesFolder(t, map[string]string{"a.c": strings.Replace(text, "@", "b ? a / (b | 1) : 0", 1)},
		map[string]string{"a.c": strings.Replace(text, "@", "a / b", 1)})
	code, out := simulate(dir, "main~1..main")
	wantAll(t, out, "any call of part", "any call of caller06", "**Callers left out**: `caller07`",
		"only a call of part itself shows it: no call by first, caller00")
	if code != exitViolated || strings.Contains(out, "any call of caller07") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationTakesBack: what no caller brings about, and all were verified, is no finding of the changed function.
func TestSimulationTakesBack(t *testing.T) {
	const text = "static int part(int a, int b) {\n  return @;\n}\nint one(int a) {\n  return part(a, 1);\n}\n" +
		"int two(int a) {\n  return part(a, 2);\n}\n"
	dir := changesFolder(t, map[string]string{"a.c": strings.Replace(text, "@", "b ? a / (b | 1) : 0", 1)},
		map[string]string{"a.c": strings.Replace(text, "@", "a / b", 1)})
	code, out := simulate(dir, "main~1..main")
	if wantAll(t, out, "no call in the program brings it about"); code == exitViolated {
		t.Errorf("exit %d", code)
	}
}

// TestSimulationOfLess: a finding that is gone since less is asked is not fixed, and what is asked less is said.
func TestSimulationOfLess(t *testing.T) {
	const head = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nreport: {fail_on: [violation, weakened]}\nharnesses:\n"
	const code = "#include \"firmproof.h\"\nint buf[4];\nint main(void) {\n  unsigned n = firmproof_nondet_uint(), i;\n" +
		"  for (i = 0; i < n; i++)\n    if (i == 20) buf[i] = 1;\n  return 0;\n}\nint other(void) {\n  return 0;\n}\n"
	was := map[string]string{".firmproof.yml": head + "  - {entry: main, unwind: 30}\n  - {entry: other}\n", "a.c": code}
	for what, c := range map[string]struct {
		now  map[string]string
		want []string
	}{
		"unwind": {map[string]string{".firmproof.yml": head + "  - {entry: main, unwind: 3}\n  - {entry: other}\n"},
			[]string{"unwind of main is 3, and was 30", "which is no repair"}},
		"check": {map[string]string{".firmproof.yml": head +
			"  - {entry: main, unwind: 30, checks: [div-by-zero]}\n  - {entry: other}\n"},
			[]string{"check memory of main is gone", "which is no repair"}},
		"harness": {map[string]string{".firmproof.yml": head + "  - {entry: other}\n"},
			[]string{"harness main is gone"}},
		"assume": {map[string]string{"a.c": strings.Replace(code, "  for", "  firmproof_assume(n < 9);\n  for", 1)},
			[]string{"the code of main assumes something else", "which is no repair"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			exit, out := simulate(changesFolder(t, was, c.now), "main~1..main")
			wantAll(t, out, append(c.want, "firmproof / x86_64: failure", "**Asked less**")...)
			if exit != exitViolated || strings.Contains(out, "**Fixed**") {
				t.Errorf("exit %d: %s", exit, out)
			}
		})
	}
}

// TestSimulationOfLastHarness: a change that takes out the last harness has nothing to check, and says what is asked less.
func TestSimulationOfLastHarness(t *testing.T) {
	const head = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\n"
	dir := changesFolder(t, map[string]string{".firmproof.yml": head + "harnesses:\n  - {entry: h, file: h.c}\n",
		"a.c": "int get(void) {\n  return 1;\n}\n", "h.c": "int get(void);\nvoid h(void) {\n  get();\n}\n"},
		map[string]string{".firmproof.yml": head + "functions: changed\n"})
	_, out := simulate(dir, "main~1..main")
	wantAll(t, out, "firmproof / x86_64: neutral", "Nothing was checked", "**Asked less**", "harness h is gone")
}

// TestSimulationThatEnds: verifications that a signal ends are told as such.
func TestSimulationThatEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.c")
	put(t, filepath.Dir(file), "a.c", "int main(void) {\n  return 0;\n}\n")
	jobs, err := prepare.Jobs(t.Context(), prepare.Request{Paths: []string{file}, Targets: []string{"x86_64"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range verify(ctx, io.Discard, &checkFlags{jobs: 1}, jobs) {
		if r.Reason == nil || r.Reason.Kind != verdict.Cancelled {
			t.Errorf("%s: %+v", r.Entry, r.Reason)
		}
	}
}

// TestSimulationOfOthersCalls: what a call of another function does is said of that function, where both commits are
// asked. A commit that has something to be set before has calls of other functions, and the other one has none.
func TestSimulationOfOthersCalls(t *testing.T) {
	const text = "#include <stdlib.h>\n#include <string.h>\n@char *make(const void *init, size_t n) {\n  char *s = malloc(n + 1);\n" +
		"  #if (!init) memset(s, 0, n + 1);\n  if (!s) return 0;\n  if (n && init) memcpy(s, init, n);\n  s[n] = 0;\n  return s;\n}\n" +
		"char *empty(void) { return make(\"\", 0); }\n"
	dir := changesFolder(t, map[string]string{"a.c": strings.NewReplacer("@", "", "  #if", "  if").Replace(text)},
		map[string]string{"a.c": strings.NewReplacer("@", "const char *NONE = \"none\";\n", "  #if",
			"  if (init == NONE) init = NULL;\n  else if").Replace(text)})
	if exit, out := simulate(dir, "main~1..main"); exit == exitViolated || strings.Contains(out, "— new") {
		t.Errorf("exit %d: %s", exit, out)
	}
}
