package fakegithub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// manifest is the part of an App manifest that the stand-in reads.
type manifest struct {
	Name        string `json:"name"`
	URL         string `json:"url"`
	RedirectURL string `json:"redirect_url"`
}

func readManifest(text string) (manifest, error) {
	var m manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	if m.URL == "" {
		return m, errors.New("manifest: url is missing")
	}
	return m, nil
}

// folding are the raw tags that are safe to pass on.
type folding struct{ safe *regexp.Regexp }

// details lets <details> and <summary> through and drops other raw HTML.
func details() renderer.Option {
	f := &folding{regexp.MustCompile(`^(</?(details|summary|b|code|br|sub|sup)( open)?\s*/?>|[^<>&]|&[a-z]+;|\s)*$`)}
	return renderer.WithNodeRenderers(util.Prioritized(f, 100))
}

// RegisterFuncs takes over the two kinds of raw HTML.
func (f *folding) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHTMLBlock, f.block)
	reg.Register(ast.KindRawHTML, f.inline)
}

func (f *folding) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.HTMLBlock)
	if !entering {
		if n.HasClosure() {
			f.write(w, n.ClosureLine.Value(source))
		}
		return ast.WalkContinue, nil
	}
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		f.write(w, line.Value(source))
	}
	return ast.WalkContinue, nil
}

func (f *folding) inline(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.RawHTML)
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			f.write(w, segment.Value(source))
		}
	}
	return ast.WalkSkipChildren, nil
}

// write passes safe tags on and escapes the rest.
func (f *folding) write(w util.BufWriter, text []byte) {
	if f.safe.Match(text) {
		_, _ = w.Write(text)
		return
	}
	html.DefaultWriter.RawWrite(w, text)
}

// takeManifest is the first step of the manifest flow: the form's manifest
// names where to go with a code. (At GitHub a person confirms in between.)
func (s *Server) takeManifest(w http.ResponseWriter, r *http.Request) {
	m, err := readManifest(r.FormValue("manifest"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	back, err := url.Parse(m.RedirectURL)
	if err != nil || m.RedirectURL == "" {
		http.Error(w, "manifest: redirect_url is missing or no URL", http.StatusUnprocessableEntity)
		return
	}
	// a browser gets a page with a button, as GitHub has one: no redirect follows a form of another site
	if strings.Contains(r.Header.Get("Accept"), "text/html") && r.PostFormValue("confirm") == "" {
		s.confirmManifest(w, r, m.Name)
		return
	}
	code := randomHex(20)
	s.mu.Lock()
	s.codes[code] = s.now()
	s.appName = orElse(m.Name, s.appName)
	s.mu.Unlock()
	q := back.Query()
	q.Set("code", code)
	if state := r.URL.Query().Get("state"); state != "" {
		q.Set("state", state)
	}
	back.RawQuery = q.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// confirmManifest asks the person whether to register the App.
func (s *Server) confirmManifest(w http.ResponseWriter, r *http.Request, name string) {
	v := &view{Title: "Create GitHub App", Slug: name, Manifest: r.FormValue("manifest"), To: r.URL.RequestURI()}
	var out bytes.Buffer
	s.mu.Lock()
	err := s.renderPage(&out, "manifest.html", v)
	s.mu.Unlock()
	sendPage(w, &out, err)
}
