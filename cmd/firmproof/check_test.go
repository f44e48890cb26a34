package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestCheck runs `firmproof check` on each case of testdata/check. A case has a
// comment, the flags, the exit status, the program, and `want`: a line for each
// claim that is violated or unknown, as "file:line check status". Every _bad has
// a _good twin that differs in one token and must have nothing to show.
func TestCheck(t *testing.T) {
	cases, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if bad, ok := strings.CutSuffix(name, "_bad"); ok && !slices.Contains(cases, filepath.Join("testdata/check",
			bad+"_good.txtar")) {
			t.Errorf("%s has no _good twin", name)
		}
		t.Run(name, func(t *testing.T) { t.Parallel(); runCase(t, path) })
	}
}

func runCase(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want, source := "", "main.c"
	for _, f := range a.Files {
		if f.Name == "want" {
			want = strings.TrimSpace(string(f.Data))
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Name, "main.") {
			source = f.Name
		}
	}
	flags, exit := header(t, string(a.Comment))
	var out, errs bytes.Buffer
	code := runWith(append(append([]string{"check", "--format", "json", "--timeout", "60s"}, flags...),
		filepath.Join(dir, source)), &out, &errs)
	if code != exit {
		t.Errorf("exit status %d, want %d\n%s", code, exit, errs.String())
	}
	var rep verdict.Report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	if got := shown(t, &rep); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func header(t *testing.T, comment string) (flags []string, exit int) {
	t.Helper()
	for _, line := range strings.Split(comment, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "flags":
			flags = strings.Fields(rest)
		case "exit":
			var err error
			if exit, err = strconv.Atoi(strings.TrimSpace(rest)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return flags, exit
}

// shown lists what is violated or unknown, and insists that each violation was replayed.
func shown(t *testing.T, rep *verdict.Report) string {
	t.Helper()
	var lines []string
	for _, r := range rep.Results {
		if r.Reason != nil {
			lines = append(lines, r.Reason.String())
		}
		if len(r.Claims) == 0 {
			t.Error("no claims")
		}
		for _, c := range r.Claims {
			byCompiler := c.Certificate != nil && c.Certificate.Method == verifier.ByCompiler
			if c.Status == verdict.Violated && !byCompiler && (c.Replay != verdict.Confirmed || len(c.Trace) == 0) {
				t.Errorf("%s: violated without a confirmed replay and its trace", c.ID)
			}
			if c.Status == verdict.Violated || c.Status == verdict.Unknown && (c.Reason == nil || !c.IsShadowed()) {
				line := fmt.Sprintf("%s:%d %s %s", filepath.Base(c.Pos.File), c.Pos.Line, c.Check, c.Status)
				if c.Status == verdict.Unknown {
					line += " " + c.Reason.String()
				}
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}
