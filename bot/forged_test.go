package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestForgedEvents: who has the webhook's secret makes no run of a pull request, or of a merge group, that is not there.
func TestForgedEvents(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("fix", "int main\nfine\n")
	n := w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	head := s.CheckRuns[0].HeadSHA
	st := w.database()
	with := func(more obj) obj {
		more["installation"], more["repository"], more["sender"] = obj{"id": 50_007}, w.repository(st), obj{"login": "ann"}
		return more
	}
	group := func(ref, base, sha string) obj {
		return with(obj{"action": "checks_requested", "merge_group": obj{"head_sha": sha, "head_ref": ref,
			"base_sha": head, "base_ref": "refs/heads/" + base}})
	}
	w.post("merge_group", "no-group", group("refs/heads/gh-readonly-queue/main/pr-1-"+head, "main", head), 202)
	w.post("merge_group", "a-branch", group("refs/heads/fix", "main", head), 202)
	w.post("merge_group", "another-branch", group("refs/heads/gh-readonly-queue/main/pr-1", "fix", head), 202)
	w.post("pull_request", "no-pull", with(obj{"action": "opened", "pull_request": obj{"number": 4711, "state": "open",
		"title": "x", "user": obj{"login": "ann"}, "author_association": "OWNER", "updated_at": "2099-01-01T00:00:00Z",
		"head": obj{"sha": head, "ref": "fix"}, "base": obj{"sha": head, "ref": "main"}}}), 202)
	w.post("pull_request", "from-the-future", with(obj{"action": "synchronize", "pull_request": obj{"number": n,
		"state": "open", "title": "x", "user": obj{"login": "ann"}, "author_association": "OWNER",
		"updated_at": "2099-01-01T00:00:00Z", "head": obj{"sha": strings.Repeat("a", 40), "ref": "fix"},
		"base": obj{"sha": head, "ref": "main"}}}), 202)
	w.ended("no-group", "a-branch", "another-branch", "no-pull", "from-the-future")
	if s := w.state(); len(s.CheckRuns) != 3 {
		t.Errorf("%d check runs: %+v", len(s.CheckRuns), s.CheckRuns[3:])
	}
}

// TestReaders: comments of one person without write access are answered up to a number, and cost no calls then.
func TestReaders(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("fix", "int main\nfine\n")
	n := w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	for i := range 12 {
		w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "rob",
			"body": fmt.Sprintf("/firmproof help\n%d", i)})
	}
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "ann", "body": "/firmproof help"})
	answers := func(s state, login string) (n int) {
		for _, c := range s.Comments {
			if strings.Contains(c.Body, "<!-- firmproof reply") && strings.Contains(c.Body, "@"+login) {
				n++
			}
		}
		return n
	}
	s := w.await("the answers", func(s state) bool {
		return settled(s) && answers(s, "ann") == 1 && answers(s, "rob") >= 5
	})
	if n := answers(s, "rob"); n > 8 { // some are handled side by side
		t.Errorf("%d answers", n)
	}
}

// ended waits until the deliveries are handled.
func (w *world) ended(guids ...string) {
	w.t.Helper()
	ctx := context.Background()
	st := w.database()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		open := ""
		if err := st.Read(ctx, func(tx store.Tx) error {
			for _, guid := range guids {
				if d, err := tx.Delivery(ctx, guid); err != nil || d.State != store.DeliveryDone {
					open = guid
				}
			}
			return nil
		}); err != nil {
			w.t.Fatal(err)
		}
		if open == "" {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("%s is not handled", open)
		}
	}
}
