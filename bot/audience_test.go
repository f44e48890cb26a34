package bot_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// browser is somebody's, with cookies. It finds our server under its public address.
type browser struct {
	w      *world
	login  string // at GitHub; empty: has no account
	client *http.Client
}

func (w *world) browser(login string) *browser {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	ours := strings.TrimPrefix(w.proxy.URL, "http://")
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == "firmproof.example:80" {
			addr = ours
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	transport := &http.Transport{DialContext: dial}
	w.t.Cleanup(transport.CloseIdleConnections)
	return &browser{w, login, &http.Client{Jar: jar, Transport: transport}}
}

// open reads a page of our server, and signs in when GitHub asks who it is.
func (b *browser) open(path string) (int, string, http.Header) {
	b.w.t.Helper()
	code, text, header, at := b.get("http://firmproof.example" + path)
	if at.Path == "/login/oauth/authorize" && b.login != "" {
		q := at.Query()
		q.Set("as", b.login)
		at.RawQuery = q.Encode()
		code, text, header, _ = b.get(at.String())
	}
	return code, text, header
}

func (b *browser) get(address string) (int, string, http.Header, *url.URL) {
	b.w.t.Helper()
	resp, err := b.client.Get(address)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header, resp.Request.URL
}

// tenant makes a repository with a finding, which login may read, and gives the paths of its pages.
func (w *world) tenant(name, login string, public bool) (paths []string) {
	w.t.Helper()
	dir := w.t.TempDir()
	for file, text := range map[string]string{"main.c": "int main\nbug of " + name + "\n",
		".firmproof.yml": strings.Replace(testManifest, "cortex-m3, ", "", 1)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	w.call("POST", "/_fake/repos", obj{"name": name, "path": dir, "public": public, "install": true})
	w.call("POST", "/_fake/users", obj{"login": login, "permission": "read", "repo": name})
	s := w.await("the run of "+name, func(s state) bool {
		n := 0
		for _, c := range s.CheckRuns {
			if c.Repository == name && c.Status == "completed" {
				n++
			}
		}
		return n == 2
	})
	paths = []string{"/repos/" + name}
	for _, c := range s.CheckRuns {
		if c.Repository != name {
			continue
		}
		run := "/runs/" + c.ExternalID
		paths = append(paths, run)
		if c.Name == "firmproof / x86_64" {
			paths = append(paths, run+"/report/json", run+"/report/sarif", run+"/report/html", w.findingOf(run, login))
		}
	}
	return paths
}

// findingOf takes the path of a finding from a run's page.
func (w *world) findingOf(run, login string) string {
	w.t.Helper()
	_, text, _ := w.browser(login).open(run)
	_, rest, ok := strings.Cut(text, `href="`+run+"/findings/")
	if !ok {
		w.t.Fatalf("no finding in %s: %s", run, text)
	}
	fingerprint, _, _ := strings.Cut(rest, `"`)
	return run + "/findings/" + fingerprint
}

// sees checks that b reads all pages of a tenant, and name on the first page, or none of it.
func (b *browser) sees(name string, paths []string, all bool) {
	b.w.t.Helper()
	for _, path := range append([]string{"/"}, paths...) {
		code, text, _ := b.open(path)
		shown := strings.Contains(text, name) || strings.Contains(text, "bug of "+name)
		if path == "/" {
			if shown != all {
				b.w.t.Errorf("%s on the first page: %s named is %v", b.login, name, shown)
			}
			continue
		}
		if all && (code != 200 || !shown && !strings.Contains(path, "report/")) ||
			!all && (shown || strings.Contains(text,
				"memory@main")) {
			b.w.t.Errorf("%s at %s: %d %s", b.login, path, code, text)
		}
	}
}

// TestPrivatePages: of two tenants each sees its own, a stranger neither, although all come from
// this machine; forged cookies do not help.
func TestPrivatePages(t *testing.T) {
	w := newWorld(t, &reader{})
	w.call("POST", "/_fake/users", obj{"login": "mallory", "permission": "none"})
	ann := w.tenant("acme/fw", "ann", false)
	eve := w.tenant("umbrella/fw", "eve", false)
	for _, c := range []struct {
		login     string
		acme, umb bool
	}{{"", false, false}, {"ann", true, false}, {"eve", false, true}, {"mallory", false, false}} {
		b := w.browser(c.login)
		if c.login != "" {
			b.open("/auth/login")
		}
		b.sees("acme/fw", ann, c.acme)
		b.sees("umbrella/fw", eve, c.umb)
	}
	// a finding can be stepped through beside its source, by our own script only
	reader := w.browser("ann")
	reader.open("/auth/login")
	_, text, header := reader.open(ann[len(ann)-1])
	for _, want := range []string{`<div class="viewer" data-trace="1">`, `"steps":[[`,
		`<script src="/viewer.js" defer>`,
		`"lines":["`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page of a finding:\n%s", want, text)
		}
	}
	if got := header.Get("Content-Security-Policy"); !strings.Contains(got, "script-src 'self';") {
		t.Errorf("policy %s", got)
	}
	// what is hidden looks like what is not there, but for the way back that the link to sign in names
	b := w.browser("mallory")
	code, hidden, _ := b.open("/repos/acme/fw")
	missing, none, _ := b.open("/repos/acme/none")
	if code != 404 || missing != 404 || strings.ReplaceAll(hidden, "acme%2Ffw", "acme%2Fnone") != none {
		t.Errorf("hidden %d %s, missing %d %s", code, hidden, missing, none)
	}
	w.forgeries(ann)
}

// forgeries tries cookies that our server did not make for this.
func (w *world) forgeries(paths []string) {
	w.t.Helper()
	claims := jwt.MapClaims{"aud": []string{"session"}, "sub": "1", "login": "ann",
		"exp": time.Now().Add(time.Hour).Unix()}
	guessed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("guessed"))
	if err != nil {
		w.t.Fatal(err)
	}
	unsigned, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		w.t.Fatal(err)
	}
	home := &url.URL{Scheme: "http", Host: "firmproof.example", Path: "/"}
	asked := w.browser("")
	asked.open("/auth/login")
	state := asked.client.Jar.Cookies(home)[0].Value // signed by us, for another purpose
	for name, value := range map[string]string{"guessed": guessed, "unsigned": unsigned, "of the other kind": state} {
		b := w.browser("")
		b.client.Jar.SetCookies(home, []*http.Cookie{{Name: "firmproof-session", Value: value}})
		for _, path := range paths {
			if _, text, _ := b.open(path); strings.Contains(text, "memory@main") {
				w.t.Errorf("a cookie %s opens %s", name, path)
			}
		}
	}
	if code, _, _ := w.browser("").open("/auth/callback?code=x&state="); code != http.StatusForbidden {
		w.t.Errorf("an answer without a question: %d", code)
	}
	b := w.browser("ann")
	b.open("/auth/login?to=" + url.QueryEscape("//evil.example/"))
	if _, text, _ := b.open("/"); !strings.Contains(text, "Signed in as ann") {
		w.t.Errorf("not sent back to us: %s", text)
	}
}

// TestVisibility: what becomes private is private at once, and stays it when deliveries of the time
// before come again; what becomes public is open; what is deleted is gone for everybody.
func TestVisibility(t *testing.T) {
	w := newWorld(t, &reader{})
	paths := w.tenant("acme/fw", "ann", true)
	w.browser("").sees("acme/fw", paths, true)
	before := w.state().Deliveries
	change := func(what string, body obj, open bool) {
		t.Helper()
		w.call("POST", "/_fake/"+what, body)
		w.await("the visibility", func(state) bool {
			code, text, _ := w.browser("").open("/repos/acme/fw")
			return (code == 200 && strings.Contains(text, "<h1>acme/fw")) == open
		})
		w.browser("").sees("acme/fw", paths, open)
	}
	change("visibility", obj{"repo": "acme/fw", "public": false}, false)

	b := w.browser("ann")
	b.open("/auth/login")
	b.sees("acme/fw", paths, true)
	for _, d := range before {
		w.call("POST", "/_fake/redeliver", obj{"delivery": d.GUID})
	}
	w.await("the replays", settled)
	w.browser("").sees("acme/fw", paths, false)
	change("visibility", obj{"repo": "acme/fw", "public": true}, true)
	change("delete", obj{"repo": "acme/fw"}, false)
	b.sees("acme/fw", paths, false)
}

// TestTurnedNames: a character that turns the direction of writing, which hides what source code does, is on no page of
// a finding.
func TestTurnedNames(t *testing.T) {
	w := newWorld(t, &reader{})
	w.tenant("acme/fw", "ann", true)
	w.push("main", "int main\nbug \u202eevil\u2066\n")
	w.await("the push", finished(4))
	_, text, _ := w.browser("").open("/repos/acme/fw")
	target := regexp.MustCompile(`href="(/runs/[^"#]+)#entry-main"`).FindStringSubmatch(text)
	if target == nil {
		t.Fatalf("the repository's page leads to no run: %s", text)
	}
	for _, path := range []string{target[1], w.findingOf(target[1], ""), target[1] + "/report/html"} {
		_, text, _ := w.browser("").open(path)
		if strings.ContainsAny(text, "\u202e\u2066") || !strings.Contains(text, "bug \ufffdevil") {
			t.Errorf("%s: %q", path, text)
		}
	}
}
