package termination

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRunFile: the last line per kind of file and question.
func TestRunFile(t *testing.T) {
	const smt = `(define-fun init_main ((pc Loc) (x Int)) Bool (cfg_init pc l0 true))
(define-fun next_main ((pc Loc) (x Int) (pc1 Loc) (y Int)) Bool (or
  (cfg_trans2 pc l0 pc1 l0 (and (> x 0) (= y (%OP% x 1))))))`
	koat := func(goal, rules string) string {
		return "(GOAL " + goal + ")\n(STARTTERM (FUNCTIONSYMBOLS s))\n(RULES\n" + rules + "\n)"
	}
	for _, c := range []struct{ name, text, last, says string }{
		{"down.smt2", strings.ReplaceAll(smt, "%OP%", "-"), "YES", "every run ends"},
		{"up.ari", strings.ReplaceAll(smt, "%OP%", "+"), "NO", "never ends"},
		{"loop.koat", koat("COMPLEXITY", "s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0"), "WORST_CASE(?,O(n^1))",
			"max(0, x)"},
		{"term.koat", koat("TERMINATION", "s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0"), "YES", "every run ends"},
		{"ever.koat", koat("COMPLEXITY", "s(x) -> l(x)\n l(x) -> l(x)"), "NO", "never ends"},
		{"choice.koat", koat("COMPLEXITY", "s(x) -> l(y)\n l(x) -> l(x-1) :|: x > 0"), "MAYBE", "every run ends"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		last, _, err := RunFile(context.Background(), path, Options{Timeout: 5 * time.Minute}, &out)
		if err != nil || last != c.last || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %q %v, want %q and %q in\n%s", c.name, last, err, c.last, c.says, out.String())
		}
	}
	if _, _, err := RunFile(context.Background(), "x.txt", Options{}, &bytes.Buffer{}); err == nil {
		t.Error("a file that is not there is no error")
	}
}
