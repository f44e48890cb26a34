package bot_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// program asks our server questions, and holds each answer to the document that the server gives out.
type program struct {
	*browser
	token  string
	routes routers.Router
}

func (w *world) program(token string) *program {
	w.t.Helper()
	p := &program{browser: w.browser(""), token: token}
	_, text, _ := p.open("/api/v1/openapi.json")
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	if p.routes, err = legacy.NewRouter(doc); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// asks sends one question, and wants an answer of a status that has a text.
func (p *program) asks(path string, status int, says string) string {
	p.w.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://firmproof.example/api/v1"+path, nil)
	if err != nil {
		p.w.t.Fatal(err)
	}
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status || !strings.Contains(string(text), says) {
		p.w.t.Errorf("%s: %d %s %v, not %d with %q", path, resp.StatusCode, text, err, status, says)
	}
	route, vars, err := p.routes.FindRoute(req)
	if err != nil {
		p.w.t.Fatalf("%s: the document has no such path: %v", path, err)
	}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: vars, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
		p.w.t.Errorf("%s: %v", path, err)
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(text)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true}})
	if err != nil {
		p.w.t.Errorf("%s: the answer is not what the document says: %v", path, err)
	}
	return string(text)
}

// send posts a form of a page; from is the site that the browser says it is of.
func (b *browser) send(path, from string, form url.Values) (int, string) {
	b.w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://firmproof.example"+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", from)
	resp, err := b.client.Do(req)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// makes makes a token by the page of a repository.
func (b *browser) makes(repo, use string) string {
	b.w.t.Helper()
	code, text := b.send("/repos/"+repo+"/tokens", "same-origin", url.Values{"note": {"our <b>board</b>"}, "use": {use},
		"days": {"7"}})
	token := regexp.MustCompile(`fp_[A-Z2-7]{26}`).FindString(text)
	if code != http.StatusOK || token == "" || strings.Contains(text, "<b>board") {
		b.w.t.Fatalf("no token: %d %s", code, text)
	}
	return token
}

// TestPrograms: programs read about a private repository with a token of it, and about nothing else, until it is ended.
func TestPrograms(t *testing.T) {
	w := newWorld(t, &reader{})
	w.tenant("acme/fw", "ann", false)
	other := w.tenant("umbrella/fw", "eve", false)
	w.tenant("open/fw", "ann", true)
	w.call("POST", "/_fake/users", obj{"login": "max", "permission": "write", "repo": "acme/fw"})
	writer, ann := w.browser("max"), w.browser("ann")
	writer.open("/auth/login")
	ann.open("/auth/login")

	// who may only read makes none, nor does another site in the name of who may
	if code, _, _ := ann.open("/repos/acme/fw/tokens"); code != http.StatusForbidden {
		t.Errorf("a reader sees the tokens: %d", code)
	}
	form := url.Values{"note": {"x"}, "use": {"read"}, "days": {"7"}}
	if code, text := ann.send("/repos/acme/fw/tokens", "same-origin", form); code != http.StatusForbidden ||
		strings.Contains(text, "fp_") {
		t.Errorf("a reader makes a token: %d", code)
	}
	if code, text := writer.send("/repos/acme/fw/tokens", "cross-site", form); code != http.StatusForbidden ||
		strings.Contains(text, "fp_") {
		t.Errorf("another site makes a token: %d", code)
	}
	if code, _ := writer.send("/repos/acme/fw/tokens", "same-origin", url.Values{"note": {"x"}, "use": {"all"},
		"days": {"7"}}); code != http.StatusBadRequest {
		t.Errorf("a token for anything: %d", code)
	}

	token, badge := writer.makes("acme/fw", "read"), writer.makes("acme/fw", "badge")
	p := w.program(token)
	p.asks("/repos/acme/fw", 200, `"standing":"1 violated"`)
	p.asks("/repos/acme/fw/findings", 200, "bug of acme/fw")
	p.asks("/repos/acme/fw/findings?q=nothing", 200, `"findings":[]`)
	runs := p.asks("/repos/acme/fw/runs", 200, `"trigger":"push"`)
	whole := regexp.MustCompile(`"id":"(\w+)"`).FindStringSubmatch(runs)[1]
	run := regexp.MustCompile(`"id":"(\w+)","target":"x86_64"`).FindStringSubmatch(p.asks("/runs/"+whole, 200, "x86_64"))[1]
	commit := regexp.MustCompile(`"commit":"(\w+)"`).FindStringSubmatch(runs)[1]
	p.asks("/repos/acme/fw/runs?commit="+commit, 200, whole)
	p.asks("/repos/acme/fw/runs?pull=3", 200, `"runs":[]`)
	p.asks("/runs/"+run, 200, commit)
	p.asks("/runs/"+run+"/report", 200, "bug of acme/fw")
	p.asks("/repos/open/fw", 200, "open/fw") // public: everybody's
	p.asks("/repos/umbrella/fw", 404, "token")
	p.asks("/runs/"+strings.TrimPrefix(other[1], "/runs/"), 404, "token")
	p.asks("/repos/none/fw", 404, "token")

	for _, k := range []struct {
		token  string
		status int
	}{{"", 404}, {badge, 401}, {"fp_" + strings.Repeat("A", 26), 401}} {
		w.program(k.token).asks("/repos/acme/fw", k.status, "token")
	}
	nobody := w.browser("")
	for token, status := range map[string]int{"": 404, "?token=" + badge: 200, "?token=" + token: 404} {
		if code, text, _ := nobody.open("/repos/acme/fw/badge.svg" + token); code != status ||
			(code == 200) != strings.Contains(text, "1 violated") {
			t.Errorf("badge%s: %d %s", token, code, text)
		}
	}
	if code, text, _ := nobody.open("/repos/acme/fw?token=" + badge); strings.Contains(text, "violated") {
		t.Errorf("the token of a badge opens a page: %d %s", code, text)
	}

	_, page, _ := writer.open("/repos/acme/fw/tokens")
	if strings.Contains(page, token) || strings.Contains(w.logs.String(), token) {
		t.Error("a token is shown again, or logged")
	}
	for _, id := range regexp.MustCompile(`tokens/(\w+)/end`).FindAllStringSubmatch(page, -1) {
		if code, _ := writer.send("/repos/acme/fw/"+id[0], "same-origin", nil); code != http.StatusOK {
			t.Errorf("a token is not ended: %d", code)
		}
	}
	p.asks("/repos/acme/fw", 401, "token")
	if code, _, _ := nobody.open("/repos/acme/fw/badge.svg?token=" + badge); code != http.StatusNotFound {
		t.Errorf("a badge of a token that ended: %d", code)
	}
}
