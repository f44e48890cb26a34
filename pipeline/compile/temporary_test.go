package compile

import (
	"fmt"
	"strings"
	"testing"
)

// The address of an array in a temporary value is noted where it is assigned, and so is a compound literal's that is
// the body of a loop without braces: neither has an end in the IR.
func TestAssignedTemporaries(t *testing.T) {
	const expression, statement = "the temporary value whose array is assigned outlives its expression",
		"the compound literal that is assigned outlives its statement, which is a block"
	for _, c := range []struct{ body, note string }{
		{"int *p = f().a; return *p;", expression},
		{"int *p; p = (c ? x : y).in.b; return *p;", expression},
		{"int *p = (int *)(x = y).a; return *p;", expression},
		{"int *p; while (c--) p = (int[]){c, 1}; return *p;", statement},
		{"int *p = x.a, i = f().a[1]; return p[i] + g(f().a);", ""},
		{"struct s *q = &x; int *p = q->in.b; { p = (int[]){1, 2}; } return *p;", ""},
	} {
		ir, err := compileText(t, "cortex-m3", "struct s { int a[2]; struct { int b[2]; } in; };\n"+
			"struct s f(void);\nint g(int *);\nint h(int c, struct s x, struct s y) { "+c.body+" }\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range []string{expression, statement} {
			if got := strings.Contains(ir, fmt.Sprintf("!%q", note)); got != (note == c.note) {
				t.Errorf("%s: %q noted: %v", c.body, note, got)
			}
		}
	}
}
