package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// runOf returns what the report at path says of a run of its violation.
func runOf(t *testing.T, path string) *verdict.MachineRun {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rep verdict.Report
	if err := json.Unmarshal(text, &rep); err != nil {
		t.Fatal(err)
	}
	for _, c := range rep.Results[0].Claims {
		if c.Status == verdict.Violated {
			return c.Machine
		}
	}
	t.Fatal("nothing is violated")
	return nil
}

// TestMachineInReport: check --replay and replay -o put the result of a run into
// the report, also where the program ends by a signal, runs constructors, or gets
// inputs in the C library.
func TestMachineInReport(t *testing.T) {
	cases := []struct {
		name, target, text string
		want               verdict.MachineResult
	}{
		{"signal", "x86_64", "#include <assert.h>\nint main(void) { assert(firmproof_nondet_int() != 7); return 0; }\n", verdict.Reproduced},
		{"library", "x86_64",
			"#include <stdio.h>\n#include <assert.h>\nint main(void) { int x = 0; if (scanf(\"%d\", &x) == 1) assert(x != 77); return 0; }\n", verdict.Reproduced},
		{"overflow in the library", "i386",
			"#include <stdio.h>\nint main(void) { char s[4]; return sprintf(s, \"%d\", firmproof_nondet_int()); }\n",
			verdict.Reproduced},
		{"constructor", "x86_64",
			"#include <assert.h>\nint g; __attribute__((constructor)) void f(void) { g = 1; }\nint main(void) { assert(!g); return 0; }\n", verdict.Reproduced},
		{"call", "x86_64", "int main(void) { int (*f)(void) = 0; return f(); }\n", verdict.Reproduced},
		{"no machine", "avr", "int main(void) { int x = 0; return 1 / x; }\n", verdict.NotPossible},
		{"arguments", "x86_64", "int main(int argc, char **argv) { return argv[argc - 1][1]; }\n", verdict.NotPossible},
		{"constant", "x86_64", "int x = 2147483647 + 1;\nint main(void) { return x == 0; }\n", verdict.NotPossible},
		{"unseen", "cortex-m3", "int a[2]; int main(void) { int *p = a; return p[firmproof_nondet_bool() + 1]; }\n",
			verdict.NotReproduced},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, first, second := filepath.Join(dir, "p.c"), filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
			if err := os.WriteFile(file, []byte("#include \"firmproof.h\"\n"+c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if code := runWith([]string{"check", "--target", c.target, "--replay", "--format", "json", "-o", first,
				file}, &out, &out); code != exitViolated {
				t.Fatalf("check: exit %d: %s", code, out.String())
			}
			if m := runOf(t, first); m == nil || m.Result != c.want ||
				(m.Detail == "") != (c.want == verdict.Reproduced) {
				t.Errorf("check --replay: %+v, want %s", m, c.want)
			}
			replayRun(first, "-o", second, file)
			if m := runOf(t, second); m == nil || m.Result != c.want {
				t.Errorf("replay -o: %+v, want %s", m, c.want)
			}
		})
	}
}
