package bot

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// audience decides who may see the pages of a repository: those of a public one, everybody; those of a
// private one, a viewer with read permission at GitHub. The address of a request grants nothing.
type audience struct {
	app   *app
	now   func() time.Time
	mu    sync.Mutex
	known map[access]permission
	asked map[int64]*hourly // by installation
}

// access is a person and a repository.
type access struct{ viewer, repo int64 }

type permission struct {
	read, write bool
	until       time.Time
}

// hourly counts within an hour.
type hourly struct {
	n     int
	since time.Time
}

const (
	// accessLife is the lifetime of a cached permission.
	accessLife = 3 * time.Minute
	// maxAccess bounds the cached permissions.
	maxAccess = 10_000
	// asksPerHour bounds permission requests for viewers: checks need the rest of the installation's rate limit.
	asksPerHour = 1000
)

var (
	errSignIn = errors.New("nobody has signed in")
	errHidden = errors.New("not for this viewer")
	errAsks   = errors.New("too many people at once")
)

func newAudience(a *app) *audience {
	return &audience{app: a, now: time.Now, known: map[access]permission{}, asked: map[int64]*hourly{}}
}

// admits returns nil if who (nobody, unless signedIn) may see the repository's pages, errSignIn or errHidden if
// not, and another error if GitHub does not answer.
func (a *audience) admits(ctx context.Context, repo store.Repo, who viewer, signedIn bool) error {
	switch {
	case !repo.Active: // removed from the App: its visibility is no longer known
		return errHidden
	case !repo.Private:
		return nil
	case !signedIn:
		return errSignIn
	}
	v, err := a.permission(ctx, repo, who)
	if err == nil && !v.read {
		err = errHidden
	}
	return err
}

// permission returns what GitHub lets somebody do with a repository, as it said within accessLife.
func (a *audience) permission(ctx context.Context, repo store.Repo, who viewer) (permission, error) {
	key := access{who.id, repo.ID}
	a.mu.Lock()
	v, ok := a.known[key]
	a.mu.Unlock()
	if ok && a.now().Before(v.until) {
		return v, nil
	}
	v, err := a.ask(ctx, repo, who)
	if err != nil {
		return v, err
	}
	v.until = a.now().Add(accessLife)
	a.mu.Lock()
	if len(a.known) >= maxAccess {
		clear(a.known)
	}
	a.known[key] = v
	a.mu.Unlock()
	return v, nil
}

// ask asks GitHub what somebody may do with a repository.
func (a *audience) ask(ctx context.Context, repo store.Repo, who viewer) (permission, error) {
	if !a.take(repo.Installation) {
		return permission{}, errAsks
	}
	owner, name, _ := strings.Cut(repo.FullName, "/")
	level, _, err := a.app.installation(repo.Installation, repo.ID).Repositories.GetPermissionLevel(ctx, owner, name,
		who.login)
	switch {
	case gone(err):
		return permission{}, nil
	case err != nil || level.GetUser().GetID() != who.id:
		return permission{}, err
	}
	p := level.GetPermission()
	return permission{read: p != "" && p != "none", write: mayWrite(p)}, nil
}

// take counts an ask of an installation; false if there were too many in this hour.
func (a *audience) take(installation int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.asked[installation]
	if h == nil || a.now().Sub(h.since) > time.Hour {
		h = &hourly{since: a.now()}
		a.asked[installation] = h
	}
	h.n++
	return h.n <= asksPerHour
}

// admit finds the repository of a page, and answers the request if its sender may not see it. The answer for a
// hidden repository is that for a missing one.
func (p *pages) admit(w http.ResponseWriter, r *http.Request, find func(ctx context.Context, tx store.Tx) (store.Repo,
	error)) (store.Repo, bool) {
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	repo, err := p.s.admitted(ctx, r, "", find)
	if err == nil {
		return repo, !moved(w, r, repo)
	}
	who, signedIn := p.s.signIn.viewer(r)
	hidden := isHidden(err)
	switch {
	case hidden && signedIn:
		tell(w, http.StatusNotFound, "There is nothing here, or not for "+who.login+".", r.URL.RequestURI())
	case hidden && p.s.signIn != nil:
		to := url.Values{"to": {r.URL.RequestURI()}}
		http.Redirect(w, r, "/auth/login?"+to.Encode(), http.StatusFound)
	case hidden:
		tell(w, http.StatusNotFound,
			"There is nothing here, or it is of a private repository: to sign in, this server needs --client-id and --client-secret-file.", "")
	default:
		p.s.log.Warn("access", "path", r.URL.Path, "err", err)
		tell(w, http.StatusServiceUnavailable,
			"GitHub does not say at present whether you may see this. Try again later.", "")
	}
	return store.Repo{}, false
}

// moved leads whoever asks for a page under a name that its repository had before to where it is now.
func moved(w http.ResponseWriter, r *http.Request, repo store.Repo) bool {
	old := r.PathValue("owner") + "/" + r.PathValue("name")
	if old == "/" || old == repo.FullName || r.Method != http.MethodGet {
		return false
	}
	to := url.URL{Path: "/repos/" + repo.FullName + strings.TrimPrefix(r.URL.Path, "/repos/"+old), RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, to.String(), http.StatusFound)
	return true
}

// ofRun finds the repository of the run that a path names.
func ofRun(r *http.Request) func(context.Context, store.Tx) (store.Repo, error) {
	return func(ctx context.Context, tx store.Tx) (store.Repo, error) {
		run, err := tx.Run(ctx, r.PathValue("id"))
		if err != nil {
			return store.Repo{}, err
		}
		return tx.Repo(ctx, run.Repo)
	}
}

// maxAsked bounds how many private repositories one page asks about.
const maxAsked = 30

// seen returns the repositories of a list that a viewer may see: the public ones, and the private ones with read
// permission at GitHub, asked in the order of recent runs. unasked counts the private ones beyond maxAsked.
func (p *pages) seen(ctx context.Context, list []store.Repo, recent []store.Run, who viewer, signedIn bool) (
	out []store.Repo, unasked int) {
	last := map[int64]int{}
	for i, r := range recent {
		if _, ok := last[r.Repo]; !ok {
			last[r.Repo] = len(recent) - i
		}
	}
	byUse := slices.Clone(list)
	slices.SortStableFunc(byUse, func(a, b store.Repo) int { return cmp.Compare(last[b.ID], last[a.ID]) })
	private := 0
	for _, repo := range byUse {
		if repo.Private && signedIn {
			if private++; private > maxAsked {
				unasked++
				continue
			}
		}
		if p.s.audience.admits(ctx, repo, who, signedIn) == nil {
			out = append(out, repo)
		}
	}
	slices.SortFunc(out, func(a, b store.Repo) int { return cmp.Compare(a.FullName, b.FullName) })
	return out, unasked
}
