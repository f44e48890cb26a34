package contract

import (
	"strings"
	"testing"
)

// TestWordBytes: what is beside letters and digits in ASCII ends a word (C17 6.4.2).
func TestWordBytes(t *testing.T) {
	for c, want := range map[byte]bool{'a': true, 'z': true, 'A': true, 'Z': true, '0': true, '9': true, '_': true,
		'$': true, 0x80: true, 0xff: true, '{': false, '`': false, '[': false, '@': false, '/': false, ':': false,
		0x7f: false, '#': false, '%': false} {
		if got := isWordByte(c); got != want {
			t.Errorf("%q: %v, want %v", c, got, want)
		}
	}
}

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
