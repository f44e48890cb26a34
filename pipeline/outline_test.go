package pipeline

import (
	"encoding/json"
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestOutline: the table of a report's outline, as it is kept, is that of the report.
func TestOutline(t *testing.T) {
	claims := make([]verdict.Claim, 7)
	r := &verdict.Report{Results: []verdict.Result{{Target: "i386", Entry: "f", Status: verdict.Violated,
		Claims:     claims,
		DurationMS: 1234}, {Target: "i386", Entry: "g", Status: verdict.Proved,
		Vacuous: &verdict.Reason{Kind: verdict.Vacuous}},
		{Target: "x86_64", Entry: "f", Status: verdict.Bounded, Claims: claims[:1], Reused: "run"}}}
	text, err := json.Marshal(Context{Entries: answersOf(r)})
	if err != nil {
		t.Fatal(err)
	}
	var kept Context
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	link := func(target, entry string) string { return target + "/" + entry }
	if got, want := reports.Matrix(kept.Outline(), link), reports.Matrix(r.Results, link); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
