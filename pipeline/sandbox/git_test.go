package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/checkout"
)

// gitServer serves a repository over HTTP, as GitHub does.
type gitServer struct {
	t   *testing.T
	dir string
	url string
}

func newGitServer(t *testing.T) *gitServer {
	t.Helper()
	g := &gitServer{t: t, dir: t.TempDir()}
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&cgi.Handler{Path: path, Args: []string{"http-backend"}, Env: []string{
		"GIT_PROJECT_ROOT=" + g.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory",
		"GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true"}})
	t.Cleanup(s.Close)
	g.url = s.URL + "/.git"
	g.git("", "init", "-q", "-b", "main")
	return g
}

func (g *gitServer) git(in string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir, cmd.Stdin = g.dir, strings.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// commit commits a file on top of what there is.
func (g *gitServer) commit(name string, text []byte) string {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), text, 0o644); err != nil {
		g.t.Fatal(err)
	}
	g.git("", "add", "-A")
	g.git("", "commit", "-q", "-m", "x")
	return g.git("", "rev-parse", "HEAD")
}

// gitCache returns mirrors whose git runs in a sandbox with that much memory.
func gitCache(t *testing.T, s *Sandbox, work string, memory int64) *checkout.Cache {
	t.Helper()
	l := GitLimits()
	l.Memory = memory
	limits := checkout.DefaultLimits()
	limits.Blob, limits.Time = 64<<20, time.Minute
	return &checkout.Cache{Dir: filepath.Join(work, "mirrors"), Limits: limits, Run: &Git{Box: s, Limits: l}}
}

// TestGit: a change is fetched, compared and laid out by a git that is in the sandbox,
// with the network of its remote alone; the token is on no command line.
func TestGit(t *testing.T) {
	for _, bwrap := range []bool{true, false} {
		t.Run(map[bool]string{true: "bubblewrap", false: "bare"}[bwrap], func(t *testing.T) {
			g := newGitServer(t)
			base := g.commit("a.c", []byte("1\n2\n"))
			head := g.commit("a.c", []byte("1\nx\n"))
			s, work := bare(t, bwrap, true)
			c := gitCache(t, s, work, 512<<20)
			ctx := context.Background()
			for _, sha := range []string{base, head} {
				m, _, err := c.Fetch(ctx, "r", checkout.Remote{URL: g.url, Token: "ghs_secret"},
					checkout.Want{Ref: "refs/heads/main", SHA: sha})
				if err != nil {
					t.Fatal(err)
				}
				dir := filepath.Join(work, "trees", sha)
				if err := errors.Join(os.MkdirAll(dir, 0o755), m.Export(ctx, sha, dir)); err != nil {
					t.Fatal(err)
				}
				if text, err := os.ReadFile(filepath.Join(dir, "a.c")); err != nil || text[0] != '1' {
					t.Errorf("%q %v", text, err)
				}
				if changed, _, err := m.Changed(ctx, base, head); err != nil || len(changed["a.c"]) != 1 {
					t.Errorf("%v %v", changed, err)
				}
			}
			m := c.Existing("r")
			sha, err := m.Patched(ctx, head, []byte("--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n 1\n-x\n+y\n"))
			if text, ferr := m.File(ctx, sha, "a.c", 100); err != nil || ferr != nil || string(text) != "1\ny\n" {
				t.Errorf("patched: %q %v %v", text, err, ferr)
			}
			left, err := filepath.Glob(filepath.Join(work, "mirrors", "index-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
			line := strings.Join(s.bwrapArgs(Spec{Dir: work, Env: []string{"TOKEN=ghs_secret"}}), " ")
			if strings.Contains(line, "ghs_secret") {
				t.Errorf("the token is an argument: %s", line)
			}
			if _, err := s.Run(ctx, Spec{Argv: []string{"/bin/ls"}, Dir: "/"}); err == nil {
				t.Error("a job sees the whole machine")
			}
		})
	}
}

// TestSiegeGitBombs: small packs that are large when they are unpacked, and trees without an
// end, are found by their size or end by a limit, as the fault of who made them.
func TestSiegeGitBombs(t *testing.T) {
	siege(t)
	ctx := context.Background()
	g := newGitServer(t)
	first := g.commit("a.c", []byte("1\n"))
	s, work := box(t, BestEffort)
	fetch := func(c *checkout.Cache, key, sha string) (*checkout.Mirror, error) {
		m, _, err := c.Fetch(ctx, key, checkout.Remote{URL: g.url}, checkout.Want{Ref: "refs/heads/main", SHA: sha})
		return m, err
	}
	theirs := func(err error, words string) {
		t.Helper()
		var e *checkout.Error
		if !errors.As(err, &e) || !e.Theirs || !strings.Contains(err.Error(), words) {
			t.Errorf("want %q: %v", words, err)
		}
	}
	c := gitCache(t, s, work, 256<<20)

	// below the limit of a file, but more than git could compare in its memory
	lines := bytes.Repeat([]byte("int a;\n"), 6<<20)
	large := g.commit("large.c", lines)
	m, err := fetch(c, "k", large)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if changed, _, err := m.Changed(ctx, first, large); err != nil || len(changed["large.c"]) > 1 {
		t.Errorf("%v %v", changed, err)
	}
	t.Logf("a file of %d MB compared in %s", len(lines)>>20, time.Since(start).Round(time.Millisecond))

	bomb := g.commit("bomb.c", make([]byte, 100<<20))
	if m, err = fetch(c, "k", bomb); err != nil {
		t.Fatal(err)
	}
	_, _, err = m.Changed(ctx, large, bomb)
	theirs(err, "bomb.c")
	dir := filepath.Join(work, "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	theirs(m.Export(ctx, bomb, dir), "bomb.c")

	// 10^12 files in a few hundred bytes
	tree := g.git("100644 blob "+g.git("", "hash-object", "-w", "a.c")+"\ta.c\n", "mktree")
	for range 12 {
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "040000 tree %s\td%d\n", tree, i)
		}
		tree = g.git(list.String(), "mktree")
	}
	endless := g.git("", "commit-tree", "-m", "x", "-p", bomb, tree)
	g.git("", "update-ref", "refs/heads/main", endless)
	if m, err = fetch(c, "k", endless); err != nil {
		t.Fatal(err)
	}
	_, _, err = m.Changed(ctx, first, endless)
	theirs(err, "bytes of output")
}
