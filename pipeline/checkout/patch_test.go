package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatched: a patch makes the same commit in every mirror, which is laid out and compared as any other; one that does
// not apply, or reaches out of the tree, is its author's fault and leaves nothing behind.
func TestPatched(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	head := o.commit(map[string]string{"a.c": "1\n2\n3\n", "sub/b c.c": "x\n"})
	patch := "--- a/a.c\n+++ b/a.c\n@@ -1,3 +1,3 @@\n 1\n-2\n+two  \n 3\n" +
		"diff --git a/new.c b/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+n\n" +
		"diff --git a/sub/b c.c b/sub/b c.c\ndeleted file mode 100644\n--- a/sub/b c.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
	var shas []string
	for range 2 {
		c := &Cache{Dir: filepath.Join(t.TempDir(), "m"), Limits: DefaultLimits(), Local: true}
		m, _, err := c.Fetch(ctx, "r", Remote{URL: o.dir}, Want{"refs/heads/main", head})
		if err != nil {
			t.Fatal(err)
		}
		sha, err := m.Patched(ctx, head, []byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		shas = append(shas, sha)
		dir := t.TempDir()
		if err := m.Export(ctx, sha, dir); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"a.c": "1\ntwo  \n3\n", "new.c": "n\n", "sub/b c.c": ""} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != want || (err != nil) != (want == "") {
				t.Errorf("%s: %q %v", name, text, err)
			}
		}
		changed, from, err := m.Changed(ctx, head, sha)
		if err != nil || from != head || len(changed["a.c"]) != 1 || changed["a.c"][0].From != 2 || len(changed["new.c"]) != 1 {
			t.Errorf("%v since %s, %v", changed, from, err)
		}
		for name, bad := range map[string]string{
			"other text":          strings.Replace(patch, "-2", "-zwei", 1),
			"no patch":            "hello\n",
			"nothing":             "",
			"cut short":           "--- a/a.c\n+++ b/a.c\n@@ -1,3 +1,3 @@\n 1\n-2\n",
			"out of the tree":     "--- /dev/null\n+++ b/../../evil\n@@ -0,0 +1 @@\n+x\n",
			"git's own folder":    "--- /dev/null\n+++ b/.git/hooks/post-checkout\n@@ -0,0 +1 @@\n+x\n",
			"through a link":      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n--- /dev/null\n+++ b/l/passwd\n@@ -0,0 +1 @@\n+x\n",
			"a file that is gone": "--- a/none.c\n+++ b/none.c\n@@ -1 +1 @@\n-x\n+y\n",
		} {
			var e *Error
			if _, err := m.Patched(ctx, head, []byte(bad)); !errors.As(err, &e) || !e.Theirs ||
				strings.Contains(err.Error(), c.Dir) || !strings.Contains(err.Error(), "does not apply to "+head[:10]+": ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(c.Dir, "index-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	if shas[0] != shas[1] {
		t.Errorf("two mirrors make %s and %s", shas[0], shas[1])
	}
}
