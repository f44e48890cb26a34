package prepare

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAcceptAgain: an answer of an earlier run of the commit stands as it is accepted now: what was taken back counts
// again, what was accepted since does not, and what is proved without that violation alone stands behind it.
func TestAcceptAgain(t *testing.T) {
	claim := func(id string, s verdict.Status, after ...string) verdict.Claim {
		return verdict.Claim{ID: id, Check: verdict.Memory, Status: s, After: after}
	}
	res := verdict.Result{Claims: []verdict.Claim{claim("memory@f#1", verdict.Violated), claim("memory@f#2", verdict.Violated),
		claim("memory@f#3", verdict.Proved, "memory@f#2"), claim("memory@f#4", verdict.Proved)}}
	res.Claims[0].Accepted = &verdict.Accepted{Reason: "taken back since"}
	var j Job
	j.Accept("memory@f#2", verdict.Accepted{Reason: "masked", By: "ann"}, time.Date(2100, 1, 31, 0, 0, 0, 0, time.UTC))
	j.AcceptAgain(&res)
	c := res.Claims
	if c[0].Accepted != nil || c[1].Accepted == nil || c[1].Accepted.String() != "masked (by ann, until 2100-01-31)" {
		t.Errorf("accepted: %v, %v", c[0].Accepted, c[1].Accepted)
	}
	if c[2].Status != verdict.Unknown || c[3].Status != verdict.Proved || res.Status != verdict.Violated {
		t.Errorf("%s behind, %s beside, %s in all", c[2].Status, c[3].Status, res.Status)
	}
	other := []verdict.Result{{}}
	if warnSuppressions([]Job{j}, other); len(other[0].Warnings) != 0 {
		t.Errorf("a comment is no entry of the manifest: %v", other[0].Warnings)
	}
}
