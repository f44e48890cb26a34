package pipeline

import (
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestCompareStopped: of an entry whose base someone stopped, nothing is new.
func TestCompareStopped(t *testing.T) {
	report := func(entry string, reason *verdict.Reason, status verdict.Status) verdict.Result {
		return verdict.Result{Entry: entry, Reason: reason, Claims: []verdict.Claim{{ID: "memory@f#1",
			Check: verdict.Memory, Status: status}}}
	}
	stopped := &verdict.Reason{Kind: verdict.Cancelled}
	head := &verdict.Report{Results: []verdict.Result{report("f", nil, verdict.Violated), report("g", nil,
		verdict.Violated)}}
	base := &verdict.Report{Results: []verdict.Result{report("f", stopped, verdict.Unknown), report("g", nil,
		verdict.Proved)}}
	got := Compare(head, base, reports.Gaps{}).States
	if len(got) != 1 || got["g|memory@f#1"] != reports.Introduced {
		t.Errorf("%v", got)
	}
}

// TestCompareLess: what is gone because less is asked is not fixed, unless a proof does not rest on it.
func TestCompareLess(t *testing.T) {
	result := func(status verdict.Status) *verdict.Report {
		return &verdict.Report{Results: []verdict.Result{{Entry: "f", Claims: []verdict.Claim{{ID: "memory@f#1",
			Check: verdict.Memory, Status: status}}}}}
	}
	bound, check := reports.Less{Entry: "f", Bound: true}, reports.Less{Entry: "f"}
	for _, c := range []struct {
		what  string
		now   verdict.Status
		less  []reports.Less
		fixed int
	}{
		{"nothing", verdict.Bounded, nil, 1},
		{"of another entry", verdict.Bounded, []reports.Less{{Entry: "g"}}, 1},
		{"a bound, and it is proved", verdict.Proved, []reports.Less{bound}, 1},
		{"a bound, and it holds up to it", verdict.Bounded, []reports.Less{bound}, 0},
		{"a check", verdict.Proved, []reports.Less{check}, 0},
	} {
		got := Compare(result(c.now), result(verdict.Violated), reports.Gaps{Less: c.less})
		if got.Fixed != c.fixed || got.Fixed+len(got.Gaps.Unasked) != 1 {
			t.Errorf("%s: %d fixed, %v", c.what, got.Fixed, got.Gaps.Unasked)
		}
	}
}
