package claims

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// proofsOf returns proofs of claims without bounds: those named hold.
func proofsOf(claims []verdict.Claim, holds ...string) *problem.Proofs {
	out := problem.SomeProofs(claims)
	for _, id := range holds {
		out.Holds[id] = true
	}
	return out
}

// turnsOf returns the turns of the round that a claim's evidence is of; 0: it has none.
func turnsOf(c *verdict.Claim) int {
	e, _ := c.Evidence.(certificate.Unwound)
	return e.Turns
}

// What a round leaves open is proved only where the round looked at everything, or a proof without bounds covers it.
func TestClaimOf(t *testing.T) {
	gap, cut := &verdict.Reason{Kind: verdict.Unsupported}, &verdict.Reason{Kind: verdict.TimedOut}
	claim := verdict.Claim{ID: "memory@f", Check: verdict.Memory}
	held := claim.Learned(verdict.Within)
	covered := proofsOf([]verdict.Claim{claim}, claim.ID)
	before := &problem.Settled{Claim: verdict.Claim{ID: "memory@g"}}
	for _, c := range []struct {
		name   string
		u      problem.Unwinding
		c      problem.Unwound
		proofs *problem.Proofs
		before *problem.Settled
		want   verdict.Status
		by     string // its certificate
	}{
		{"a complete round", problem.Unwinding{Complete: true}, problem.Unwound{Claim: held}, nil, nil, verdict.Proved, "complete unwinding"},
		{"a round with a bound", problem.Unwinding{}, problem.Unwound{Claim: held}, nil, nil, verdict.Bounded, ""},
		{"nothing is before it", problem.Unwinding{}, problem.Unwound{Claim: held, Whole: 3}, nil, nil, verdict.Proved, "complete unwinding"},
		{"behind a gap", problem.Unwinding{Complete: true, Gap: gap}, problem.Unwound{Claim: held, BehindGap: true}, nil, nil, verdict.Unknown, ""},
		{"behind a violation", problem.Unwinding{Complete: true}, problem.Unwound{Claim: held}, nil, before, verdict.Unknown, ""},
		{"behind a violation, with a proof", problem.Unwinding{}, problem.Unwound{Claim: held}, covered, before, verdict.Unknown, ""},
		{"a proof beside a bound", problem.Unwinding{}, problem.Unwound{Claim: held}, covered, nil, verdict.Proved, ""},
		{"a proof beside a gap", problem.Unwinding{Complete: true, Gap: gap}, problem.Unwound{Claim: held, BehindGap: true}, covered, nil, verdict.Proved, ""},
		{"a proof of another one", problem.Unwinding{}, problem.Unwound{Claim: held}, proofsOf([]verdict.Claim{claim}, "memory@g"), nil, verdict.Bounded, ""},
		{"a round that was cut, with a proof", problem.Unwinding{Complete: true, Cut: cut}, problem.Unwound{Claim: held}, covered, nil, verdict.Proved, ""},
		{"one that was cut and is complete", problem.Unwinding{Complete: true, Cut: cut}, problem.Unwound{Claim: held}, nil, nil, verdict.Proved, "complete unwinding"},
		{"nobody decided it", problem.Unwinding{Complete: true, Cut: cut}, problem.Unwound{Claim: claim.Learned(verdict.Undecided)}, nil, nil, verdict.Unknown, ""},
		{"nobody decided it, with a proof", problem.Unwinding{Complete: true, Cut: cut}, problem.Unwound{Claim: claim.Learned(verdict.Undecided)}, covered, nil, verdict.Proved, ""},
	} {
		got := ClaimOf(&c.u, c.c, c.proofs, c.before)
		by := ""
		if got.Certificate != nil {
			by = got.Certificate.Method
		}
		if got.Status != c.want || by != c.by {
			t.Errorf("%s: %s by %q, want %s by %q", c.name, got.Status, by, c.want, c.by)
		}
		if c.u.Complete && got.Status == verdict.Proved && by != "" && got.Unreachable {
			t.Errorf("%s: unreachable", c.name)
		}
		if fromRound := by != "" || got.Status == verdict.Bounded; fromRound != (got.Evidence != nil) {
			t.Errorf("%s: evidence %v", c.name, got.Evidence)
		}
	}
	dead := problem.Unwound{Claim: held, Reach: problem.Unreached}
	if c := ClaimOf(&problem.Unwinding{Complete: true}, dead, nil, nil); !c.Unreachable {
		t.Error("what no execution comes to is reachable")
	}
	bound := problem.Unwound{Claim: verdict.Claim{ID: "unwinding@f", Check: verdict.Unwinding}.Learned(verdict.Always)}
	if c := ClaimOf(&problem.Unwinding{Limit: 4}, bound, proofsOf(nil, bound.ID), nil); c.Status != verdict.Proved ||
		turnsOf(&c) != 4 {
		t.Errorf("a bound is %s, evidence %v", c.Status, c.Evidence)
	}
}

// What a round did not come to holds within its bounds, unless something ended it before.
func TestBeyondRound(t *testing.T) {
	c, why := verdict.Claim{ID: "memory@f", Message: "holds"}, &verdict.Reason{Kind: verdict.TimedOut}
	if got := beyondRound(&problem.Unwinding{Limit: 4}, c); got.Status != verdict.Bounded || got.By != "unwinding" ||
		turnsOf(&got) != 4 || !strings.Contains(got.Message, "up to 4 loop turns") {
		t.Errorf("%s by %q: %s, %v", got.Status, got.By, got.Message, got.Evidence)
	}
	for name, u := range map[string]*problem.Unwinding{"a gap": {Gap: why}, "a cut": {Cut: why}} {
		if got := beyondRound(u, c); got.Status != verdict.Unknown || got.Reason != why || got.Evidence != nil {
			t.Errorf("%s: %s, %v", name, got.Status, got.Reason)
		}
	}
}

// line words claims: each ID with its status.
func line(claims []verdict.Claim) string {
	var out []string
	for _, c := range claims {
		out = append(out, c.ID+" "+c.Status.String())
	}
	return strings.Join(out, ", ")
}

// Each claim of a round is reported once, with its final answer where it has one, and what proofs met beyond it is open.
func TestReportUnwinding(t *testing.T) {
	claim := func(id string) verdict.Claim { return verdict.Claim{ID: id, Check: verdict.Memory} }
	within := func(id string) problem.Unwound { return problem.Unwound{Claim: claim(id).Learned(verdict.Within)} }
	for _, c := range []struct {
		name    string
		u       problem.Unwinding
		settled []verdict.Claim
		proofs  *problem.Proofs
		want    string
		warned  bool
		reason  bool
	}{
		{"a round", problem.Unwinding{Claims: []problem.Unwound{within("a"), within("b")}}, nil, nil, "a bounded, b bounded", false, false},
		{"a violation in it", problem.Unwinding{Claims: []problem.Unwound{within("a"), within("b")}},
			[]verdict.Claim{claim("b").Learned(verdict.Ran)}, nil, "a bounded, b violated", false, false},
		{"one beside it", problem.Unwinding{Claims: []problem.Unwound{within("a")}},
			[]verdict.Claim{claim("b").Learned(verdict.Ran)}, nil, "a bounded, b violated", false, false},
		{"one that was proved, too", problem.Unwinding{Claims: []problem.Unwound{within("a")}},
			[]verdict.Claim{claim("a").Learned(verdict.Ran)}, proofsOf([]verdict.Claim{claim("a")}, "a"), "a violated", true, false},
		{"what a proof met", problem.Unwinding{Claims: []problem.Unwound{within("a")}}, nil,
			proofsOf([]verdict.Claim{claim("a"), claim("b")}), "a bounded, b bounded", false, false},
		{"what a proof met and the round did not have", problem.Unwinding{Complete: true, Claims: []problem.Unwound{within("a")}}, nil,
			proofsOf([]verdict.Claim{claim("a"), claim("b")}), "a proved", false, false},
		{"what a proof met and was violated", problem.Unwinding{}, []verdict.Claim{claim("b").Learned(verdict.Ran)},
			proofsOf([]verdict.Claim{claim("b")}), "b violated", false, false},
		{"a gap", problem.Unwinding{Gap: &verdict.Reason{}, Claims: []problem.Unwound{within("a")}}, nil, nil, "a bounded", false, true},
		{"a gap before a claim", problem.Unwinding{Gap: &verdict.Reason{}, Claims: []problem.Unwound{{Claim: claim("a").Learned(verdict.Within),
			BehindGap: true}}}, nil, nil, "a unknown", false, false},
		{"a gap, and proofs of all", problem.Unwinding{Gap: &verdict.Reason{}, Claims: []problem.Unwound{within("a")}}, nil,
			proofsOf([]verdict.Claim{claim("a")}, "a"), "a proved", false, false},
	} {
		a, res := problem.NewAnswers(), &verdict.Result{}
		for _, s := range c.settled {
			a.Settle(&problem.Settled{Claim: s})
		}
		if c.proofs != nil {
			a.AddProofs(c.proofs)
		}
		reportUnwinding(&problem.Problem{Module: &ir.Module{}}, a, &c.u, res)
		if got := line(res.Claims); got != c.want || (len(res.Warnings) > 0) != c.warned || (res.Reason != nil) != c.reason {
			t.Errorf("%s: %s, warnings %q, reason %v; want %s", c.name, got, res.Warnings, res.Reason, c.want)
		}
	}
}

// Where no round ended, what was settled is reported, and the rest only where all of it is proved.
func TestReportWithoutRound(t *testing.T) {
	claim := func(id string, c verdict.Check) verdict.Claim { return verdict.Claim{ID: id, Check: c} }
	listed := []verdict.Claim{claim("a", verdict.Memory), claim("b", verdict.Memory), claim("u", verdict.Unwinding)}
	for _, c := range []struct {
		name    string
		settled string
		proofs  *problem.Proofs
		reason  verdict.ReasonKind
		want    string
		left    bool // the reason
	}{
		{"nothing", "", nil, verdict.TimedOut, "", true},
		{"a violation", "a", nil, verdict.TimedOut, "a violated", true},
		{"some proofs", "", proofsOf(listed, "a"), verdict.TimedOut, "", true},
		{"all proofs", "", proofsOf(listed, "a", "b"), verdict.TimedOut, "a proved, b proved", false},
		{"all proofs and a violation", "a", proofsOf(listed, "a", "b"), verdict.TimedOut, "a violated, b proved", false},
		{"all proofs and a panic", "", proofsOf(listed, "a", "b"), verdict.Internal, "a proved, b proved", true},
	} {
		a, res := problem.NewAnswers(), &verdict.Result{Reason: &verdict.Reason{Kind: c.reason}}
		if c.settled != "" {
			a.Settle(&problem.Settled{Claim: claim(c.settled, verdict.Memory).Learned(verdict.Ran)})
		}
		if c.proofs != nil {
			a.AddProofs(c.proofs)
		}
		reportWithoutRound(a, res)
		if got := line(res.Claims); got != c.want || (res.Reason != nil) != c.left {
			t.Errorf("%s: %s, reason %v; want %s", c.name, got, res.Reason, c.want)
		}
	}
}

// Bounds that nobody asked for go only where nothing rests on them.
func TestForgetBounds(t *testing.T) {
	bound := verdict.Claim{ID: "u", Check: verdict.Unwinding}.Learned(verdict.Within)
	claim := func(f verdict.Fact) verdict.Claim { return verdict.Claim{ID: "a", Check: verdict.Memory}.Learned(f) }
	for _, c := range []struct {
		name            string
		claim           verdict.Claim
		proofs, settled bool
		unwind          int // what the user asks for
		asked           bool
		loops           int // how many of a complete one and of another are left
		forgotten       bool
	}{
		{"a proof", claim(verdict.Always), true, false, 0, false, 0, true},
		{"a violation", claim(verdict.Ran), false, true, 0, false, 1, true},
		{"within the bound", claim(verdict.Within), true, false, 0, false, 2, false},
		{"nothing was found out", claim(verdict.Always), false, false, 0, false, 2, false},
		{"asked for", claim(verdict.Always), true, false, 4, true, 2, false},
		{"asked for, without a bound", claim(verdict.Always), true, false, 0, true, 0, true},
	} {
		a, res := problem.NewAnswers(), &verdict.Result{Claims: []verdict.Claim{bound, c.claim}}
		res.Bounds.Loops = []verdict.LoopBound{{Name: "whole", Complete: true}, {Name: "cut"}}
		a.SetUnwinding(&problem.Unwinding{})
		if c.proofs {
			a.AddProofs(proofsOf(nil))
		}
		if c.settled {
			a.Settle(&problem.Settled{Claim: c.claim})
		}
		p := &problem.Problem{Plan: problem.Plan{Unwind: c.unwind, Checks: verdict.CheckSet{verdict.Unwinding: c.asked}}}
		ForgetBounds(p, a, res)
		kept := slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return c.Check == verdict.Unwinding })
		loops := len(res.Bounds.Loops)
		if c.forgotten && c.claim.Status == verdict.Proved {
			c.loops = 1 // the complete one, which a proof may need
		} else if c.forgotten {
			c.loops = 0
		}
		if kept == c.forgotten || loops != c.loops {
			t.Errorf("%s: %s, %d loops", c.name, line(res.Claims), loops)
		}
	}
}

// What no engine said of whole runs is unknown where somebody asked, and left out where nobody did.
func TestReportRuns(t *testing.T) {
	for _, c := range []struct {
		name    string
		unasked bool
		fact    verdict.Fact // 0: nobody settled it
		open    bool
		failed  verdict.ReasonKind
		want    string
		reason  bool
	}{
		{"a proof", false, verdict.Always, false, "", "termination proved", false},
		{"nothing", false, 0, false, "", "termination unknown", false},
		{"left open", false, 0, true, "", "termination unknown", false},
		{"nothing, unasked", true, 0, false, "", "", false},
		{"left open, unasked", true, 0, true, "", "", false},
		{"a proof, unasked", true, verdict.Always, false, "", "termination proved", false},
		{"undecided, unasked", true, verdict.Undecided, false, "", "", false},
		{"out of time", false, 0, false, verdict.TimedOut, "termination unknown", true},
		{"out of time, unasked", true, 0, false, verdict.TimedOut, "", false},
		{"a panic, unasked", true, 0, false, verdict.Internal, "", true},
		{"out of time, where a bound is asked", true, 0, false, "bound", "complexity unknown", true},
	} {
		m := &ir.Module{}
		p := &problem.Problem{Module: m, Entry: &ir.Func{Name: "f"}, Plan: problem.Plan{EndsUnasked: c.unasked,
			Checks: verdict.CheckSet{verdict.Termination: true}}}
		a, res := problem.NewAnswers(), &verdict.Result{}
		end := p.TerminationClaim()
		if c.fact != 0 {
			a.Settle(&problem.Settled{Claim: end.Learned(c.fact)})
		}
		if c.open {
			a.LeaveOpen(end.Learned(verdict.Undecided))
		}
		if c.failed == "bound" {
			p.Checks[verdict.ComplexityBound], c.failed = true, verdict.TimedOut
		}
		if c.failed != "" {
			a.Fail(&verdict.Reason{Kind: c.failed})
		}
		ReportRuns(context.Background(), p, a, res)
		for i := range res.Claims {
			res.Claims[i].ID = string(res.Claims[i].Check)
			if c.fact == 0 && !c.open && res.Claims[i].Reason == nil {
				t.Errorf("%s: unknown without a reason", c.name)
			}
		}
		if got := line(res.Claims); got != c.want || (res.Reason != nil) != c.reason {
			t.Errorf("%s: %s, reason %v; want %s", c.name, got, res.Reason, c.want)
		}
	}
}
