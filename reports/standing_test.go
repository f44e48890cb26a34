package reports

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// standingReport has a claim of each standing.
func standingReport() *verdict.Report {
	guess := verdict.Assume("p", verdict.Extent, verdict.Chosen, "p leads to len elements")
	at := func(line int) verdict.Pos { return verdict.Pos{File: "a.c", Line: line, Function: "f"} }
	claim := func(line int, s verdict.Status) verdict.Claim {
		return verdict.Claim{ID: "memory@f#" + s.String(), Check: verdict.Memory, Status: s, Message: "write is valid",
			Pos: at(line)}
	}
	held, accepted, known := claim(1, verdict.Conditional), claim(2, verdict.Violated), claim(3, verdict.Violated)
	held.Assumptions = []string{guess.ID}
	within := held
	within.ID, within.Within = "memory@f#within", true
	accepted.Accepted = &verdict.Accepted{Reason: "masked", By: "ann", Until: "2027-01-01"}
	known.ID, known.Baseline = "memory@f#known", verdict.Known
	return &verdict.Report{Version: 1, Results: []verdict.Result{
		{Target: "host", Entry: "f", Status: verdict.Conditional, Assumptions: []verdict.Assumption{guess},
			Claims: []verdict.Claim{held, within, claim(4, verdict.Proved)}, EndsOpen: true},
		{Target: "host", Entry: "g", Status: verdict.Violated, Claims: []verdict.Claim{accepted, claim(5, verdict.Proved)}},
		{Target: "host", Entry: "h", Status: verdict.Violated, Claims: []verdict.Claim{known}}}}
}

// TestStandings: no format calls conditional or accepted proved, and each says why.
func TestStandings(t *testing.T) {
	want := map[string][]string{
		"text": {"conditional: holds if p leads to len elements: 1 claim", "`f.p: 64 bytes`",
			"conditional: holds if p leads to len elements, within the bounds that were reached: 1 claim",
			"accepted: masked (by ann, until 2027-01-01)", "known: the baseline has it", "termination open"},
		"md": {"🔷 conditional", "📝 accepted", "masked (by ann, until 2027-01-01)", "holds if p leads to len elements",
			"1 known, 1 accepted, termination open for 1 of 3"},
		"html":  {"◇ conditional", "✎ accepted", "holds if p leads to len elements", "termination open"},
		"junit": {`type="conditional"`, `type="accepted"`, `type="known"`, `failures="0"`, "termination open"},
		"sarif": {`"suppressions"`, `"justification": "masked"`, `"baselineState": "unchanged"`, `"conditional": [`,
			`"terminationOpen"`},
		"csv":    {",conditional,", "masked (by ann, until 2027-01-01)", ",known,"},
		"github": {"::notice file=a.c,line=3,title=known%3A memory (host)"},
		"gitlab": {"[]"},
	}
	for name, words := range want {
		f, _ := FormatNamed(name)
		var out bytes.Buffer
		if err := f.Write(&out, standingReport(), TextOptions{}); err != nil {
			t.Fatal(err)
		}
		text := html.UnescapeString(out.String())
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q:\n%s", name, w, text)
			}
		}
	}
}

// TestConditionalConclusion: conditional claims alone are a success with both numbers in the title, unless the manifest
// names them.
func TestConditionalConclusion(t *testing.T) {
	r := standingReport().Results[:1]
	p := CheckRun(r, PageOptions{})
	if p.Conclusion != "success" || p.Title != "1 proved, 2 conditional, termination open" || len(p.Annotations) > 0 {
		t.Errorf("%s: %s, %d annotations", p.Conclusion, p.Title, len(p.Annotations))
	}
	if got := Conclusion(r, PageOptions{FailOn: "violation,conditional"}); got != "failure" {
		t.Errorf("with fail_on: %s", got)
	}
}

// TestStandBehind: what was proved without an accepted violation is behind it.
func TestStandBehind(t *testing.T) {
	r := standingReport().Results[1]
	r.Claims[1].After = []string{r.Claims[0].ID}
	r.StandBehind(func(c *verdict.Claim) bool { return c.Accepted != nil })
	if c := r.Claims[1]; !c.IsShadowed() || c.Behind != r.Claims[0].ID || !r.IsAccepted() {
		t.Errorf("%+v", c)
	}
}

// TestSARIFPlaces: a violation on several targets, and a vacuous harness, is one result that names them; one without a
// place, which GitHub would refuse all of an upload for, is left out.
func TestSARIFPlaces(t *testing.T) {
	r := sample()
	again := r.Results[0]
	again.Target = "i386"
	again.Claims = []verdict.Claim{again.Claims[0]}
	again.Claims[0].Trace = append([]verdict.Step{again.Claims[0].Trace[0]}, again.Claims[0].Trace...)
	r.Results = append(r.Results, again)
	for _, target := range []string{"i386", "x86_64"} {
		for entry, at := range map[string]*verdict.Pos{"placed": {File: "a.c", Line: 7}, "nowhere": nil} {
			r.Results = append(r.Results, verdict.Result{Target: target, Entry: entry, At: at,
				Vacuous: &verdict.Reason{Kind: verdict.Vacuous, Detail: "nothing"}})
		}
	}
	text, err := SARIF(r)
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	results := log.Runs[0].Results
	if len(results) != 2 {
		t.Fatalf("%d results:\n%s", len(results), text)
	}
	for i, want := range []string{"(harness ring_push_harness on x86_64, i386)", "nothing (harness placed on i386, x86_64)"} {
		if got := results[i]; !strings.HasSuffix(got.Message.Text, want) || len(got.Locations) != 1 {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	if n := len(results[0].CodeFlows[0].Threads[0].Locations); n != 2 {
		t.Errorf("%d steps are shown, not the shorter trace", n)
	}
}

// TestVacuousPlace: a vacuous result without claims has the entry's line in SARIF.
func TestVacuousPlace(t *testing.T) {
	r := &verdict.Report{Results: []verdict.Result{{Target: "host", Entry: "f", Status: verdict.Proved,
		At: &verdict.Pos{File: "a.c", Line: 7}, Vacuous: &verdict.Reason{Kind: verdict.Vacuous, Detail: "nothing"}}}}
	text, err := SARIF(r)
	if err != nil || !strings.Contains(string(text), `"startLine": 7`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestConditionSaysOnce: what is said of the whole program is not said of a place again.
func TestConditionSaysOnce(t *testing.T) {
	const text = "symbols differ"
	c := Condition{Assumptions: []verdict.Assumption{
		verdict.Assume("f", verdict.Meaning, verdict.Chosen, "a.c:3: "+text),
		verdict.Assume("", verdict.Meaning, verdict.Chosen, text),
		verdict.Assume("f", verdict.Meaning, verdict.Chosen, "a.c:4: another"),
	}}
	if got, want := c.Says(), "holds if symbols differ, and a.c:4: another"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
