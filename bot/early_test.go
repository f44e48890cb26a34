package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// stepwise is a checker of the entries one to five, of which each violates a claim at the line of its number: one at once,
// the others when they are let go; two to four are called by one, and by nothing else.
type stepwise struct {
	reader
	let     map[string]chan struct{}
	callers map[string][]string
}

func (c *stepwise) Build(_ context.Context, req pipeline.Request) (*pipeline.Built, error) {
	var jobs []prepare.Job
	for _, e := range stepwiseEntries {
		jobs = append(jobs, prepare.Job{Plan: verifier.Plan{Target: req.Target, Entry: e}, Timeout: time.Minute, Callers: c.callers[e]})
	}
	return &pipeline.Built{Jobs: jobs, Sandbox: "none"}, nil
}

var stepwiseEntries = []string{"one", "two", "three", "four", "five"}

func (c *stepwise) Verify(ctx context.Context, t pipeline.Task) (*verdict.Result, error) {
	if t.Job.Base {
		return nil, fmt.Errorf("%s: the base has no manifest", t.Job.Plan.Entry)
	}
	e := t.Job.Plan.Entry
	if c.let[e] != nil {
		select {
		case <-c.let[e]:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	r := &verdict.Result{Target: t.Job.Plan.Target, Entry: e}
	for i, name := range stepwiseEntries {
		if name == e {
			pos := verdict.Pos{File: "main.c", Line: i + 1, Function: e}
			r.Claims = []verdict.Claim{{ID: fmt.Sprintf("memory@%s#1", e), Check: verdict.Memory, Status: verdict.Violated,
				Message: "index 8 of 8 in " + e, Pos: pos, Replay: verdict.Confirmed,
				Trace: []verdict.Step{{Pos: pos, Kind: verdict.StepViolation, What: "a[8]"}}}}
		}
	}
	r.Summarise()
	return r, nil
}

// TestEarly: a violation is in the check, with its note, and on the pages while the run goes on, once, whatever GitHub's
// answers and the server come to in between; what the answers about callers may take back waits for these; writes keep
// their pace; the conclusion comes at the end.
func TestEarly(t *testing.T) {
	c := &stepwise{let: map[string]chan struct{}{}, callers: map[string][]string{"two": {"one"}}}
	for _, e := range stepwiseEntries[2:] {
		c.let[e] = make(chan struct{})
	}
	w := newWorldTB(t, c)
	w.cfg.Workers = 8
	w.stop()
	w.start()
	w.repo("int main\n")
	w.call("POST", "/_fake/faults", []obj{{"match": "PATCH .*check-runs", "body": "so far;", "times": 1, "kind": "after-effect", "status": 502},
		{"match": "PATCH .*check-runs", "body": "so far;", "times": 1000, "kind": "delay", "delay": "1ms"}})
	w.push("fix", "1\n2\n3\n4\n5\n")
	w.pull("fix", false)
	start := time.Now()
	open := func(lines string) func(state) bool {
		return func(s state) bool {
			n := 0
			for _, r := range s.CheckRuns {
				got := ""
				for _, a := range r.Annotations {
					got += fmt.Sprint(a.Line)
				}
				if r.Status != "completed" && r.Conclusion == "" && got == lines && strings.Contains(r.Output.Title, "violated so far; ") &&
					strings.Contains(r.Output.Summary, "index 8 of 8 in one") {
					n++
				}
			}
			return n == 2
		}
	}
	s := w.await("the violation of one, on both targets", open("1"))
	for _, r := range s.CheckRuns {
		switch {
		case r.Name == "firmproof" && (r.Output.Title != "1 violated so far; 0 of 2 targets done" || r.Status == "completed"):
			t.Errorf("the aggregate while it goes on: %s, %q", r.Status, r.Output.Title)
		case r.Name != "firmproof" && !strings.HasPrefix(r.Output.Title, "1 violated so far; 2 of "):
			t.Errorf("%s while it goes on: %q", r.Name, r.Output.Title)
		case r.Name != "firmproof":
			w.pageShows("/runs/"+r.ExternalID, "index 8 of 8 in one")
		}
	}
	w.stop()
	w.start()
	close(c.let["three"])
	w.await("that of three", open("13"))
	close(c.let["four"])
	w.await("that of four", open("134"))
	took := time.Since(start)
	if n := w.state().Faults[1].Struck; float64(n) > 3*(took.Seconds()/5+2) {
		t.Errorf("%d writes in %s about three checks", n, took)
	}
	close(c.let["five"])
	s = w.await("the end", finished(3))
	for _, r := range s.CheckRuns {
		lines := map[int]int{}
		for _, a := range r.Annotations {
			lines[a.Line]++
		}
		if r.Conclusion != "failure" || r.Name != "firmproof" && fmt.Sprint(lines) != "map[1:1 2:1 3:1 4:1 5:1]" {
			t.Errorf("%s: %s, notes by line %v", r.Name, r.Conclusion, lines)
		}
	}
}
