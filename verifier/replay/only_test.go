package replay

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A program without inputs has one execution, which settles its claims; one that
// looks at anything else does not.
func TestOnlyExecution(t *testing.T) {
	const busy = "for (int i = 0; i < 4000; i++) s += i & 3;"
	for _, c := range []struct {
		name, body string
		alone      bool
		want       verdict.Status
	}{
		{"holds", `int s = 0; ` + busy + ` CHECK(s == 6000);`, true, verdict.Proved},
		{"fails", `int s = 0; ` + busy + ` CHECK(s == 6001);`, false, verdict.Violated},
		{"input", `int s = nondet_int() & 0; ` + busy + ` CHECK(s == 6000);`, false, verdict.Invalid},
		{"never written", `int s; ` + busy + ` CHECK(s != 77);`, false, verdict.Invalid},
		{"address", `int s = 0; ` + busy + ` CHECK(((unsigned long)&s & 16) == 0 || s);`, false, verdict.Invalid},
		{"order of objects", `int s = 0, x; ` + busy + ` CHECK(&s < &x || s);`, false, verdict.Invalid},
		{"elsewhere", `extern int there; int s = 0; ` + busy + ` CHECK(there != 5 || s);`, false, verdict.Invalid},
		{"long", `unsigned s = 0; for (unsigned i = 0; i < 3000000000u; i++) s += 2; CHECK(s == 1705032704);`, true,
			verdict.Proved},
		{"fails after long",
			`unsigned s = 0; for (unsigned i = 0; i < 3000000000u; i++) s += 2; CHECK(s != 1705032704);`, false,
			verdict.Violated},
		{"long, of bits", `unsigned s = 1; for (unsigned i = 0; i < 3000000000u; i++) s ^= i; CHECK(s);`, false,
			verdict.Invalid},
		{"short", `int s = 0; CHECK(s == 0);`, false, verdict.Invalid},
	} {
		m := testprogram.Compile(t, "int main(void) { "+c.body+" return 0; }", "-O0")
		p, a := testprogram.Problem(m, "main", verdict.Assert), problem.NewAnswers()
		if got := (OnlyExecution{}).Run(context.Background(), p, a) == nil; got != c.alone {
			t.Errorf("%s: settled is %v", c.name, got)
		}
		got := verdict.Invalid
		executed, _ := a.Executed()
		for _, x := range executed {
			got = x.Status
		}
		for _, x := range a.AllSettled() {
			got = x.Status
			if x.Replay != verdict.Confirmed || len(x.Trace) == 0 {
				t.Errorf("%s: %s without a replay", c.name, x.ID)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Inputs that compare equal to a constant of the program are tried.
func TestProbe(t *testing.T) {
	for body, want := range map[string]int{
		"CHECK(nondet_int() != 123456);":                                          1,
		"int i = 0; while (i < 3000 && nondet_int() != 77) i++; CHECK(i < 3000);": 1,
		"int x = nondet_int(); CHECK(x != 123456 || x == 123456);":                0,
	} {
		m := testprogram.Compile(t, "int main(void) { "+body+" return 0; }", "-O0")
		p, a := testprogram.Problem(m, "main", verdict.Assert), problem.NewAnswers()
		p.FirstOnly = true
		Probe(context.Background(), p, a)
		if len(a.AllSettled()) != want {
			t.Errorf("%s: %d violations, want %d", body, len(a.AllSettled()), want)
		}
	}
}

// A violation in front of a long loop is found without the loop; where a round of unwinding is over, that is left to it.
func TestTriedInputs(t *testing.T) {
	m := testprogram.Compile(t, `static int g; int main(void) { CHECK(nondet_int() != 123456);
for (long i = 0; i < 1000000000; i++) g ^= i; CHECK(g); return 0; }`, "-O0")
	for _, over := range []bool{false, true} {
		p, a := testprogram.Problem(m, "main", verdict.Assert), problem.NewAnswers()
		p.FirstOnly = true
		if over {
			a.SetUnwinding(&problem.Unwinding{Limit: 1})
		}
		err := TriedInputs{}.Run(context.Background(), p, a)
		if found := len(a.AllSettled()) == 1; found == over || (err == nil) == over {
			t.Errorf("a round is over: %v; found: %v, %v", over, found, err)
		}
	}
}
