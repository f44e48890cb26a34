package fakegithub

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

//go:embed pages/*.html
var pageFiles embed.FS

// servePage answers a page for people, and tells whether the path was one:
//
//	/                              repositories and what is open in them
//	/OWNER/REPO/pull/N             a pull request: conversation and checks
//	/OWNER/REPO/pull/N/checks      its check runs in full
//	/OWNER/REPO/issues/N           an issue
//	/OWNER/REPO/runs/ID            one check run
//	/settings/apps/new (POST)      an App manifest
//	/login/oauth/...               sign-in, see oauth.go
//
// and takes the forms on them: a comment, Re-run, the buttons of a run.
//
// The pages are for the person at the machine and ask for no credentials.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/settings/apps/new") {
		s.takeManifest(w, r)
		return true
	}
	if strings.HasPrefix(r.URL.Path, "/login/oauth/") {
		s.serveOAuth(w, r)
		return true
	}
	if r.Method == http.MethodPost && len(parts) == 5 && parts[4] == "act" {
		s.takeForm(w, r, parts)
		return true
	}
	if r.Method != http.MethodGet || parts[0] == "repos" || parts[0] == "app" || parts[0] == "api" {
		return false
	}
	s.mu.Lock()
	view, name := s.pageFor(parts)
	var out bytes.Buffer
	var err error
	if view != nil {
		err = s.renderPage(&out, name, view)
	}
	s.mu.Unlock()
	if view == nil {
		return false
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'")
	sendPage(w, &out, err)
	return true
}

// view holds what a page shows.
type view struct {
	Title  string
	Slug   string
	Repo   *repoView
	Repos  []*repoView
	Issue  *issueView
	Runs   []*runView
	Checks bool
	Logins []loginView

	Manifest, To string // of an App to be registered
}

type repoView struct {
	Name   string
	Issues []*issueView
}

type issueView struct {
	Number             int
	Title, User, State string
	Body               template.HTML
	Pull               bool
	Head, Base, SHA    string
	Comments           []commentView
	Labels             []string
}

type commentView struct {
	ID         int
	User, When string
	Body       template.HTML
	Reactions  []string
}

type runView struct {
	ID                int
	Name, Status      string
	Mark, Class       string
	Title, ExternalID string
	DetailsURL        string
	Summary, Text     template.HTML
	Annotations       []annotation
	Actions           []action
	Started, Took     string
}

// pageFor builds the view of a path, or nil.
func (s *Server) pageFor(parts []string) (*view, string) {
	if len(parts) == 1 && parts[0] == "" {
		v := &view{Title: "Repositories", Slug: s.opts.AppSlug}
		for _, r := range s.repos {
			v.Repos = append(v.Repos, s.viewRepo(r))
		}
		return v, "home.html"
	}
	if len(parts) < 2 {
		return nil, ""
	}
	r := s.findRepo(parts[0], parts[1])
	if r == nil {
		return nil, ""
	}
	v := &view{Title: r.fullName(), Slug: s.opts.AppSlug, Repo: &repoView{Name: r.fullName()}}
	if len(parts) == 2 {
		v.Repos = []*repoView{s.viewRepo(r)}
		return v, "home.html"
	}
	if len(parts) < 4 {
		return nil, ""
	}
	n, err := strconv.Atoi(parts[3])
	if err != nil {
		return nil, ""
	}
	switch parts[2] {
	case "runs":
		run := r.runByID(n)
		if run == nil {
			return nil, ""
		}
		v.Title, v.Runs, v.Checks = run.name, []*runView{s.viewRun(run)}, true
		return v, "pull.html"
	case "pull", "issues":
		i := r.issueByNumber(n)
		if i == nil {
			return nil, ""
		}
		v.Title, v.Issue = fmt.Sprintf("%s #%d", i.title, i.number), s.viewIssue(r, i)
		v.Checks = len(parts) > 4 && parts[4] == "checks"
		if i.pull != nil {
			v.Runs = s.viewRuns(r, i.pull.headSHA)
		}
		return v, "pull.html"
	}
	return nil, ""
}

func (s *Server) viewRepo(r *repo) *repoView {
	v := &repoView{Name: r.fullName()}
	for _, i := range r.issues {
		v.Issues = append(v.Issues, s.viewIssue(r, i))
	}
	return v
}

func (s *Server) viewIssue(r *repo, i *issue) *issueView {
	v := &issueView{Number: i.number, Title: i.title, User: i.user, State: i.state, Body: markdown(i.body),
		Labels: i.labels}
	if p := i.pull; p != nil {
		v.Pull, v.Base, v.Head, v.SHA = true, p.baseRef, p.headRef, p.headSHA
		if p.fromFork(r) {
			v.Head = p.headRepo.owner + ":" + p.headRef
		}
		if p.merged != nil {
			v.State = "merged"
		}
	}
	for _, c := range r.comments {
		if c.number == i.number {
			v.Comments = append(v.Comments, commentView{
				ID: c.id, User: c.user, When: stamp(c.created), Body: markdown(c.body), Reactions: emoji(c.reactions),
			})
		}
	}
	return v
}

// emoji shows each kind of reaction with its number.
func emoji(list []*reaction) []string {
	signs := map[string]string{"+1": "👍", "-1": "👎", "laugh": "😄", "confused": "😕", "heart": "❤️",
		"hooray": "🎉", "rocket": "🚀", "eyes": "👀"}
	count := map[string]int{}
	for _, r := range list {
		count[r.content]++
	}
	var out []string
	for content, n := range count {
		out = append(out, fmt.Sprintf("%s %d", signs[content], n))
	}
	sort.Strings(out)
	return out
}

// viewRuns are the latest runs of a commit by name.
func (s *Server) viewRuns(r *repo, sha string) []*runView {
	latest := map[string]*checkRun{}
	for _, run := range r.runs {
		if run.headSHA == sha {
			latest[run.name] = run
		}
	}
	var names []string
	for name := range latest {
		names = append(names, name)
	}
	sort.Strings(names)
	var out []*runView
	for _, name := range names {
		out = append(out, s.viewRun(latest[name]))
	}
	return out
}

func (s *Server) viewRun(run *checkRun) *runView {
	word := orElse(run.conclusion, run.status)
	v := &runView{
		ID: run.id, Name: run.name, Status: word, ExternalID: run.externalID, DetailsURL: run.detailsURL,
		Annotations: run.annotations, Actions: run.actions,
	}
	switch word {
	case "success":
		v.Mark, v.Class = "✓", "good"
	case "failure", "timed_out", "action_required":
		v.Mark, v.Class = "✗", "bad"
	case "queued", "in_progress":
		v.Mark, v.Class = "●", "busy"
	default:
		v.Mark, v.Class = "■", "dull"
	}
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	v.Title, v.Summary, v.Text = text(run.title), markdown(text(run.summary)), markdown(text(run.text))
	if run.started != nil {
		v.Started = stamp(*run.started)
		if run.completed != nil {
			v.Took = run.completed.Sub(*run.started).String()
		}
	}
	return v
}

// markdown renders GitHub's Markdown. Raw HTML is left out by goldmark but for
// the folding that reports use.
func markdown(text string) template.HTML {
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(details())).Convert(
		[]byte(text), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(out.String())
}

func (s *Server) renderPage(out *bytes.Buffer, name string, v *view) error {
	t, err := template.ParseFS(pageFiles, "pages/base.html", "pages/"+name)
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(out, "base.html", v)
}

// sendPage answers with a page, or with the error that making it ended with.
func sendPage(w http.ResponseWriter, page *bytes.Buffer, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes()) // the reader has gone if this fails
}
