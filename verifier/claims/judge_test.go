package claims

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// judge returns the status of a claim that was found so, and rests on a list of assumptions.
func judge(found verdict.Status, rests []verdict.Assumption) verdict.Status {
	return verdict.Claim{Status: found}.Learned(resting(rests)).Status
}

// TestResting: every status beside every kind of assumption, alone and with a limit of the tool's.
func TestJudge(t *testing.T) {
	limit := verdict.Assume("n", verdict.Limit, verdict.Chosen, "n is at most 64")
	origins := []verdict.Origin{verdict.Declared, verdict.Read, verdict.Shown, verdict.Observed, verdict.Chosen}
	relations := []verdict.Relation{verdict.Extent, verdict.Apart, verdict.Limit, verdict.Interval, verdict.Contents,
		verdict.Nullness, verdict.Calls, verdict.Start, verdict.Meaning}
	for _, found := range []verdict.Status{verdict.Proved, verdict.Bounded, verdict.Violated, verdict.Unknown} {
		for _, o := range origins {
			for _, r := range relations {
				a := verdict.Assume("x", r, o, "")
				guess := o == verdict.Observed || o == verdict.Chosen
				alone, both := found, found
				if found == verdict.Proved || found == verdict.Bounded {
					both = verdict.Bounded
					switch {
					case guess && r == verdict.Limit:
						alone = verdict.Bounded
					case guess:
						alone, both = verdict.Conditional, verdict.Conditional
					}
				}
				if got := judge(found, []verdict.Assumption{a}); got != alone {
					t.Errorf("%s with %s %s: %s, want %s", found, o, r, got, alone)
				}
				for _, list := range [][]verdict.Assumption{{a, limit}, {limit, a}} {
					if got := judge(found, list); got != both {
						t.Errorf("%s with %s %s and a limit: %s, want %s", found, o, r, got, both)
					}
				}
			}
		}
		if got := judge(found, nil); got != found {
			t.Errorf("%s on nothing: %s", found, got)
		}
	}
}
