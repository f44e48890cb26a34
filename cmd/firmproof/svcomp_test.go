package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSVComp asks for the last line on tasks whose answer must not be guessed.
func TestSVComp(t *testing.T) {
	const reach, mem, overflow = "G ! call(reach_error())", "G valid-memtrack", "G ! overflow"
	for _, c := range []struct{ name, property, program, want string }{
		{"reached", reach, "void reach_error(void) {}\nint main(void) { reach_error(); return 0; }", "FALSE(unreach-call)"},
		{"not reached", reach, "void reach_error(void) {}\nint main(void) { int x = 2; if (x > 3) reach_error(); return 0; }", "TRUE"},
		{"error is a label", reach, "int main(void) { int x = 2; if (x == 2) { ERROR: goto ERROR; } return 0; }", "UNKNOWN"},
		{"lost", mem, "void *malloc(unsigned long);\nint main(void) { malloc(4); return 0; }", "FALSE(valid-memtrack)"},
		{"tracked by a global", mem, "void *malloc(unsigned long);\nvoid *keep;\nint main(void) { keep = malloc(4); return 0; }", "UNKNOWN"},
		{"overflow of constants", overflow, "int main(void) { int x = 1073741824 * 2; return x == 0; }", "FALSE(no-overflow)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file, spec := filepath.Join(dir, "task.c"), filepath.Join(dir, "task.prp")
			for name, text := range map[string]string{file: c.program + "\n", spec: "CHECK( init(main()), LTL(" + c.property + ") )\n"} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			runWith([]string{"svcomp", "--spec", spec, "--data-model", "LP64", file}, &out, &errs)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if got := lines[len(lines)-1]; got != c.want {
				t.Errorf("got %s, want %s\n%s%s", got, c.want, out.String(), errs.String())
			}
		})
	}
}
