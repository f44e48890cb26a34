package bot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDefaults: the owner's .github repository completes the manifests of its repositories.
func TestDefaults(t *testing.T) {
	w := newWorld(t, &reader{})
	dir := t.TempDir()
	put := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, ".firmproof.yml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("version: 1\ntargets: [i386]\nreport: {comment: false}\n")
	w.call("POST", "/_fake/repos", obj{"name": "acme/.github", "path": dir})
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "fix", "files": obj{"main.c": "bug\n",
		".firmproof.yml": strings.Replace(testManifest, "targets: [cortex-m3, x86_64]\n", "", 1)}})
	w.pull("fix", false)
	s := w.await("two completed check runs", finished(2))
	if conclusions(s)["firmproof / i386"] != "failure" {
		t.Errorf("conclusions: %v", conclusions(s))
	}
	for _, c := range s.CheckRuns {
		if !strings.Contains(c.Output.Summary, "From acme/.github/.firmproof.yml: targets, report.") {
			t.Errorf("%s does not say where its targets come from: %s", c.Name, c.Output.Summary)
		}
	}
	if n := len(s.Summaries); n != 0 {
		t.Errorf("%d comments, which the defaults do not want", n)
	}
	w.push("own", "fine\n") // with its own targets
	w.pull("own", false)
	s = w.await("three more", finished(5))
	if c := conclusions(s); c["firmproof / cortex-m3"] != "success" || c["firmproof / x86_64"] != "success" {
		t.Errorf("own targets: %v", c)
	}
	w.call("POST", "/_fake/push", obj{"repo": "acme/.github", "branch": "main",
		"files": obj{".firmproof.yml": "version: 1\ntargetz: [i386]\n"}})
	s = w.await("the mistake where it is made", finished(6))
	for _, c := range s.CheckRuns {
		if c.Repository == "acme/.github" && (c.Conclusion != "action_required" || !strings.Contains(c.Output.Summary,
			".firmproof.yml:2:1: ")) {
			t.Errorf("mistake: %+v", c)
		}
	}
	w.push("own", "still fine\n")
	s = w.await("the mistake in the defaults", finished(7))
	last := s.CheckRuns[len(s.CheckRuns)-1]
	if last.Conclusion != "action_required" || !strings.Contains(last.Output.Summary,
		"acme/.github/.firmproof.yml:2:1: ") || !strings.Contains(last.Output.Summary, "targetz") {
		t.Errorf("mistake: %+v", last)
	}
}
