package contract

import (
	"strings"
	"testing"
)

// TestFailsInLoops: a predicate that is a whole invariant of a loop decides it alone, so it may not fail; one beside
// another way to be true may.
func TestFailsInLoops(t *testing.T) {
	for clause, want := range map[string]bool{"is_fresh(p, 4)": false, "x && is_fresh(p, 4)": false,
		"is_fresh(p, 4) || x": true} {
		src := "void f(int *p, int x) { while (x) __CPROVER_assigns(x) __CPROVER_loop_invariant(" +
			strings.ReplaceAll(clause, "is_fresh", "__CPROVER_is_fresh") + ") { x--; } }"
		out, err := Rewrite("a.c", []byte(src), Options{Loops: true})
		if err != nil {
			t.Fatalf("%s: %v", clause, err)
		}
		if got := strings.Contains(string(out), "firmproof_contract_may_fail++"); got != want {
			t.Errorf("%s: may fail: %v\n%s", clause, got, out)
		}
	}
}
