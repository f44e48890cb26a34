package bot_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestLastingFinding: a finding has one address on all commits, which says how it stands on the default branch: open,
// fixed, reopened; the list of a repository leads there.
func TestLastingFinding(t *testing.T) {
	w := newWorld(t, &reader{})
	w.tenant("acme/fw", "ann", true)
	look := func(path, want string, not ...string) string {
		t.Helper()
		code, text, _ := w.browser("").open(path)
		if code != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, does not say %q: %s", path, code, want, text)
		}
		for _, n := range not {
			if strings.Contains(text, n) {
				t.Errorf("%s says %q", path, n)
			}
		}
		return text
	}
	list := look("/repos/acme/fw/findings", "bug of acme/fw")
	_, rest, ok := strings.Cut(list, `href="/repos/acme/fw/findings/`)
	if !ok {
		t.Fatalf("the list leads nowhere: %s", list)
	}
	fingerprint, _, _ := strings.Cut(rest, `"`)
	address := "/repos/acme/fw/findings/" + fingerprint
	look(address, "<strong>open</strong>")
	for i, c := range []struct{ text, want string }{{"int main\nfine\n", "<strong>fixed on main</strong>"},
		{"int main\nbug again\n", "<strong>reopened: it was gone before</strong>"}} {
		w.push("main", c.text)
		w.await("the push", finished(2*(i+2)))
		page := look(address, c.want)
		tip := w.state().CheckRuns[2*i+2].HeadSHA
		if mended := regexp.MustCompile(`This commit mended it:</p>\s*<ul><li>.*` + tip[:10]).MatchString(page); mended != (i == 0) {
			t.Errorf("%s: the commit that mended it is named: %v; %s", c.want, mended, page)
		}
	}
	look("/repos/acme/fw/findings?q=BUG+again", "bug again")
	look("/repos/acme/fw/findings?q=%25", "Nothing has", "bug again")
	if code, _, _ := w.browser("").open("/repos/acme/fw/findings/" + strings.Repeat("0", 32)); code != 404 {
		t.Errorf("a finding that never was: %d", code)
	}
}
