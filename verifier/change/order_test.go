package change

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/testprogram"
)

// TestTurns: callees come before their callers, recursion or not, and short functions before long ones.
func TestTurns(t *testing.T) {
	turns := Turns(testprogram.Hosted(t, `int other(int), middle(int), leaf(int), odd(int);
int top(int x) { return x ? top(x - 1) + middle(x) : 0; }
int middle(int x) { return leaf(x) + other(x); }
int even(int x) { return x ? odd(x - 1) : leaf(x); }
int odd(int x) { return x ? even(x - 1) : 0; }
int longer(int x) { x = x * 3 + 1; x = x * 5 + 2; x = x * 7 + 3; return x; }
int leaf(int x) { return x; }
`))
	var names []string
	for name := range turns {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(turns[a], turns[b]) })
	if got := strings.Join(names, " "); got != "leaf longer middle odd even top" {
		t.Error(got)
	}
}
