package bot_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandForms: edits act once a line, and not at all on issues, closed pull requests and for bots.
func TestCommandForms(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	n := w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	say := func(user, body string) float64 {
		return w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": user,
			"body": body})["id"].(float64)
	}
	edit := func(id float64, body string) { w.call("POST", "/_fake/edit", obj{"comment": id, "body": body}) }
	id := say("ann", "looks odd")
	edit(id, "looks odd\n/firmproof rerun x86_64")
	w.await("the run of an edited comment", finished(5))
	edit(id, "looks very odd\n/firmproof rerun x86_64")
	edit(id, "looks very odd\n/firmproof rerun x86_64\n/firmproof explain memory")
	w.await("its second line", func(s state) bool {
		for _, r := range s.Comments {
			if strings.HasPrefix(r.Body, "<!-- firmproof reply") && strings.Contains(r.Body, "again.") &&
				strings.Contains(r.Body, "Invalid memory access") {
				return true
			}
		}
		return false
	})
	say("helper[bot]", "/firmproof rerun")
	w.call("POST", "/_fake/close", obj{"repo": "acme/fw", "number": n})
	say("ann", "/firmproof rerun")
	s := w.await("a refusal", func(s state) bool {
		return strings.Contains(s.Comments[len(s.Comments)-1].Body, "This pull request is closed.")
	})
	if len(s.CheckRuns) != 5 || c.count() != 3 {
		t.Errorf("%d check runs, %d verifications", len(s.CheckRuns), c.count())
	}
	replies := 0
	for _, r := range s.Comments {
		if strings.HasPrefix(r.Body, "<!-- firmproof reply") {
			replies++
		}
	}
	if replies != 2 {
		t.Errorf("%d replies to two comments", replies)
	}
}

// TestOneHarnessAgain: verifying one harness again does not hide what the others found.
func TestOneHarnessAgain(t *testing.T) {
	w := newWorld(t, &pair{})
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "fix", "files": obj{"main.c": "int main\nbug\n",
		".firmproof.yml": strings.Replace(testManifest, "- entry: main", "- entry: bad\n  - entry: good", 1)}})
	n := w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "ann",
		"body": "/firmproof rerun x86_64 good"})
	s := w.await("the run of one harness", finished(5))
	for _, r := range s.CheckRuns[3:] {
		if r.Conclusion != "failure" || strings.HasPrefix(r.Name, "firmproof / ") &&
			(!strings.Contains(r.Output.Summary, "`bad`") || !strings.Contains(r.Output.Summary, "`good`")) {
			t.Errorf("%s: %s %s", r.Name, r.Conclusion, r.Output.Summary)
		}
	}
}

// TestManyAnnotations: more than a thousand, each once, in batches of fifty.
func TestManyAnnotations(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short leaves out what takes minutes on a busy machine")
		return
	}
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	const bugs = 1050
	w.call("POST", "/_fake/faults", []obj{{"match": "PATCH .*check-runs", "skip": 7, "times": 1,
		"kind": "after-effect", "status": 502}, {"match": "PATCH .*check-runs", "skip": 20, "times": 1,
		"kind": "secondary", "status": 429},
		{"match": "PATCH .*check-runs", "skip": 30, "times": 1, "kind": "primary"}})
	w.push("fix", strings.Repeat("bug\n", bugs))
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	for _, r := range s.CheckRuns {
		seen := map[int]bool{}
		for _, a := range r.Annotations {
			seen[a.Line] = true
		}
		if want := map[bool]int{true: 0, false: 200}[r.Name == "firmproof"]; len(r.Annotations) != want ||
			len(seen) != want {
			t.Errorf("%s: %d annotations on %d lines, want %d", r.Name, len(r.Annotations), len(seen), want)
		}
		if len(r.Output.Summary) > 65535 || len(r.Output.Text) > 65535 || r.Name != "firmproof" &&
			!strings.Contains(r.Output.Summary, "[full report](http://firmproof.example/runs/") {
			t.Errorf("%s: %d bytes of summary without a link", r.Name, len(r.Output.Summary))
		}
	}
}

// TestEnterprise: GitHub Enterprise has its API below /api/v3.
func TestEnterprise(t *testing.T) {
	w := newWorld(t, &reader{})
	w.stop()
	w.cfg.GitHubURL = w.gh.URL + "/api/v3"
	w.start()
	w.repo("int main\n")
	// nothing there
	w.call("POST", "/_fake/faults", []obj{{"match": "^[A-Z]+ /(repos|app)/", "times": -1, "status": 404}})
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	if conclusions(s)["firmproof"] != "failure" {
		t.Errorf("conclusions: %v", conclusions(s))
	}
}

// TestRotation: an old and a new webhook secret, an old and a new key of the App.
func TestRotation(t *testing.T) {
	t.Parallel()
	w := &world{t: t, logs: &syncBuffer{}}
	dir := t.TempDir()
	w.connectProxy(dir)
	w.cfg.Checker = &reader{}
	t.Cleanup(w.stop)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	next := put("next.pem", pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	right := w.cfg.SecretFiles[0]
	w.cfg.PrivateKeys = append([]string{next}, w.cfg.PrivateKeys...) // GitHub does not know it yet
	w.cfg.SecretFiles = []string{put("secret", []byte("the next secret\n")), right}
	w.start()
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	for _, name := range w.cfg.SecretFiles {
		w.cfg.SecretFiles = []string{name} // what post signs with
		w.post("ping", "d-"+filepath.Base(name), obj{"zen": "x"}, http.StatusAccepted)
	}
	w.cfg.SecretFiles = []string{put("wrong", []byte("quite another secret\n"))}
	w.post("ping", "d-wrong", obj{"zen": "x"}, http.StatusUnauthorized)
	for _, v := range w.fake.Violations() {
		if v.Status != http.StatusUnauthorized {
			t.Errorf("broke GitHub's contract: %+v", v)
		}
	}
}

// TestMetrics: what the manual lists is there, and moves.
func TestMetrics(t *testing.T) {
	w := newWorld(t, &staged{})
	defaults := t.TempDir()
	if err := os.WriteFile(filepath.Join(defaults, ".firmproof.yml"), []byte("version: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.call("POST", "/_fake/repos", obj{"name": "acme/.github", "path": defaults})
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	w.call("POST", "/_fake/rerequest", obj{"check_run": s.CheckRuns[0].ID})
	w.await("all again", func(s state) bool { return len(s.CheckRuns) > 3 && finished(len(s.CheckRuns))(s) })
	if code, _, _ := page(t, w.proxy.URL+"/metrics"); code != http.StatusOK {
		t.Errorf("the metrics on the port of webhooks: %d", code)
	}
	rec := httptest.NewRecorder()
	w.server.Metrics().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	text := rec.Body.String()
	for _, want := range []string{`firmproof_deliveries_total{answer="Accepted",event="pull_request"} 1`,
		"firmproof_delivery_ack_seconds_count", `firmproof_queue_depth{queue="runs"} 0`,
		`firmproof_queue_depth{queue="tasks"} 0`,
		`firmproof_queue_age_seconds{queue="events"}`, `firmproof_queue_depth{queue="publish"}`,
		`firmproof_stage_seconds_count{stage="solve"} `, `firmproof_stage_seconds_count{stage="other"} `,
		`firmproof_answers_total{source="cache"} `, `firmproof_github_calls_total{code="2xx",method="POST"}`,
		"firmproof_github_remaining 4", "firmproof_github_limited_total 0",
		`firmproof_job_seconds_count{kind="verify",outcome="ok"} `, `firmproof_runs{state="done"} `,
		"firmproof_github_unchanged_total "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "firmproof_github_unchanged_total 0\n") {
		t.Error("no read was conditional")
	}
	if strings.Contains(text, "made-up") {
		t.Error("a report can name metrics")
	}
	w.stop()
	w.cfg.Metrics = "127.0.0.1:0"
	w.start()
	if code, _, _ := page(t, w.proxy.URL+"/metrics"); code != http.StatusNotFound {
		t.Errorf("strangers see metrics that have a port of their own: %d", code)
	}
}
