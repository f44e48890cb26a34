package its

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHostileSystems: what would take all memory or the whole stack is refused with its
// reason, in no time.
func TestHostileSystems(t *testing.T) {
	deep := strings.Repeat("(", 1_000_000)
	koat := func(rule string) string {
		return "(GOAL TERMINATION)\n(STARTTERM (FUNCTIONSYMBOLS s))\n(RULES\n" + rule + "\n)"
	}
	for name, c := range map[string]struct{ text, want string }{
		"powers.koat":     {koat("s(x,y,z) -> l((((x+y+z)^20)^20)^20,y,z)"), "polynomial with more than"},
		"squares.koat":    {koat("s(x) -> l(((((((2^60)^60)^60)^60)^60)^60)^60)"), "polynomial with more than"},
		"power.koat":      {koat("s(x) -> l(x^99999999999999999999)"), "expon"},
		"brackets.koat":   {koat("s(x) -> l(" + deep + "x"), "nested deeper"},
		"signs.koat":      {koat("s(x) -> l(" + strings.Repeat("-", 1_000_000) + "x)"), "nested deeper"},
		"conditions.koat": {koat("s(x) -> l(x) :|: " + strings.Repeat("!", 1_000_000) + "x > 0"), "nested deeper"},
		"brackets.smt2":   {"(define-fun " + deep, "nested deeper"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err := ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %.200v after %s", name, err, time.Since(start))
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe.koat")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(pipe); err == nil {
		t.Error("a pipe is read")
	}
}
