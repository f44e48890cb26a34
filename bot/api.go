package bot

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// The interface for programs: what the pages show, as JSON, under apiPath. Who may see the pages may ask; a program comes
// with a token (tokens.go). /api/v1/openapi.json describes it, made from the table that serves it (apidoc.go).

const apiPath = "/api/v1"

// apiRoute is one question that programs ask.
type apiRoute struct {
	name, path, says string
	query            []apiParam
	answer           any // an example of what it answers with, for its type; nil: a document
	find             func(*http.Request) func(context.Context, store.Tx) (store.Repo, error)
	load             func(*pages, context.Context, store.Tx, store.Repo, *http.Request) (any, error)
}

// apiParam is a parameter of a question.
type apiParam struct{ name, says, kind string }

// apiRoutes lists the questions.
var apiRoutes = []apiRoute{
	{"repository", "/repos/{owner}/{name}", "How the default branch stands: its newest run on each target.", nil,
		apiRepo{}, byName, (*pages).apiRepo},
	{"findings", "/repos/{owner}/{name}/findings",
		"What the newest runs of the default branch violate or leave unknown, one for a place; 100 at a time.",
		[]apiParam{{"q", "those that have this word in file, message, check or claim", "string"},
			{"from", "`next` of the answer before", "integer"}}, apiFindings{}, byName, (*pages).apiFindings},
	{"runs", "/repos/{owner}/{name}/runs", "The last 200 runs of all targets, newest first; of one commit or pull request if it is named.",
		[]apiParam{{"commit", "all 40 digits of a commit", "string"}, {"pull", "number of a pull request", "integer"}},
		apiRuns{}, byName, (*pages).apiRuns},
	{"run", "/runs/{id}", "A run, and those of each target where it is one of all.", nil, apiWholeRun{}, ofRun, (*pages).apiRun},
	{"report", "/runs/{id}/report", "The report of a run, as `firmproof check --format json` writes it.", nil, nil, ofRun, nil},
}

// apiError is the answer where there is no other.
type apiError struct {
	Error string `json:"error"`
}

// apiRun is a run: of a target, or of all of them.
type apiRun struct {
	ID         string         `json:"id"`
	Target     string         `json:"target"` // empty: all of them
	Trigger    string         `json:"trigger"`
	Commit     string         `json:"commit"`
	Ref        string         `json:"ref"`
	Pull       int            `json:"pull,omitempty"`
	State      string         `json:"state"`
	Conclusion string         `json:"conclusion"`
	Counts     map[string]int `json:"counts"`
	Created    time.Time      `json:"created"`
	Finished   *time.Time     `json:"finished,omitempty"`
	URL        string         `json:"url"`
}

type apiWholeRun struct {
	Run     apiRun   `json:"run"`
	Targets []apiRun `json:"targets"`
}

type apiRuns struct {
	Runs []apiRun `json:"runs"`
}

type apiRepo struct {
	Repository string         `json:"repository"`
	Branch     string         `json:"branch"`
	Standing   string         `json:"standing"` // as the badge says
	Counts     map[string]int `json:"counts"`   // claims by status, on all targets
	Targets    []apiRun       `json:"targets"`
	URL        string         `json:"url"`
}

// apiFinding is a place where something is violated or unknown.
type apiFinding struct {
	Fingerprint string           `json:"fingerprint"` // stays the same on all commits
	Claim       string           `json:"claim"`
	Check       string           `json:"check"`
	Status      string           `json:"status"`
	File        string           `json:"file"`
	Line        int              `json:"line"`
	Message     string           `json:"message"`
	Targets     []string         `json:"targets"`
	Since       *time.Time       `json:"since,omitempty"`
	Brought     *pipeline.Commit `json:"brought,omitempty"` // the commit that a bisection found
	URL         string           `json:"url"`
}

type apiFindings struct {
	Findings []apiFinding `json:"findings"`
	Next     int          `json:"next,omitempty"` // what `from` is for those that follow
}

// forPrograms adds the interface.
func (p *pages) forPrograms(mux *http.ServeMux) {
	guarded := http.NewCrossOriginProtection()
	if err := guarded.AddTrustedOrigin(p.s.cfg.PublicURL); err != nil {
		p.s.log.Warn("--public-url is no origin: forms work where the browser says that they are of this site", "err", err)
	}
	mux.HandleFunc("GET /repos/{owner}/{name}/tokens", p.tokens)
	mux.Handle("POST /repos/{owner}/{name}/tokens", guarded.Handler(http.HandlerFunc(p.makeToken)))
	mux.Handle("POST /repos/{owner}/{name}/tokens/{id}/end", guarded.Handler(http.HandlerFunc(p.endToken)))
	for _, route := range apiRoutes {
		mux.HandleFunc("GET "+apiPath+route.path, func(w http.ResponseWriter, r *http.Request) { p.answer(w, r, &route) })
	}
	doc := apiDocument(p.s.cfg.PublicURL)
	mux.HandleFunc("GET "+apiPath+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, doc)
	})
	mux.HandleFunc("GET "+apiPath+"/", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, apiError{"there is nothing here; " + apiPath + "/openapi.json lists what is"})
	})
}

// answer answers a question of a program.
func (p *pages) answer(w http.ResponseWriter, r *http.Request, route *apiRoute) {
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	repo, err := p.s.admitted(ctx, r, store.TokenReads, route.find(r))
	if err == nil && route.load == nil {
		p.writeReport(w, r, repo, "json")
		return
	}
	var out any
	if err == nil {
		err = p.s.store.Read(ctx, func(tx store.Tx) (err error) { out, err = route.load(p, ctx, tx, repo, r); return err })
	}
	switch {
	case err == nil:
		writeJSON(w, http.StatusOK, out)
	case errors.Is(err, errToken):
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeJSON(w, http.StatusUnauthorized, apiError{err.Error()})
	case isHidden(err):
		writeJSON(w, http.StatusNotFound, apiError{"there is nothing here, or a token of the repository is needed"})
	default:
		p.s.log.Warn("api", "path", r.URL.Path, "err", err)
		writeJSON(w, http.StatusServiceUnavailable, apiError{"there is no answer at present: try again later"})
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	guard(w, "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the reader has gone if this fails
}

func (p *pages) apiRepo(ctx context.Context, tx store.Tx, repo store.Repo, _ *http.Request) (any, error) {
	runs, err := tx.StandingRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
	now := latest(runs)
	return apiRepo{Repository: repo.FullName, Branch: repo.DefaultBranch, Standing: standing(runs).Text, Counts: countsOf(now),
		Targets: p.apiRunsOf(now), URL: p.s.cfg.PublicURL + "/repos/" + repo.FullName}, err
}

func (p *pages) apiFindings(ctx context.Context, tx store.Tx, repo store.Repo, r *http.Request) (any, error) {
	runs, err := tx.StandingRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
	if err != nil {
		return nil, err
	}
	rows, left, err := branchFindings(ctx, tx, repo, latest(runs), r.URL.Query().Get("q"), from(r), sitesShown)
	out := apiFindings{Findings: []apiFinding{}, Next: sectionAt(from(r), sitesShown, left).Next}
	for _, row := range rows {
		f := apiFinding{Fingerprint: row.Fingerprint, Claim: row.Claim, Check: row.Rule, Status: row.Status, File: row.File,
			Line: row.Line, Message: row.Message, Brought: row.Brought, Since: moment(row.Since),
			URL: p.s.cfg.PublicURL + "/repos/" + repo.FullName + "/findings/" + row.Fingerprint}
		for _, on := range row.On {
			f.Targets = append(f.Targets, on.Target)
		}
		out.Findings = append(out.Findings, f)
	}
	return out, err
}

func (p *pages) apiRuns(ctx context.Context, tx store.Tx, repo store.Repo, r *http.Request) (any, error) {
	commit, pull := r.URL.Query().Get("commit"), r.URL.Query().Get("pull")
	var runs []store.Run
	var err error
	if commit != "" {
		runs, err = tx.RunsByHead(ctx, repo.ID, commit)
	} else {
		runs, err = tx.RecentRuns(ctx, repo.ID, 200)
	}
	whole := slices.DeleteFunc(ofPull(runs, pull), func(r store.Run) bool {
		return !r.Aggregate() || r.Trigger == pipeline.TestTrigger // which is of no commit
	})
	return apiRuns{p.apiRunsOf(whole)}, err
}

func (p *pages) apiRun(ctx context.Context, tx store.Tx, _ store.Repo, r *http.Request) (any, error) {
	run, err := tx.Run(ctx, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	targets, err := tx.Children(ctx, run.ID)
	return apiWholeRun{p.apiRunsOf([]store.Run{run})[0], p.apiRunsOf(targets)}, err
}

func (p *pages) apiRunsOf(runs []store.Run) []apiRun {
	out := make([]apiRun, 0, len(runs))
	for _, r := range runs {
		out = append(out, apiRun{ID: r.ID, Target: r.Target, Trigger: r.Trigger, Commit: r.HeadSHA, Ref: r.Ref, Pull: r.Pull,
			State: string(r.State), Conclusion: r.Conclusion, Counts: countsOf([]store.Run{r}), Created: r.Created.UTC(),
			Finished: moment(r.Finished), URL: p.s.cfg.PublicURL + "/runs/" + r.ID})
	}
	return out
}

// ofPull are the runs of a pull request, by its number; all where none is named.
func ofPull(runs []store.Run, number string) []store.Run {
	if number == "" {
		return runs
	}
	return slices.DeleteFunc(runs, func(r store.Run) bool { return strconv.Itoa(r.Pull) != number })
}

// moment is a time for programs; nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
