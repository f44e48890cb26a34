package pipeline

import (
	"testing"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestLooked: commits without a run or without an answer are not said to be verified.
func TestLooked(t *testing.T) {
	good, bad := store.Probe{Outcome: store.ProbeGood, Run: "1"}, store.Probe{Outcome: store.ProbeBad, Run: "2"}
	skip, without := store.Probe{Outcome: store.ProbeSkip, Run: "3"}, store.Probe{Outcome: store.ProbeGood}
	for want, tried := range map[string][]store.Probe{
		"0 commits looked at":                     nil,
		"1 commit looked at, without the harness": {without},
		"2 commits looked at, verified":           {good, bad},
		"4 commits looked at, 2 verified, 1 without an answer, 1 without the harness": {good, skip, without, bad},
	} {
		if got := (&Origin{Tried: tried}).Looked(); got != want {
			t.Errorf("%v is %q, want %q", tried, got, want)
		}
	}
}
