package bmc

import (
	"context"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestGapOutOfTime: whether an execution comes to what is not modelled is not known where the time was over before that
// was asked, unless each one does.
func TestGapOutOfTime(t *testing.T) {
	over, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	const never, some, each = `if ((x ^ 3) + 2 * (x & 3) != x + 3u)`, `if ((x ^ 3) + 2 * (x & 3) == 9)`, ``
	for _, c := range []struct {
		when string
		ctx  context.Context
		want verdict.ReasonKind // empty: nothing is missing
	}{
		{never, context.Background(), ""}, {some, context.Background(), verdict.Undefined},
		{each, context.Background(), verdict.Undefined},
		{never, over, verdict.TimedOut}, {some, over, verdict.TimedOut}, {each, over, verdict.Undefined},
	} {
		m := testprogram.Compile(t, `void elsewhere(void);
int main(void) { unsigned x = nondet_uchar(); `+c.when+` elsewhere(); return 0; }`, "-O0")
		p := &problem.Problem{Module: m, Entry: m.Func("main"), Plan: problem.Plan{Entry: "main"}}
		b := &unwinder{p: p, a: problem.NewAnswers(), whole: map[string]int{}}
		s := ilr.NewStore(nil)
		solver, err := p.OpenSolver(s, "")
		if err != nil {
			t.Fatal(err)
		}
		f, err := encode.Encode(context.Background(), m, p.Entry, s, p.Encoding(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &round{solver: solver, f: f}
		b.decideGaps(c.ctx, r)
		solver.Close()
		var got verdict.ReasonKind
		if r.gap != nil {
			got = r.gap.Kind
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.when, got, c.want)
		}
	}
}
