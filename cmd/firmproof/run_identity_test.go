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
		"a parameter renamed": {named, strings.NewReplacer("unsigned i", "unsigned at", "[i]", "[at]", "i > 8",
			"at > 8").Replace(named), exitOK, []string{"0 new, 0 fixed, 1 known"}},
		"moved": {named, "int other(int a) {\n  return a & 3;\n}\n" + strings.Replace(named, "int other(int a) {\n  return a & 1;\n}\n",
			"", 1), exitOK, nil},
	} {
		t.Run(what, func(t *testing.T) {
			exit, out := simulate(changesFolder(t, map[string]string{"a.c": c.from}, map[string]string{"a.c": c.to}),
				"main~1..main")
			if wantAll(t, out, c.want...); exit != c.exit {
				t.Errorf("exit %d: %s", exit, out)
			}
		})
	}
}

// TestSimulationOfRepairs: fixed is what the base's inputs do not bring about any more, or what is proved as it was
// asked before.
func TestSimulationOfRepairs(t *testing.T) {
	const head = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: main, unwind: 30}\n"
	const code = "#include \"firmproof.h\"\nint buf[4];\nint main(void) {\n  unsigned n = firmproof_nondet_uint(), i;\n" +
		"  for (i = 0; i < n; i++)\n    if (i == 20) buf[@] = 1;\n  return 0;\n}\n"
	was := map[string]string{".firmproof.yml": head, "a.c": strings.Replace(code, "@", "i", 1)}
	for what, c := range map[string]struct {
		now  map[string]string
		want []string
		not  string
	}{
		"mended": {map[string]string{"a.c": strings.Replace(code, "@", "i & 3", 1)},
			[]string{"0 new, 2 fixed, 0 known"}, "not known to be mended"},
		"a loop that ends sooner": {map[string]string{"a.c": strings.Replace(strings.Replace(code, "@", "i", 1), "i < n;",
			"i < n && i < 9;", 1)}, []string{"0 new, 2 fixed, 0 known"}, "not known to be mended"},
		"fewer turns": {map[string]string{".firmproof.yml": strings.Replace(head, "30", "3", 1)},
			[]string{"which is no repair"}, "fixed,"},
	} {
		t.Run(what, func(t *testing.T) {
			_, out := simulate(changesFolder(t, was, c.now), "main~1..main")
			if wantAll(t, out, c.want...); strings.Contains(out, c.not) {
				t.Errorf("%q in %s", c.not, out)
			}
		})
	}
}

// TestSimulationOfTargets: what a new target shows in code that did not change is new on this target.
func TestSimulationOfTargets(t *testing.T) {
	const text = "int buf[8];\nint get(unsigned i) {\n  return i < 9 ? buf[i] : 0;\n}\nint other(int a) {\n  return 7 / (a | 1);\n}\n"
	const named = "version: 1\ntargets: [x86_64@]\nbuild: {sources: [a.c]}\nfunctions: [get, other]\n"
	dir := changesFolder(t, map[string]string{"a.c": text, ".firmproof.yml": strings.Replace(named, "@", "", 1)},
		map[string]string{"a.c": strings.Replace(text, "a | 1", "a & 1", 1),
			".firmproof.yml": strings.Replace(named, "@", ", cortex-m3", 1)})
	code, out := simulate(dir, "main~1..main")
	if wantAll(t, out, "firmproof / cortex-m3: failure", "`buf` (8 elements) — new on this target", "2 new, 0 fixed, 0 known",
		"1 new, 0 fixed, 1 known"); code != exitViolated || strings.Count(out, "— new on this target") != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationOfWhatWasBehind: what a change brings to light in code that was there is new, and said to be.
func TestSimulationOfWhatWasBehind(t *testing.T) {
	t.Parallel()
	const base = "static const int t[8];\nint scale(unsigned i) {\n  int n = t[i];\n  return 10 / (int)(i ^ 9) + n;\n}\n"
	dir := changesFolder(t, map[string]string{"a.c": base}, map[string]string{"a.c": strings.Replace(base, "t[i]", "i < 8 ? t[i] : 0", 1)})
	code, out := shortly(dir, "main~1..main")
	if wantAll(t, out, "1 new, 1 fixed, 0 known", "before the change, these inputs end in front of it, by memory in line 3"); code != exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
}
