package main

import (
	"bytes"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/verifier/testprogram"
)

// The first line of a worked example says what holds of it, and what is not decided yet.
var workedHead = regexp.MustCompile(
	`^// (memory|reach): (safe|unsafe), termination: (ends|endless|-)(?:, open: ([a-z ]+))?\n`)

// TestWorkedExamples asks for memory safety, or whether reach_error is called, and termination of the papers' examples
// and of others, and of their wrong twins. Each has a row in docs/UNBOUNDED.md.
func TestWorkedExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes")
	}
	dir := t.TempDir()
	specs := map[string]string{
		"memory":      "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n",
		"reach":       "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
		"termination": "CHECK( init(main()), LTL(F end) )\n",
	}
	for name, text := range specs {
		write(t, filepath.Join(dir, name+".prp"), text)
	}
	archives, err := filepath.Glob("testdata/worked/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no examples", err)
	}
	table, err := os.ReadFile("../../docs/UNBOUNDED.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			head := workedHead.FindSubmatch(f.Data)
			if head == nil {
				t.Errorf("%s: %s: the first line does not say what holds", path, f.Name)
				continue
			}
			if !bytes.Contains(table, []byte("| "+strings.TrimSuffix(f.Name, ".c")+" |")) {
				t.Errorf("%s has no row", f.Name)
			}
			if crc32.ChecksumIEEE([]byte(f.Name))%testprogram.Sample[uint32](1, 12) != 0 {
				continue // one of twelve; `make long` asks for all
			}
			file := filepath.Join(dir, f.Name)
			write(t, file, string(f.Data))
			for _, q := range []struct{ name, want string }{{string(head[1]), string(head[2])},
				{"termination", string(head[3])}} {
				if q.want == "-" || strings.Contains(string(head[4]), q.name) {
					continue
				}
				t.Run(strings.TrimSuffix(f.Name, ".c")+"/"+q.name, func(t *testing.T) {
					t.Parallel()
					answer := map[string]string{"safe": "TRUE", "unsafe": "FALSE", "ends": "TRUE", "endless": "FALSE"}
					got := lastLine(t, "--spec", filepath.Join(dir, q.name+".prp"), "--timeout", "2m", file)
					if !strings.HasPrefix(got, answer[q.want]) {
						t.Errorf("got %s, want %s", got, q.want)
					}
				})
			}
		}
	}
}

// lastLine is the answer of svcomp.
func lastLine(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	runWith(append([]string{"svcomp"}, args...), &out, &errs)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines[len(lines)-1]
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
