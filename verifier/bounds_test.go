package verifier

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBoundsBehindBounds: where paths end at one bound, nothing is said of the turns that a loop behind it takes.
func TestBoundsBehindBounds(t *testing.T) {
	const some = "unsigned m = nondet_uchar(), k = nondet_uchar() & 1; if (m < 10) return 0; "
	for name, c := range map[string]struct{ src, want string }{
		"the outer loop behind the inner one": {`int main(void) { ` + some + `unsigned n = nondet_uint(), s = 0;
 for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < m; j++) s++; return 0; }`,
			"main.0 open 4, main.1 open 4"},
		"the inner loop in later turns of the outer one": {`int main(void) { unsigned n = nondet_uint(), s = 0;
 for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < i && j <= nondet_uint(); j++) s++; return 0; }`,
			"main.0 open 4, main.1 open 4"},
		"a later loop": {`int main(void) { ` + some + `unsigned s = 0, i = 0;
 for (unsigned j = 0; j < m; j++) s++; while (i < m && s > nondet_uint()) i++; return 0; }`,
			"main.0 open 4, main.1 open 4"},
		"a loop in a called function": {`static unsigned f(unsigned m) { unsigned s = 0; while (s < m) s++; return s; }
int main(void) { ` + some + `unsigned n = nondet_uint(); for (unsigned i = 0; i < n; i++) f(m); return 0; }`,
			"main.0 open 4, f.0 open 4"},
		"an earlier loop": {`int main(void) { ` + some + `unsigned s = 0;
 for (unsigned i = 0; i < k; i++) s++; for (unsigned j = 0; j < m; j++) s++; return 0; }`,
			"main.0 at most 1, main.1 open 4"},
		"nothing open": {`int main(void) { ` + some + `unsigned s = 0;
 for (unsigned i = 0; i < k; i++) for (unsigned j = 0; j < 3 + k; j++) s++; return 0; }`,
			"main.0 at most 1, main.1 at most 4"},
	} {
		res := Run(context.Background(), testprogram.Compile(t, c.src, "-O0"), Plan{Entry: "main", Unwind: 4,
			Checks: verdict.CheckSet{verdict.Assert: true, verdict.Unwinding: true}})
		var got []string
		for _, l := range res.Bounds.Loops {
			word := "open"
			if l.Complete {
				word = "at most"
			}
			got = append(got, fmt.Sprintf("%s %s %d", l.Name, word, l.Turns))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
		for _, claim := range res.Claims {
			if may := strings.Contains(claim.Message, "may take more"); claim.Check == verdict.Unwinding &&
				may == (claim.Status == verdict.Proved) {
				t.Errorf("%s: %s is %s", name, claim.Message, claim.Status)
			}
		}
	}
}

// TestBoundsByBits: the turns of loops over the bits of words are bounded; each has a twin without such a bound.
func TestBoundsByBits(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"bits that are set": {`unsigned f(unsigned n) { unsigned c = 0; while (n) { n &= n - 1; c++; } return c; }`,
			"O(1)"},
		"bits that stay": {`unsigned f(unsigned n) { unsigned c = 0; while (n) { n &= n - 2; c++; } return c; }`, ""},
		"for each of n": {`unsigned f(unsigned n) {
 for (unsigned i = 0; i < n; i++) for (unsigned x = i * 77; x; x &= x - 1) ; return 0; }`, "O(n^1)"},
		"filled up again": {`unsigned f(unsigned n) {
 for (unsigned x = n, i = n; x; x &= x - 1) while (i && x > 7) { i &= i - 1; x |= n; } return 0; }`, ""},
		"two calls": {`static unsigned g(unsigned n) { while (n) n -= n & -n; return n; }
unsigned f(unsigned n) { return g(n) + g(~n); }`, "O(1)"},
		"two calls, one bad": {`static unsigned g(unsigned n, unsigned by) { while (n) n <<= by; return n; }
unsigned f(unsigned n) { return g(n, 1) + g(~n, 0); }`, ""},
		"left and entered again": {`unsigned f(unsigned n, unsigned m) { unsigned x = n;
 again: while (x) x &= x - 1; if (m) { m--; x = ~m; goto again; } return 0; }`, "O(n^1)"},
		"left and entered again, for ever": {`unsigned f(unsigned n, unsigned m) { unsigned x = n;
 again: while (x) x &= x - 1; if (m) { m ^= 1; x = ~m; goto again; } return 0; }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := Run(testprogram.Within(t, limitFor(c.want != "")), testprogram.Compile(t, c.src, "-O0"), Plan{Target: "x86_64",
				Entry: "f", Checks: verdict.CheckSet{verdict.ComplexityBound: true}})
			got := ""
			if res.Complexity != nil {
				got = res.Complexity.Class
			}
			if got != c.want {
				t.Errorf("%s, want %q: %+v", got, c.want, res.Claims)
			}
		})
	}
}
