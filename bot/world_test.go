package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/bot"
	"github.com/firmproof/firmproof/bot/fakegithub"
	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// world is a whole GitHub (the stand-in), a repository and our server, joined by
// real HTTP and git. The checker is a fake: it reads the sources of the checkout.
type world struct {
	t      testing.TB
	fake   *fakegithub.Server
	gh     *httptest.Server
	cfg    bot.Config
	server *bot.Server
	proxy  *httptest.Server
	mu     sync.Mutex
	now    http.Handler
	logs   *syncBuffer
	rate   int // of the stand-in, in an hour; 0: GitHub's
}

const testManifest = "version: 1\ntargets: [cortex-m3, x86_64]\nbuild:\n  sources: [main.c]\nharnesses:\n  - entry: main\n    unwind: 12\n"

func newWorld(t *testing.T, checker pipeline.Checker) *world {
	t.Parallel()
	return newWorldTB(t, checker)
}

func newWorldTB(t testing.TB, checker pipeline.Checker) *world {
	w := &world{t: t, logs: &syncBuffer{}}
	dir := t.TempDir()
	w.proxyServer()
	w.connect(dir, checker, w.proxy.URL)
	w.cfg.RedeliverEvery = time.Second
	w.start()
	t.Cleanup(func() {
		w.stop()
		w.judge()
	})
	return w
}

// proxyServer is the address that survives restarts of our server.
func (w *world) proxyServer() {
	t := w.t
	w.proxy = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		h := w.now
		w.mu.Unlock()
		if h == nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		h.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.proxy.Close)
}

// judge checks what must hold of every test.
func (w *world) judge() {
	t := w.t
	if t.Failed() {
		t.Logf("log of the server:\n%s", w.logs.String())
	}
	for _, v := range w.fake.Violations() {
		t.Errorf("broke GitHub's contract: %+v", v)
	}
	if strings.Contains(w.logs.String(), "ghs_") {
		t.Error("a token is in the log")
	}
}

// connect makes the stand-in, delivering to url, and our configuration for it.
func (w *world) connect(dir string, checker pipeline.Checker, url string) {
	t := w.t
	t.Helper()
	fake, err := fakegithub.New(fakegithub.Options{Dir: filepath.Join(dir, "gh"), DeliverTo: url + "/webhook",
		RateLimit: w.rate})
	if err != nil {
		t.Fatal(err)
	}
	w.fake, w.gh = fake, httptest.NewServer(fake)
	if err := fake.SetURL(w.gh.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.gh.Close(); fake.Close() })
	var app struct {
		AppID  int64  `json:"app_id"`
		Key    string `json:"private_key"`
		Secret string `json:"webhook_secret_file"`
		Client string `json:"client_id"`
		Hidden string `json:"client_secret_file"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "gh", "app.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &app); err != nil {
		t.Fatal(err)
	}
	w.cfg = bot.Config{Listen: "127.0.0.1:0", Data: filepath.Join(dir, "sv"), GitHubURL: w.gh.URL, AppID: app.AppID,
		PrivateKeys: []string{app.Key}, SecretFiles: []string{app.Secret}, ClientID: app.Client,
		ClientSecretFile: app.Hidden,
		PublicURL:        "http://firmproof.example", Workers: 2, Checker: checker, Drain: 100 * time.Millisecond,
		Log: slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))}
}

// database is a second connection to our server's store, open until the test ends.
func (w *world) database() *store.Store {
	w.t.Helper()
	st, err := store.Open(context.Background(), "sqlite:"+filepath.Join(w.cfg.Data, "firmproof.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := st.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return st
}

// start makes a server on the same data, as a restart does.
func (w *world) start() {
	w.t.Helper()
	s, err := bot.New(context.Background(), w.cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.server = s
	if err := s.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.now = s.Handler()
	w.mu.Unlock()
}

func (w *world) stop() {
	w.mu.Lock()
	w.now = nil
	w.mu.Unlock()
	if w.server != nil {
		if err := w.server.Stop(); err != nil {
			w.t.Error(err)
		}
		w.server = nil
	}
}

// call uses the stand-in's control calls.
func (w *world) call(method, path string, body any) map[string]any {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequest(method, w.gh.URL+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		w.t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, out, err)
	}
	m := map[string]any{}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &m); err != nil {
			w.t.Fatal(err)
		}
	}
	return m
}

type obj = map[string]any

// checkRun holds what the tests look at.
type checkRun struct {
	ID         int64  `json:"id"`
	Repository string `json:"repository"`
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	ExternalID string `json:"external_id"`
	DetailsURL string `json:"details_url"`
	Output     struct {
		Title, Summary, Text string
	} `json:"output"`
	Actions     []struct{ Identifier string } `json:"actions"`
	Annotations []struct {
		Path    string `json:"path"`
		Line    int    `json:"start_line"`
		Message string `json:"message"`
	} `json:"annotations"`
}

type state struct {
	CheckRuns []checkRun `json:"check_runs"`
	Comments  []struct {
		Body string
		User any
	} `json:"comments"`
	Summaries  []string                   // of the comments, which has the others
	Reactions  []struct{ Content string } `json:"reactions"`
	SARIF      []map[string]any           `json:"sarif"`
	Deliveries []struct {
		GUID, Event string
		Status      any
	} `json:"deliveries"`
	Faults []struct{ Struck int }                `json:"faults"`
	Issues []struct{ Title, Body, State string } `json:"issues"`
	Pulls  []struct {
		Head struct{ SHA string } `json:"head"`
	} `json:"pulls"`
}

func (w *world) state() state {
	w.t.Helper()
	text, err := json.Marshal(w.call("GET", "/_fake/state", nil))
	if err != nil {
		w.t.Fatal(err)
	}
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		w.t.Fatal(err)
	}
	others := s.Comments[:0]
	for _, c := range s.Comments {
		if strings.HasPrefix(c.Body, "<!-- firmproof summary -->") {
			s.Summaries = append(s.Summaries, c.Body)
		} else {
			others = append(others, c)
		}
	}
	s.Comments = others
	return s
}

// patience limits how long tests wait for what has to come; only what never does takes so long.
const patience = 20 * time.Minute

// await polls until ok.
func (w *world) await(what string, ok func(s state) bool) state {
	w.t.Helper()
	end := time.Now().Add(patience)
	for {
		s := w.state()
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			text, _ := json.MarshalIndent(s, "", " ")
			w.t.Fatalf("waited for %s; state %s", what, text)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// finished is true when there are n check runs and all are completed.
func finished(n int) func(state) bool {
	return func(s state) bool {
		for _, c := range s.CheckRuns {
			if c.Status != "completed" {
				return false
			}
		}
		return len(s.CheckRuns) == n
	}
}

func conclusions(s state) map[string]string {
	out := map[string]string{}
	for _, c := range s.CheckRuns {
		out[c.Name] = c.Conclusion
	}
	return out
}

// repo makes acme/fw with a manifest and main.c.
// installed has the server told of a repository: its default branch is run at once.
const installed = "installed"

func (w *world) repo(main string, how ...string) {
	w.t.Helper()
	dir := w.t.TempDir()
	for name, text := range map[string]string{"main.c": main, ".firmproof.yml": testManifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	w.call("POST", "/_fake/repos", obj{"name": "acme/fw", "path": dir, "install": slices.Contains(how, installed)})
	w.call("POST", "/_fake/users", obj{"login": "ann", "permission": "write"})
	w.call("POST", "/_fake/users", obj{"login": "rob", "permission": "read"})
}

func (w *world) push(branch, main string) {
	w.t.Helper()
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": branch, "files": obj{"main.c": main}})
}

func (w *world) pull(head string, fork bool) int {
	w.t.Helper()
	m := w.call("POST", "/_fake/pulls", obj{"repo": "acme/fw", "head": head, "base": "main", "title": "change",
		"fork": fork})
	return int(m["number"].(float64))
}

// reader is the fake checker: each line of main.c that says "bug" is a violation,
// one that says "slow" makes it wait until it is stopped, "broken" is a build error.
type reader struct {
	mu      sync.Mutex
	started int // verifications, but for those of the commits that changes start from
	built   int
	stopped chan struct{}
	hold    chan struct{} // if set, each verification waits for it
}

// Engine implements pipeline.Checker.
func (c *reader) Engine() string { return "reader" }

// Build implements pipeline.Checker: the source is the job.
func (c *reader) Build(_ context.Context, req pipeline.Request) (*pipeline.Built, error) {
	c.mu.Lock()
	c.built++
	c.mu.Unlock()
	text, err := os.ReadFile(filepath.Join(req.Dir, "main.c"))
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "broken") {
			return nil, &pipeline.BuildError{Conclusion: "failure",
				Err: fmt.Errorf("main.c:%d:1: error: expected expression", i+1)}
		}
	}
	plan := verifier.Plan{Target: req.Target, Entry: "main", Assumptions: []verdict.Assumption{verdict.Assume(
		"", verdict.Meaning, verdict.Read, string(text))}}
	return &pipeline.Built{Jobs: []prepare.Job{{Plan: plan, Timeout: time.Minute}}, Sandbox: "none"}, nil
}

// Verify implements pipeline.Checker.
func (c *reader) Verify(ctx context.Context, t pipeline.Task) (*verdict.Result, error) {
	c.mu.Lock()
	if !t.Job.Base {
		c.started++
	}
	c.mu.Unlock()
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	r := &verdict.Result{Target: t.Job.Plan.Target, Entry: "main"}
	for i, line := range strings.Split(t.Job.Plan.Assumptions[0].Text, "\n") {
		n := len(r.Claims) + 1
		claim := verdict.Claim{ID: fmt.Sprintf("memory@main#%d", n), Check: verdict.Memory, Status: verdict.Proved,
			Message: "index in bounds", Pos: verdict.Pos{File: "main.c", Line: i + 1, Function: "main"}}
		switch {
		case strings.Contains(line, "slow"):
			<-ctx.Done()
			c.stopped <- struct{}{}
			return nil, context.Cause(ctx)
		case strings.Contains(line, "bug"):
			claim.Status, claim.Message, claim.Replay = verdict.Violated, "index 8 of 8: "+line, verdict.Confirmed
			claim.Trace = []verdict.Step{{Pos: claim.Pos, Kind: verdict.StepViolation, What: "a[8]"}}
		case line == "":
			continue
		}
		r.Claims = append(r.Claims, claim)
	}
	r.Summarise()
	return r, nil
}

func (c *reader) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
