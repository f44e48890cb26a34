package verifier

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The engines of termination answer beside those of paths, which take all the time:
// they unwind the walk, which may be of any length, again and again.
func TestQuestionsBesideEachOther(t *testing.T) {
	m := testprogram.Hosted(t,
		`int main(void) { unsigned n = nondet_uint(); unsigned long x = 1; for (unsigned i = 0; i < n; i++) x = x * 6364136223846793005ul + 1442695040888963407ul; return 1 / (x != 42); }`)
	ctx, cancel := testprogram.Limit(10 * time.Second)
	defer cancel()
	checks := verdict.CheckSet{verdict.Termination: true, verdict.DivByZero: true}
	res := Run(ctx, m, Plan{Target: "x86_64", Entry: "main", Checks: checks,
		Semantics: ir.Semantics{MallocNeverFails: true}})
	found := false
	for _, c := range res.Claims {
		if c.Check == verdict.Termination {
			found = true
			if c.Status != verdict.Proved {
				t.Errorf("termination: %s %v", c.Status, c.Reason)
			}
		}
	}
	if !found {
		t.Fatalf("no claim about termination in %+v", res)
	}
}

// TestFirstOnly: the run ends with the first violation, and the rest says why it is open.
func TestFirstOnly(t *testing.T) {
	m := testprogram.Compile(t,
		`int main(void) { int a[2], *p = a + nondet_uint(); if (nondet_int()) CHECK(0); *p = 1; return a[0]; }`, "-O0")
	for _, first := range []bool{false, true} {
		res := Run(context.Background(), m, Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Memory: true,
			verdict.Assert: true}, FirstOnly: first, Semantics: ir.Semantics{VolatileMemory: true}})
		violated, stopped := 0, 0
		for _, c := range res.Claims {
			if c.Status == verdict.Violated {
				violated++
			}
			if c.Status == verdict.Unknown && c.Reason.Kind == verdict.Cancelled {
				stopped++
			}
		}
		if first && (violated != 1 || stopped == 0) || !first && (violated != 2 || stopped != 0) {
			t.Errorf("first only %v: %d violated, %d stopped", first, violated, stopped)
		}
	}
}

// Where nothing can fail, endless loops are no reason for doubt.
func TestInductionOfNothing(t *testing.T) {
	for src, want := range map[string]verdict.Status{
		`int main(void) { unsigned y = 1; while (1) y = y + 2 * nondet_uint(); }`:                                verdict.Proved,
		`void there(void); int main(void) { unsigned y = 1; while (1) { y = y + 2 * nondet_uint(); there(); } }`: verdict.Unknown,
	} {
		ctx, cancel := testprogram.Limit(5 * time.Minute)
		res := Run(ctx, testprogram.Compile(t, src, "-O0"),
			Plan{Entry: "main", Checks: verdict.CheckSet{verdict.SignedOverflow: true}})
		cancel()
		if res.Status != want {
			t.Errorf("%s: %s, want %s: %v", src, res.Status, want, res.Reason)
		}
	}
}

// engineFunc is an engine for tests of the race.
type engineFunc func(ctx context.Context, a *problem.Answers) error

func (f engineFunc) Run(ctx context.Context, _ *problem.Problem, a *problem.Answers) error {
	return f(ctx, a)
}

// A panic in any engine is the reason of the result, and ends no other engine: those
// that wait for it begin, and what they settle stays.
func TestPanicReachesTheReport(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { CHECK(nondet_int()); }`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	for at := range 3 {
		var table []race.Entrant
		for i, name := range []string{"first", "second", "third"} {
			after := ""
			if i > 0 {
				after = table[i-1].Name
			}
			table = append(table, race.Entrant{Name: name, After: after,
				Engine: engineFunc(func(_ context.Context, a *problem.Answers) error {
					if i == at {
						panic("a defect\nwith a second line")
					}
					a.Settle(&problem.Settled{Claim: verdict.Claim{ID: name, Status: verdict.Proved}})
					return problem.ErrOpen
				})})
		}
		a, res := problem.NewAnswers(), &verdict.Result{}
		race.Run(context.Background(), p, a, table)
		claims.ReportPaths(p, a, res)
		if r := res.Reason; r == nil || r.Kind != verdict.Internal || r.Detail != "a defect" {
			t.Errorf("panic in engine %d: reason %v", at, r)
		}
		if len(res.Claims) != 2 {
			t.Errorf("panic in engine %d: claims %+v", at, res.Claims)
		}
	}
}

// What the first round handed on before its engine was left alone is the answer, and why the rest is open.
func TestPartOfARound(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { CHECK(nondet_int()); }`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	claim := func(id string, s verdict.Status, whole int) problem.Unwound {
		return problem.Unwound{Claim: verdict.Claim{ID: id, Check: verdict.Assert, Status: s}, Whole: whole}
	}
	late := engineFunc(func(ctx context.Context, a *problem.Answers) error {
		a.SetUnwinding(&problem.Unwinding{Limit: 1, Partial: true, Claims: []problem.Unwound{
			claim("a", verdict.Bounded, 1), claim("b", verdict.Bounded, 0), claim("c", verdict.Unknown, 0)}})
		<-ctx.Done()
		time.Sleep(2 * policy.AbandonAfter)
		return ctx.Err()
	})
	for want, end := range map[verdict.ReasonKind]func() (context.Context, context.CancelFunc){
		verdict.TimedOut: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Millisecond)
		},
		verdict.Cancelled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(10*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := end()
			defer cancel()
			a, res := problem.NewAnswers(), &verdict.Result{}
			race.Run(ctx, p, a, []race.Entrant{{Name: "late", Engine: late}})
			claims.ReportPaths(p, a, res)
			got := map[string]verdict.Status{}
			for _, c := range res.Claims {
				got[c.ID] = c.Status
				if c.Status == verdict.Unknown && (c.Reason == nil || c.Reason.Kind != want) {
					t.Errorf("%s: %s: reason %v", want, c.ID, c.Reason)
				}
			}
			if got["a"] != verdict.Proved || got["b"] != verdict.Bounded || got["c"] != verdict.Unknown {
				t.Errorf("%s: %v", want, got)
			}
			time.Sleep(2 * policy.AbandonAfter) // the engine that was left alone ends
		})
	}
}

// The first engine that settles its question ends the others, also those that wait.
func TestRaceEndsWithTheFirst(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { CHECK(nondet_int()); }`, "-O0")
	waits := engineFunc(func(ctx context.Context, _ *problem.Answers) error {
		<-ctx.Done()
		return ctx.Err()
	})
	late := engineFunc(func(context.Context, *problem.Answers) error {
		t.Error("an engine began after the end")
		return nil
	})
	settles := engineFunc(func(_ context.Context, a *problem.Answers) error {
		a.GiveWay()
		return nil
	})
	race.Run(context.Background(), testprogram.Problem(m, "main", verdict.Assert), problem.NewAnswers(), []race.Entrant{
		{Name: "waits", Engine: waits},
		{Name: "late", Engine: late, After: "waits"},
		{Name: "settles", Engine: settles, After: "waits", Or: time.Millisecond},
	})
}

// What the last round did not come to and no proof covers stays open: it is not left out.
func TestBeyondTheRound(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { CHECK(nondet_int()); }`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	first, behind := verdict.Claim{ID: "a", Check: verdict.Assert}, verdict.Claim{ID: "b", Check: verdict.Assert}
	bounded := first
	bounded.Status = verdict.Bounded
	for _, gap := range []*verdict.Reason{nil, {Kind: verdict.Undefined}} {
		a, res := problem.NewAnswers(), &verdict.Result{}
		a.SetUnwinding(&problem.Unwinding{Limit: 1, Gap: gap, Claims: []problem.Unwound{{Claim: bounded}}})
		proofs := problem.NewProofs([]verdict.Claim{first, behind}, nil)
		proofs.Holds["a"] = true
		a.AddProofs(proofs)
		claims.ReportPaths(p, a, res)
		claims.ForgetBounds(p, a, res)
		want := verdict.Bounded
		if gap != nil {
			want = verdict.Unknown
		}
		if len(res.Claims) != 2 || res.Claims[0].Status != verdict.Proved || res.Claims[1].Status != want {
			t.Errorf("gap %v: %+v", gap, res.Claims)
		}
	}
}
