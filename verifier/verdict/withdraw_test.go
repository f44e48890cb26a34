package verdict_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestWithdraw: what is behind a violation that is no finding is unknown for the same reason, said once, also where it
// is behind another such violation. What there was no time for says that.
func TestWithdraw(t *testing.T) {
	violated := verdict.Violated
	res := &verdict.Result{Claims: []verdict.Claim{{ID: "a", Status: violated}, {ID: "b", Status: violated, Behind: "a"},
		{ID: "c", Status: violated, Behind: "b"}, {ID: "d", Status: violated}}}
	res.Withdraw(&res.Claims[0], &verdict.Reason{Detail: "how much p leads to is a guess"})
	for i, want := range []string{"how much p leads to is a guess", verdict.PastUnknown + "how much p leads to is a guess",
		verdict.PastUnknown + "how much p leads to is a guess"} {
		if c := res.Claims[i]; c.Status != verdict.Unknown || c.Reason == nil || c.Reason.Detail != want {
			t.Errorf("%s: %s %+v, want %q", c.ID, c.Status, c.Reason, want)
		}
	}
	late := verdict.Reason{Kind: verdict.TimedOut}
	open := &verdict.Result{Claims: []verdict.Claim{{ID: "a", Status: violated}, {ID: "b", Status: verdict.Unknown,
		Behind: "a", Reason: &late}, {ID: "c", Status: verdict.Unknown, Behind: "a",
		Reason: &verdict.Reason{Kind: verdict.Shadowed}}}}
	lines := []verdict.CoveredLine{{Line: 1, Reach: verdict.BehindViolation}, {Line: 2, Reach: verdict.Reached,
		Ways: []verdict.Reach{verdict.BehindViolation, verdict.Reached}}}
	open.Coverage = &verdict.Coverage{Functions: []verdict.CoveredFunction{{Reach: verdict.Reached, Lines: lines}}}
	open.Withdraw(&open.Claims[0], &verdict.Reason{Detail: "a guess"})
	if lines[0].Reach != verdict.NotModelled || lines[1].Ways[0] != verdict.NotModelled ||
		lines[1].Reach != verdict.Reached {
		t.Errorf("lines behind what is no finding: %+v", lines)
	}
	if b, c := open.Claims[1], open.Claims[2]; b.Reason.Kind != verdict.TimedOut || b.Behind != "" ||
		c.Reason.Detail != verdict.PastUnknown+"a guess" {
		t.Errorf("left open: %+v %+v", b.Reason, c.Reason)
	}
	if d := res.Claims[3]; d.Status != violated || d.Reason != nil {
		t.Errorf("d: %s %+v", d.Status, d.Reason)
	}
}
