package verifier

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBehindOutOfTime: what nobody looked at past a violation because the time was over says so; what nothing can go
// past is shadowed then as ever.
func TestBehindOutOfTime(t *testing.T) {
	over, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for name, c := range map[string]struct {
		src        string
		ctx        context.Context
		kind       verdict.ReasonKind // of the assertion's reason; empty: it is decided
		wantWarned bool
	}{
		"time":     {wrapsBefore, context.Background(), "", false},
		"no time":  {wrapsBefore, over, verdict.TimedOut, false},
		"no way":   {leavesBefore, over, verdict.Shadowed, true},
		"all time": {leavesBefore, context.Background(), verdict.Shadowed, false},
	} {
		m := testprogram.Compile(t, c.src, "-O0")
		plan := Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true, verdict.SignedOverflow: true,
			verdict.Memory: true}}
		res := &verdict.Result{}
		p, a := race.Prepare(m, plan, res), problem.NewAnswers()
		race.Run(context.Background(), p, a, race.SafetyEngines)
		claims.ReportPaths(p, a, res)
		race.DecideBehind(c.ctx, p, a, res)
		race.NameEnd(c.ctx, res)
		i := slices.IndexFunc(res.Claims, func(d verdict.Claim) bool { return d.Check == verdict.Assert })
		if i < 0 {
			t.Fatalf("%s: no assertion among %+v", name, res.Claims)
		}
		var kind verdict.ReasonKind
		if r := res.Claims[i].Reason; r != nil {
			kind = r.Kind
		}
		if kind != c.kind {
			t.Errorf("%s: the assertion is %s (%v), want %q", name, res.Claims[i].Status, res.Claims[i].Reason, c.kind)
		}
		if got := res.CutShort; got != c.wantWarned {
			t.Errorf("%s: warned %v", name, got)
		}
	}
}

// Every execution overflows, or leaves its object, before it comes to the assertion.
const (
	wrapsBefore  = `int main(void) { int x = 2147483647 - (nondet_int() & 1); x += 2; CHECK(x < 0); return 0; }`
	leavesBefore = `int a[2]; int main(void) { int i = 2 + (nondet_int() & 1); a[i] = 1; CHECK(i < 3); return 0; }`
)
