package reports

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// behaviourOf is what a change does with one function of each answer, with names and values as a hostile author writes
// them.
func behaviourOf(unchanged ...string) Behaviour {
	at := verdict.Pos{File: "a.c", Line: 3}
	return Behaviour{Asked: true, Unchanged: unchanged, Added: []string{"fresh"}, Gone: []string{"`gone`"},
		Comparisons: []verdict.Comparison{
			{Function: "same", Target: "avr", Status: verdict.Same, Pos: at},
			{Function: "some", Target: "avr", Status: verdict.SameBounded, Pos: at, Limits: []string{"one", "two", "three"},
				Bounds: verdict.Bounds{Loops: []verdict.LoopBound{{Pos: at, Turns: 8}, {Pos: at, Turns: 9, Complete: true}}},
				Assumptions: []verdict.Assumption{verdict.Assume("n", verdict.Limit, verdict.Chosen, "n is at most 64"),
					verdict.Assume("p", verdict.Nullness, verdict.Read, "p may be null")},
				Layouts: []string{"`<b>` of `struct s` is new: what it holds is not compared"}},
			{Function: "late", Target: "avr", Status: verdict.NotCompared, Pos: at}, {Function: "late", Target: "i386", Status: verdict.NotCompared, Pos: at},
			{Function: "open", Target: "avr", Status: verdict.SameOpen, Pos: at, Reason: &verdict.Reason{Detail: "@all | <b>"}},
			{Function: "other", Old: "was", Target: "avr", Status: verdict.Differs, Pos: at, Differences: []verdict.Difference{{
				Kind: verdict.DiffersMemory, Name: "s.n", Pos: verdict.Pos{File: "a.c", Line: 4}, Old: "1", New: "2",
				Trace: []verdict.Step{{Kind: verdict.StepInput, From: "other.x", Value: "7"}}}}}}}
}

// TestBehaviourText: the table has a row for each function, a difference its input, and nothing of it is markup.
func TestBehaviourText(t *testing.T) {
	b := behaviourOf("o*")
	text := b.text()
	for _, want := range []string{
		"6 functions changed: 1 the same on all inputs, 1 the same up to bounds, 1 not the same, 1 open, 2 not compared.",
		"2 not compared, as the time for comparisons, a third of the verification's, was over: `late`. `/firmproof rerun`",
		"| `some` | avr | ☑️ the same up to bounds | the loop in line 3: up to 8 turns; n is at most 64; one; two; 1 more; another layout, compared by members |",
		"members of the same name, and these are compared.\n\n- `<b>` of `struct s` is new: what it holds is not compared\n",
		"| `same` | avr | ✅ the same on all inputs |  |",
		"| `other (was was)` | avr | 🔀 differs | after the call, s.n: 2, was 1 with other.x = 7 |",
		"it has to do the same (unchanged); @\u200ball &#124; &#60;b&#62;", "Only in the head, and so compared with nothing: `fresh`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "| `late`") {
		t.Errorf("a row for what was not compared:\n%s", text)
	}
	if got := (&Behaviour{}).text(); got != "" {
		t.Errorf("nothing was asked: %q", got)
	}
}

// TestBehaviourHeadline: what nobody came to compare is not among the functions of which some differ.
func TestBehaviourHeadline(t *testing.T) {
	o := PageOptions{Behaviour: behaviourOf()}
	if got, want := headlineOf(nil, o), ", 1 of 4 compared functions differs"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q behind", got, want)
	}
}

// TestBehaviourConclusion: a difference fails where the manifest says so, and where the function is frozen by the name
// that it had; one that is not proved to do the same is not passed.
func TestBehaviourConclusion(t *testing.T) {
	held := verdict.Claim{ID: "a@f#1", Check: verdict.Assert, Status: verdict.Proved}
	results := []verdict.Result{{Target: "avr", Entry: "f", Status: verdict.Proved, Claims: []verdict.Claim{held}}}
	for _, c := range []struct {
		failOn, want string
		unchanged    []string
	}{
		{"violation", "success", nil}, {"violation,behaviour", "failure", nil}, {"violation", "failure", []string{"was"}},
		{"violation", "success", []string{"other", "same"}}, {"violation", "neutral", []string{"open"}},
		{"violation", "neutral", []string{"some"}}, {"violation", "neutral", []string{"late"}},
		{"violation", "failure", []string{"*gone*"}},
	} {
		o := PageOptions{FailOn: c.failOn, Behaviour: behaviourOf(c.unchanged...)}
		if got := Conclusion(results, o); got != c.want {
			t.Errorf("%s, unchanged %v: %s, want %s", c.failOn, c.unchanged, got, c.want)
		}
	}
}

// TestBehaviourNotes: a difference is a note at the changed line, or else at the function.
func TestBehaviourNotes(t *testing.T) {
	b := behaviourOf()
	for line, changed := range map[int][]LineRange{4: {{From: 4, To: 4}}, 3: {{From: 3, To: 3}}} {
		notes := b.notes(map[string][]LineRange{"a.c": changed})
		if len(notes) != 1 || notes[0].StartLine != line || notes[0].Level != "notice" ||
			notes[0].Title != "other (was was) does something else (avr)" {
			t.Errorf("line %d: %+v", line, notes)
		}
	}
}
