package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

func TestComment(t *testing.T) {
	r := sample()
	r.Results[1].Claims[0].Status = verdict.Bounded
	r.Results[1].Bounds = verdict.Bounds{Unwind: 8, Loops: []verdict.LoopBound{{Name: "ring_copy.0", Turns: 8,
		Pos: verdict.Pos{File: "src/ring.c", Line: 30}}}}
	r.Results[1].Assumptions = []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Read, "hal_read is a stub: any result")}
	r.Results[1].Reused = "0193"
	r.Results[1].Summarise()
	o := CommentOptions{Commit: "abc", MarkLine: "<!-- mark -->", Targets: []string{"cortex-m3", "i386", "x86_64"},
		Failed: map[string]string{"i386": "failure: a.c:1: error"},
		Fixed:  map[string][]string{"cortex-m3": {"other|free@x#1"}}}
	o.ByTarget = map[string]map[string]State{"x86_64": {Key(&r.Results[0], &r.Results[0].Claims[0]): Introduced}}
	o.DetailsURL, o.FixedCount = "http://x/runs/1", 1
	got := Comment(r.Results, o)
	for _, want := range []string{
		"<!-- mark -->\n### firmproof: 1 new, 1 fixed, 0 known on 2 targets",
		"| harness | cortex-m3 | i386 | x86_64 |",
		"| `ring_push_harness` | ☑️ bounded, 0.1 s | not verified | ❌ violated, 1 new, 0.4 s |\n" +
			"| `other` | ❔ unknown, 1 fixed, 0.0 s | not verified | – |",
		"- **i386**: failure: a.c:1: error", "**New**\n\n- **memory** `src/ring.c:41:9`", "on x86_64<br>with `n = 9`\n",
		"**Fixed**\n\n- `free@x#1` (`other`) on cortex-m3",
		"**Targets differ**", "How bounded answers were bounded (1)",
		"8 loop turns; only the first 8 turns of loop `src/ring.c:30` (`ring_copy.0`) were seen",
		"hal_read is a stub", "0.4 s of verification; 1 of 3 answers taken from the cache, which saved 0.1 s.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for i, part := range []string{"**New**", "**Targets differ**", "| harness |", "**Fixed**"} {
		if i > 0 && strings.Index(got, part) < strings.Index(got, []string{"**New**", "**Targets differ**", "| harness |"}[i-1]) {
			t.Errorf("%s comes too early in\n%s", part, got)
		}
	}
	if strings.Contains(got, "<b>") {
		t.Error("HTML of a message is not escaped")
	}
}

// TestCommentFolds: harnesses that are proved are folded where they are many.
func TestCommentFolds(t *testing.T) {
	var results []verdict.Result
	for i := range 9 {
		r := verdict.Result{Target: "avr", Entry: fmt.Sprintf("h%d", i), Claims: []verdict.Claim{{ID: "memory@f#1",
			Check: verdict.Memory, Status: verdict.Proved}}}
		if i == 4 {
			r.Claims[0].Status = verdict.Unknown
		}
		r.Summarise()
		results = append(results, r)
	}
	got := Comment(results, CommentOptions{Targets: []string{"avr"}})
	open, folded, ok := strings.Cut(got, "<details><summary>8 harnesses are proved</summary>")
	if !ok || !strings.Contains(open, "`h4`") || strings.Contains(open, "`h3`") || strings.Count(folded, "proved, 0.0 s") != 8 {
		t.Errorf("not folded:\n%s", got)
	}
}

// TestCommentIsCut: however much there is, it fits, lists say how much they leave out.
func TestCommentIsCut(t *testing.T) {
	var results []verdict.Result
	var targets []string
	for i := range 60 {
		res := sample().Results[0]
		res.Target = fmt.Sprintf("target-%02d", i)
		res.Claims = nil
		for j := range 100 {
			c := sample().Results[0].Claims[0]
			c.Message, c.ID = strings.Repeat("long ", 30)+fmt.Sprint(i, j), fmt.Sprintf("memory@f#%d", j)
			res.Claims = append(res.Claims, c)
		}
		results = append(results, res)
		res.Claims = res.Claims[:1]
		for k := range 40 {
			res.Entry = fmt.Sprintf("entry_with_a_long_name_%d", k)
			results = append(results, res)
		}
		targets = append(targets, res.Target)
	}
	o := CommentOptions{Targets: targets}
	o.DetailsURL = "http://x/runs/1"
	got := Comment(results, o)
	if len(got) > MaxComment || !strings.Contains(got, "[full report](http://x/runs/1) has the rest") {
		t.Errorf("%d bytes, ends with %q", len(got), got[len(got)-100:])
	}
	if got := Comment(results[:1], o); !strings.Contains(got, "and 80 more") {
		t.Errorf("the list is not cut: %s", got)
	}
}

// TestAnnotationsOfKnown: a finding outside of the changed lines is annotated if it is
// new or of unknown age, after those on changed lines; a known one only if wanted.
func TestAnnotationsOfKnown(t *testing.T) {
	res := sample().Results[0]
	res.Claims = nil
	states := map[string]State{}
	for line, s := range []State{Preexisting, Introduced, Preexisting, Accepted, ""} {
		c := sample().Results[0].Claims[0]
		c.ID, c.Pos.Line = fmt.Sprint("memory@f#", line), line+1
		res.Claims = append(res.Claims, c)
		states[Key(&res, &c)] = s
	}
	o := PageOptions{Changed: map[string][]LineRange{"src/ring.c": {{From: 3, To: 3}}}, States: states}
	for all, want := range map[bool]string{false: "3 2 5", true: "3 1 2 5"} {
		o.All = all
		p := CheckRun([]verdict.Result{res}, o)
		var got []string
		for _, a := range p.Annotations {
			got = append(got, fmt.Sprint(a.StartLine))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("all %v: lines %v, want %s", all, got, want)
		}
		if strings.Count(p.Summary, "index") != 0 || strings.Count(p.Summary, "src/ring.c:") != 5 {
			t.Errorf("the summary leaves something out: %s", p.Summary)
		}
	}
}
