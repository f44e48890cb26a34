package interp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestNamedBlocks: a failure names the block of the heap that it is about, the first object of a program, too, and the null
// pointer that an address is computed from.
func TestNamedBlocks(t *testing.T) {
	for _, c := range []struct{ body, begins, ends string }{
		{"return ((char *)malloc(4))[5];", "pointer to offset 5 of the block allocated at ", " (4 bytes)"},
		{"char *p = malloc(4), *q = malloc(5); if (!p || !q) return 0; return q[6];", "pointer to offset 6 of the block allocated at ", " (5 bytes)"},
		{"int *p = 0; return *(p + 2);", "read through a null pointer: 4 bytes", " at offset 8"},
		{"int *p = 0; *(p + 2) = 1; return 0;", "write through a null pointer: 4 bytes", " at offset 8"},
	} {
		m := testprogram.Compile(t, "int f(void) { "+c.body+" }\n", "-O0")
		out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("f"),
			Checks: verdict.DefaultChecks(), MaxSteps: 1000}, &testprogram.Inputs{Mallocs: true})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.Message, c.begins) || !strings.HasSuffix(out.Message, c.ends) {
			t.Errorf("%s: %q", c.body, out.Message)
		}
	}
}
