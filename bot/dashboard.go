package bot

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
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
	s    *Server
	tmpl *template.Template
}

func (s *Server) dashboard(mux *http.ServeMux) {
	funcs := template.FuncMap{"short": reports.ShortSHA, "counts": reports.CountsLine, "took": took,
		"inc": func(i int) int { return i + 1 }, "line": reports.StepText,
		"depth": func(d int) int { return min(d, 4) }, "state": func(r store.Run) string {
			if r.State == store.Done {
				return r.Conclusion
			}
			return string(r.State)
		}}
	p := &pages{s: s, tmpl: template.Must(template.New("").Funcs(funcs).ParseFS(pageFiles, "pages/page.html"))}
	mux.HandleFunc("GET /{$}", p.index)
	mux.HandleFunc("GET /repos/{owner}/{name}", p.repo)
	mux.HandleFunc("GET /repos/{owner}/{name}/badge.svg", p.badge)
	mux.HandleFunc("GET /runs/{id}", p.run)
	mux.HandleFunc("GET /runs/{id}/report/{format}", p.report)
	mux.HandleFunc("GET /runs/{id}/findings/{fingerprint}", p.finding)
	mux.HandleFunc("GET /style.css", styles)
	mux.HandleFunc("GET /viewer.js", viewerScript)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { p.nothing(w) })
}

func styles(w http.ResponseWriter, _ *http.Request) {
	css, _ := pageFiles.ReadFile("pages/style.css") // embedded: always there
	guard(w, "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=600")
	_, _ = w.Write(append([]byte(reports.PageStyle()), css...)) // the reader has gone if this fails
}

func viewerScript(w http.ResponseWriter, _ *http.Request) {
	guard(w, "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=600")
	_, _ = w.Write([]byte(reports.ViewerScript())) // the reader has gone if this fails
}

// nothing is the page of what is not there.
func (p *pages) nothing(w http.ResponseWriter) {
	guard(w, "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_ = p.tmpl.ExecuteTemplate(w, "nothing", nil) // the reader has gone if this fails
}

// guard sets the headers of every page: only our own script runs, nothing is loaded from elsewhere.
func guard(w http.ResponseWriter, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
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
	case err != nil:
		p.s.log.Error("page", "page", name, "err", err)
		plain(w, http.StatusInternalServerError, "This page could not be made.")
	default:
		guard(w, "text/html; charset=utf-8")
		if err := p.tmpl.ExecuteTemplate(w, name, data); err != nil && ctx.Err() == nil {
			p.s.log.Error("page", "page", name, "err", err)
		}
	}
}

// runRow is a line of a list.
type runRow struct {
	Run  store.Run
	Repo string
}

// indexPage is the data of the first page.
type indexPage struct {
	Repos     []store.Repo
	Runs      []runRow
	Login     string // of who signed in
	CanSignIn bool
	Unasked   int // private repositories that the page did not ask about
}

func (p *pages) index(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	var repos []store.Repo
	var runs []store.Run
	err := p.s.store.Read(ctx, func(tx store.Tx) (err error) {
		if repos, err = tx.Repos(ctx); err != nil {
			return err
		}
		runs, err = tx.RecentRuns(ctx, 0, 50)
		return err
	})
	who, signedIn := p.s.signIn.viewer(r)
	d := indexPage{Login: who.login, CanSignIn: p.s.signIn != nil}
	d.Repos, d.Unasked = p.seen(ctx, repos, runs, who, signedIn)
	names := map[int64]string{}
	for _, x := range d.Repos {
		names[x.ID] = x.FullName
	}
	for _, x := range runs {
		if n, ok := names[x.Repo]; ok {
			d.Runs = append(d.Runs, runRow{x, n})
		}
	}
	p.show(w, r, "index", func(context.Context, store.Tx) (any, error) { return d, err })
}

func (p *pages) repo(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, func(ctx context.Context, tx store.Tx) (store.Repo, error) {
		return tx.RepoByName(ctx, r.PathValue("owner")+"/"+r.PathValue("name"))
	})
	if !ok {
		return
	}
	p.show(w, r, "repo", func(ctx context.Context, tx store.Tx) (any, error) {
		runs, err := tx.RecentRuns(ctx, repo.ID, 200)
		var list []runRow
		for _, x := range runs {
			list = append(list, runRow{x, repo.FullName})
		}
		if err != nil {
			return nil, err
		}
		branch, err := tx.BranchRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
		return struct {
			Repo   store.Repo
			Runs   []runRow
			Trends []targetTrend
		}{repo, list, trendsOf(branch)}, err
	})
}

// runPage is the data of a run's page.
type runPage struct {
	Name      string
	Run       store.Run
	Repo      store.Repo
	Sandbox   string
	Place     string // in the queue
	Targets   []store.Run
	Findings  []store.Finding
	Results   []verdict.Result
	HasReport bool
}

func (p *pages) run(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.admit(w, r, ofRun(r)); !ok {
		return
	}
	v, err := p.s.view(r.Context(), r.PathValue("id"))
	p.show(w, r, "run", func(ctx context.Context, tx store.Tx) (any, error) {
		if err != nil {
			return nil, err
		}
		d := runPage{Name: p.s.checkName(v), Run: v.run, Repo: v.repo}
		if v.run.State == store.Queued {
			d.Place = reports.Place(v.before)
		}
		for _, m := range v.family {
			if v.run.Aggregate() {
				d.Targets = append(d.Targets, m.run)
			} else if m.report != nil {
				d.Results, d.HasReport, d.Sandbox = m.report.Results, true, m.context.Sandbox
			}
			list, err := tx.Findings(ctx, m.run.ID)
			if err != nil {
				return nil, err
			}
			d.Findings = append(d.Findings, list...)
		}
		return d, nil
	})
}

func (p *pages) report(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.admit(w, r, ofRun(r)); !ok {
		return
	}
	var text []byte
	err := p.s.store.Read(r.Context(), func(tx store.Tx) (err error) {
		text, err = tx.Report(r.Context(), r.PathValue("id"), nil)
		return err
	})
	if err != nil {
		plain(w, http.StatusNotFound, "There is no report.")
		return
	}
	format := r.PathValue("format")
	contentType := map[string]string{"json": "application/json", "sarif": "application/sarif+json",
		"html": "text/html; charset=utf-8"}[format]
	if format != "json" {
		var rep verdict.Report
		if err = json.Unmarshal(text, &rep); err == nil {
			switch format {
			case "sarif":
				text, err = reports.SARIF(&rep)
			case "html":
				text, err = reports.HTML(&rep, reports.TextOptions{})
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

// findingPage is the data of a finding's page.
type findingPage struct {
	Finding store.Finding
	Meaning string
	History *findingHistory
	Trace   []verdict.Step
	Claim   *verdict.Claim // of the report, if it has it still
	Steps   template.JS    // for the viewer, like the next one
	Sources template.JS
}

func (p *pages) finding(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, ofRun(r))
	if !ok {
		return
	}
	v, viewErr := p.s.view(r.Context(), r.PathValue("id"))
	p.show(w, r, "finding", func(ctx context.Context, tx store.Tx) (any, error) {
		id, fp := r.PathValue("id"), r.PathValue("fingerprint")
		list, err := tx.Findings(ctx, id)
		if err != nil {
			return nil, errors.Join(err, viewErr)
		}
		for _, f := range list {
			if f.Fingerprint != fp {
				continue
			}
			d := findingPage{Finding: f}
			if prop, ok := verdict.Lookup(f.Rule); ok {
				d.Meaning = prop.Meaning
			}
			text, err := tx.Trace(ctx, id, fp)
			if err == nil {
				err = json.Unmarshal(text, &d.Trace)
			}
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			if viewErr == nil {
				d.fill(v, fp)
			}
			if err == nil {
				d.History, err = historyOf(ctx, tx, repo, &f, tx.Now())
			}
			return d, err
		}
		return nil, store.ErrNotFound
	})
}

// fill adds what the viewer needs of the claim with a fingerprint.
func (d *findingPage) fill(v *view, fingerprint string) {
	for _, m := range v.family {
		if m.report == nil {
			continue
		}
		for i := range m.report.Results {
			res := &m.report.Results[i]
			for j := range res.Claims {
				c := &res.Claims[j]
				if len(c.Trace) > 0 && reports.Fingerprint(res, c) == fingerprint {
					d.Claim, d.Steps, d.Sources = c, reports.TraceData(res, c), reports.SourceData(m.report, c.Trace)
					return
				}
			}
		}
	}
}

func took(r store.Run) string {
	if r.Started.IsZero() || r.Finished.IsZero() {
		return ""
	}
	return r.Finished.Sub(r.Started).Round(100 * time.Millisecond).String()
}
