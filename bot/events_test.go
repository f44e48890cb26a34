package bot_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// post delivers a webhook of our own making, and wants an answer.
func (w *world) post(event, guid string, payload any, want int) {
	w.t.Helper()
	secret, err := os.ReadFile(w.cfg.SecretFiles[0])
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := json.Marshal(payload)
	if err != nil {
		w.t.Fatal(err)
	}
	m := hmac.New(sha256.New, bytes.TrimSpace(secret))
	m.Write(body)
	req, err := http.NewRequest("POST", w.proxy.URL+"/webhook", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for k, v := range map[string]string{"X-GitHub-Event": event, "X-GitHub-Delivery": guid,
		"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(m.Sum(nil))} {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != want {
		w.t.Errorf("%s %s: %d, want %d", event, guid, resp.StatusCode, want)
	}
}

func (w *world) addFile(branch, name string) {
	w.t.Helper()
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": branch, "files": obj{name: "x\n"}})
}

// ofHead are the check runs of a commit by name: the newest each.
func ofHead(s state, sha string) map[string]checkRun {
	out := map[string]checkRun{}
	for _, c := range s.CheckRuns {
		if c.HeadSHA == sha {
			out[c.Name] = c
		}
	}
	return out
}

// TestLifeOfPull: a draft waits, ready starts, a new base starts again, the merge queue's commit is verified, closing cancels.
func TestLifeOfPull(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nfine\n")
	m := w.call("POST", "/_fake/pulls", obj{"repo": "acme/fw", "head": "fix", "base": "main", "draft": true})
	n := m["number"]
	w.addFile("stable", "s.txt") // its push event comes after the draft's
	w.await("the events", func(s state) bool { return settled(s) && len(s.Deliveries) >= 5 })
	if k := len(w.state().CheckRuns); k != 0 {
		t.Errorf("a draft has %d check runs", k)
	}
	w.call("POST", "/_fake/ready", obj{"repo": "acme/fw", "number": n})
	w.await("the runs", finished(3))
	w.call("POST", "/_fake/retarget", obj{"repo": "acme/fw", "number": n, "base": "stable"})
	w.await("the runs against the new base", finished(6))
	g := w.call("POST", "/_fake/merge_group", obj{"repo": "acme/fw", "number": n})
	s := w.await("the runs of the merge group", finished(9))
	if q := ofHead(s, g["sha"].(string)); len(q) != 3 ||
		q["firmproof (into stable)"].Conclusion != "success" {
		t.Errorf("merge group: %+v", q)
	}
	c.mu.Lock()
	c.hold = make(chan struct{})
	c.mu.Unlock()
	w.push("fix", "int main\nfiner\n")
	w.await("runs in progress", func(s state) bool { return c.count() == 8 && len(s.CheckRuns) == 12 })
	w.call("POST", "/_fake/close", obj{"repo": "acme/fw", "number": n})
	s = w.await("the end", finished(12))
	for _, r := range s.CheckRuns[9:] {
		if r.Conclusion != "cancelled" || !strings.Contains(r.Output.Summary, "closed") {
			t.Errorf("after closing: %+v", r)
		}
	}
}

// TestWhichPulls: drafts are verified where the manifest says so, and pull requests that change none of its paths are not,
// unless someone asks.
func TestWhichPulls(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "main", "files": obj{".firmproof.yml": testManifest +
		"pull_requests: {drafts: run, paths: [\"*.c\", \"!old/**\"]}\n"}})
	w.await("the runs of the branch", func(s state) bool { return settled(s) && finished(3)(s) })
	n := len(w.state().CheckRuns)
	w.push("fix", "int main\nfine\n")
	w.call("POST", "/_fake/pulls", obj{"repo": "acme/fw", "head": "fix", "base": "main", "draft": true})
	w.await("the runs of the draft", finished(n+3))
	w.addFile("words", "notes.txt")
	other := w.pull("words", false)
	s := w.await("the check of what changes no program", finished(n+4))
	last := s.CheckRuns[n+3]
	if last.Conclusion != "neutral" || !strings.Contains(last.Output.Summary, "pull_requests: paths") {
		t.Errorf("a pull request of other files: %+v", last)
	}
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": other, "user": "ann", "body": "/firmproof rerun"})
	w.await("the runs that someone asked for", finished(n+7))
}

// settled is true when every delivery has been answered.
func settled(s state) bool {
	for _, d := range s.Deliveries {
		if fmt.Sprint(d.Status) == "0" {
			return false
		}
	}
	return true
}

// TestOutOfOrder: an event that is older than what is known changes nothing.
func TestOutOfOrder(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nfine\n")
	n := w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	repo := w.call("GET", "/_fake/state", nil)["pulls"].([]any)[0].(map[string]any)
	base := repo["base"].(map[string]any)["repo"].(map[string]any)
	late := obj{"action": "synchronize", "installation": obj{"id": 50_007}, "repository": base,
		"sender": obj{"login": "ann"}, "number": n, "pull_request": obj{
			"number": n, "state": "open", "title": "x", "user": obj{"login": "ann"},
			"updated_at": "2020-01-01T00:00:00Z",
			"head":       obj{"sha": strings.Repeat("a", 40), "ref": "fix", "repo": obj{"id": base["id"]}},
			"base":       obj{"sha": strings.Repeat("b", 40), "ref": "main"}}}
	w.post("pull_request", "late-1", late, 202)
	late["action"], late["pull_request"].(obj)["state"] = "closed", "closed"
	w.post("pull_request", "late-2", late, 202)
	w.call("POST", "/_fake/rerequest", obj{"check_run": s.CheckRuns[0].ID}) // handled after them
	s = w.await("three more of the same commit", finished(6))
	for _, r := range s.CheckRuns {
		if r.HeadSHA != s.CheckRuns[0].HeadSHA || r.Conclusion != "success" {
			t.Errorf("an old event had an effect: %+v", r)
		}
	}
}

// TestFromFork: Re-run of the suite of a fork's commit, whose event names no pull
// request, and the button that approves it.
func TestFromFork(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("theirs", "int main\nfine\n")
	w.pull("theirs", true)
	s := w.await("the gate", finished(1))
	gate := s.CheckRuns[0]
	w.await("the button", func(s state) bool {
		return len(s.CheckRuns[0].Actions) == 1 && s.CheckRuns[0].Actions[0].Identifier == "approve"
	})
	suite := w.call("GET", "/_fake/state", nil)["check_suites"].([]any)
	id := suite[len(suite)-1].(map[string]any)["id"]
	w.call("POST", "/_fake/rerequest", obj{"check_suite": id})
	w.await("a second gate", finished(2))
	if c.count() != 0 {
		t.Fatal("Re-run went past the gate")
	}
	w.call("POST", "/_fake/action", obj{"check_run": gate.ID, "identifier": "approve"})
	s = w.await("the runs", func(s state) bool { return len(s.CheckRuns) >= 5 && finished(len(s.CheckRuns))(s) })
	if q := ofHead(s, gate.HeadSHA); q["firmproof"].Conclusion != "success" || len(q) != 3 {
		t.Errorf("after approval: %+v", q)
	}
	w.call("POST", "/_fake/rerequest", obj{"check_suite": id})
	w.await("the whole suite again", func(s state) bool { return len(s.CheckRuns) == 8 && finished(8)(s) })
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "theirs", "fork": "contributor",
		"files": obj{"main.c": "int main\nnew\n"}})
	s = w.await("a gate for the next commit", func(s state) bool { return len(s.CheckRuns) == 9 && finished(9)(s) })
	if s.CheckRuns[8].Conclusion != "action_required" {
		t.Errorf("the approval was for another commit: %+v", s.CheckRuns[8])
	}
}

// TestSuspended: an installation that is suspended in the middle of a run; what
// GitHub could not be told is told when it is back.
func TestSuspended(t *testing.T) {
	c := &reader{hold: make(chan struct{})}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	w.await("runs in progress", func(s state) bool { return c.count() == 2 && len(s.CheckRuns) == 3 })
	w.call("POST", "/_fake/installation", obj{"action": "suspend"})
	w.await("the event", func(s state) bool {
		return settled(s) &&
			s.Deliveries[len(s.Deliveries)-1].Event == "installation"
	})
	w.call("POST", "/_fake/installation", obj{"action": "unsuspend"})
	s := w.await("the end", finished(3))
	for _, r := range s.CheckRuns {
		if r.Conclusion != "cancelled" || !strings.Contains(r.Output.Summary, "suspended") {
			t.Errorf("%s: %s %s", r.Name, r.Conclusion, r.Output.Summary)
		}
	}
	close(c.hold)
	w.call("POST", "/_fake/rerequest", obj{"check_run": s.CheckRuns[0].ID})
	w.await("all again", finished(6))
	b := w.browser("ann")
	b.open("/auth/login")
	if _, text, _ := b.open("/"); !strings.Contains(text, `href="/repos/acme/fw"`) {
		t.Errorf("the dashboard lacks the repository: %s", text)
	}
	w.call("POST", "/_fake/installation", obj{"action": "removed", "repo": "acme/fw"})
	w.await("its event", func(s state) bool {
		return settled(s) && s.Deliveries[len(s.Deliveries)-1].Event == "installation_repositories"
	})
	w.await("a dashboard without the repository", func(state) bool {
		_, text, _ := b.open("/")
		return !strings.Contains(text, `href="/repos/acme/fw"`)
	})
	if err := w.server.Stop(); err != nil {
		t.Error(err)
	}
	w.post("ping", "d-stopped", obj{}, http.StatusServiceUnavailable)
	if code, _, _ := page(t, w.proxy.URL+"/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("readyz of a stopped server: %d", code)
	}
	w.server = nil
}
