package bot_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
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

// TestRenamed: a repository that gets another name keeps its runs, to which its old address leads, also where GitHub's
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
	if code, text, _ := b.open("/repos/acme/fw"); code != 200 || !strings.Contains(text, "<h1>acme/motor</h1>") {
		t.Errorf("the old name: %d %s", code, text)
	}
	if n := len(w.state().CheckRuns); n != 6 {
		t.Errorf("%d check runs", n)
	}
}

// TestTransferred: a repository that moves to another owner takes along what is known of it: findings, what was accepted,
// nights, tokens, its badge. Its old addresses lead to the new ones, for those who may see it. That the installation which
// it left tells so afterwards takes nothing away, nor do deliveries from before.
func TestTransferred(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "main", "files": obj{"main.c": "int main\nbug one\nbug two\n",
		".firmproof.yml": testManifest + "nightly: {at: \"02:00\"}\n"}})
	s := w.await("the first run", finished(3))
	ctx, st := context.Background(), w.database()
	var repo store.Repo
	if err := st.Write(ctx, func(tx store.Tx) (err error) {
		repo, err = tx.RepoByName(ctx, "acme/fw")
		return errors.Join(err, tx.Accept(ctx, repo.ID, store.Acceptance{Claim: "memory@main#3", Reason: "masked", By: "ann"}))
	}); err != nil {
		t.Fatal(err)
	}
	b := w.browser("ann")
	b.open("/auth/login")
	badge := "/repos/acme/fw/badge.svg?token=" + b.makes("acme/fw", "badge")
	w.call("POST", "/_fake/rename", obj{"repo": "acme/fw", "owner": "umbrella"})
	w.post("installation_repositories", "left", obj{"action": "removed", "installation": obj{"id": 4711, "account": obj{"login": "acme"}},
		"repositories_removed": []obj{{"id": repo.ID, "full_name": "acme/fw", "private": true}}, "sender": obj{"login": "acme"}}, 202)
	for _, d := range s.Deliveries {
		w.call("POST", "/_fake/redeliver", obj{"delivery": d.GUID})
	}
	w.await("the replays", func(now state) bool { return len(now.Deliveries) >= 2*len(s.Deliveries) && settled(now) })
	w.ended("left")
	w.call("POST", "/_fake/push", obj{"repo": "umbrella/fw", "branch": "main", "files": obj{"main.c": "int main\nbug one\nfine\nmore\n"}})
	w.await("a run at the new place", func(s state) bool { return len(s.CheckRuns) == 6 && finished(6)(s) })
	_, list, _ := b.open("/repos/umbrella/fw/findings")
	finding := regexp.MustCompile(`/findings/[0-9a-f]+`).FindString(list)
	_, page, _ := b.open("/repos/umbrella/fw")
	for _, want := range []string{"bug one", "<code>memory@main#3</code>", "masked", "2 violated", "· known ·"} {
		if !strings.Contains(page, want) {
			t.Errorf("at its new place %q is not known: %s", want, page)
		}
	}
	if _, text, _ := b.open("/repos/acme/fw" + finding); finding == "" || !strings.Contains(text, "the run of") || !strings.Contains(text, s.CheckRuns[0].HeadSHA[:10]) {
		t.Errorf("the old address of the finding does not lead to its history: %s", text)
	}
	if code, text, _ := w.browser("").open(badge); code != 200 || !strings.Contains(text, "violated") {
		t.Errorf("the old badge: %d %s", code, text)
	}
	if code, text, _ := w.browser("").open("/repos/acme/fw"); strings.Contains(text, "umbrella/fw") {
		t.Errorf("a stranger is told where a private repository went: %d %s", code, text)
	}
	if err := st.Read(ctx, func(tx store.Tx) error {
		due, err := tx.DueSchedules(ctx, time.Now().Add(48*time.Hour))
		if len(due) != 1 || due[0].Repo != repo.ID {
			t.Errorf("nights: %+v", due)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
