package reports

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestObstaclesOnce: what stands behind an unknown claim is listed with it, what is unknown for another reason is not.
func TestObstaclesOnce(t *testing.T) {
	claim := func(detail, remedy string) verdict.Claim {
		return verdict.Claim{Check: verdict.Memory, Status: verdict.Unknown,
			Reason: &verdict.Reason{Kind: verdict.Incomplete, Detail: detail, Remedy: remedy}}
	}
	const guess = "how much p leads to is a guess"
	results := []verdict.Result{{Entry: "f", Target: "host", Claims: []verdict.Claim{
		claim(verdict.PastUnknown+guess, "say it"), claim(guess, "say it"), claim(guess, "say it of g")}}}
	got := Obstacles(results)
	if len(got) != 2 || got[0].Reason.Detail != guess || len(got[0].Unknown) != 2 || got[1].Reason.Remedy != "say it of g" {
		t.Errorf("%+v", got)
	}
}
