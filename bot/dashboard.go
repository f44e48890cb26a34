package bot

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

//go:embed pages
var pageFiles embed.FS

// pages renders the dashboard: plain HTML without scripts. Each page first asks
// whether its viewer may see the repository (audience).
type pages struct {
	s     *Server
	tmpl  *template.Template
	whole chan struct{} // who reads a whole report has put something in
}

// wholeReports is how many whole reports are read for pages at a time: one may take seconds and hundreds of megabytes.
const wholeReports = 2

// errLater says that a page has to be asked for again.
var errLater = errors.New("too many whole reports are being read")

// turn waits until a whole report may be read, and returns what to call when that is done.
func (p *pages) turn(ctx context.Context) (done func(), err error) {
	wait, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	select {
	case p.whole <- struct{}{}:
		return func() { <-p.whole }, nil
	case <-wait.Done():
		return nil, errLater
	}
}

// busy asks to come again.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "10")
	tell(w, http.StatusServiceUnavailable, "Others read large reports at the moment. Try again in some seconds.", "")
}

// pageFuncs are what templates of pages call.
var pageFuncs = template.FuncMap{"short": reports.ShortSHA, "counts": reports.CountsLine,
	"stateWord": reports.StateWord, "took": took,
	"steptext": reports.StepText, "inc": func(i int) int { return i + 1 },
	"depth": func(d int) int { return min(d, 4) },
	"state": state, "asked": asked, "time": atTime, "tabs": tabs, "lists": func(list ...string) []string { return list },
	"sources": sources, "outcome": outcome,
	"suspects": func(f forge, s suspects) any { return blamed{f, &s} },
	"at":       func(f forge, sha string) any { return place{Forge: f, SHA: sha} },
	"line":     func(f forge, sha, file string, line int) any { return place{f, sha, file, line} }}

// place is a commit, or a line of it, with the way to it at the forge.
type place struct {
	Forge     forge
	SHA, File string
	Line      int
}

// sources is the commit whose lines a run speaks of; empty where nobody pushed it.
func sources(r store.Run) string {
	if r.Options.Patch != nil {
		return ""
	}
	return r.HeadSHA
}

// state words how a run stands, with a sign, so that colour is not needed.
func state(r store.Run) string {
	if r.State != store.Done {
		return map[store.State]string{store.Queued: "… queued", store.Running: "… building",
			store.Waiting: "… verifying"}[r.State]
	}
	return map[string]string{"success": "✓ ", "failure": "✗ ", "neutral": "? ", "action_required": "! ",
		"timed_out": "! ",
		"cancelled": "– "}[r.Conclusion] + strings.ReplaceAll(r.Conclusion, "_", " ")
}

// atTime writes a time for people and for programs: how long ago it was, within a month, and when exactly.
func atTime(t time.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	t = t.UTC()
	exact := t.Format("2006-01-02 15:04 UTC")
	said := exact
	if ago := time.Since(t); ago >= 0 && ago < 30*24*time.Hour {
		said = ageOf(ago) + " ago"
	}
	return template.HTML(`<time datetime="` + t.Format(time.RFC3339) + `" title="` + exact + `">` + said + `</time>`)
}

// tab is a page of a repository.
type tab struct{ Name, Path string }

// tabs lists the pages of a repository.
func tabs(repo string) []tab {
	home := "/repos/" + repo
	return []tab{{"Overview", home}, {"Findings", home + "/findings"}, {"Since yesterday", home + "/night"},
		{"In a week", home + "/night?since=week"}}
}

func (s *Server) dashboard(mux *http.ServeMux) {
	p := &pages{s: s, tmpl: pageTemplates(), whole: make(chan struct{}, wholeReports)}
	mux.HandleFunc("GET /{$}", p.index)
	mux.HandleFunc("GET /projects", p.projects)
	mux.HandleFunc("GET /repos/{owner}/{name}", p.repo)
	mux.HandleFunc("GET /repos/{owner}/{name}/badge.svg", p.badge)
	mux.HandleFunc("GET /repos/{owner}/{name}/night", p.night)
	mux.HandleFunc("GET /repos/{owner}/{name}/findings", p.findings)
	mux.HandleFunc("GET /repos/{owner}/{name}/findings/{fingerprint}", p.lastingFinding)
	mux.HandleFunc("GET /repos/{owner}/{name}/findings/{fingerprint}/card.png", p.card)
	p.forPrograms(mux)
	mux.HandleFunc("GET /runs/{id}", p.run)
	mux.HandleFunc("GET /runs/{id}/report/{format}", p.report)
	mux.HandleFunc("GET /runs/{id}/coverage", p.coverage)
	mux.HandleFunc("GET /runs/{id}/findings/{fingerprint}", p.finding)
	mux.HandleFunc("GET /style.css", styles())
	mux.HandleFunc("GET /viewer.js", file("text/javascript; charset=utf-8", reports.ViewerScript()))
	mux.HandleFunc("GET /live.js", file("text/javascript; charset=utf-8", own("live.js")))
	mux.HandleFunc("GET /icon.svg", file("image/svg+xml", own("icon.svg")))
	mux.HandleFunc("GET /favicon.ico", file("image/svg+xml", own("icon.svg")))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { p.nothing(w) })
}

// styles serves the style of all pages.
func styles() http.HandlerFunc {
	return file("text/css; charset=utf-8", reports.PageStyle()+own("style.css"))
}

// own is the text of a file of ours.
func own(name string) string {
	text, _ := pageFiles.ReadFile("pages/" + name) // embedded: always there
	return string(text)
}

// file serves a text that pages load.
func file(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		guard(w, contentType)
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = w.Write([]byte(text)) // the reader has gone if this fails
	}
}

// nothing is the page of what is not there.
func (p *pages) nothing(w http.ResponseWriter) {
	guard(w, "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_ = p.tmpl.ExecuteTemplate(w, "nothing", nil) // the reader has gone if this fails
}

// pageTemplates parses the pages.
var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(pageFuncs).ParseFS(pageFiles, "pages/*.html"))
})

// tell answers a person with one sentence, and with what to do about it: to sign in, for the page `to` if it is not
// empty, or to go to the first page.
func tell(w http.ResponseWriter, status int, text, to string) {
	guard(w, "text/html; charset=utf-8")
	w.WriteHeader(status)
	signIn := ""
	if to != "" {
		signIn = "/auth/login?" + url.Values{"to": {to}}.Encode()
	}
	// the reader has gone
	_ = pageTemplates().ExecuteTemplate(w, "told", map[string]string{"Text": text, "SignIn": signIn})
}

// guard sets the headers of every page: only our own script runs, nothing is loaded from elsewhere.
func guard(w http.ResponseWriter, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// show reads what a page needs and renders it.
func (p *pages) show(w http.ResponseWriter, r *http.Request, name string, load func(ctx context.Context,
	tx store.Tx) (any, error)) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	var data any
	err := p.s.store.Read(ctx, func(tx store.Tx) (err error) { data, err = load(ctx, tx); return err })
	switch {
	case errors.Is(err, store.ErrNotFound):
		p.nothing(w)
	case errors.Is(err, errLater):
		busy(w)
	case err != nil:
		p.s.log.Error("page", "page", name, "err", err)
		tell(w, http.StatusInternalServerError, "This page could not be made. The log of the server says why.", "")
	default:
		guard(w, "text/html; charset=utf-8")
		if err := p.tmpl.ExecuteTemplate(reports.OneDirection(w), name, data); err != nil && ctx.Err() == nil {
			p.s.log.Error("page", "page", name, "err", err)
		}
	}
}

func (p *pages) report(w http.ResponseWriter, r *http.Request) {
	if repo, ok := p.admit(w, r, ofRun(r)); ok {
		p.writeReport(w, r, repo, r.PathValue("format"))
	}
}

// writeReport answers with the report of the run that a path names.
func (p *pages) writeReport(w http.ResponseWriter, r *http.Request, repo store.Repo, format string) {
	done, err := p.turn(r.Context())
	if err != nil {
		busy(w)
		return
	}
	defer done()
	var text []byte
	var run store.Run
	err = p.s.store.Read(r.Context(), func(tx store.Tx) (err error) {
		if run, err = tx.Run(r.Context(), r.PathValue("id")); err != nil {
			return err
		}
		text, err = tx.Report(r.Context(), r.PathValue("id"), nil)
		return err
	})
	if err != nil {
		plain(w, http.StatusNotFound, "There is no report.")
		return
	}
	contentType := map[string]string{"json": "application/json", "sarif": "application/sarif+json",
		"html": "text/html; charset=utf-8"}[format]
	if format != "json" {
		var rep verdict.Report
		if err = json.Unmarshal(text, &rep); err == nil {
			switch format {
			case "sarif":
				text, err = reports.SARIF(&rep)
			case "html":
				text, err = reports.HTML(&rep, reports.TextOptions{Commit: reports.ShortSHA(run.HeadSHA),
					Check: strings.TrimRight(run.Trigger+" of "+repo.FullName+"; "+asked(run.Options), "; "),
					Date:  run.Finished.UTC().Format("2006-01-02 15:04 UTC")})
			}
		}
	}
	if err != nil || contentType == "" {
		plain(w, http.StatusNotFound, "There is no such report.")
		return
	}
	guard(w, contentType)
	if format == "html" { // made to stand alone: its styles are inside
		w.Header().Set("Content-Security-Policy", reports.PagePolicy())
	}
	_, _ = w.Write(text) // the reader has gone if this fails
}

func took(r store.Run) string {
	if r.Started.IsZero() || r.Finished.IsZero() {
		return ""
	}
	return span(r.Finished.Sub(r.Started))
}
