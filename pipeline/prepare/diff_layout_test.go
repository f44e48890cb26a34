package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// layoutCase is two versions with types of another layout.
type layoutCase struct {
	name, old, now string
	want           verdict.Sameness
	text           string // in what is said of it
}

// TestStructuresByValue compares versions that hand over, return or pass on a structure of another layout: as bytes they are
// the same where their members are not.
func TestStructuresByValue(t *testing.T) {
	const was, is = "struct s { int a, b; }; ", "struct s { int b, a; }; "
	for _, c := range []layoutCase{
		{"returned", was + "struct s f(int x, int y) { struct s r; r.a = x; r.b = y; return r; }",
			is + "struct s f(int x, int y) { struct s r; r.b = x; r.a = y; return r; }", verdict.SameOpen, "result"},
		{"handed over", was + "int f(struct s v) { return v.a; }",
			is + "int f(struct s v) { return v.b; }", verdict.SameOpen, "parameter v"},
		{"passed on", was + "void g(const struct s *); void f(int x, int y) { struct s r; r.a = x; r.b = y; g(&r); }",
			is + "void g(const struct s *); void f(int x, int y) { struct s r; r.b = x; r.a = y; g(&r); }", verdict.SameOpen,
			"r is passed on"},
		{"a number passed on", "void g(unsigned char *); void f(unsigned char x) { unsigned char r = x; g(&r); }",
			"void g(unsigned short *); void f(unsigned char x) { unsigned short r = x; g(&r); }", verdict.SameOpen, "r is passed on"},
		{"kept inside", was + "int f(int x, int y) { struct s r; r.a = x; r.b = y; return r.a - r.b; }",
			is + "int f(int x, int y) { struct s r; r.b = y; r.a = x; return r.a - r.b; }", verdict.Same, ""},
	} {
		c.run(t)
	}
}

func (c *layoutCase) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range map[string]string{"old.c": c.old, "new.c": c.now} {
			text = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n" + text + "\n"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c.judge(t, compared(t, dir, 6*time.Second))
	})
}

func (c *layoutCase) judge(t *testing.T, got *verdict.Comparison) {
	said := strings.Join(slices.Concat(got.Limits, verdict.TextsOf(got.Assumptions)), "\n")
	if got.Reason != nil {
		said += got.Reason.Detail
	}
	if got.Status != c.want || !strings.Contains(said, c.text) {
		t.Errorf("%s, want %s and %q: %s %v", got.Status, c.want, c.text, said, got.Differences)
	}
}
