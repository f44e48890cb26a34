package bot_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestPullRequest: a bad change fails with an annotation on its line, the next push mends it.
func TestPullRequest(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("fix", "int main\nbug one\n")
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	want := map[string]string{"firmproof": "failure", "firmproof / cortex-m3": "failure",
		"firmproof / x86_64": "failure"}
	for name, c := range want {
		if conclusions(s)[name] != c {
			t.Errorf("%s: %q", name, conclusions(s)[name])
		}
	}
	for _, c := range s.CheckRuns {
		if c.Name == "firmproof" {
			if len(c.Annotations) != 0 || !strings.Contains(c.Output.Summary, "cortex-m3") {
				t.Errorf("aggregate: %+v", c)
			}
			continue
		}
		if len(c.Annotations) != 1 || c.Annotations[0].Path != "main.c" || c.Annotations[0].Line != 2 {
			t.Errorf("annotations of %s: %+v", c.Name, c.Annotations)
		}
		if !strings.HasPrefix(c.DetailsURL, "http://firmproof.example/runs/") {
			t.Errorf("details: %s", c.DetailsURL)
		}
		w.pageShows("/runs/"+c.ExternalID, "memory@main#2")
	}
	w.pageShows("/", "acme/fw")
	w.await("one upload to code scanning", func(s state) bool { return len(s.SARIF) == 1 })
	w.push("fix", "int main\nok\n")
	s = w.await("the new check runs", finished(6))
	good := 0
	for _, c := range s.CheckRuns {
		if c.Conclusion == "success" {
			good++
		}
	}
	if good != 3 {
		t.Errorf("%d of 3 succeeded", good)
	}
}

func (w *world) pageShows(path, want string) {
	w.t.Helper()
	b := w.browser("ann")
	b.open("/auth/login")
	code, text, header := b.open(path)
	if code != 200 || !strings.Contains(text, want) ||
		!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		w.t.Errorf("%s: %d, want %q in %s", path, code, want, text)
	}
}

// TestSupersede: a push ends the run of the old commit, which would go on.
func TestSupersede(t *testing.T) {
	c := &reader{stopped: make(chan struct{}, 2)}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "slow\n")
	w.pull("fix", false)
	w.await("runs in progress", func(s state) bool { return c.count() == 2 && len(s.CheckRuns) == 3 })
	w.push("fix", "int main\nfine\n")
	for range 2 {
		select {
		case <-c.stopped:
		case <-time.After(patience):
			t.Fatal("the old run goes on")
		}
	}
	s := w.await("all completed", finished(6))
	n := map[string]int{}
	for _, c := range s.CheckRuns {
		n[c.Conclusion]++
		if c.Conclusion == "cancelled" && !strings.Contains(c.Output.Summary, "Superseded by") {
			t.Errorf("cancelled: %+v", c.Output)
		}
	}
	if n["cancelled"] != 3 || n["success"] != 3 {
		t.Errorf("conclusions: %v", n)
	}
}

// TestRestart: the server ends in the middle of runs; a new one finishes each exactly once.
func TestRestart(t *testing.T) {
	c := &reader{hold: make(chan struct{})}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	w.await("runs in progress", func(s state) bool { return c.count() == 2 && len(s.CheckRuns) == 3 })
	w.stop()
	close(c.hold)
	w.start()
	s := w.await("three completed check runs", finished(3))
	for _, c := range s.CheckRuns {
		if c.Name != "firmproof" && len(c.Annotations) != 1 {
			t.Errorf("%s: %d annotations", c.Name, len(c.Annotations))
		}
	}
}

// TestFaults: GitHub fails at every kind of call, also after it did the work;
// there is still one check run per name and one annotation per finding.
func TestFaults(t *testing.T) {
	many := "int main\n" + strings.Repeat("bug\n", 120)
	for name, faults := range map[string][]obj{
		"create refused": {{"match": "POST .*check-runs$", "times": 2, "status": 502}},
		"create lost":    {{"match": "POST .*check-runs$", "times": 3, "kind": "after-effect", "status": 502}},
		"create reset":   {{"match": "POST .*check-runs$", "times": 2, "kind": "reset"}},
		"update lost": {{"match": "PATCH .*check-runs", "skip": 3, "times": 4, "kind": "after-effect",
			"status": 500}},
		"update cut": {{"match": "PATCH .*check-runs", "skip": 2, "times": 4, "kind": "after-effect"}},
		"limits": {{"match": "PATCH .*check-runs", "skip": 3, "times": 1, "status": 429},
			{"match": "POST .*check-runs$", "times": 1, "kind": "primary"}, {"match": "PATCH .*check-runs", "skip": 6,
				"times": 1, "kind": "secondary"}},
		"not found yet":   {{"match": "(GET|PATCH) .*check-runs/", "times": 3, "status": 404}},
		"slow":            {{"match": "(POST|PATCH) .*check-runs", "times": 3, "kind": "delay", "delay": "1s"}},
		"internal errors": {{"match": ".*", "times": 6, "status": 500}},
		"cut reads":       {{"match": "GET .*", "times": 3, "kind": "reset"}},
		"long limit":      {{"match": "POST .*access_tokens", "times": 1, "kind": "primary", "retry_after": 12}},
		"token and fetch": {{"match": "POST .*access_tokens", "times": 2, "status": 500}, {"match": "GET .*info/refs",
			"times": 1, "status": 503}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &reader{})
			w.repo("int main\n")
			w.call("POST", "/_fake/faults", faults)
			w.push("fix", many)
			w.pull("fix", false)
			s := w.await("three completed check runs", finished(3))
			for _, c := range s.CheckRuns {
				if want := map[bool]int{true: 0, false: 120}[c.Name == "firmproof"]; len(c.Annotations) != want {
					t.Errorf("%s: %d annotations, want %d", c.Name, len(c.Annotations), want)
				}
			}
		})
	}
}

// TestRedelivery: a replayed delivery changes nothing.
func TestRedelivery(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nfine\n")
	pull := w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	for _, d := range s.Deliveries {
		w.call("POST", "/_fake/redeliver", obj{"delivery": d.GUID})
	}
	n := len(s.Deliveries)
	w.await("the replays", func(s state) bool { return len(s.Deliveries) >= 2*n && settled(s) })
	// handled after whatever the replays made
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": pull, "user": "ann", "body": "/firmproof help"})
	w.await("an answer", func(s state) bool { return len(s.Comments) == 2 })
	if n := len(w.state().CheckRuns); n != 3 || c.count() != 2 {
		t.Errorf("%d check runs and %d verifications after the replays", n, c.count())
	}
}

// TestButtons: Re-run of one target makes that target and the aggregate anew.
func TestButtons(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	for _, r := range s.CheckRuns {
		if r.Name == "firmproof / x86_64" {
			if len(r.Actions) != 3 && len(r.Actions) != 0 {
				t.Errorf("actions: %+v", r.Actions)
			}
			w.call("POST", "/_fake/rerequest", obj{"check_run": r.ID})
		}
	}
	s = w.await("two more", finished(5))
	if c.count() != 3 {
		t.Errorf("%d verifications, want 3", c.count())
	}
	if conclusions(s)["firmproof"] != "failure" {
		t.Errorf("aggregate: %v", conclusions(s))
	}
	for _, r := range s.CheckRuns {
		if r.Name == "firmproof" && len(r.Annotations) == 0 && !strings.Contains(r.Output.Summary, "cortex-m3") {
			t.Errorf("the aggregate forgets the other target: %s", r.Output.Summary)
		}
	}
	w.call("POST", "/_fake/action", obj{"check_run": s.CheckRuns[0].ID, "identifier": "deeper"})
	w.await("the deeper run", func(s state) bool { return len(s.CheckRuns) > 5 && finished(len(s.CheckRuns))(s) })
}

// TestCommands: who may do what, in which form, and how often.
func TestCommands(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	n := w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	say := func(user, body string) {
		w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": user, "body": body})
	}
	replies := func(s state, part string) int {
		k := 0
		for _, c := range s.Comments {
			if strings.Contains(c.Body, "<!-- firmproof reply") && strings.Contains(c.Body, part) {
				k++
			}
		}
		return k
	}
	say("rob", "/firmproof rerun")
	w.await("a refusal", func(s state) bool { return replies(s, "write access") == 1 })
	say("ann", "> /firmproof rerun\n\n```\n/firmproof rerun\n```\n    /firmproof rerun\n")
	say("ann", "/firmproof reurn")
	w.await("a hint", func(s state) bool { return replies(s, "/firmproof rerun") == 1 })
	if c.count() != 2 {
		t.Errorf("%d verifications, want 2: code, quotes, readers and mistakes run nothing", c.count())
	}
	say("ann", "thanks!\n/firmproof explain memory@main#2\n")
	w.await("an explanation", func(s state) bool { return replies(s, "Invalid memory access") == 1 })
	say("ann", "/firmproof accept memory@main#2 until 2020-01-31 because late\n/firmproof unaccept memory@main#2")
	w.await("two mistakes", func(s state) bool {
		return replies(s, "no day of the next two years") == 1 && replies(s, "No comment accepts `memory@main#2`") == 1
	})
	day := time.Now().Add(48 * time.Hour).UTC().Format("2006-01-02")
	say("ann", "/firmproof suppress memory@main#2 until "+day+" because masked by | <b>hardware\n")
	w.await("an acceptance", func(s state) bool { return replies(s, "until "+day+", because: masked by") == 1 })
	say("ann", "/firmproof list")
	w.await("the list", func(s state) bool {
		return replies(s, "| `memory@main#2` | masked by &#124; &#60;b&#62;hardware | ann | "+day+" |") == 1
	})
	say("ann", "please\n/firmproof rerun x86_64")
	s := w.await("the re-run", finished(5))
	last := map[string]string{}
	for _, r := range s.CheckRuns {
		last[r.ExternalID+r.Name] = r.Conclusion
	}
	w.await("a reaction", func(s state) bool {
		for _, r := range s.Reactions {
			if r.Content == "rocket" {
				return true
			}
		}
		return false
	})
	ok := false
	for _, r := range s.CheckRuns {
		ok = ok || r.Name == "firmproof / x86_64" && r.Conclusion == "success"
	}
	if !ok {
		t.Errorf("the accepted finding still fails: %v", last)
	}
	say("ann", "/firmproof unaccept memory@main#2\n/firmproof rerun x86_64")
	s = w.await("the last run", finished(7))
	w.await("the answer", func(s state) bool { return replies(s, "counts again from the next run on") == 1 })
	failed := 0
	for _, r := range s.CheckRuns {
		if r.Name == "firmproof / x86_64" && r.Conclusion == "failure" {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("after it was taken back, %d runs failed, want the first and the last", failed)
	}
}

// TestFork: a stranger's pull request waits for approval, and is analysed with
// the base branch's manifest.
func TestFork(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "evil", "files": obj{"main.c": "int main\nfine\n",
		".firmproof.yml": strings.Replace(testManifest, "x86_64", "i386", 1)}})
	n := w.pull("evil", true)
	s := w.await("the gate", finished(1))
	if s.CheckRuns[0].Conclusion != "action_required" || c.count() != 0 {
		t.Fatalf("gate: %+v", s.CheckRuns[0])
	}
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "rob", "body": "/firmproof approve"})
	w.await("a refusal", func(s state) bool { return len(s.Comments) == 2 })
	if c.count() != 0 {
		t.Fatal("a reader's approval ran the build")
	}
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "ann", "body": "/firmproof approve"})
	line := ""
	w.await("the line to copy", func(s state) bool {
		line = regexp.MustCompile("/firmproof approve [0-9a-f]{7,}").FindString(s.Comments[len(s.Comments)-1].Body)
		return line != ""
	})
	if c.count() != 0 {
		t.Fatal("an approval of no commit ran the build")
	}
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": n, "user": "ann", "body": line})
	s = w.await("the runs", finished(4))
	if conclusions(s)["firmproof / x86_64"] != "success" || conclusions(s)["firmproof / i386"] != "" {
		t.Errorf("conclusions: %v", conclusions(s))
	}
	for _, r := range s.CheckRuns {
		if r.Name == "firmproof / x86_64" && !strings.Contains(r.Output.Summary,
			"analysed with the one of the base branch") {
			t.Errorf("the author is not told: %s", r.Output.Summary)
		}
	}
}

// TestTheirErrors: a broken manifest and a broken build are shown at their lines, and not retried.
func TestTheirErrors(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "bad",
		"files": obj{".firmproof.yml": "version: 1\ntargetz: [x]\n"}})
	w.pull("bad", false)
	s := w.await("one check run", finished(1))
	if r := s.CheckRuns[0]; r.Conclusion != "action_required" || !strings.Contains(r.Output.Summary, "targetz") ||
		len(r.Annotations) != 2 || r.Annotations[1].Line != 2 {
		t.Errorf("manifest error: %+v", r)
	}
	w.push("broken", "int main\nbroken\n")
	w.pull("broken", false)
	s = w.await("three more", finished(4))
	for _, r := range s.CheckRuns[1:] {
		if r.Conclusion != "failure" || strings.Contains(r.Name, "/") && (len(r.Annotations) != 1 ||
			r.Annotations[0].Line != 2) {
			t.Errorf("build error: %+v", r)
		}
	}
	if c.built != 2 || c.count() != 0 {
		t.Errorf("%d builds, %d verifications: a build error was retried", c.built, c.count())
	}
}

// TestBaseline: a finding of the base branch is known, a new one is new.
func TestBaseline(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("main", "int main\nbug old\n")
	w.await("the base branch", finished(3))
	w.push("fix", "int main\nbug old\nbug new\n")
	w.pull("fix", false)
	s := w.await("the pull request", finished(6))
	head := s.CheckRuns[len(s.CheckRuns)-1].HeadSHA
	for _, r := range s.CheckRuns {
		if r.HeadSHA == head && (!strings.Contains(r.Output.Title, "1 new") && !strings.Contains(r.Output.Title,
			"2 new") || !strings.Contains(r.Output.Title, " known")) {
			t.Errorf("%s: title %q", r.Name, r.Output.Title)
		}
		if r.HeadSHA == head && r.Name == "firmproof / x86_64" && !strings.Contains(r.Output.Title,
			"1 new, 0 fixed, 1 known") {
			t.Errorf("%s: title %q", r.Name, r.Output.Title)
		}
	}
}

// TestWebhookRefusals: what is not GitHub's is refused before anything happens.
func TestWebhookRefusals(t *testing.T) {
	w := newWorld(t, &reader{})
	secret, err := os.ReadFile(w.cfg.SecretFiles[0])
	if err != nil {
		t.Fatal(err)
	}
	sign := func(body []byte) string {
		m := hmac.New(sha256.New, bytes.TrimSpace(secret))
		m.Write(body)
		return "sha256=" + hex.EncodeToString(m.Sum(nil))
	}
	old := hmac.New(sha1.New, bytes.TrimSpace(secret))
	old.Write([]byte("{}"))
	big := make([]byte, 26<<20)
	for _, c := range []struct {
		name   string
		body   []byte
		header map[string]string
		want   int
	}{
		{"unsigned", []byte("{}"), nil, 401},
		{"wrong signature", []byte("{}"), map[string]string{"X-Hub-Signature-256": sign([]byte("{ }"))}, 401},
		{"SHA-1 only", []byte("{}"), map[string]string{"X-Hub-Signature": "sha1=" + hex.EncodeToString(old.Sum(nil))},
			401},
		{"too large", big, map[string]string{"X-Hub-Signature-256": sign(big)}, 413},
		{"no JSON", []byte("{"), map[string]string{"X-Hub-Signature-256": sign([]byte("{"))}, 400},
		{"good", []byte("{}"), map[string]string{"X-Hub-Signature-256": sign([]byte("{}"))}, 202},
		{"no text", []byte("{}"), map[string]string{"X-Hub-Signature-256": sign([]byte("{}")),
			"X-GitHub-Delivery": "d-\x9a"}, 400},
		{"unknown event", []byte("{"), map[string]string{"X-Hub-Signature-256": sign([]byte("{")),
			"X-GitHub-Event": "sponsorship"}, 202},
	} {
		req, err := http.NewRequest("POST", w.proxy.URL+"/webhook", bytes.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-GitHub-Event", "ping")
		req.Header.Set("X-GitHub-Delivery", "d-"+c.name)
		for k, v := range c.header {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.name, resp.StatusCode, c.want)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		resp, err := http.Get(w.proxy.URL + path)
		if err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: %v %v", path, resp, err)
		}
	}
}
