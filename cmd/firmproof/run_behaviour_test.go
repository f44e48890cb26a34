package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestSimulationOfBehaviour: a check run says what changed functions do; the manifest says which of them have to do the
// same, and that a difference fails.
func TestSimulationOfBehaviour(t *testing.T) {
	const old = "unsigned scale(unsigned x) { return x * 8; }\nint limit(int x) { return x > 100 ? 100 : x; }\n" +
		"int other(int x) { return x & 1; }\n"
	const same = "unsigned scale(unsigned x) { return x << 3; }\nint limit(int x) { return x > 100 ? 100 : x; }\n" +
		"int other(int x) { return x & 1; }\n"
	differs := strings.Replace(same, "x > 100", "x > 101", 1)
	const head = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n"
	for what, c := range map[string]struct {
		manifest, from, to string
		exit               int
		want               []string
		not                string
	}{
		"the same": {"report: {behaviour: true}\nunchanged: [scale]\n", old, same, exitOK,
			[]string{"firmproof / x86_64: success", "**What changed functions do**: 1 function changed: 1 the same on all inputs.",
				"| `scale` | x86_64 | ✅ the same on all inputs |"}, "differ"},
		"differs": {"report: {behaviour: true}\n", old, differs, exitOK,
			[]string{"firmproof / x86_64: success", "1 of 2 compared functions differs",
				"| `limit` | x86_64 | 🔀 differs | the result: 101, was 100 with limit.x = 101 |",
				"a.c:2: notice: limit does something else (x86_64)", "old.limit returns 100"}, ""},
		"fails": {"report: {fail_on: [violation, behaviour]}\n", old, differs, exitViolated,
			[]string{"firmproof / x86_64: failure", "1 of 2 compared functions differs"}, ""},
		"has to be the same": {"unchanged: [lim*]\n", old, differs, exitViolated,
			[]string{"firmproof / x86_64: failure", "it has to do the same (unchanged); the result"}, ""},
		"gone": {"unchanged: [other]\n", old, strings.Replace(old, "int other(int x) { return x & 1; }\n", "", 1), exitViolated,
			[]string{"Only in the base: `other`"}, ""},
		"other ones have to be": {"unchanged: [other]\n", old, differs, exitOK, []string{"firmproof / x86_64: success"},
			"(unchanged)"},
		"what it calls": {"unchanged: [limit]\n", "static int most(int x) { return x > 100 ? 100 : x; }\nint limit(int x) { return most(x); }\n",
			"static int most(int x) { return x > 101 ? 101 : x; }\nint limit(int x) { return most(x); }\n", exitViolated,
			[]string{"firmproof / x86_64: failure", "it has to do the same (unchanged); the result: 101, was 100"}, ""},
		"what it calls does the same": {"unchanged: [limit]\n", "static int most(int x) { return x > 100 ? 100 : x; }\nint limit(int x) { return most(x); }\n",
			"static int most(int x) { return x >= 100 ? 100 : x; }\nint limit(int x) { return most(x); }\n", exitOK,
			[]string{"firmproof / x86_64: success", "| `limit` | x86_64 | ✅ the same on all inputs |"}, "it has to do"},
		"a table behind a pointer": {"unchanged: [f]\n", "static const int t[2] = {1, 2};\nstatic const int *const p = t;\nstatic int at(int i) { return p[i & 1]; }\nint f(int i) { return at(i); }\n",
			"static const int t[2] = {1, 3};\nstatic const int *const p = t;\nstatic int at(int i) { return p[i & 1]; }\nint f(int i) { return at(i); }\n", exitViolated,
			[]string{"firmproof / x86_64: failure", "it has to do the same (unchanged)"}, ""},
		"open": {"unchanged: [limit]\n", old, strings.Replace(old, "limit(int x)", "limit(int x, int y)", 1),
			exitOK, []string{"firmproof / x86_64: neutral", "| `limit` | x86_64 | ❔ open |"}, "🔀"},
		"not asked": {"", old, differs, exitOK, []string{"firmproof / x86_64: success"}, "What changed functions do"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			was := map[string]string{".firmproof.yml": head + c.manifest, "a.c": c.from}
			exit, out := simulate(changesFolder(t, was, map[string]string{"a.c": c.to}), "main~1..main")
			if wantAll(t, out, c.want...); exit != c.exit || c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("exit %d: %s", exit, out)
			}
		})
	}
}

// TestSimulationSinceTag: functions that have to do what they do at a tag are compared with that, whatever the base does;
// nothing is known of them where there is no such tag.
func TestSimulationSinceTag(t *testing.T) {
	const first = "unsigned scale(unsigned x) { return x * 8; }\nint limit(int x) { return x > 100 ? 100 : x; }\n" +
		"int other(int x) { return x & 1; }\nint less(int x) { return x < 0 ? 0 : x; }\n"
	later := strings.Replace(first, "x > 100", "x > 101", 1) // what the base has
	shifted := strings.Replace(later, "x * 8", "x << 3", 1)
	const head = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n"
	const since = head + "unchanged: {since: v1.0, functions: [scale, limit, less]}\n"
	for what, c := range map[string]struct {
		manifest, base, to string
		exit               int
		want               []string
		not                string
	}{
		"the same": {since, first, strings.Replace(first, "x * 8", "x << 3", 1), exitOK, []string{"firmproof / x86_64: success",
			"**Unchanged since v1.0** (`scale`, `limit`, `less`): 1 the same on all inputs."}, "it has to do"},
		"differs in the base already": {since, later, shifted, exitViolated, []string{"firmproof / x86_64: failure", "1 of 3 compared functions differs",
			"**What changed functions do**: 1 function changed: 1 the same on all inputs.",
			"**Unchanged since v1.0** (`scale`, `limit`, `less`): 1 the same on all inputs, 1 not the same.",
			"it has to do what it does in v1.0 (unchanged); the result: 101, was 100 with limit.x = 101",
			"a.c:2: notice: limit does something else than in v1.0 (x86_64)"}, ""},
		"is as it was again": {since, later, first, exitOK, []string{"firmproof / x86_64: success",
			"1 function changed: 1 not the same.", "their code is what it was, and that of what they call."}, "it has to do"},
		"others are free": {since, first, strings.Replace(first, "x & 1", "x & 3", 1), exitOK,
			[]string{"firmproof / x86_64: success", "1 not the same"}, "it has to do"},
		"what it calls": {since, first, "static int most(void) { return 99; }\n" + strings.Replace(first, "x > 100 ? 100", "x > 100 ? most()", 1), exitViolated,
			[]string{"firmproof / x86_64: failure", "it has to do what it does in v1.0 (unchanged); the result: 99, was 100"}, ""},
		"gone": {since, first, strings.Replace(first, "int less(int x) { return x < 0 ? 0 : x; }\n", "", 1), exitViolated,
			[]string{"firmproof / x86_64: failure", "Gone since then: `less`."}, ""},
		"no such tag": {strings.Replace(since, "v1.0", "v2.0", 1), first, later, exitOK, []string{"firmproof / x86_64: neutral",
			"**Unchanged since v2.0** (`scale`, `limit`, `less`): not known, as it cannot be compared: the repository has no tag v2.0"},
			"it has to do"},
		"no such function": {strings.Replace(since, "less]", "'les?e']", 1), first, later, exitViolated,
			[]string{"No function there: `les?e`."}, "less"},
		"asks less": {head + "unchanged: [scale]\n", first, strings.Replace(first, "x & 1", "x & 3", 1), exitOK,
			[]string{"unchanged functions have to do what they do in the base, and not in v1.0"}, "Unchanged since"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			before := since
			if what != "asks less" {
				before = c.manifest
			}
			dir := t.TempDir()
			put(t, dir, "a.c", first)
			commitAll(t, dir, "a release from before there was a manifest")
			if out, err := exec.Command("git", "-C", dir, "tag", "v1.0").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			put(t, dir, ".firmproof.yml", before)
			put(t, dir, "a.c", c.base)
			commitAll(t, dir, "base")
			put(t, dir, ".firmproof.yml", c.manifest+"# later\n")
			put(t, dir, "a.c", c.to)
			commitAll(t, dir, "change")
			exit, out := simulate(dir, "main~1..main")
			if wantAll(t, out, c.want...); exit != c.exit || c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("exit %d: %s", exit, out)
			}
		})
	}
}

// TestSimulationBaseWithoutManifest: a base without a manifest is not verified by that of the head, which a tag is.
func TestSimulationBaseWithoutManifest(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.c", "int f(int x) { return x & 1; }\n")
	commitAll(t, dir, "before there was a manifest")
	put(t, dir, ".firmproof.yml", "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: all\n")
	commitAll(t, dir, "a manifest")
	_, out := simulate(dir, "main~1..main")
	wantAll(t, out, "The base cannot be verified, so nothing is known of it")
}
