package bot_test

import (
	"strings"
	"testing"
)

// TestInstalled: where the App is installed the default branch is run at once, and badge and pages say how it stands.
func TestInstalled(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n", installed)
	w.await("the default branch", finished(3))
	w.pageShows("/repos/acme/fw", "2 proved")
	w.pageShows("/repos/acme/fw/night", "One run so far, of commit")
	b := w.browser("ann")
	b.open("/auth/login")
	if code, text, _ := b.open("/repos/acme/fw/badge.svg"); code != 200 || !strings.Contains(text, "2 proved") {
		t.Errorf("badge: %d %s", code, text)
	}
}

// TestRenamed: a repository that gets another name keeps its runs, which are at its new address alone, also where GitHub's
// event about that is lost; deliveries that come again under the old name take nothing back.
func TestRenamed(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	n := w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	w.call("POST", "/_fake/rename", obj{"repo": "acme/fw", "name": "motor"})
	w.call("POST", "/_fake/push", obj{"repo": "acme/motor", "branch": "fix", "files": obj{"main.c": "int main\nfine\n"}})
	w.await("the next runs", finished(6))
	for _, d := range s.Deliveries { // under the old name
		w.call("POST", "/_fake/redeliver", obj{"delivery": d.GUID})
	}
	w.call("POST", "/_fake/comments", obj{"repo": "acme/motor", "number": n, "user": "ann", "body": "/firmproof explain memory"})
	w.await("an answer", func(s state) bool { return len(s.Comments) == 2 && settled(s) })
	w.pageShows("/repos/acme/motor", s.CheckRuns[0].HeadSHA[:10])
	b := w.browser("ann")
	b.open("/auth/login")
	if code, _, _ := b.open("/repos/acme/fw"); code != 404 {
		t.Errorf("the old name: %d", code)
	}
	if n := len(w.state().CheckRuns); n != 6 {
		t.Errorf("%d check runs", n)
	}
}
