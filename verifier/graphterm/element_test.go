package graphterm

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Loops whose steps are elements of arrays, at places that differ from turn to turn. The graph alone is asked: each
// program that ends has a twin that does not, or may not.
func TestGraphOfElements(t *testing.T) {
	const down = `unsigned k = nondet_uint() & 0xffff, i = nondet_uint(); while (k > 20) { i = nondet_uint(); k -= `
	for _, c := range []struct {
		name, head, body string
		ends, endless    string // what stands for @
	}{
		{"a constant table", `static const unsigned char t[4] = {@};`, down + `t[i & 3]; }`, `1, 2, 3, 9`, `1, 2, 0, 9`},
		{"a local array", ``, `int t[3] = {1, @, 2};` + down + `t[i % 3]; }`, `5`, `0`},
		{"an element that was written", ``, `int t[3] = {1, 5, 2}; t[2] = @;` + down + `t[i % 3]; }`, `7`, `0`},
		{"written at some place", ``, `int t[5] = {1, 5, 2, 4, 4}; t[@ + nondet_uint() % 2] = 0;` + down + `t[i % 3]; }`,
			`3`, `2`},
		{"beyond what is written", ``, `int t[4] = {1, 1, 1};` + down + `t[i % @]; }`, `3`, `4`},
		{"negative and small", `static const signed char t[2] = {-1, -7};`, `int k = nondet_uint() & 0xffff;
			while (k > 20) k += (@)t[nondet_uint() & 1];`, `int`, `unsigned char`},
		{"bytes of a wider element", `static const unsigned t[2] = {1, 2};`, down + `@; }`, `t[i & 1]`,
			`((const unsigned char *)t)[i & 7]`},
		{"between two elements", `static const struct { unsigned short a, b; } t[2] = {{1, 0}, {2, 0}};`, down + `@; }`,
			`t[i & 1].a`, `(&t[0].a)[i & 3]`},
	} {
		for _, ends := range []bool{true, false} {
			name, hole := c.name, c.ends
			if !ends {
				name, hole = name+", endless", c.endless
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				src := c.head + "int main(void) { " + c.body + " return 0; }"
				ctx, e := engineOf(t, strings.ReplaceAll(src, "@", hole), "main")
				if claim, _ := e.prove(ctx, false); ends != (claim.Status == verdict.Proved) {
					t.Fatalf("%s, ends: %t\n%v\n%v", claim.Status, ends, claim.Certificate, claim.Reason)
				}
			})
		}
	}
}
