package bot_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// git runs git in a folder.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Bea", "-c", "user.email=bea@example.org"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// clone makes a clone of acme/fw, and a function that commits a file there.
func (w *world) clone() (dir string, commit func(subject, file, text string) string) {
	w.t.Helper()
	dir = filepath.Join(w.t.TempDir(), "fw")
	git(w.t, w.t.TempDir(), "clone", "-q", filepath.Join(filepath.Dir(w.cfg.Data), "gh", "repos", "acme", "fw.git"), dir)
	return dir, func(subject, file, text string) string {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
		git(w.t, dir, "add", "-A")
		git(w.t, dir, "commit", "-q", "-m", subject)
		return git(w.t, dir, "rev-parse", "HEAD")
	}
}

// TestPushOfMany: of a push of several commits the finding's page names the one that brought it, and of another such push
// the one that mended it.
func TestPushOfMany(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	b := w.browser("ann")
	b.open("/auth/login")
	address := ""
	names := func(what string) {
		t.Helper()
		text := ""
		for range 1200 {
			if _, text, _ = b.open(address); regexp.MustCompile(`(?s)` + what).MatchString(text) {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s does not say %s: %s", address, what, text)
	}
	w.push("main", "int main\nfine\n")
	w.await("the first run", finished(3))
	for i, c := range []struct{ text, said string }{{"int main\nbug one\n", "First bad commit:"},
		{"int main\nfine\n", "Commit that mended it:"}} {
		dir, commit := w.clone()
		var at string
		for j := range 4 {
			if commit("notes", "README", fmt.Sprint(i, j)); j == 1 {
				at = commit("ring: the one", "main.c", c.text)
			}
		}
		git(t, dir, "push", "-q", "origin", "main")
		w.push("main", c.text+"// done\n")
		w.await("the push", finished(3*(i+2)))
		if i == 0 {
			_, list, _ := b.open("/repos/acme/fw/findings")
			m := regexp.MustCompile(`/repos/acme/fw/findings/[0-9a-f]+`).FindString(list)
			if address = m; m == "" {
				t.Fatalf("no finding: %s", list)
			}
		}
		names(c.said + `</?[^/]*\s*<ul><li>[^\n]*` + at[:10] + `[^\n]* ring: the one[^\n]*</li></ul>\s*<details><summary>How it was found: [1-3] commits? looked at`)
	}
}

// history gives the default branch a history of 15 commits at once, without a webhook: two that do not build, and a branch,
// merged later, whose second commit brings a bug. It returns that commit.
func (w *world) history() string {
	w.t.Helper()
	dir, commit := w.clone()
	commit("docs", "README", "1")
	commit("docs 2", "README", "2")
	git(w.t, dir, "switch", "-q", "-c", "ring")
	commit("ring: notes", "ring.txt", "1")
	bad := commit("ring: wrap <late> @acme", "main.c", "int main\nbug one\n")
	commit("ring: more notes", "ring.txt", "2")
	git(w.t, dir, "switch", "-q", "main")
	commit("docs 3", "README", "3")
	commit("half done", "other.c", "x")
	commit("more", "other.c", "y")
	commit("does not build", "main.c", "int main\nbroken\n")
	commit("does not build either", "README", "4")
	commit("builds again", "main.c", "int main\nfine\n")
	git(w.t, dir, "merge", "-q", "--no-ff", "-m", "Merge ring", "ring")
	for _, n := range []string{"5", "6", "7"} {
		commit("docs "+n, "README", n)
	}
	git(w.t, dir, "push", "-q", "origin", "main")
	return bad
}

// bisected judges what the store keeps of the search in that history.
func (w *world) bisected(bad string) {
	w.t.Helper()
	ctx := context.Background()
	if err := w.database().Read(ctx, func(tx store.Tx) error {
		repo, err := tx.RepoByName(ctx, "acme/fw")
		if err != nil {
			return err
		}
		list, err := tx.Bisections(ctx, repo.ID)
		if err != nil || len(list) != 2 {
			w.t.Errorf("%d bisections, want one for each target: %v", len(list), err)
		}
		for _, b := range list {
			if b.Open || len(b.Commits) != 1 || b.Commits[0].SHA != bad || len(b.Tried) > 6 {
				w.t.Errorf("a bisection of 15 commits: %+v", b)
			}
		}
		if n, err := tx.BisectRuns(ctx, repo.ID); err != nil || n != len(list[0].Tried) {
			w.t.Errorf("%d runs, want one for both targets: %v", n, err)
		}
		return nil
	}); err != nil {
		w.t.Error(err)
	}
}
