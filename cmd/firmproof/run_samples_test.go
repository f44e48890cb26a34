package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestSimulationOfSamples: what a project's tests hand to a function is what both commits of a change begin with. The
// tests are no part of the program.
func TestSimulationOfSamples(t *testing.T) {
	const code = `unsigned table[64];
unsigned look(const unsigned char *p, unsigned len) {
  unsigned h = 2166136261u, r, i;
  if (len != 12) return 0;
  for (r = 0; r < 3; r++)
    for (i = 0; i < len; i++) {
      h = (h ^ p[i]) * 16777619u;
      h ^= h >> 13;
      h *= 0x9e3779b1u;
    }
  if (h != 0x620e89deu) return 0;
  return table[@];
}
`
	good, bad := strings.Replace(code, "@", "p[1] & 63", 1), strings.Replace(code, "@", "p[1]", 1)
	const manifest = "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n"
	for what, c := range map[string]struct {
		file, text string
		found      bool
	}{
		"a test": {"test_look.c", "#include \"nowhere.h\"\nvoid t(void) {\n  assert(look(\"$Zulu\" \",1842,N\", 12));\n}\n",
			true},
		"another input": {"test_look.c", "const char *text = \"$Zulu,1842,S\";\n", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := changesFolder(t, map[string]string{".firmproof.yml": manifest, c.file: c.text, "a.c": good},
				map[string]string{"a.c": bad}, map[string]string{"a.c": good})
			code, out := shortly(dir, "main~2..main~1")
			if c.found != strings.Contains(out, "1 new, 0 fixed, 0 known") || c.found != (code == exitViolated) {
				t.Errorf("exit %d: %s", code, out)
			}
			code, out = shortly(dir, "main~1..main")
			if c.found != strings.Contains(out, "0 new, 1 fixed, 0 known") || code == exitViolated {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// shortly is simulate with one second for an entry, and further flags.
func shortly(dir, rng string, flags ...string) (int, string) {
	var out bytes.Buffer
	code := runWith(append([]string{"run", "--pr-sim", rng, "--repo", dir, "--timeout", "1s"}, flags...), &out, &out)
	return code, out.String()
}

// newThenFixed wants one new finding of the last commit but one, of which all of says is said, and that the last one fixes
// it. Both are asked shortly, with flags.
func newThenFixed(t *testing.T, dir string, flags []string, says ...string) {
	t.Helper()
	code, out := shortly(dir, "main~2..main~1", flags...)
	if wantAll(t, out, append(says, "1 new, 0 fixed, 0 known")...); code != exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out = shortly(dir, "main~1..main", flags...)
	if wantAll(t, out, "0 new, 1 fixed, 0 known"); code == exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
}
