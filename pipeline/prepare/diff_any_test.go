package prepare

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAnyArguments compares versions that do the same with the arguments of a careful caller, and perhaps with others.
func TestAnyArguments(t *testing.T) {
	const head = "#include <stddef.h>\n#include <stdint.h>\n"
	for _, c := range []struct {
		name, old, now string
		want           verdict.Sameness
	}{
		{"long texts", "int f(const char *s) { size_t n = 0; while (s[n]) n++; return (int)n; }",
			"int f(const char *s) { uint8_t n = 0; while (s[n]) n++; return n; }", verdict.SameBounded},
		{"all texts", "size_t f(const char *s) { size_t n = 0; while (s[n]) n++; return n; }",
			"size_t f(const char *s) { const char *p = s; while (*p) p++; return (size_t)(p - s); }", verdict.Same},
		{"one place", "int f(int *p, const int *q) { *p = 1; return *q; }",
			"int f(int *p, const int *q) { int r = *q; *p = 1; return r; }", verdict.SameBounded},
		{"one place, read", "int f(const int *p, const int *q) { int x = *p; return x - *q; }",
			"int f(const int *p, const int *q) { int y = *q; return *p - y; }", verdict.Same},
		{"one place, written as before", "void f(uint8_t *p, const uint8_t *q) { p[0] = q[0]; p[1] = q[1]; }",
			"void f(uint8_t *p, const uint8_t *q) { for (int i = 0; i < 2; i++) p[i] = q[i]; }", verdict.Same},
		{"one place, the upper one", "void f(uint8_t *p, const uint8_t *q) { p[0] = q[0]; p[1] = q[1]; p[2] = q[2]; }",
			"#include <string.h>\nvoid f(uint8_t *p, const uint8_t *q) { memmove(p, q, 3); }", verdict.SameBounded},
		{"one place, the lower one", "void f(uint8_t *p, const uint8_t *q) { p[2] = q[2]; p[1] = q[1]; p[0] = q[0]; }",
			"#include <string.h>\nvoid f(uint8_t *p, const uint8_t *q) { memmove(p, q, 3); }", verdict.SameBounded},
		{"a variable, as before", "uint8_t b[4]; void f(uint8_t *p) { p[0] = b[0]; p[1] = b[1]; }",
			"uint8_t b[4]; void f(uint8_t *p) { for (int i = 0; i < 2; i++) p[i] = b[i]; }", verdict.Same},
		{"a variable, the other way", "uint8_t b[4]; void f(uint8_t *p) { p[0] = b[0]; p[1] = b[1]; }",
			"uint8_t b[4]; void f(uint8_t *p) { p[1] = b[1]; p[0] = b[0]; }", verdict.SameBounded},
		{"before the start", "int f(const int *p, int i) { return i < 0 ? p[i] : 0; }",
			"int f(const int *p, int i) { return 0; }", verdict.SameBounded},
		{"more than one", "int f(const uint8_t *p, int last) { return last ? p[1] : p[0]; }",
			"int f(const uint8_t *p, int last) { int x = p[1]; return last ? x : p[0]; }", verdict.SameBounded},
		{"null no more", "int f(const int *p) { return p ? *p : 9; }",
			"__attribute__((nonnull)) int f(const int *p) { return *p; }", verdict.SameOpen},
		{"a part of anything", "uint32_t f(const void *v) { const uint8_t *p = v; return p[0] | p[1] << 8; }",
			"uint32_t f(const void *v) { return *(const uint16_t *)v; }", verdict.SameBounded},
		{"other enumerators", "enum e { A, B }; int f(enum e x) { return x == A ? 1 : 2; }",
			"enum e { A, B }; int f(enum e x) { return x == A ? 1 : x == B ? 2 : 3; }", verdict.SameBounded},
		{"through an initialiser", "static int x = 5; static int *p = &x; void set(int v) { *p = v; } int f(void) { return *p; }",
			"static int x = 5; static int *p = &x; void set(int v) { *p = v; } int f(void) { return *p == 5 ? 5 : 6; }",
			verdict.Differs},
		{"bytes of a word", "void f(uint8_t *b, uint32_t v) { b[0] = v; b[1] = v >> 8; b[2] = v >> 16; b[3] = v >> 24; }",
			"void f(uint8_t *b, uint32_t v) { for (int i = 0; i < 4; i++, v >>= 8) b[i] = v & 0xff; }", verdict.Same},
		{"ends no more", "void f(unsigned n) { while (n > 0) n--; }",
			"void f(unsigned n) { while (n > 0) if (n != 3) n--; }", verdict.Differs},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"old.c": c.old, "new.c": c.now} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(head+text+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			limit := 6 * time.Second
			if c.want == verdict.Same { // which ends when it is shown
				limit = 30 * time.Second
			}
			if got := compared(t, dir, limit); got.Status != c.want {
				t.Errorf("%s, want %s: %v %v %v", got.Status, c.want, got.Reason, got.Limits, verdict.TextsOf(got.Assumptions))
			}
		})
	}
}
