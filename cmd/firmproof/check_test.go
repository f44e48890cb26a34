package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// timeNet is the --timeout of cases that no test lets come near it, however busy the machine is: what limits their
// work is their size.
const timeNet = "15m"

// TestCheck runs `firmproof check` on each case of testdata/check. A case has a
// comment, the flags, the exit status, the program, and `want`: a line for each
// claim that is violated, unknown or behind a violation, as "file:line check status", and one if the answer is vacuous. A case
// with a manifest is checked as a project. Every _bad has a _good twin that differs in
// one token and has less to show, in what it wants and therefore in fact; where a violation is all that there
// is to check, the twin may be vacuous. UPDATE=1 rewrites the exit
// statuses and `want` from what happens. A case with the line `long` is left to `make long`.
func TestCheck(t *testing.T) {
	cases, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	t.Run("case", func(t *testing.T) {
		for _, path := range cases {
			name := strings.TrimSuffix(filepath.Base(path), ".txtar")
			t.Run(name, func(t *testing.T) {
				if testprogram.Sample(false, true) && isLong(t, path) {
					t.Skip("long: make long runs it")
				}
				t.Parallel()
				runCase(t, path)
			})
		}
	})
	for _, path := range cases {
		if stem, ok := strings.CutSuffix(path, "_bad.txtar"); ok {
			compareTwins(t, path, stem+"_good.txtar")
		}
	}
}

// compareTwins fails unless good wants less than bad: some of its lines, never others.
func compareTwins(t *testing.T, bad, good string) {
	t.Helper()
	var wants [2][]string
	for i, path := range []string{bad, good} {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Error(err)
			return
		}
		for _, f := range a.Files {
			if f.Name == "want" {
				wants[i] = strings.Split(strings.Trim(string(f.Data), "\n"), "\n")
			}
		}
	}
	vacuous := func(line string) bool {
		return strings.HasPrefix(line, "vacuous ") && !slices.Contains(wants[0], line)
	}
	less := slices.DeleteFunc(wants[1], func(line string) bool { return line == "" || vacuous(line) })
	if len(less) >= len(wants[0]) || slices.Equal(wants[0], []string{""}) {
		t.Errorf("%s wants no more than %s", bad, good)
	}
	for _, line := range less {
		if !slices.Contains(wants[0], line) {
			t.Errorf("%s wants %q, which %s does not", good, line, bad)
		}
	}
}

// runCase runs a case. With another LLVM than the preferred one it is held to what TestLLVM holds that to, and is not
// written anew.
func runCase(t *testing.T, path string) {
	r := checkCase(t, path)
	blessing := os.Getenv("UPDATE") != ""
	if v := llvmtest.Tools(t).Version; v != llvm.Preferred {
		sameAnswer(t, r, llvmDifferences(t)[fmt.Sprintf("%s %d", strings.TrimSuffix(filepath.Base(path), ".txtar"), v)])
		return
	}
	if r.code != r.exit && !blessing {
		t.Errorf("exit status %d, want %d\n%s", r.code, r.exit, r.said)
	}
	if blessing {
		if !t.Failed() {
			bless(t, path, r.archive, r.code, r.got)
		}
	} else if r.got != r.want {
		t.Errorf("got\n%s\nwant\n%s", r.got, r.want)
	}
}

// caseResult is what came out of a case, and what its file wants.
type caseResult struct {
	archive    *txtar.Archive
	code, exit int
	got, want  string
	said       string // on standard error
}

// checkCase runs the case at path.
func checkCase(t *testing.T, path string) caseResult {
	t.Helper()
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
	what := filepath.Join(dir, source)
	if _, err := os.Stat(filepath.Join(dir, manifest.Name)); err == nil {
		what = dir
	}
	var out, errs bytes.Buffer
	code := runWith(append(append([]string{"check", "--format", "json", "--timeout", timeNet}, flags...), what), &out,
		&errs)
	var rep verdict.Report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	return caseResult{archive: a, code: code, exit: exit, got: shown(t, &rep), want: want, said: errs.String()}
}

var exitLine = regexp.MustCompile(`(?m)^exit .*$`)

// bless writes the exit status and what was shown into the case at path.
func bless(t *testing.T, path string, a *txtar.Archive, code int, got string) {
	t.Helper()
	before := txtar.Format(a)
	a.Comment = exitLine.ReplaceAll(a.Comment, fmt.Appendf(nil, "exit %d", code))
	for i := range a.Files {
		if f := &a.Files[i]; f.Name == "want" && strings.TrimSpace(string(f.Data)) != got {
			f.Data = []byte(strings.TrimLeft(got+"\n", "\n"))
		}
	}
	if after := txtar.Format(a); !bytes.Equal(before, after) {
		if err := os.WriteFile(path, after, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// isLong reports whether a case takes so long that `make long` alone runs it.
func isLong(t *testing.T, path string) bool {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Contains(strings.Split(string(a.Comment), "\n"), "long")
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
		if r.Vacuous != nil {
			line := "vacuous " + r.Vacuous.Detail
			if at := r.Vacuous.Pos; at != nil {
				line += fmt.Sprintf(" at %s:%d", filepath.Base(at.File), at.Line)
			}
			lines = append(lines, line)
		}
		if len(r.Claims) == 0 {
			t.Error("no claims")
		}
		for _, c := range r.Claims {
			byCompiler := c.Certificate != nil && c.Certificate.Method == claims.ByCompiler
			if c.Status == verdict.Violated && !byCompiler && (c.Replay != verdict.Confirmed || len(c.Trace) == 0) {
				t.Errorf("%s: violated without a confirmed replay and its trace", c.ID)
			}
			if c.Status == verdict.Violated || c.Status == verdict.Unknown {
				line := fmt.Sprintf("%s:%d %s %s", filepath.Base(c.Pos.File), c.Pos.Line, c.Check, c.Status)
				switch {
				case c.IsShadowed():
					line = strings.TrimSuffix(line, c.Status.String()) + "behind " + c.Behind
				case c.Status == verdict.Unknown:
					why := *c.Reason
					if why.Pos != nil {
						at := *why.Pos
						at.File = filepath.Base(at.File)
						why.Pos = &at
					}
					line += " " + why.String()
				}
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}
