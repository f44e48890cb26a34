package bot_test

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/bot"
)

// page reads a URL.
func page(t *testing.T, address string) (int, string, http.Header) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// unregistered returns a stand-in for GitHub, and the configuration of a server that it has no App for yet.
func unregistered(t *testing.T) (*world, bot.Config) {
	t.Helper()
	w := &world{t: t, logs: &syncBuffer{}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w.connect(dir, &reader{}, "http://"+addr)
	cfg := w.cfg
	cfg.AppID, cfg.PrivateKeys, cfg.SecretFiles = 0, nil, nil
	cfg.Listen, cfg.PublicURL, cfg.Data = addr, "http://"+addr, filepath.Join(dir, "new")
	return w, cfg
}

// TestSetup goes through the manifest flow at the stand-in as a browser would: the
// page, its form, GitHub's redirect back, files for their owner alone, and a server that works with them.
func TestSetup(t *testing.T) {
	t.Parallel()
	w, cfg := unregistered(t)
	start := make(chan string, 1)
	ended := make(chan error, 1)
	var got bot.Config
	go func() {
		var err error
		got, err = bot.Register(context.Background(), cfg, bot.Setup{Name: "proofs of acme", Organization: "acme",
			Say: func(a string) { start <- a }})
		ended <- err
	}()
	address := <-start
	if code, _, _ := page(t, strings.Split(address, "?")[0]); code != http.StatusForbidden {
		t.Errorf("without the key: %d", code)
	}
	code, text, header := page(t, address)
	if code != 200 || !strings.Contains(header.Get("Content-Security-Policy"), "form-action "+w.gh.URL+";") {
		t.Errorf("page: %d %v", code, header)
	}
	field := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s in %s", pattern, text)
		}
		return html.UnescapeString(m[1])
	}
	action, manifest := field(`<form action="([^"]+)"`), field(`name="manifest" value="([^"]+)"`)
	if !strings.HasPrefix(action, w.gh.URL+"/organizations/acme/settings/apps/new?state=") {
		t.Errorf("form goes to %s", action)
	}
	var m struct {
		Hook        struct{ URL string } `json:"hook_attributes"`
		Redirect    string               `json:"redirect_url"`
		Permissions map[string]string    `json:"default_permissions"`
		Events      []string             `json:"default_events"`
	}
	if err := json.Unmarshal([]byte(manifest), &m); err != nil || m.Hook.URL != "http://"+cfg.Listen+"/webhook" ||
		m.Permissions["checks"] != "write" || !strings.Contains(strings.Join(m.Events, " "), "merge_group") {
		t.Errorf("manifest %s: %v", manifest, err)
	}
	if code, _, _ := page(t, m.Redirect+"?code=abc&state=guessed"); code != http.StatusForbidden {
		t.Errorf("a guessed state: %d", code)
	}
	state, err := url.Parse(action)
	if err != nil {
		t.Fatal(err)
	}
	if code, text, _ := page(t, m.Redirect+"?code=wrong&state="+
		state.Query().Get("state")); code != http.StatusBadGateway {
		t.Errorf("a wrong code: %d %s", code, text)
	}
	resp, err := http.PostForm(action, url.Values{"manifest": {manifest}}) // follows GitHub's redirect
	if err != nil {
		t.Fatal(err)
	}
	last, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(last), "proofs of acme is registered") ||
		strings.Contains(string(last), "PRIVATE KEY") {
		t.Fatalf("%d %s %v", resp.StatusCode, last, err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, name := range append(got.PrivateKeys, append(got.SecretFiles, filepath.Join(cfg.Data, "firmproof.yml"))...) {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, st, err)
		}
	}
	if secret, err := os.ReadFile(got.SecretFiles[0]); err != nil || strings.Contains(w.logs.String(),
		strings.TrimSpace(string(secret))) {
		t.Errorf("the webhook secret is in the log (%v)", err)
	}
	if _, err := bot.Register(context.Background(), got, bot.Setup{}); err == nil || !strings.Contains(err.Error(),
		"is there already") {
		t.Errorf("a second set-up: %v", err)
	}
	w.servesAs(got)
}

// servesAs starts a server by cfg and wants it to be GitHub's App.
func (w *world) servesAs(cfg bot.Config) {
	w.t.Helper()
	for _, f := range bot.Probe(context.Background(), cfg) {
		if !f.OK && f.What != "webhook" { // nothing listens yet
			w.t.Errorf("%+v", f)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	cfg.RedeliverEvery = time.Second
	served := make(chan error, 1)
	go func() { served <- bot.Serve(ctx, cfg) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			w.t.Error(err)
		}
		w.judge()
	}()
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	w.await("three completed check runs", finished(3))
}
