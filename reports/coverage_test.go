package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// coverageFixture is a report of two entries on src/rx.c, one of which comes to less, and on a header of the system.
func coverageFixture() *verdict.Report {
	at := func(entry string, reach ...verdict.Reach) verdict.Result {
		lines := []verdict.CoveredLine{}
		for i, r := range reach {
			lines = append(lines, verdict.CoveredLine{Line: 16 + i, Reach: r})
		}
		lines[0].Ways = []verdict.Reach{verdict.Reached, reach[1]}
		return verdict.Result{Target: "cortex-m3", Entry: entry, Status: verdict.Bounded, Coverage: &verdict.Coverage{
			Unwind: 2, Functions: []verdict.CoveredFunction{
				{Pos: verdict.Pos{File: "src/rx.c", Line: 14, Function: "receiver_take"}, Reach: verdict.Reached,
					Lines: lines},
				{Pos: verdict.Pos{File: "/usr/include/a.h", Line: 1, Function: "f"}, Reach: verdict.Reached}}}}
	}
	return &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}, Results: []verdict.Result{
		at("first", verdict.Reached, verdict.NeverReached, verdict.NeverReached, verdict.Reached),
		at("second", verdict.Reached, verdict.NeverReached, verdict.BeyondBound, verdict.BeyondBound)}}
}

// TestCoverage: what one entry reaches is reached; what none does says why, a bound before a proof.
func TestCoverage(t *testing.T) {
	r := coverageFixture()
	all := "all: 2 of 4 lines reached (1 not within the bounds, 1 never reached)"
	if got := CoverageLine(r.Results, nil); got != all {
		t.Errorf("all lines: %s", got)
	}
	changed := map[string][]LineRange{"src/rx.c": {{From: 17, To: 17}, {From: 19, To: 30}},
		"other.c": {{From: 1, To: 9}}}
	if got, want := CoverageLine(r.Results, changed), "this change: 1 of 2 lines reached (1 never reached); "+
		all; got != want {
		t.Errorf("changed lines: %s", got)
	}
	page := CheckRun(r.Results, PageOptions{Changed: changed})
	if !strings.Contains(page.Summary, "**Coverage**: this change: 1 of 2 lines reached") {
		t.Errorf("the summary of the check run is\n%s", page.Summary)
	}
	if got := CoverageLine(fixture(t).Results, changed); got != "" {
		t.Errorf("nobody asked: %s", got)
	}
	text, err := LCOV(Rebase(r, "fw", func(string) bool { return true }))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "coverage.lcov", text)
}

// TestCoveragePage: each line of code has its sign on the page, and why it is not reached.
func TestCoveragePage(t *testing.T) {
	text, err := HTML(coverageFixture(), TextOptions{Source: fixtureSource})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 4 lines reached, 1 of 2 branches taken",
		"<code>first</code> 2 of 4, <code>second</code> 1 of 4",
		`<span class="covered"><span class="no">   16</span> ✓ `,
		"1 of 2 branches (1 never reached), by first, second",
		`<span class="uncovered"><span class="no">   17</span> ✗ `,
		`<span class="beyond"><span class="no">   18</span> … `} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
