package problem

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestNothingIsProvedByAbsence: a claim is covered where an engine names it, as one that holds or that nothing comes to;
// one that is in no list is open.
func TestNothingIsProvedByAbsence(t *testing.T) {
	claims := func(ids ...string) (out []verdict.Claim) {
		for _, id := range ids {
			out = append(out, verdict.Claim{ID: id, Check: verdict.Assert})
		}
		return out
	}
	p := NewProofs(claims("holds", "open"), claims("holds", "open", "behind"))
	p.Holds["holds"] = true
	some := SomeProofs(claims("other"))
	some.Holds["other"] = true
	for id, want := range map[string]bool{"holds": true, "open": false, "behind": true, "unknown": false, "other": false} {
		if got := p.Covers(id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	for id, want := range map[string]bool{"other": true, "holds": false, "behind": false} {
		if got := some.Covers(id); got != want {
			t.Errorf("of some proofs, %s: %v", id, got)
		}
	}
	if c := p.Proved(verdict.Claim{ID: "behind"}, false); c.Status != verdict.Proved || !c.Unreachable {
		t.Errorf("behind: %+v", c)
	}
}
