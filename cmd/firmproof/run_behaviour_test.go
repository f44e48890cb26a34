package main

import (
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
