package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
)

// commitAll makes a commit of everything in dir.
func commitAll(t *testing.T, dir, message string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", message}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

func simulate(dir, rng string) (int, string) {
	var out bytes.Buffer
	code := runWith([]string{"run", "--pr-sim", rng, "--repo", dir}, &out, &out)
	return code, out.String()
}

// TestSimulation: a bug that was there, one that comes, both mended, and a change that does not build.
func TestSimulation(t *testing.T) {
	dir := t.TempDir()
	const first = "int main(void) {\n  unsigned i = firmproof_nondet_uint();\n  static char buf[4];\n  if (i > 4) return 0;\n  buf[i] = 1;\n"
	put(t, dir, ".firmproof.yml",
		"version: 1\ntargets: [cortex-m3, x86_64]\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: main}\n")
	old := "#include \"firmproof.h\"\n" + first
	for _, text := range []string{
		old + "  return 0;\n}\n",
		old + "  int d = firmproof_nondet_int();\n  return 8 / d;\n}\n",
		strings.Replace(old, "i > 4", "i > 3", 1) + "  return 0;\n}\n",
		"int main(void) { return x; }\n",
	} {
		put(t, dir, "a.c", text)
		commitAll(t, dir, "change")
	}
	code, out := simulate(dir, "main~3..main~2")
	if code != exitViolated {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "firmproof / cortex-m3: failure", "firmproof / x86_64: failure", "1 new, 0 fixed, 1 known",
		"— new", "— known", "a.c:8: failure: div-by-zero (x86_64)")
	if code, out = simulate(dir, "main~2..main~1"); code != exitOK {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "firmproof / x86_64: success", "0 new, 2 fixed, 0 known")
	if code, out = simulate(dir, "main~1..main"); code != exitViolated {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "does not build", "a.c:1")
	for rng, want := range map[string]string{"main": "want BASE..HEAD", "main..nosuch": "nosuch is no commit"} {
		if code, out := simulate(dir, rng); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d: %s", rng, code, out)
		}
	}
	var said bytes.Buffer
	if code := runWith([]string{"run", "--pr-sim", "main~2..main~1", "--repo", dir, "--memory", "1x"}, &said, &said); code != exitUsage ||
		!strings.Contains(said.String(), "want a size") {
		t.Errorf("--memory: exit %d: %s", code, said.String())
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "refs", "firmproof")); err == nil {
		t.Error("left refs in the repository")
	}
}

// TestSimulationOfFunctions: what a changed function did wrong before the change is known.
func TestSimulationOfFunctions(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".firmproof.yml",
		"version: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]}\nfunctions: changed\nharnesses:\n  - {entry: main}\n")
	const text = "int other(int a) { return 7 / a; }\nint part(int a, int b) { return a %s b; }\nint main(void) { return 0; }\n"
	for _, op := range []string{"/", "/ /* by */", "- 1 +"} {
		put(t, dir, "a.c", strings.Replace(text, "%s", op, 1))
		commitAll(t, dir, "change")
	}
	code, out := simulate(dir, "main~2..main~1")
	if code != exitOK { // known findings alone do not fail a change
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "firmproof / cortex-m3: neutral", "0 new, 0 fixed", "— known")
	if strings.Contains(out, "— new") || strings.Contains(out, "other") {
		t.Errorf("%s", out)
	}
	_, out = simulate(dir, "main~1..main")
	wantAll(t, out, "— new")
}

// TestSimulationOfEdits: a finding keeps its state while the function around it is edited, and while its own
// expression is; what was mended is listed; a base that went on is said.
func TestSimulationOfEdits(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".firmproof.yml",
		"version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: main}\n")
	const text = `#include "firmproof.h"
int main(void) {
  int a = firmproof_nondet_int(), b = firmproof_nondet_int(), list[4] = {0};
  unsigned i = firmproof_nondet_uint() % 5;
  BEFORE
  int q = 7 / a;
  list[i] = q;
  return b % (a ? list[0] ? 1 : 2 : 3);
}
`
	for _, edit := range [][2]string{{"BEFORE", "b = 1;"}, {"BEFORE", "b = 9 / (b | 1); if (b == 3) list[i % 4] = 1;"},
		{"7 / a", "7 / (a * 1)"}, {"% 5", "% 4"}} {
		put(t, dir, "a.c", strings.NewReplacer(edit[0], edit[1], "BEFORE", "b = 1;").Replace(text))
		commitAll(t, dir, "change")
	}
	code, out := simulate(dir, "main~3..main~2")
	wantAll(t, out, "0 new, 0 fixed, 2 known")
	if code != exitOK {
		t.Errorf("exit %d", code)
	}
	_, out = simulate(dir, "main~3..main~1")
	wantAll(t, out, "0 new, 0 fixed, 2 known")
	_, out = simulate(dir, "main~3..main")
	wantAll(t, out, "0 new, 1 fixed, 1 known", "**Fixed**\n\n- `memory@main#")
	_, out = simulate(dir, "main..main~2")
	wantAll(t, out, "main is not an ancestor of main~2")
}

// TestExamplesBuild: the example compiles for its targets, clean, with the bug and with the repair.
func TestExamplesBuild(t *testing.T) {
	for name, patches := range map[string][]string{"main": nil, "pr": {"pr/native-word-history.patch"},
		"pr-fix": {"pr/native-word-history.patch", "pr-fix/report-wire-size.patch"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := patchedExample(t, patches...)
			for _, target := range []string{"cortex-m3", "i386", "x86_64"} {
				var out bytes.Buffer
				code := runWith([]string{"check", dir, "--target", target, "--entry", "report_harness", "-q"}, &out,
					&out)
				if want := map[bool]int{true: exitViolated, false: exitOK}[name == "pr" &&
					target == "x86_64"]; code != want {
					t.Errorf("%s: exit %d, want %d: %s", target, code, want, out.String())
				}
			}
		})
	}
	list, err := filepath.Glob("../../examples/small/*.c")
	if err != nil || len(list) < 10 {
		t.Fatalf("%v %v", list, err)
	}
	names := []string{"cortex-m3", "i386", "x86_64"}
	if testing.Short() {
		names = names[:1]
	}
	for _, file := range list {
		for _, target := range names {
			to, err := targets.Load(target)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compile.Files(t.Context(), []string{file}, to, compile.Options{WorkDir: t.TempDir(),
				Entries: []string{"main"}}); err != nil {
				t.Errorf("%s for %s: %v", file, target, err)
			}
		}
	}
}

// TestFailOnOfManifests: report.fail_on decides where --fail-on is not given, and only
// if all manifests agree.
func TestFailOnOfManifests(t *testing.T) {
	dirs := map[string]string{}
	for name, text := range map[string]string{"violation": "report: {fail_on: violation}\n",
		"unknown": "report: {fail_on: unknown}\n", "vacuous": "report: {fail_on: [violation, vacuous]}\n",
		"strict": "report: {fail_on: [vacuous]}\n", "silent": ""} {
		dirs[name] = t.TempDir()
		put(t, dirs[name], ".firmproof.yml", "version: 1\nbuild: {sources: [a.c]}\n"+text)
	}
	for _, c := range []struct {
		args []string
		want string
	}{{[]string{dirs["violation"]}, "violation"}, {[]string{dirs["unknown"]}, "unknown"},
		{[]string{dirs["vacuous"]}, "violation,vacuous"}, {[]string{dirs["strict"]}, "unknown,vacuous"},
		{[]string{dirs["silent"]}, "unknown"}, {[]string{dirs["violation"], dirs["silent"]}, "unknown"},
		{[]string{filepath.Join(dirs["violation"], "a.c")}, "unknown"}} {
		if got := failOn(c.args); got != c.want {
			t.Errorf("%v: %s, want %s", c.args, got, c.want)
		}
	}
}

// TestSimulationTriesTheHead: a violation that only a long search finds on the base is known there, because the base is
// run on the inputs that violate the head.
func TestSimulationTriesTheHead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".firmproof.yml", "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n")
	const hash = "static unsigned long hash(unsigned long x) { for (int i = 0; i < 24; i++) { x = x * x + 0x9e3779b97f4a7c15; " +
		"x ^= x >> 29; x *= 0xbf58476d1ce4e5b9; x ^= x >> 32; } return x; }\n"
	for _, known := range []string{"hash(a) == 12217361637013257941u", "a == 81985529216486895u"} {
		put(t, dir, "a.c", hash+"int f(unsigned long a, int d) {\n  if ("+known+") return 8 / d;\n  return 0;\n}\n")
		commitAll(t, dir, "change")
	}
	var buf bytes.Buffer
	code := runWith([]string{"run", "--pr-sim", "main~1..main", "--repo", dir, "--timeout", "20s"}, &buf, &buf)
	out := buf.String()
	if code == exitViolated {
		t.Errorf("a known finding fails the change:\n%s", out)
	}
	wantAll(t, out, "0 new, 0 fixed, 1 known", "— known")
}

// TestSimulationOfNullChecks: who takes out a check for null brings about a violation, and who puts one in mends it:
// both sides are called with null if one of them asks for it.
func TestSimulationOfNullChecks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".firmproof.yml", "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n")
	for _, check := range []string{"", "if (!s) return 0; ", "/* none */"} {
		put(t, dir, "a.c", "struct s { int v; };\nint f(struct s *s) { "+check+"return s->v; }\n")
		commitAll(t, dir, "change")
	}
	code, out := simulate(dir, "main~2..main~1")
	if wantAll(t, out, "0 new, 1 fixed, 0 known"); code != exitOK {
		t.Errorf("a check more: exit %d", code)
	}
	code, out = simulate(dir, "main~1..main")
	if wantAll(t, out, "1 new, 0 fixed, 0 known", "s may be null"); code != exitViolated {
		t.Errorf("a check less: exit %d", code)
	}
	put(t, dir, "README", "changed\n")
	commitAll(t, dir, "change")
	if code, out := simulate(dir, "main~1..main"); code != exitOK || !strings.Contains(out, "Nothing was checked") {
		t.Errorf("no code changed: exit %d\n%s", code, out)
	}
	if code, out = simulate(dir, "main~3..main~1"); code != exitOK {
		t.Errorf("no check before and after: exit %d\n%s", code, out)
	}
}

// TestSimulationOfPaths: a change of no file that the manifest names is not verified, and says so; one that deletes such a
// file, or changes the manifest, is.
func TestSimulationOfPaths(t *testing.T) {
	dir := t.TempDir()
	const m = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: all\npull_requests: {paths: [\"*.[ch]\"]}\n"
	put(t, dir, ".firmproof.yml", m)
	put(t, dir, "a.c", "int f(int n) { return 10 / n; }\n")
	put(t, dir, "b.h", "\n")
	commitAll(t, dir, "begin")
	for _, c := range []struct {
		file, text string
		checked    bool
	}{{"README", "words\n", false}, {"a.c", "int f(int n) { return 11 / n; }\n", true}, {"b.h", "", true},
		{".firmproof.yml", m + "report: {comment: true}\n", true}} {
		put(t, dir, c.file, c.text)
		if c.text == "" {
			if err := os.Remove(filepath.Join(dir, c.file)); err != nil {
				t.Fatal(err)
			}
		}
		commitAll(t, dir, "change")
		code, out := simulate(dir, "main~1..main")
		if strings.Contains(out, "`pull_requests: paths`") == c.checked || !c.checked && (code != exitOK || !strings.Contains(out,
			"firmproof: neutral")) {
			t.Errorf("%s: exit %d\n%s", c.file, code, out)
		}
	}
}

// TestSimulationOfCauses: a finding outside of the change is also told of at the changed line that brings it about,
// and only there; it and its ID outlast an edit of the function that it stands in.
func TestSimulationOfCauses(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".firmproof.yml",
		"version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: main}\n")
	const text = "static char buf[4];\nstatic int last(void) {\n  int n = FOUR;\n  int m = 7;\n  return n + m - 7;\n}\n" +
		"int main(void) {\n  MORE\n  buf[last()] = 1;\n  return 0;\n}\n"
	for _, edit := range [][2]string{{"3", ""}, {"4", ""}, {"4", "buf[0] = 1; buf[1] = 2; if (buf[0]) buf[2] = 3;"}} {
		put(t, dir, "a.c", strings.NewReplacer("FOUR", edit[0], "MORE", edit[1]).Replace(text))
		commitAll(t, dir, "change")
	}
	code, out := simulate(dir, "main~2..main~1")
	if wantAll(t, out, "1 new, 0 fixed, 0 known", "a.c:9: failure: memory (x86_64)",
		"a.c:3: failure: brings about memory (x86_64) at a.c:9", "n = 4: the failure at a.c:9"); code != exitViolated {
		t.Errorf("exit %d", code)
	}
	if n := strings.Count(out, ": failure: brings about"); n != 1 {
		t.Errorf("told of at %d changed lines:\n%s", n, out)
	}
	if code, out = simulate(dir, "main~1..main"); code != exitOK {
		t.Errorf("exit %d", code)
	}
	if wantAll(t, out, "0 new, 0 fixed, 1 known", "— known"); strings.Contains(out, "brings about") {
		t.Errorf("a known finding is said to be brought about:\n%s", out)
	}
}
