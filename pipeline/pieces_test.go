package pipeline

import (
	"encoding/json"
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestRunPiece: what is kept for the page of a run says of each result what the whole does: how it stands, and how many
// claims it has; and none of the steps.
func TestRunPiece(t *testing.T) {
	claim := func(s verdict.Status, a *verdict.Accepted, b verdict.Baseline) verdict.Claim {
		return verdict.Claim{Status: s, Accepted: a, Baseline: b, Trace: make([]verdict.Step, 1000)}
	}
	masked := &verdict.Accepted{Reason: "masked"}
	proved, counts := claim(verdict.Proved, nil, ""), claim(verdict.Violated, nil, "")
	accepted, known := claim(verdict.Violated, masked, ""), claim(verdict.Violated, nil, verdict.Known)
	report := &verdict.Report{}
	for _, claims := range [][]verdict.Claim{{proved}, {proved, counts}, {accepted, proved, accepted}, {accepted, known},
		{accepted, known, counts, proved}, {}} {
		r := verdict.Result{Target: "i386", Entry: "main", Claims: claims}
		r.Summarise()
		report.Results = append(report.Results, r)
	}
	piece := runPieceOf(report, &Context{}, "i386")
	text, err := json.Marshal(piece)
	if err != nil || len(text) > 8_000 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	var read RunPiece
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for i, r := range read.Outline() {
		whole := &report.Results[i]
		if r.Status != whole.Status || len(r.Claims) != len(whole.Claims) || r.IsAccepted() != whole.IsAccepted() ||
			r.IsKnown() != whole.IsKnown() {
			t.Errorf("result %d: %s with %d claims, accepted %v, known %v", i, r.Status, len(r.Claims), r.IsAccepted(),
				r.IsKnown())
		}
	}
	want := reports.TallyOf(report.Results, reports.PageOptions{ByTarget: map[string]map[string]reports.State{}})
	if got := read.Tally.Headline(); got != want.Headline() || got != "0 new, 0 fixed, 2 known, 2 not compared, 4 accepted" {
		t.Errorf("headline %q, of the whole %q", got, want.Headline())
	}
}
