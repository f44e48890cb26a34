package bot_test

import (
	"strings"
	"testing"
)

func (w *world) wantSummary(what string, parts ...string) {
	w.t.Helper()
	w.await(what, func(s state) bool {
		all := s.Summaries
		if len(all) > 1 {
			w.t.Fatalf("%s: %d summaries", what, len(all))
		}
		if len(all) == 0 {
			return false
		}
		for _, p := range parts {
			if !strings.Contains(all[0], p) {
				return false
			}
		}
		return true
	})
}

// TestSummary: one comment, unless the manifest wants none, that each run brings up to date.
func TestSummary(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "main",
		"files": obj{"main.c": "bug old\nbug gone\n", ".firmproof.yml": testManifest}})
	w.await("the base branch", finished(3))
	// made, but the answer is lost; then the call fails altogether
	w.call("POST", "/_fake/faults", []obj{{"match": "POST .*/issues/.*/comments", "times": 1, "kind": "after-effect",
		"status": 502}, {"match": "PATCH .*/issues/comments/", "times": 2, "status": 500}})
	w.push("fix", "bug old\nfine\nbug new\n")
	n := w.pull("fix", false)
	w.wantSummary("the summary", "2 new, 2 fixed, 2 known on 2 targets", "| harness | cortex-m3 | x86_64 |",
		"| `main` | ❌ violated, 1 new, 1 fixed, 1 known", "index 8 of 8: bug new", "on cortex-m3, x86_64",
		"**Fixed**", "of verification")
	w.push("fix", "fine\nfine\n")
	w.wantSummary("the next commit", "0 new, 4 fixed, 0 known", "| `main` | ✅ proved, 2 fixed")
	w.push("fix", "broken\n")
	w.wantSummary("a commit that does not build", "no answer", "**x86_64**: failure", "main.c:1:1")
	for _, body := range w.state().Summaries {
		// a person's copy is not ours
		w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "ann", "body": body})
	}
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "quiet",
		"files": obj{".firmproof.yml": testManifest + "report: {comment: false}\n", "main.c": "bug\n"}})
	w.pull("quiet", false)
	w.await("the quiet pull request", func(s state) bool {
		return finished(len(s.CheckRuns))(s) &&
			len(s.CheckRuns) >= 15
	})
	if got := len(w.state().Summaries); got != 2 {
		t.Errorf("%d summaries and copies, want 2", got)
	}
}
