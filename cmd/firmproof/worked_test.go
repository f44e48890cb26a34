package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The first line of a worked example says what holds of it, and what is not decided yet.
var workedHead = regexp.MustCompile(`^// memory: (safe|unsafe), termination: (ends|endless|-)(?:, open: ([a-z ]+))?\n`)

// TestWorkedExamples asks for memory safety and termination of the papers' examples, and of their wrong twins. Each has
// a row in docs/UNBOUNDED.md.
func TestWorkedExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes")
	}
	dir := t.TempDir()
	memory, ends := filepath.Join(dir, "memory.prp"), filepath.Join(dir, "ends.prp")
	write(t, memory, "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n")
	write(t, ends, "CHECK( init(main()), LTL(F end) )\n")
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
			file := filepath.Join(dir, f.Name)
			write(t, file, string(f.Data))
			for _, q := range []struct{ name, spec, want string }{{"memory", memory, string(head[1])},
				{"termination", ends, string(head[2])}} {
				if q.want == "-" || strings.Contains(string(head[3]), q.name) {
					continue
				}
				t.Run(strings.TrimSuffix(f.Name, ".c")+"/"+q.name, func(t *testing.T) {
					t.Parallel()
					answer := map[string]string{"safe": "TRUE", "unsafe": "FALSE", "ends": "TRUE", "endless": "FALSE"}
					got := lastLine(t, "--spec", q.spec, "--timeout", "2m", file)
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
