package fakegithub

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
)

func gitRun(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(gitEnvironment(), "GIT_AUTHOR_NAME=ann", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=ann", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGit clones with and without credentials, fetches the refs of a pull
// request and pushes.
func TestGit(t *testing.T) {
	w := newWorld(t)
	_, head := w.repository()
	dir := t.TempDir()
	as := func(user, password string) string {
		u, _ := url.Parse(w.url + "/acme/fw.git")
		if user != "" {
			u.User = url.UserPassword(user, password)
		}
		return u.String()
	}
	if out, err := gitRun(t, dir, "clone", "-q", as("", ""), "a"); err == nil || !strings.Contains(out,
		"could not read Username") {
		t.Errorf("clone without token: %v %s", err, out)
	}
	if res, err := http.Get(w.url + "/acme/fw.git/info/refs?service=git-upload-pack"); err != nil ||
		res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without token: %v %v, want 401", res, err)
	}
	if out, err := gitRun(t, dir, "clone", "-q", as("x-access-token", "ghs_1042_wrong"), "b"); err == nil {
		t.Errorf("clone with a wrong token works: %s", out)
	}
	tok := as("x-access-token", w.token(nil))
	if out, err := gitRun(t, dir, "clone", "-q", tok, "c"); err != nil {
		t.Fatalf("clone: %v %s", err, out)
	}
	clone := filepath.Join(dir, "c")
	for _, ref := range []string{"refs/pull/1/head", "refs/pull/1/merge"} {
		if out, err := gitRun(t, clone, "fetch", "-q", "--depth=1", "origin", ref); err != nil {
			t.Errorf("fetch %s: %v %s", ref, err, out)
		}
	}
	if out, _ := gitRun(t, clone, "fetch", "-q", "--depth=1", "origin", head); out != "" {
		t.Errorf("fetch by SHA: %s", out)
	}
	if out, err := gitRun(t, clone, "push", "-q", "origin", "HEAD:refs/heads/x"); err == nil {
		t.Errorf("push with contents:read works: %s", out)
	}
	w.wantViolations(1)
	if out, err := gitRun(t, clone, "checkout", "-q", "-b", "fix", head); err != nil {
		t.Fatalf("checkout: %v %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(clone, "b.c"), []byte("int b;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "b.c"}, {"commit", "-q", "-m", "b"}, {"push", "-q", as("ann", "password"),
		"fix"}} {
		if out, err := gitRun(t, clone, args...); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	if got := strings.Join(w.events()[4:], " "); got != "push check_suite.requested pull_request.synchronize" {
		t.Errorf("events of a push: %s", got)
	}
}

// TestDelivery checks signature and headers, a failed delivery in the App's
// list, and the same GUID at a redelivery by both ways.
func TestDelivery(t *testing.T) {
	w := newWorld(t)
	w.answer = http.StatusInternalServerError
	w.repository()
	for _, h := range w.flush() {
		mac := hmac.New(sha256.New, []byte(w.s.app.secret))
		mac.Write(h.body)
		if got := h.header.Get("X-Hub-Signature-256"); got != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("signature %s", got)
		}
		if _, err := github.ParseWebHook(h.header.Get("X-GitHub-Event"), h.body); err != nil {
			t.Errorf("%s: %v", h.header.Get("X-GitHub-Event"), err)
		}
		var p struct{ Installation struct{ ID int } }
		if err := json.Unmarshal(h.body, &p); err != nil || p.Installation.ID != w.s.inst.id {
			t.Errorf("installation %d: %v", p.Installation.ID, err)
		}
	}
	ctx := context.Background()
	list, res, err := w.appClient().Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: 3})
	if err != nil || len(list) != 3 || res.Cursor == "" || list[0].GetStatusCode() != 500 ||
		list[0].GetEvent() != "pull_request" {
		t.Fatalf("deliveries %v %v", list, err)
	}
	rest, res, err := w.appClient().Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: 3,
		Cursor: res.Cursor})
	if err != nil || len(rest) != 1 || res.Cursor != "" || rest[0].GetEvent() != "installation_repositories" {
		t.Errorf("second page %v %v", rest, err)
	}
	w.mu.Lock()
	w.answer, w.hooks = http.StatusAccepted, nil
	w.mu.Unlock()
	if _, _, err := w.appClient().Apps.RedeliverHookDelivery(ctx, list[0].GetID()); err != nil && !errors.As(err,
		new(*github.AcceptedError)) {
		t.Fatal(err)
	}
	w.control("POST", "redeliver", obj{"delivery": list[0].GetGUID()})
	got := w.flush()
	if len(got) != 2 || got[0].header.Get("X-GitHub-Delivery") != list[0].GetGUID() ||
		got[1].header.Get("X-GitHub-Delivery") != list[0].GetGUID() {
		t.Errorf("redelivered %d", len(got))
	}
	newest := w.state("deliveries")
	if last := newest[len(newest)-1].(map[string]any); last["status"] != 202.0 || last["redelivery"] != true ||
		last["guid"] != list[0].GetGUID() {
		t.Errorf("state %v", last)
	}
	w.wantViolations(0)
}

// TestEvents emits the rest of the webhooks, which the contract checks.
func TestEvents(t *testing.T) {
	w := newWorld(t)
	_, head := w.repository()
	com := w.control("POST", "comments", obj{"repo": "acme/fw", "number": 1, "user": "ann", "body": "/firmproof rerun"})
	w.control("POST", "edit", obj{"comment": com["id"], "body": "/firmproof help"})
	w.control("POST", "ping", nil)
	w.control("POST", "push", obj{"repo": "acme/fw", "branch": "next", "files": obj{"n.c": "int n;\n"}})
	draft := w.control("POST", "pulls", obj{"repo": "acme/fw", "head": "next", "draft": true})
	w.control("POST", "ready", obj{"repo": "acme/fw", "number": draft["number"]})
	w.control("POST", "push", obj{"repo": "acme/fw", "branch": "stable", "files": obj{}})
	w.control("POST", "retarget", obj{"repo": "acme/fw", "number": draft["number"], "base": "stable"})
	w.control("POST", "merge_group", obj{"repo": "acme/fw", "number": draft["number"]})
	suites := w.state("check_suites")
	w.control("POST", "rerequest", obj{"check_suite": suites[0].(map[string]any)["id"]})
	for _, a := range []string{"suspend", "unsuspend", "deleted", "created"} {
		w.control("POST", "installation", obj{"action": a})
	}
	w.control("POST", "installation", obj{"action": "removed", "repo": "acme/fw"})
	got := strings.Join(w.events()[4:], " ")
	want := "issue_comment.created issue_comment.edited ping push check_suite.requested pull_request.opened pull_request.ready_for_review push check_suite.requested" +
		" pull_request.edited push check_suite.requested merge_group.checks_requested check_suite.rerequested installation.suspend installation.unsuspend installation.deleted" +
		" installation.created installation_repositories.removed"
	if got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if suites[0].(map[string]any)["head_sha"] != head {
		t.Errorf("suites %v", suites)
	}
	w.wantViolations(0)
}

// TestFaults injects each kind of fault.
func TestFaults(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	create := func() error {
		_, _, err := c.Checks.CreateCheckRun(ctx, "acme", "fw", github.CreateCheckRunOptions{Name: "a", HeadSHA: head})
		return err
	}
	runs := func() int { return len(w.state("check_runs")) }
	fault := func(f obj) {
		f["match"] = "POST .*check-runs"
		w.control("POST", "faults", []obj{f})
	}
	fault(obj{"times": 2, "status": 502})
	if a, b := status(create()), status(create()); a != 502 || b != 502 || runs() != 0 {
		t.Errorf("status: %d %d", a, b)
	}
	fault(obj{"kind": "reset"})
	if err := create(); err == nil || status(err) != 0 || runs() != 0 {
		t.Errorf("reset: %v", err)
	}
	fault(obj{"kind": "after-effect", "status": 500})
	if err := create(); status(err) != 500 || runs() != 1 {
		t.Errorf("after-effect: %v, %d runs", err, runs())
	}
	fault(obj{"kind": "after-effect"})
	if err := create(); err == nil || status(err) != 0 || runs() != 2 {
		t.Errorf("after-effect with reset: %v, %d runs", err, runs())
	}
	fault(obj{"kind": "hang"})
	impatient, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, _, err := c.Checks.CreateCheckRun(impatient, "acme", "fw", github.CreateCheckRunOptions{Name: "a",
		HeadSHA: head}); err == nil || runs() != 3 {
		t.Errorf("hang: %v, %d runs", err, runs())
	}
	fault(obj{"kind": "delay", "delay": 200})
	begin := time.Now()
	if err := create(); err != nil || time.Since(begin) < 200*time.Millisecond {
		t.Errorf("delay: %v after %v", err, time.Since(begin))
	}
	fault(obj{"kind": "secondary", "status": 403, "retry_after": 1, "skip": 1})
	var abuse *github.AbuseRateLimitError
	if err := create(); err != nil {
		t.Errorf("skipped: %v", err)
	}
	if err := create(); !errors.As(err, &abuse) || abuse.GetRetryAfter() != time.Second {
		t.Errorf("secondary: %v", err)
	}
	// A new client, for go-github keeps the limit of the last in mind.
	c = w.client(w.token(nil))
	fault(obj{"kind": "primary"})
	var limit *github.RateLimitError
	if err := create(); !errors.As(err, &limit) || limit.Rate.Remaining != 0 {
		t.Errorf("primary: %v", err)
	}
	c = w.client(w.token(nil))
	fault(obj{"status": 429})
	if err := create(); status(err) != 429 || err.(*github.ErrorResponse).Response.Header.Get("Retry-After") != "1" {
		t.Errorf("429: %v", err)
	}
	fault(obj{"times": -1, "status": 500})
	w.control("DELETE", "faults", nil)
	if err := create(); err != nil {
		t.Errorf("without faults: %v", err)
	}
	w.wantViolations(0)
}

// TestETag wants a 304 for what the caller has, and GitHub's own primary limit
// after the allowed number of requests.
func TestETag(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.RateLimit = 3 })
	w.repository()
	tok := w.token(nil)
	get := func(tag string) *http.Response {
		req, _ := http.NewRequest("GET", w.url+"/repos/acme/fw/branches", nil)
		req.Header.Set("Authorization", "Bearer "+tok)
		req.Header.Set("If-None-Match", tag)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	first := get("")
	if first.StatusCode != 200 || first.Header.Get("ETag") == "" || first.Header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("first: %d %v", first.StatusCode, first.Header)
	}
	if again := get(first.Header.Get("ETag")); again.StatusCode != http.StatusNotModified ||
		again.Header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("again: %d %v, want a 304 that does not count", again.StatusCode, again.Header)
	}
	get("")
	get("")
	if over := get(""); over.StatusCode != http.StatusForbidden || over.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("over the limit: %d", over.StatusCode)
	}
}

// TestRun starts the server as the command does and reads app.json.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	done := make(chan error, 1)
	go func() { done <- Run(ctx, Options{Listen: ":0", Dir: dir}) }()
	var app struct {
		URL               string `json:"url"`
		AppID             int    `json:"app_id"`
		PrivateKey        string `json:"private_key"`
		WebhookSecretFile string `json:"webhook_secret_file"`
		InstallationID    int    `json:"installation_id"`
	}
	for range 3000 {
		raw, err := os.ReadFile(filepath.Join(dir, "app.json"))
		if err == nil {
			if err := json.Unmarshal(raw, &app); err != nil {
				t.Fatal(err)
			}
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	res, err := http.Get(app.URL + "/_fake/state")
	if err != nil || res.StatusCode != 200 || !strings.HasPrefix(app.URL, "http://127.0.0.1:") || app.AppID == 0 ||
		app.InstallationID == 0 {
		t.Errorf("state: %v %v, app %+v", res, err, app)
	}
	for _, path := range []string{app.PrivateKey, app.WebhookSecretFile} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", path, st, err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
	key, _ := os.ReadFile(app.PrivateKey)
	s, err := New(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if again, _ := os.ReadFile(app.PrivateKey); len(key) == 0 || string(again) != string(key) {
		t.Error("the key of an earlier run is not used again")
	}
	if _, err := os.Stat(filepath.Join(dir, "app.json")); err == nil {
		t.Error("app.json of an earlier run is left")
	}
	mine := t.TempDir()
	write(t, mine, "repos/x", "mine")
	if _, err := New(Options{Dir: mine}); err == nil {
		t.Error("somebody else's folder is taken")
	}
}

// TestConcurrent lets many clients and control calls loose at once; run it
// with -race.
func TestConcurrent(t *testing.T) {
	w := newWorld(t)
	c, head := w.repository()
	ctx := context.Background()
	var group sync.WaitGroup
	fail := func(what string, err error) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range 8 {
		group.Go(func() {
			run, _, err := c.Checks.CreateCheckRun(ctx, "acme", "fw",
				github.CreateCheckRunOptions{Name: fmt.Sprint("run ", i), HeadSHA: head})
			fail("create", err)
			for range 3 {
				_, _, err = c.Checks.UpdateCheckRun(ctx, "acme", "fw", run.GetID(),
					github.UpdateCheckRunOptions{Name: fmt.Sprint("run ", i), Output: output("s", 5)})
				fail("update", err)
			}
			_, _, err = c.PullRequests.Get(ctx, "acme", "fw", 1)
			fail("pull", err)
			_, err = http.Get(w.url + "/acme/fw/pull/1")
			fail("page", err)
			_, err = http.Get(w.url + "/_fake/state")
			fail("state", err)
		})
	}
	for i := range 3 {
		group.Go(func() {
			w.control("POST", "push", obj{"repo": "acme/fw", "branch": "fix",
				"files": obj{"main.c": fmt.Sprint("int x", i, ";\n")}})
		})
	}
	group.Wait()
	w.flush()
	for _, r := range w.state("check_runs") {
		if n := len(r.(map[string]any)["annotations"].([]any)); n != 15 {
			t.Errorf("%d annotations, want 15", n)
		}
	}
	commits, _, err := c.PullRequests.ListCommits(ctx, "acme", "fw", 1, nil)
	if err != nil || len(commits) != 4 {
		t.Errorf("%d commits, want 4: %v", len(commits), err)
	}
	w.wantViolations(0)
}
