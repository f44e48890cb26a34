package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestSummaryOrder: one line for a place, whatever the targets: what is new first, of that what needs the fewest
// assumptions; a reason of what is unknown once.
func TestSummaryOrder(t *testing.T) {
	var assumed []verdict.Assumption
	claim := func(id string, line int, assumes ...string) verdict.Claim {
		var ids []string
		for _, text := range assumes {
			a := verdict.Assume("", verdict.Meaning, verdict.Read, text)
			assumed, ids = append(assumed, a), append(ids, a.ID)
		}
		return verdict.Claim{ID: id, Check: verdict.Memory, Status: verdict.Violated, Message: "m", Assumptions: ids,
			Pos: verdict.Pos{File: "a.c", Line: line, Function: "f"}}
	}
	open := verdict.Claim{ID: "memory@f#9", Check: verdict.Memory, Status: verdict.Unknown, Message: "m",
		Reason: &verdict.Reason{Kind: verdict.TimedOut}, Pos: verdict.Pos{File: "a.c", Line: 90, Function: "f"}}
	claims := []verdict.Claim{claim("memory@f#1", 10, "`x` <b> is 1", "`y` is 2"), claim("memory@f#2", 20),
		claim("memory@f#3", 30), open}
	results := []verdict.Result{{Target: "i386", Entry: "f", Claims: claims, Assumptions: assumed},
		{Target: "x86_64", Entry: "f", Claims: claims, Assumptions: assumed}}
	p := CheckRun(results, PageOptions{States: map[string]State{"f|memory@f#1": Introduced,
		"f|memory@f#2": Preexisting, "f|memory@f#3": Introduced}})
	last := -1
	for _, want := range []string{"a.c:30`: m — new (`memory@f#3`, i386, x86_64)", "a.c:10`: m — new",
		"; if ", "a.c:20`: m — known", "unknown: 2 claims", "  - **memory** `a.c:90`"} {
		at := strings.Index(p.Summary, want)
		if at < last || at < 0 || strings.Count(p.Summary, want) != 1 {
			t.Errorf("%q is at %d, once, after %d: %s", want, at, last, p.Summary)
		}
		last = at
	}
	if strings.Contains(p.Summary, "<b>") {
		t.Errorf("an assumption formats: %s", p.Summary)
	}
	if len(p.Annotations) == 0 || p.Annotations[0].StartLine != 20 {
		t.Errorf("the first annotation: %+v", p.Annotations)
	}
}

// TestEarlyNotes: while a run goes on, only what stays a note whatever is found of the base is one, and all of them are notes
// of the page in the end.
func TestEarlyNotes(t *testing.T) {
	claim := func(line int, step int) verdict.Claim {
		return verdict.Claim{ID: fmt.Sprintf("memory@f#%d", line), Check: verdict.Memory, Status: verdict.Violated, Message: "m",
			Pos:   verdict.Pos{File: "a.c", Line: line, Function: "f"},
			Trace: []verdict.Step{{Kind: verdict.StepAssign, What: "x", Value: "1", Relevant: true, Pos: verdict.Pos{File: "a.c", Line: step}}}}
	}
	results := []verdict.Result{{Target: "i386", Entry: "f", Claims: []verdict.Claim{claim(3, 1), claim(30, 4), claim(40, 1)}}}
	o := PageOptions{Changed: map[string][]LineRange{"a.c": {{From: 3, To: 5}}}, Early: results}
	early := TargetPage(Outcome{Target: "i386", State: "waiting", Over: 1, Size: 3}, nil, o)
	if early.Title != "3 violated so far; 1 of 3 verifications over" || early.Conclusion != "" || len(early.Annotations) != 1 ||
		early.Annotations[0].StartLine != 3 || strings.Count(early.Summary, "violated **memory**") != 3 {
		t.Errorf("while it goes on: %+v", early)
	}
	o.Early, o.States = nil, map[string]State{"f|memory@f#40": Preexisting, "f|memory@f#30": Introduced}
	end := TargetPage(Outcome{Target: "i386", State: "done", Reported: true}, results, o)
	if len(end.Annotations) != 3 || end.Annotations[0] != early.Annotations[0] {
		t.Errorf("in the end: %+v", end.Annotations)
	}
	o.Early, o.All = results, true
	if all := TargetPage(Outcome{Target: "i386", State: "waiting"}, nil, o); len(all.Annotations) != 4 {
		t.Errorf("where all are notes: %+v", all.Annotations)
	}
	if all := AggregatePage(Outcome{State: "waiting"}, []Outcome{{Target: "i386", State: "waiting"}}, nil, o); all.Title !=
		"3 violated so far; 0 of 1 targets done" || !strings.Contains(all.Summary, "a.c:30") {
		t.Errorf("of all targets: %+v", all)
	}
}

// TestManyNotes: of thousands of findings GitHub gets as many notes as its page shows, the first of the list, and is
// told of the others.
func TestManyNotes(t *testing.T) {
	var claims []verdict.Claim
	for i := range 3_000 {
		claims = append(claims, verdict.Claim{ID: fmt.Sprintf("memory@f#%d", i+1), Check: verdict.Memory,
			Status: verdict.Violated, Message: "m", Pos: verdict.Pos{File: "a.c", Line: i + 1, Function: "f"}})
	}
	results := []verdict.Result{{Target: "i386", Entry: "f", Claims: claims}}
	p := CheckRun(results, PageOptions{})
	if len(p.Annotations) != MostNotes || !strings.HasPrefix(p.Summary, "Of 3000 notes, the first 200 stand") {
		t.Errorf("%d notes: %.200s", len(p.Annotations), p.Summary)
	}
	results[0].Claims = claims[:MostNotes]
	if p = CheckRun(results, PageOptions{}); len(p.Annotations) != MostNotes || strings.Contains(p.Summary, "notes, the first") {
		t.Errorf("%d notes of %d: %.200s", len(p.Annotations), MostNotes, p.Summary)
	}
}

// TestManifestNote: a single mistake in the manifest is noted on its line, too.
func TestManifestNote(t *testing.T) {
	p := StatePage(Outcome{State: "done", Conclusion: "action_required",
		Detail: ".firmproof.yml:7:3: `targetz` is no key here; did you mean `targets`?"})
	if len(p.Annotations) != 1 || p.Annotations[0].Path != ".firmproof.yml" || p.Annotations[0].StartLine != 7 {
		t.Errorf("%+v", p)
	}
	p = StatePage(Outcome{State: "done", Conclusion: "action_required", Detail: "Someone has to approve it: see above."})
	if len(p.Annotations) != 0 || strings.Contains(p.Summary, "```") {
		t.Errorf("%+v", p)
	}
}

// TestOneDirection: nothing on a page turns the direction of what follows; other text is as it was.
func TestOneDirection(t *testing.T) {
	var out bytes.Buffer
	text, err := json.Marshal("if (level != \"user\u202e \u2066// Check if admin\u2069 \u2066\") { \u00fc\u4e2d\u061c")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := OneDirection(&out).Write(text); n != len(text) || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if got := out.String(); strings.ContainsFunc(got, turns) || !strings.Contains(got, "\u00fc\u4e2d") ||
		strings.Count(got, "\ufffd") != 5 || !json.Valid(out.Bytes()) {
		t.Errorf("%q", got)
	}
}
