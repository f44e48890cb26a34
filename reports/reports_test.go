package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

func sample() *verdict.Report {
	claim := func(s verdict.Status) verdict.Claim {
		c := verdict.Claim{ID: "memory@ring_push#2", Check: verdict.Memory, Status: s,
			Message: "write of 1 byte at offset 8 of `buf` (8 bytes) <b>",
			Pos:     verdict.Pos{File: "src/ring.c", Line: 41, Column: 9, Function: "ring_push"}}
		if s == verdict.Violated {
			c.Replay = verdict.Confirmed
			c.Trace = []verdict.Step{
				{Pos: verdict.Pos{File: "proofs/ring.c", Line: 12}, Kind: verdict.StepInput, What: "n", Value: "9",
					Bytes: "09 00 00 00", Type: "unsigned int"},
				{Pos: c.Pos, Kind: verdict.StepViolation, What: c.Message, Depth: 1}}
		}
		return c
	}
	r := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: "test"}, Results: []verdict.Result{
		{Target: "x86_64", Entry: "ring_push_harness", Claims: []verdict.Claim{claim(verdict.Violated)},
			DurationMS: 420},
		{Target: "cortex-m3", Entry: "ring_push_harness", Claims: []verdict.Claim{claim(verdict.Proved)},
			DurationMS: 120},
		{Target: "cortex-m3", Entry: "other", Reason: &verdict.Reason{Kind: verdict.Unsupported,
			Detail: "inline assembly", Pos: &verdict.Pos{File: "a.c", Line: 3}}}}}
	for i := range r.Results {
		r.Results[i].Summarise()
	}
	return r
}

func TestTextNamesWhatMatters(t *testing.T) {
	var b bytes.Buffer
	Text(&b, sample(), TextOptions{})
	for _, want := range []string{
		"x86_64  ring_push_harness  violated  (1 violated)  0.42 s",
		"src/ring.c:41:9: violated: memory: write of 1 byte",
		"proofs/ring.c:12  input n = 9  [09 00 00 00]  (unsigned int)",
		"unknown: unsupported: inline assembly at a.c:3",
		"targets differ: memory@ring_push#2 (ring_push_harness, src/ring.c:41:9): violated on x86_64; proved on cortex-m3",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("colour without being asked for")
	}
}

// TestFormats: every format names the violation and its place, in the same bytes each time.
func TestFormats(t *testing.T) {
	for _, f := range Formats() {
		var first, second bytes.Buffer
		for _, b := range []*bytes.Buffer{&first, &second} {
			if err := f.Write(b, sample(), TextOptions{}); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
		for _, want := range []string{"ring.c", "41", "memory"} {
			if !OnlyCoverage(f.Name) && !strings.Contains(first.String(), want) {
				t.Errorf("%s: no %q in:\n%s", f.Name, want, first.String())
			}
		}
		if first.String() != second.String() {
			t.Errorf("%s differs between two runs", f.Name)
		}
	}
}

func TestCheckRun(t *testing.T) {
	r := sample()
	p := CheckRun(r.Results[:1], PageOptions{DetailsURL: "http://x/run/1"})
	if p.Conclusion != "failure" || p.Title != "1 violation" || len(p.Annotations) != 1 {
		t.Fatalf("got %+v", p)
	}
	a := p.Annotations[0]
	if a.Path != "src/ring.c" || a.StartLine != 41 || a.Level != "failure" || !strings.Contains(a.RawDetails,
		"input n = 9") {
		t.Errorf("annotation %+v", a)
	}
	if strings.Contains(p.Summary, "<b>") {
		t.Error("HTML of the message is not escaped")
	}
	if got := Conclusion(r.Results[1:2], PageOptions{}); got != "success" {
		t.Errorf("proved: %s", got)
	}
	if got := Conclusion(r.Results[2:], PageOptions{}); got != "neutral" {
		t.Errorf("unknown: %s", got)
	}
	vacuous := r.Results[1]
	vacuous.Vacuous = &verdict.Reason{Kind: verdict.Vacuous}
	if got := Conclusion([]verdict.Result{vacuous}, PageOptions{}); got != "neutral" {
		t.Errorf("a vacuous answer alone: %s", got)
	}
	if got := Conclusion([]verdict.Result{vacuous, r.Results[1]}, PageOptions{}); got != "success" {
		t.Errorf("a vacuous answer beside another: %s", got)
	}
	states := map[string]State{Key(&r.Results[0], &r.Results[0].Claims[0]): Accepted}
	if got := CheckRun(r.Results[:1], PageOptions{States: states}); got.Conclusion != "success" ||
		len(got.Annotations) != 0 {
		t.Errorf("suppressed: %+v", got)
	}
}

func TestCutClosesWhatItOpens(t *testing.T) {
	long := strings.Repeat("<details><summary>x</summary>\n\n```\n"+strings.Repeat("step ä\n", 40)+
		"```\n\n</details>\n", 400)
	got := Cut(long, MaxText, "http://x")
	if len(got) > MaxText {
		t.Errorf("%d bytes", len(got))
	}
	if strings.Count(got, "\n```")%2 != 0 || strings.Count(got, "<details>") != strings.Count(got, "</details>") {
		t.Error("a fence or details is left open")
	}
	if Cut("short", MaxText, "") != "short" {
		t.Error("short text is changed")
	}
}

func TestMachineFormats(t *testing.T) {
	r := sample()
	s, err := SARIF(r)
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(s, &log); err != nil {
		t.Fatal(err)
	}
	res := log.Runs[0].Results
	if len(res) != 1 || res[0].RuleID != "memory" || len(res[0].CodeFlows[0].Threads[0].Locations) != 2 {
		t.Errorf("results %+v", res)
	}
	j, err := JUnit(r)
	if err != nil || !bytes.Contains(j, []byte(`failures="1"`)) || !bytes.Contains(j, []byte("inline assembly")) {
		t.Errorf("junit %v\n%s", err, j)
	}
	h, err := HTML(r, TextOptions{})
	if err != nil || bytes.Contains(h, []byte("(8 bytes) <b>")) || !bytes.Contains(h, []byte("ring_push_harness")) {
		t.Errorf("html %v", err)
	}
	var buf bytes.Buffer
	if err := r.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	var back verdict.Report
	if err := json.Unmarshal(buf.Bytes(), &back); err != nil || back.Results[0].Claims[0].Status != verdict.Violated {
		t.Errorf("json does not come back: %v", err)
	}
}

func TestFingerprintIgnoresLines(t *testing.T) {
	r := sample()
	res := &r.Results[0]
	a := Fingerprint(res, &res.Claims[0])
	res.Claims[0].Pos.Line += 100
	res.Claims[0].Pos.File = "src/ring_buffer.c"
	if b := Fingerprint(res, &res.Claims[0]); a != b {
		t.Error("a moved line changes the fingerprint")
	}
}
