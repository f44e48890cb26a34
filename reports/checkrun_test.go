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
	if len(p.Annotations) != mostNotes || !strings.HasPrefix(p.Summary, "Of 3000 notes, the first 200 stand") {
		t.Errorf("%d notes: %.200s", len(p.Annotations), p.Summary)
	}
	results[0].Claims = claims[:mostNotes]
	if p = CheckRun(results, PageOptions{}); len(p.Annotations) != mostNotes || strings.Contains(p.Summary, "notes, the first") {
		t.Errorf("%d notes of %d: %.200s", len(p.Annotations), mostNotes, p.Summary)
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
