package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangedSinceElsewhere: --changed-since looks at functions with changed lines. What else changed is named: macros, files
// that are gone or not known to git, and those beside the project.
func TestChangedSinceElsewhere(t *testing.T) {
	const head = "#include \"a.h\"\nstatic int buf[8];\nint get(unsigned i) {\n  return i < LIMIT ? buf[i] : 0;\n}\n"
	const more = "int twice(int x) {\n  return x < 100 && x > 0 ? 2 * x : 0;\n}\n"
	repo := t.TempDir()
	dir := filepath.Join(repo, "fw")
	put(t, repo, "common/c.h", "#define SHARED 1\n")
	put(t, dir, ".firmproof.yml", "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: changed\n")
	put(t, dir, "a.c", head+more)
	put(t, dir, "a.h", "#define LIMIT 8\n")
	put(t, dir, "gone.txt", "x\n")
	put(t, dir, "README.md", "x\n")
	commitAll(t, repo, "first")
	put(t, dir, "a.c", head+strings.Replace(more, "100", "99", 1))
	code, rep, errs := checkJSON(t, "--changed-since", "HEAD", dir)
	if code != exitOK || len(rep.Results) != 1 || len(rep.Results[0].Warnings) != 0 {
		t.Errorf("a line of a function: exit %d, %+v\n%s", code, rep.Results, errs)
	}
	put(t, dir, "a.h", "#define LIMIT 9\n")
	put(t, dir, "new.c", "int n;\n")
	put(t, dir, "README.md", "y\n")
	put(t, repo, "common/c.h", "#define SHARED 2\n")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	const elsewhere = "changed since HEAD, and not only in functions: ../common/c.h, a.h, gone.txt, new.c: "
	code, rep, errs = checkJSON(t, "--changed-since", "HEAD", dir)
	if code != exitOK || len(rep.Results) != 1 || !strings.Contains(strings.Join(rep.Results[0].Warnings, "\n"), elsewhere) {
		t.Errorf("more: exit %d, %+v\n%s", code, rep.Results, errs)
	}
	put(t, dir, "a.c", head+more)
	if code, _, errs = checkJSON(t, "--changed-since", "HEAD", dir); code != exitUsage ||
		!strings.Contains(errs, "nothing to verify: no function has a line that changed since HEAD; "+elsewhere) {
		t.Errorf("nothing: exit %d, %s", code, errs)
	}
}
