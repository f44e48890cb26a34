package pipeline

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestRegress: the report tells introduced, fixed, open, undecided, newly proved and lost proofs apart.
func TestRegress(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	took, tasks := int64(1000), 0
	run := func(status ...verdict.Status) {
		t.Helper()
		b.check = func(_ context.Context, t Task) (*verdict.Result, error) {
			r := &verdict.Result{Target: t.Job.Plan.Target, Entry: "main"}
			for i, s := range status {
				if s != verdict.Invalid {
					r.Claims = append(r.Claims, verdict.Claim{ID: fmt.Sprintf("memory@f#%d", i), Check: verdict.Memory,
						Status: s, Message: fmt.Sprintf("claim <%d>", i), Pos: verdict.Pos{File: "a.c", Line: i + 1}})
				}
				if i == 7 && s == verdict.Unknown {
					r.Claims[len(r.Claims)-1].Reason = &verdict.Reason{Kind: verdict.Shadowed, Detail: "behind claim 6"}
				}
			}
			r.DurationMS = took
			if tasks++; tasks > 1 {
				r.Bounds.Loops = []verdict.LoopBound{{Turns: 9}, {Turns: 4}, {Turns: 2, Complete: true}}
			}
			return r, nil
		}
		sha := b.commit(benchManifest)
		b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "push"})
		b.await()
	}
	const v, u, p, n, x = verdict.Violated, verdict.Unknown, verdict.Proved, verdict.Bounded, verdict.Invalid
	run(v, v, v, v, n, p, x, p)
	took = 2500
	b.commit(benchManifest + "# between\n")
	run(v, p, u, x, p, n, v, u)
	r, err := Regress(ctx, b.st, "a/b", time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Targets) != 1 {
		t.Fatalf("%+v", r)
	}
	c := r.Targets[0]
	got := func(list []Change) string {
		var s []string
		for _, x := range list {
			s = append(s, strings.TrimPrefix(x.Claim, "memory@f#"))
		}
		return strings.Join(s, " ")
	}
	for name, pair := range map[string][2]string{"introduced": {got(c.Introduced), "6"}, "fixed": {got(c.Fixed),
		"1 3"}, "open": {got(c.Open), "0"}, "undecided": {got(c.Undecided), "2"},
		"newly proved": {got(c.NewlyProved), "4"}, "proof lost": {got(c.ProofLost), "5"}} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
		}
	}
	if len(c.Slower) != 1 || c.Slower[0].Message != "1.0 s before, 2.5 s now" {
		t.Errorf("slower: %+v", c.Slower)
	}
	if len(c.Commits) != 2 || c.Commits[0].SHA != c.To.Commit || c.Commits[1].SHA == c.From.Commit {
		t.Errorf("commits: %+v", c.Commits)
	}
	if len(c.Trend) != 2 || c.Trend[0].Counts["violated"] != 4 || c.Trend[1].Counts["proved"] != 2 ||
		c.Trend[0].Turns != 0 || c.Trend[1].Turns != 4 {
		t.Errorf("trend: %+v", c.Trend)
	}
	for _, want := range []string{"### Commits in between", "### Slower\n\n- entry `main`: 1.0 s before, 2.5 s now",
		"| push |"} {
		if !strings.Contains(r.Markdown(""), want) {
			t.Errorf("no %q in\n%s", want, r.Markdown(""))
		}
	}
	page, err := r.HTML()
	if err != nil || !strings.Contains(string(page), "claim &lt;6&gt;") || !strings.Contains(r.Markdown(""),
		"### New\n\n- `memory@f#6`") {
		t.Errorf("%v\n%s\n%s", err, r.Markdown(""), page)
	}
	if _, err := Regress(ctx, b.st, "a/none", time.Now()); err == nil {
		t.Error("an unknown repository has a report")
	}
}

// TestRegressAtEqualBounds: a deep run of the night is compared with the night before, not with the quick run of a push.
func TestRegressAtEqualBounds(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	took, status := int64(0), verdict.Invalid
	b.check = func(_ context.Context, t Task) (*verdict.Result, error) {
		return &verdict.Result{Target: t.Job.Plan.Target, Entry: "main", DurationMS: took, Claims: []verdict.Claim{{
			ID: "memory@f#1", Check: verdict.Memory, Status: status, Message: "m", Pos: verdict.Pos{File: "a.c",
				Line: 1}}}}, nil
	}
	run := func(ms int64, s verdict.Status, o store.Options) *TargetChange {
		t.Helper()
		took, status = ms, s
		sha := b.commit(benchManifest)
		b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "push", Options: o})
		b.await()
		r, err := Regress(ctx, b.st, "a/b", time.Now().Add(-time.Hour))
		if err != nil || len(r.Targets) != 1 {
			t.Fatalf("%v %+v", err, r)
		}
		return &r.Targets[0]
	}
	deep := store.Options{Unwind: 64}
	run(1000, verdict.Proved, store.Options{})
	if c := run(60_000, verdict.Bounded, deep); len(c.ProofLost)+len(c.Slower) > 0 {
		t.Errorf("a deep run against a quick one: %+v", c)
	}
	run(1000, verdict.Proved, store.Options{})
	night := run(62_000, verdict.Bounded, deep)
	if len(night.ProofLost)+len(night.Slower) > 0 || night.From.Seconds == 0 && night.From.Run == night.To.Run {
		t.Errorf("two nights: %+v", night)
	}
	if c := run(120_000, verdict.Bounded, deep); len(c.Slower) != 1 ||
		c.Slower[0].Message != "60.0 s before, 120.0 s now" {
		t.Errorf("a slower night: %+v", c.Slower)
	}
}

// TestInertHistory: subjects of commits, messages and names format and mention nothing.
func TestInertHistory(t *testing.T) {
	const hostile = "a\n# x <img src=x> @acme/security #1 [y](https://evil.example) `"
	text := (&Regression{Repository: "acme/fw", Branch: hostile, Targets: []TargetChange{{Target: hostile,
		Introduced: []Change{{Claim: hostile, Entry: hostile, Where: hostile, Message: hostile, Origin: &Origin{
			State: "found", Commits: []Commit{{SHA: "0123456789abcdef", Subject: hostile, Author: hostile}}}}},
		Slower:  []Change{{Entry: hostile, Message: hostile}},
		Commits: []Commit{{SHA: "0123456789abcdef", Subject: hostile, Author: hostile}}}}}).Markdown("")
	text = regexp.MustCompile("`[^`\n]*`").ReplaceAllString(text, "")
	for _, bad := range []string{"<img", "\n# x", "@acme", "](", "#1 ", "://"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q in %s", bad, text)
		}
	}
}

// TestNewsFirst: what was introduced is read first, the rest by name.
func TestNewsFirst(t *testing.T) {
	list := []TargetChange{{Target: "a"}, {Target: "b", Introduced: make([]Change, 1)},
		{Target: "c", Introduced: make([]Change, 2)}, {Target: "d"}}
	byNews(list)
	if got := list[0].Target + list[1].Target + list[2].Target + list[3].Target; got != "cbad" {
		t.Errorf("the order is %s", got)
	}
}
