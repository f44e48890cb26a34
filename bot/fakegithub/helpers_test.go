package fakegithub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-github/v60/github"
)

// hook is one webhook that the receiver of a test got.
type hook struct {
	header http.Header
	body   []byte
}

// world is a stand-in with a receiver of its webhooks.
type world struct {
	t   *testing.T
	s   *Server
	url string

	mu     sync.Mutex
	hooks  []hook
	answer int
}

func newWorld(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, answer: http.StatusAccepted}
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.hooks = append(w.hooks, hook{r.Header.Clone(), body})
		code := w.answer
		w.mu.Unlock()
		rw.WriteHeader(code)
	}))
	opts := Options{Dir: t.TempDir(), DeliverTo: receiver.URL + "/webhook"}
	for _, f := range change {
		f(&opts)
	}
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	if err := s.SetURL(web.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close(); s.Close(); receiver.Close() })
	w.s, w.url = s, web.URL
	return w
}

// control makes a call below /_fake/ and wants 200.
func (w *world) control(method, path string, body any) map[string]any {
	w.t.Helper()
	raw, _ := json.Marshal(body)
	req, _ := http.NewRequest(method, w.url+"/_fake/"+path, bytes.NewReader(raw))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	out := map[string]any{}
	data, _ := io.ReadAll(res.Body)
	if err := json.Unmarshal(data, &out); err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, data)
	}
	return out
}

func (w *world) state(key string) []any {
	w.t.Helper()
	list, isList := w.control("GET", "state", nil)[key].([]any)
	if !isList {
		w.t.Fatalf("state has no list %s", key)
	}
	return list
}

func (w *world) flush() []hook {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	if err := w.s.Flush(ctx); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]hook{}, w.hooks...)
}

// events are "event.action" of the webhooks so far.
func (w *world) events() []string {
	var out []string
	for _, h := range w.flush() {
		var p struct{ Action string }
		_ = json.Unmarshal(h.body, &p)
		name := h.header.Get("X-GitHub-Event")
		if p.Action != "" {
			name += "." + p.Action
		}
		out = append(out, name)
	}
	return out
}

func (w *world) jwt(life, age time.Duration) string {
	w.t.Helper()
	now := time.Now()
	raw, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iat": now.Add(-age).Unix(), "exp": now.Add(life).Unix(), "iss": fmt.Sprint(w.s.app.appID),
	}).SignedString(w.s.app.key)
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

func (w *world) client(credential string) *github.Client {
	c := github.NewClient(nil)
	if credential != "" {
		c = c.WithAuthToken(credential)
	}
	c.BaseURL, _ = url.Parse(w.url + "/")
	return c
}

func (w *world) appClient() *github.Client { return w.client(w.jwt(9*time.Minute, time.Minute)) }

func (w *world) token(opts *github.InstallationTokenOptions) string {
	w.t.Helper()
	tok, _, err := w.appClient().Apps.CreateInstallationToken(context.Background(), int64(w.s.inst.id), opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return tok.GetToken()
}

// repository makes acme/fw with main.c, a branch fix and its pull request, and
// answers a client, and the head's SHA.
func (w *world) repository() (*github.Client, string) {
	w.t.Helper()
	dir := w.t.TempDir()
	write(w.t, dir, "main.c", "int main(void) { return 0; }\n")
	write(w.t, dir, ".gitignore", "secret\n")
	write(w.t, dir, "lib/secret", "kept\n")
	w.control("POST", "repos", obj{"name": "acme/fw", "install": true, "path": dir})
	w.control("POST", "users", obj{"login": "ann", "permission": "write"})
	w.control("POST", "push", obj{"repo": "acme/fw", "branch": "fix",
		"files": obj{"main.c": "int main(void) { return 1; }\n", "lib/new file.c": "int x;\n"}})
	p := w.control("POST", "pulls", obj{"repo": "acme/fw", "head": "fix", "base": "main", "title": "wider",
		"user": "ann"})
	if p["number"] != 1.0 {
		w.t.Fatalf("pull request %v", p)
	}
	return w.client(w.token(nil)), p["head_sha"].(string)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantViolations compares the number of violations and shows them.
func (w *world) wantViolations(n int) {
	w.t.Helper()
	list := w.s.Violations()
	bugs := 0
	for _, v := range list {
		if v.Kind == "fakegithub bug" {
			bugs++
		}
	}
	if len(list) != n || bugs > 0 {
		w.t.Errorf("%d violations, want %d", len(list), n)
		for _, v := range list {
			w.t.Logf("  %s: %s %s %d: %s", v.Kind, v.Method, v.Path, v.Status, v.Message)
		}
	}
}

func status(err error) int {
	if e, is := err.(*github.ErrorResponse); is {
		return e.Response.StatusCode
	}
	return 0
}
