package pipeline

import (
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestCompareStopped: of an entry whose base someone stopped, nothing is new, nor of a claim that it was stopped at.
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
	base.Results[1] = report("g", nil, verdict.Unknown)
	base.Results[1].Claims[0].Reason = stopped
	if got := Compare(head, base, reports.Gaps{}).States; len(got) != 0 {
		t.Errorf("of a claim: %v", got)
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

// TestCompareElsewhere: what is a finding of the base only as the head ends without a failure on its inputs is not fixed
// where another entry of the head violates the claim.
func TestCompareElsewhere(t *testing.T) {
	const id = "assert@f#1"
	result := func(entry, id string, s verdict.Status) verdict.Result {
		return verdict.Result{Entry: entry, Claims: []verdict.Claim{{ID: id, Check: verdict.Assert, Status: s}}}
	}
	was := result("f", id, verdict.Violated)
	was.Change = &verdict.Change{Ends: map[string]verdict.Ending{id: {How: verdict.Passes}}, Relative: []string{id}}
	for other, fixed := range map[string]int{id: 0, "assert@f#2": 1} {
		side := result("g", other, verdict.Violated)
		got := Compare(&verdict.Report{Results: []verdict.Result{result("f", id, verdict.Unknown), side}},
			&verdict.Report{Results: []verdict.Result{was, side}}, reports.Gaps{})
		if got.Fixed != fixed || len(got.Gaps.Doubtful) > 0 {
			t.Errorf("%s: %v fixed, %v", other, got.FixedKeys, got.Gaps)
		}
	}
}

// TestCompareSides: what executions of both commits show decides what is new, known and fixed.
func TestCompareSides(t *testing.T) {
	claim := func(id string, s verdict.Status) verdict.Claim {
		return verdict.Claim{ID: id, Check: verdict.Memory, Status: s, Message: id}
	}
	guess := verdict.Assume("f", verdict.Extent, verdict.Chosen, "p leads to 4 bytes")
	const id, other = "memory@f#1", "memory@f#2"
	for _, c := range []struct {
		what        string
		now, before verdict.Result
		fresh       int
		known       int
		fixed       int
		doubtful    int
	}{
		{"both violate it", verdict.Result{Claims: []verdict.Claim{claim(id, verdict.Violated)}},
			verdict.Result{Change: &verdict.Change{}}, 0, 1, 0, 0},
		{"the head by inputs of its own", verdict.Result{Claims: []verdict.Claim{claim(id, verdict.Violated)}},
			verdict.Result{Change: &verdict.Change{New: []verdict.Claim{claim(id, verdict.Violated)}}}, 1, 0, 0, 0},
		{"another expression", verdict.Result{Claims: []verdict.Claim{claim(other, verdict.Violated)}},
			verdict.Result{Change: &verdict.Change{Same: map[string]string{other: id}}}, 0, 1, 0, 0},
		{"before the start", verdict.Result{Claims: []verdict.Claim{claim(id+"-before", verdict.Violated)}},
			verdict.Result{Change: &verdict.Change{}}, 1, 0, 0, 1},
		{"before the start, and it passes", verdict.Result{Claims: []verdict.Claim{claim(id+"-before", verdict.Violated)}},
			verdict.Result{Change: &verdict.Change{Ends: map[string]verdict.Ending{id: {How: verdict.Passes}}}}, 1, 0, 1, 0},
		{"proved", verdict.Result{Claims: []verdict.Claim{claim(id, verdict.Proved)}}, verdict.Result{}, 0, 0, 1, 0},
		{"its inputs still fail", verdict.Result{Claims: []verdict.Claim{claim(id, verdict.Bounded)}},
			verdict.Result{Change: &verdict.Change{Ends: map[string]verdict.Ending{id: {How: verdict.Fails, Claim: id}}}},
			0, 0, 0, 1},
		{"lower bounds", verdict.Result{Bounds: verdict.Bounds{Unwind: 3},
			Claims: []verdict.Claim{claim(id, verdict.Bounded)}}, verdict.Result{Bounds: verdict.Bounds{Unwind: 8}}, 0, 0, 0, 1},
		{"the same bounds", verdict.Result{Bounds: verdict.Bounds{Unwind: 8},
			Claims: []verdict.Claim{claim(id, verdict.Bounded)}}, verdict.Result{Bounds: verdict.Bounds{Unwind: 8}}, 0, 0, 1, 0},
		{"a new assumption", verdict.Result{Assumptions: []verdict.Assumption{guess}, Claims: []verdict.Claim{{ID: id,
			Check: verdict.Memory, Status: verdict.Conditional, Assumptions: []string{guess.ID}}}}, verdict.Result{}, 0, 0, 0, 1},
		{"an old assumption", verdict.Result{Assumptions: []verdict.Assumption{guess}, Claims: []verdict.Claim{{ID: id,
			Check: verdict.Memory, Status: verdict.Conditional, Assumptions: []string{guess.ID}}}},
			verdict.Result{Assumptions: []verdict.Assumption{guess}}, 0, 0, 1, 0},
		{"gone with its expression", verdict.Result{}, verdict.Result{}, 0, 0, 1, 0},
		{"in a shadow", verdict.Result{Claims: []verdict.Claim{{ID: id, Check: verdict.Memory, Status: verdict.Unknown,
			Reason: &verdict.Reason{Kind: verdict.Shadowed}}}}, verdict.Result{}, 0, 0, 0, 0},
	} {
		c.now.Entry, c.before.Entry = "f", "f"
		c.before.Claims = []verdict.Claim{claim(id, verdict.Violated)}
		got := Compare(&verdict.Report{Results: []verdict.Result{c.now}},
			&verdict.Report{Results: []verdict.Result{c.before}}, reports.Gaps{})
		fresh, known := 0, 0
		for _, s := range got.States {
			switch s {
			case reports.Introduced:
				fresh++
			case reports.Preexisting:
				known++
			}
		}
		if fresh != c.fresh || known != c.known || got.Fixed != c.fixed || len(got.Gaps.Doubtful) != c.doubtful {
			t.Errorf("%s: %d new, %d known, %d fixed, doubtful %v", c.what, fresh, known, got.Fixed, got.Gaps.Doubtful)
		}
	}
}

// TestCompareWithdrawn: what the base withdraws, as it rests on a guess there, and fails with on the inputs of the head's
// violation, is nothing new. An earlier failure of the base says nothing of it.
func TestCompareWithdrawn(t *testing.T) {
	const id, earlier = "memory@f#1", "memory@f#0"
	for _, c := range []struct {
		same string
		want reports.State
	}{{id, reports.Preexisting}, {earlier, reports.Introduced}} {
		head := &verdict.Report{Results: []verdict.Result{{Entry: "f", Claims: []verdict.Claim{{ID: id,
			Check: verdict.Memory, Status: verdict.Violated}}}}}
		base := &verdict.Report{Results: []verdict.Result{{Entry: "f", Claims: []verdict.Claim{{ID: id,
			Check: verdict.Memory, Status: verdict.Unknown}}, Change: &verdict.Change{Same: map[string]string{id: c.same}}}}}
		if got := Compare(head, base, reports.Gaps{}).States["f|"+id]; got != c.want {
			t.Errorf("%s: %s", c.same, got)
		}
	}
}
