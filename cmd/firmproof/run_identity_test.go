package main

import (
	"strings"
	"testing"
)

// TestSimulationOfIdentity: an old finding owns its claim only as far as it goes: what the head does wrong beside it is
// new. Names and places are no identity.
func TestSimulationOfIdentity(t *testing.T) {
	const old = "int buf[8];\nint get(unsigned i) {\n  if (i > @) return 0;\n  return buf[i];\n}\n"
	const named = "static int table[8];\nint get(unsigned i, int k) {\n  int part = k;\n  if (i > 8) return part;\n" +
		"  return table[i];\n}\nint other(int a) {\n  return a & 1;\n}\n"
	for what, c := range map[string]struct {
		from, to string
		exit     int
		want     []string
	}{
		"one more input": {strings.Replace(old, "@", "8", 1), strings.Replace(old, "@", "9", 1), exitViolated,
			[]string{"1 new, 0 fixed, 0 known", "array index 9"}},
		"as before, other text": {strings.Replace(old, "@", "8", 1), strings.Replace(old, "i > @", "8 < i", 1), exitOK,
			[]string{"0 new, 0 fixed, 1 known"}},
		"fewer inputs": {strings.Replace(old, "@", "9", 1), strings.Replace(old, "@", "8", 1), exitOK,
			[]string{"0 new, 0 fixed, 1 known"}},
		"a function renamed": {named, strings.Replace(named, "get(", "fetch(", 1), exitOK,
			[]string{"0 new, 0 fixed, 1 known"}},
		"a variable renamed": {named, strings.ReplaceAll(named, "table", "values"), exitOK,
			[]string{"0 new, 0 fixed, 1 known"}},
		"a parameter renamed": {named, strings.ReplaceAll(strings.ReplaceAll(named, "unsigned i", "unsigned at"),
			"[i]", "[at]"), exitUnknown, nil},
		"moved": {named, "int other(int a) {\n  return a & 3;\n}\n" + strings.Replace(named, "int other(int a) {\n  return a & 1;\n}\n",
			"", 1), exitOK, nil},
	} {
		t.Run(what, func(t *testing.T) {
			if what == "a parameter renamed" {
				c.to, c.exit, c.want = strings.Replace(c.to, "i > 8", "at > 8", 1), exitOK, []string{"0 new, 0 fixed, 1 known"}
			}
			exit, out := simulate(changesFolder(t, map[string]string{"a.c": c.from}, map[string]string{"a.c": c.to}),
				"main~1..main")
			if wantAll(t, out, c.want...); exit != c.exit {
				t.Errorf("exit %d: %s", exit, out)
			}
		})
	}
}
