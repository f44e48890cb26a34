package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/firmproof/firmproof/reports"
)

// sourceTree finds the files that a report names: relative to the folder that was checked, or to the current one.
type sourceTree struct {
	dir string // the folder that was checked, "" for files or several folders

	mu    sync.Mutex
	texts map[string][]byte
}

// maxSource is the largest source file that is read for a report.
const maxSource = 4 << 20

// treeOf returns the tree that `check` was started on.
func treeOf(paths []string) *sourceTree {
	t := &sourceTree{texts: map[string][]byte{}}
	switch {
	case len(paths) == 0:
		t.dir = "."
	case len(paths) == 1:
		if st, err := os.Stat(paths[0]); err == nil && st.IsDir() {
			t.dir = paths[0]
		}
	}
	return t
}

// read is the text of a file by its name in the report, nil if there is none.
func (t *sourceTree) read(file string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, known := t.texts[file]
	if !known {
		text = t.load(file)
		t.texts[file] = text
	}
	return text
}

func (t *sourceTree) load(file string) []byte {
	at := file
	if !filepath.IsAbs(file) {
		at = filepath.Join(t.dir, file)
	}
	if st, err := os.Stat(at); err != nil || !st.Mode().IsRegular() || st.Size() > maxSource {
		return nil
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return nil
	}
	return text
}

// has reports whether a name in the report is a file of the tree.
func (t *sourceTree) has(file string) bool {
	st, err := os.Stat(filepath.Join(t.dir, file))
	return err == nil && st.Mode().IsRegular()
}

// place is how a format names the files of the tree.
func (t *sourceTree) place(n reports.Names) (prefix string) {
	switch {
	case t.dir == "":
		return ""
	case n == reports.FromHere:
		return filepath.ToSlash(filepath.Clean(t.dir))
	case n == reports.FromRepository:
		return t.inRepository()
	}
	return ""
}

// inRepository is the tree's folder as the git repository around it names it; without a repository, from here.
func (t *sourceTree) inRepository() string {
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, ".git")); err == nil {
			rel, err := filepath.Rel(up, dir)
			if err != nil {
				return ""
			}
			return filepath.ToSlash(rel)
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	if filepath.IsAbs(t.dir) {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(t.dir))
}

// commit is the commit that is checked out, with a mark if files differ from it; empty outside of a repository.
func (t *sourceTree) commit() string {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", filepath.Join(t.dir, ".")}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	head, err := git("rev-parse", "--short=10", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := git("status", "--porcelain", "--untracked-files=no", "--", "."); err != nil || changed != "" {
		head += " with changes"
	}
	return head
}
