package interp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBoundsNameTheArray: a violated bound says which index, of which array, and which bytes the access may touch.
func TestBoundsNameTheArray(t *testing.T) {
	const prelude = "struct rx { int head; short buf[10]; } rx; struct rx *p = &rx; int ten = 10, three = 3;\n"
	for body, want := range map[string]string{
		"return p->buf[ten];":                                          "array index 10 out of bounds of `rx.buf` (10 elements)",
		"int a[3]; a[-ten] = 1; return a[0];":                          "array index -10 out of bounds of `a` (3 elements)",
		"int a[2][4]; a[1][three + 1] = 1; return a[0][0];":            "array index 4 out of bounds of `a[1]` (4 elements)",
		"short *q = rx.buf; return q[ten];":                            "read of 2 bytes at offset 24 of 'rx' (24 bytes), where `rx.buf[10]` would be",
		"union { int u; char b[4]; } w; w.b[ten - 6] = 1; return w.u;": "array index 4 out of bounds of `w.b` (4 elements)",
	} {
		m := testprogram.Trapping(t, prelude+"int main(void) { "+body+" }")
		out, err := interp.Run(context.Background(), m, interp.Options{
			Observe: []interp.Observe{trace.Steps(trace.Options{})}}, input.Zeros{})
		if err != nil {
			t.Fatal(err)
		}
		if out.Kind != interp.Violation || out.Message != want {
			t.Errorf("%s: got %s\nwant %s", body, out, want)
			continue
		}
		o := out.Object
		if o == nil || o.Offset >= o.From && o.Offset+o.Width <= o.To || int64(len(strings.Fields(o.Bytes))) != o.Size {
			t.Errorf("%s: object %+v", body, o)
		}
	}
}

// TestMemoryMessages: messages name null pointers and strings, not addresses and the compiler's names.
func TestMemoryMessages(t *testing.T) {
	const prelude = "struct n { struct n *next; int v; int w[3]; } a; int two = 2, ten = 10;\n"
	for body, want := range map[string]string{
		"return a.next->w[two];":                    "read through a null pointer: 4 bytes at offset 20",
		"char *s = \"idle\"; return s[ten];":        "read of 1 byte at offset 10 of the string \"idle\" (5 bytes)",
		"char *s = \"idle\"; s[two] = 1; return 0;": "write of the constant string \"idle\"",
		"return a.next[-1].v;":                      "read through a null pointer: 4 bytes at offset -16",
	} {
		m := testprogram.Trapping(t, prelude+"int main(void) { "+body+" }")
		checks := verdict.CheckSet{verdict.Memory: true}
		out, err := interp.Run(context.Background(), m, interp.Options{Checks: checks}, input.Zeros{})
		if err != nil || out.Message != want {
			t.Errorf("%s: %v: got %s, want %s", body, err, out, want)
		}
	}
}

// TestStepsInC: steps and their reasons name bit-fields and strings as C does, and leave padding out.
func TestStepsInC(t *testing.T) {
	m := testprogram.Compile(t, `struct reg { unsigned mode : 3; signed level : 5; }; struct pair { char c; int n; };
int main(void) { struct reg r = {5, -2}; struct pair p = {1, 2}; const char *s = "idle"; p.n = s[0];
 if (r.level == -2) reach_error(); }`, "-O0")
	out, err := interp.Run(context.Background(), m, interp.Options{
		Observe: []interp.Observe{trace.Steps(trace.Options{})}}, input.Zeros{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range out.Steps {
		all = append(all, s.What+" = "+s.Value)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{`s = "idle"`, "r.mode = 5, r.level = -2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, " + ") {
		t.Errorf("a place without a name in\n%s", text)
	}
}

// TestStepsOfUnknownVariables: what a variable without a definition holds is a step where it is read first, unless the
// program wrote it.
func TestStepsOfUnknownVariables(t *testing.T) {
	m := testprogram.Compile(t, `extern int limit, set;
int main(void) { set = 3; if (limit + limit + set == 3) reach_error(); }`, "-O0")
	out, err := interp.Run(context.Background(), m, interp.Options{
		Observe: []interp.Observe{trace.Steps(trace.Options{})}}, input.Zeros{})
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, s := range out.Steps {
		if s.Kind == verdict.StepInput {
			inputs = append(inputs, s.What+" = "+s.Value)
		}
	}
	if want := []string{"limit = 0"}; !slices.Equal(inputs, want) {
		t.Errorf("inputs %q, want %q", inputs, want)
	}
}

// TestStepsSayWhetherTheyMatter: of a trace those steps are marked that the failure depends on.
func TestStepsSayWhetherTheyMatter(t *testing.T) {
	m := testprogram.Compile(t, `struct msg { enum { BEGIN, END } type; unsigned len; } msg;
int main(void) { int noise = 3; msg.len = 4; noise++; __builtin_memset(&msg.type, 0, 4); struct msg copy = msg;
 if (copy.len == 4) reach_error(); }`, "-O0")
	out, err := interp.Run(context.Background(), m, interp.Options{
		Observe: []interp.Observe{trace.Steps(trace.Options{})}}, input.Zeros{})
	if err != nil {
		t.Fatal(err)
	}
	values, marks := map[string]string{}, map[string]bool{}
	for _, s := range out.Steps {
		values[s.What], marks[s.What] = s.Value, s.Relevant
	}
	if marks["noise"] || !marks["msg.len"] || out.Steps[len(out.Steps)-1].Kind != verdict.StepViolation ||
		!out.Steps[len(out.Steps)-1].Relevant {
		t.Errorf("marks %v", marks)
	}
	last := out.Steps[len(out.Steps)-1]
	chain := ""
	for at := last; len(at.Causes) > 0; at = out.Steps[at.Causes[0]] {
		chain += " < " + out.Steps[at.Causes[0]].What
	}
	if !strings.HasPrefix(chain, " < copy < msg.") {
		t.Errorf("chain%s", chain)
	}
	if values["copy"] != "{.type = BEGIN, .len = 4}" {
		t.Errorf("values %v", values)
	}
}
