package bot_test

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
)

// TestTrends: the repository's page has plots of the runs of its branch, the finding's page says since when it is
// there and which commit brought it, and the badge says how the branch stands.
func TestTrends(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	for i, text := range []string{"int main\nfine\n", "int main\nfine\nbug one\n", "int main\nfine\nbug one\nmore\n"} {
		w.push("main", text)
		w.await("the push", finished(3*(i+1)))
	}
	if code, text, _ := w.browser("").open("/repos/acme/fw/badge.svg"); code != 404 || strings.Contains(text, "acme") {
		t.Errorf("a private repository has a badge for everybody: %d %s", code, text)
	}
	b := w.browser("ann")
	b.open("/repos/acme/fw") // signs in
	badge := func(want string) {
		t.Helper()
		code, text, header := b.open("/repos/acme/fw/badge.svg")
		if code != 200 || header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(text, want) {
			t.Errorf("the badge lacks %q: %d %s", want, code, text)
		}
		if err := xml.Unmarshal([]byte(text), new(struct{ XMLName xml.Name })); err != nil {
			t.Errorf("the badge is no XML: %v", err)
		}
	}
	badge("violated")
	_, text, _ := b.open("/repos/acme/fw")
	if n := strings.Count(text, `<svg role="img"`); n != 8 {
		t.Errorf("%d plots for two targets: %s", n, text)
	}
	if !strings.Contains(text, `aria-label="violated: 0 at first, 1 in the last run, at most 1"`) {
		t.Errorf("the plots do not say what they show: %s", text)
	}
	if !strings.Contains(text, `aria-label="unknown: 0 in every run"`) {
		t.Errorf("a plot of one value does not say so: %s", text)
	}
	run := regexp.MustCompile(`<td><a href="(/runs/[^"]+)">\d`).FindStringSubmatch(text)
	if run == nil || !strings.Contains(text, `data-label="violated">1</td>`) || strings.Contains(text, "style=") {
		t.Fatalf("the plots have no table of runs with links, or a style: %s", text)
	}
	finding := w.findingOf(run[1], "ann")
	_, text, _ = b.open(finding)
	for _, want := range []string{"On the default branch for", "First bad commit", "✗ there", "✓ not there"} {
		if !strings.Contains(text, want) {
			t.Errorf("the finding's page lacks %q: %s", want, text)
		}
	}
	w.push("main", "int main\nfine\n")
	w.await("the repair", finished(12))
	badge("proved")
	if _, text, _ = b.open(finding); !strings.Contains(text, "Gone from the default branch since") {
		t.Errorf("the finding's page does not say that it is gone: %s", text)
	}
	if code, _, _ := b.open("/repos/acme/none/badge.svg"); code != 404 {
		t.Errorf("a badge of no repository: %d", code)
	}
}

// TestTargetLeaves: a target that leaves the manifest is no part of how the branch stands, and takes its findings along.
func TestTargetLeaves(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("main", "int main\nbug one\n")
	w.await("the first push", finished(3))
	b := w.browser("ann")
	b.open("/repos/acme/fw") // signs in
	badge := func(want string) {
		t.Helper()
		if _, text, _ := b.open("/repos/acme/fw/badge.svg"); !strings.Contains(text, want) {
			t.Errorf("the badge lacks %q: %s", want, text)
		}
	}
	badge("2 violated")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "main", "files": obj{
		".firmproof.yml": strings.Replace(testManifest, "[cortex-m3, x86_64]", "[x86_64]", 1)}})
	w.await("the run without it", finished(5))
	badge("1 violated")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "main", "files": obj{".firmproof.yml": "version: x\n"}})
	w.await("the run of a broken manifest", finished(6))
	badge("1 violated")
}
