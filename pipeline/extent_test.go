package pipeline

import (
	"maps"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestExtent: a function counts as proved if all that any entry asks of it is, and some execution gets there.
func TestExtent(t *testing.T) {
	claim := func(f string, s verdict.Status) verdict.Claim {
		return verdict.Claim{Status: s, Pos: verdict.Pos{File: "a.c", Line: 3, Function: f}}
	}
	report := &verdict.Report{Results: []verdict.Result{
		{Entry: "one", Claims: []verdict.Claim{claim("f", verdict.Proved), claim("g", verdict.Proved), claim("h", verdict.Bounded)},
			Coverage: &verdict.Coverage{Functions: []verdict.CoveredFunction{{Pos: verdict.Pos{File: "a.c", Line: 1, Function: "f"},
				Lines: []verdict.CoveredLine{{Line: 2, Reach: verdict.Reached}, {Line: 3, Reach: verdict.NeverReached}}}}}},
		{Entry: "two", Claims: []verdict.Claim{claim("f", verdict.Proved), claim("g", verdict.Unknown), claim("h", verdict.Proved)}},
		{Entry: "none", Vacuous: &verdict.Reason{}, Claims: []verdict.Claim{claim("v", verdict.Proved)}},
	}}
	got := map[string]int{}
	extent(report, got)
	want := map[string]int{CountFunctions: 4, CountProved: 1, CountLines: 2, CountReached: 1}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
