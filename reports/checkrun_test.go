package reports

import (
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
