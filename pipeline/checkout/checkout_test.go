package checkout

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/reports"
)

// origin is a repository to fetch from, made with plain git.
type origin struct {
	t   *testing.T
	dir string
}

func newOrigin(t *testing.T) *origin {
	o := &origin{t, t.TempDir()}
	o.git("init", "-q", "-b", "main")
	o.git("config", "user.email", "t@example.org")
	o.git("config", "user.name", "t")
	o.git("config", "uploadpack.allowAnySHA1InWant", "true")
	return o
}

func (o *origin) git(args ...string) string {
	o.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (o *origin) commit(files map[string]string) string {
	o.t.Helper()
	for name, text := range files {
		p := filepath.Join(o.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			o.t.Fatal(err)
		}
	}
	o.git("add", "-A")
	o.git("commit", "-q", "-m", "x")
	return o.git("rev-parse", "HEAD")
}

func TestFetchExportChanged(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	base := o.commit(map[string]string{"a.c": "1\n2\n3\n4\n5\n", "del.c": "x\ny\nz\n", "sub/b c.c": "1\n",
		"old.c": "o1\no2\no3\no4\no5\n"})
	o.git("checkout", "-q", "-b", "fix")
	o.git("mv", "old.c", "new.c")
	if err := os.Symlink("/etc/shadow", filepath.Join(o.dir, "evil")); err != nil {
		t.Fatal(err)
	}
	head := o.commit(map[string]string{"a.c": "1\n2\nthree\n4\n5\n6\n", "del.c": "x\nz\n",
		"sub/b c.c": "++ b/fake.c\n@@ -1 +1 @@\n", "uml\u00e4ut.c": "q\n", "new.c": "o1\no2\nO3\no4\no5\n",
		".gitattributes": "*.c filter=evil diff=evil\n",
		".gitmodules":    "[submodule \"m\"]\n\tpath = m\n\turl = file:///etc\n"})
	o.git("update-ref", "refs/pull/7/head", head)
	o.git("checkout", "-q", "main")
	o.commit(map[string]string{"a.c": "1\n2\n3\n4\nmain moved\n"})

	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	m, shas, err := c.Fetch(ctx, "o.r", Remote{URL: o.dir}, Want{Ref: "refs/heads/main", SHA: ""},
		Want{Ref: "refs/pull/7/head", SHA: head})
	if err != nil {
		t.Fatal(err)
	}
	changed, from, err := m.Changed(ctx, shas[0], head)
	if err != nil || from != base {
		t.Fatalf("merge base %s, want %s: %v", from, base, err)
	}
	want := map[string][]reports.LineRange{
		"a.c": {{From: 3, To: 3}, {From: 6, To: 6}}, "del.c": {{From: 1, To: 1}}, "sub/b c.c": {{From: 1, To: 2}},
		"uml\u00e4ut.c": {{From: 1, To: 1}}, "new.c": {{From: 3, To: 3}},
		".gitattributes": {{From: 1, To: 1}}, ".gitmodules": {{From: 1, To: 3}}, "evil": {{From: 1, To: 1}},
	}
	for f, r := range want {
		if len(changed[f]) != len(r) {
			t.Errorf("%s: %v, want %v", f, changed[f], r)
			continue
		}
		for i := range r {
			if changed[f][i] != r[i] {
				t.Errorf("%s: %v, want %v", f, changed[f], r)
			}
		}
	}
	if len(changed) != len(want) {
		t.Errorf("changed: %v", changed)
	}
	dir := t.TempDir()
	if err := m.Export(ctx, head, dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "sub/b c.c"))
	if err != nil || string(got) != "++ b/fake.c\n@@ -1 +1 @@\n" {
		t.Errorf("exported %q: %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the exported tree has a .git")
	}
	if text, err := m.File(ctx, base, "del.c", 100); err != nil || string(text) != "x\ny\nz\n" {
		t.Errorf("file: %q %v", text, err)
	}
	if _, err := m.File(ctx, head, "none.c", 100); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	var e *Error
	if _, err := m.File(ctx, head, "evil", 100); !errors.As(err, &e) || !e.Theirs {
		t.Errorf("symbolic link was read: %v", err)
	}
	if _, err := m.File(ctx, head, "del.c", 2); !errors.As(err, &e) || !e.Theirs {
		t.Errorf("over the limit: %v", err)
	}
}

// TestForcePush: the commit of an event is fetched by itself when its ref has
// moved on, and is ErrGone when nobody has it.
func TestForcePush(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	o.commit(map[string]string{"a.c": "1\n"})
	o.git("checkout", "-q", "-b", "fix")
	first := o.commit(map[string]string{"a.c": "2\n"})
	o.git("reset", "-q", "--hard", "main")
	second := o.commit(map[string]string{"a.c": "3\n"})
	o.git("update-ref", "refs/pull/1/head", second)
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	if _, shas, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/pull/1/head", first}); err != nil ||
		shas[0] != first {
		t.Errorf("%v %v", shas, err)
	}
	none := strings.Repeat("ab", 20)
	if _, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/pull/1/head", none}); !errors.Is(err, ErrGone) {
		t.Errorf("missing commit: %v", err)
	}
	if _, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/pull/9/head", ""}); !errors.Is(err, ErrGone) {
		t.Errorf("missing ref: %v", err)
	}
}

func TestLimitsAndHostileNames(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	sha := o.commit(map[string]string{"a": "aaaa", "b": "bbbb"})
	c := &Cache{Dir: t.TempDir(), Limits: Limits{Time: time.Minute, Bytes: 1 << 30, Files: 1}, Local: true}
	m, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/heads/main", sha})
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := m.Export(ctx, sha, t.TempDir()); !errors.As(err, &e) || !e.Theirs {
		t.Errorf("tree over the limit: %v", err)
	}
	for _, w := range []Want{{"--upload-pack=touch x", sha}, {"refs/heads/../../x", sha}, {"refs/heads/main", "HEAD"},
		{"refs/heads/a:b", ""}} {
		if _, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, w); !errors.As(err, &e) {
			t.Errorf("%v was accepted: %v", w, err)
		}
	}
	if _, _, err := c.Fetch(ctx, "../r", Remote{URL: o.dir}); err == nil {
		t.Error("a name that leaves the folder was accepted")
	}
	strict := &Cache{Dir: t.TempDir(), Limits: DefaultLimits()}
	for _, url := range []string{"file://" + o.dir, o.dir, "ext::sh -c touch% /tmp/pwned", "ssh://localhost/x"} {
		if _, _, err := strict.Fetch(ctx, "r", Remote{URL: url}, Want{"refs/heads/main", ""}); err == nil {
			t.Errorf("%s was fetched", url)
		}
	}
}

// TestTokenLeavesNoTrace: the token is in no file of the mirror.
func TestTokenLeavesNoTrace(t *testing.T) {
	o := newOrigin(t)
	sha := o.commit(map[string]string{"a": "a"})
	dir := t.TempDir()
	c := &Cache{Dir: dir, Limits: DefaultLimits(), Local: true}
	if _, _, err := c.Fetch(context.Background(), "r", Remote{URL: o.dir, Token: "ghs_secret"}, Want{"refs/heads/main",
		sha}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("grep", "-rlE", "ghs_secret|eC1hY2Nlc3MtdG9rZW4", dir).CombinedOutput()
	if err == nil {
		t.Errorf("token found in %s", out)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	if _, _, err := c.Fetch(ctx, "r", Remote{URL: "https://127.0.0.1:1/x"}, Want{"refs/heads/main", ""}); !errors.Is(
		err, context.Canceled) {
		t.Errorf("cancelled fetch: %v", err)
	}
}

// TestKilledGit: what a git that was killed leaves in a mirror stops no later fetch.
func TestKilledGit(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	first := o.commit(map[string]string{"a": "1"})
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	half := filepath.Join(c.Dir, "r.git.new")
	if err := errors.Join(os.MkdirAll(half, 0o755), os.WriteFile(filepath.Join(half, "HEAD.lock"), nil,
		0o644)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/heads/main", first}); err != nil {
		t.Fatal(err)
	}
	second := o.commit(map[string]string{"a": "2"})
	for _, name := range []string{"HEAD.lock", "packed-refs.lock", "shallow.lock", "config.lock",
		"refs/firmproof/heads/main.lock"} {
		if err := os.WriteFile(filepath.Join(c.Dir, "r.git", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/heads/main", second}); err != nil {
		t.Error(err)
	}
}

// TestHostileTree: nothing of a repository runs or is fetched when its tree is laid
// out: hooks, filters, submodules; a path need not be UTF-8, and stays what it is.
func TestHostileTree(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	mark := filepath.Join(t.TempDir(), "mark")
	hook := "#!/bin/sh\ntouch " + mark + "\n"
	raw := "b\xff\xfe\x01.c"
	first := o.commit(map[string]string{"a.c": "1\n", raw: "2\n", "hooks/post-checkout": hook,
		".git-hooks/post-checkout": hook, ".gitattributes": "*.c filter=evil ident\n",
		".gitconfig":  "[core]\n\thooksPath = .git-hooks\n[filter \"evil\"]\n\tsmudge = touch " + mark + "\n",
		".gitmodules": "[submodule \"m\"]\n\tpath = m\n\turl = file:///etc\n"})
	o.git("config", "filter.evil.smudge", "touch "+mark)
	o.git("update-index", "--add", "--cacheinfo", "160000,"+first+",m")
	o.git("commit", "-q", "-m", "submodule")
	sha := o.git("rev-parse", "HEAD")
	if err := os.WriteFile(filepath.Join(o.dir, ".git/hooks/post-checkout"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	m, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/heads/main", sha})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := m.Export(ctx, sha, dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, raw)); err != nil || string(text) != "2\n" {
		t.Errorf("%q: %q %v", raw, text, err)
	}
	if list, err := os.ReadDir(filepath.Join(dir, "m")); err == nil && len(list) > 0 {
		t.Errorf("the submodule was fetched: %v", list)
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Error("something of the repository ran")
	}
}

// TestOutputLimit: what a command says beyond the limit is neither kept nor held in memory.
func TestOutputLimit(t *testing.T) {
	out := capped{limit: 1000}
	cmd := exec.Command("head", "-c", "3000000", "/dev/zero")
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil || !out.cut || out.buf.Len() != 1000 {
		t.Errorf("%d bytes, cut %v, %v", out.buf.Len(), out.cut, err)
	}
}

// TestRefusedObjects: what git's own check of objects refuses is the fault of whoever
// made them, and is told so with the object.
func TestRefusedObjects(t *testing.T) {
	o := newOrigin(t)
	o.commit(map[string]string{"a.c": "x\n"})
	blob := o.git("hash-object", "-w", "a.c")
	cmd := exec.Command("git", "mktree")
	cmd.Dir, cmd.Stdin = o.dir, strings.NewReader("100644 blob "+blob+"\t.git\n")
	tree, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	bad := o.git("commit-tree", "-m", "x", strings.TrimSpace(string(tree)))
	o.git("update-ref", "refs/heads/bad", bad)
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	_, _, err = c.Fetch(context.Background(), "k", Remote{URL: o.dir}, Want{Ref: "refs/heads/bad", SHA: bad})
	var e *Error
	if !errors.As(err, &e) || !e.Theirs || !strings.Contains(err.Error(), strings.TrimSpace(string(tree))) {
		t.Errorf("%v", err)
	}
}

// ended is a runner whose git always ends by a limit.
type ended struct{}

func (ended) Git(context.Context, Command) (Ending, error) {
	return Ending{Code: 137, Killed: "memory"}, nil
}

// TestLimitOfGit: a git that its limits end is the fault of the repository, and says which limit.
func TestLimitOfGit(t *testing.T) {
	o := newOrigin(t)
	sha := o.commit(map[string]string{"a": "1"})
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	m, _, err := c.Fetch(context.Background(), "r", Remote{URL: o.dir}, Want{"refs/heads/main", sha})
	if err != nil {
		t.Fatal(err)
	}
	c.Run = ended{}
	var e *Error
	if _, _, err := m.Changed(context.Background(), sha, sha); !errors.As(err, &e) || !e.Theirs ||
		!strings.Contains(err.Error(), "limit on memory") {
		t.Errorf("%v", err)
	}
	c.Run = nil
	for _, name := range []string{strings.Repeat("d/", 101) + "a.c", strings.Repeat(strings.Repeat("n", 200)+"/", 10) + "a.c"} {
		deep := o.commit(map[string]string{name: "1"})
		if m, _, err = c.Fetch(context.Background(), "r", Remote{URL: o.dir}, Want{"refs/heads/main", deep}); err != nil {
			t.Fatal(err)
		}
		if err := m.Export(context.Background(), deep, t.TempDir()); !errors.As(err, &e) || !e.Theirs ||
			!strings.Contains(err.Error(), "folders") {
			t.Errorf("%v", err)
		}
		o.git("rm", "-q", "-r", strings.Split(name, "/")[0])
	}
	c.Limits.Blob = 1
	big := o.commit(map[string]string{"big.c": "12"})
	if m, _, err = c.Fetch(context.Background(), "r", Remote{URL: o.dir}, Want{"refs/heads/main", big}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Changed(context.Background(), sha, big); !errors.As(err, &e) || !e.Theirs ||
		!strings.Contains(err.Error(), `"big.c" has 2 bytes`) {
		t.Errorf("%v", err)
	}
}
