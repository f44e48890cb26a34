package bot_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// history gives the default branch a history of 15 commits at once, without a webhook: two that do not build, and a branch,
// merged later, whose second commit brings a bug. It returns that commit.
func (w *world) history() string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), "fw")
	origin := filepath.Join(filepath.Dir(w.cfg.Data), "gh", "repos", "acme", "fw.git")
	git(w.t, w.t.TempDir(), "clone", "-q", origin, dir)
	commit := func(subject, file, text string) string {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
		git(w.t, dir, "add", "-A")
		git(w.t, dir, "commit", "-q", "-m", subject)
		return git(w.t, dir, "rev-parse", "HEAD")
	}
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
