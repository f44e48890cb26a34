package bot

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// runRow is a line of a list.
type runRow struct {
	Run  store.Run
	Repo string
}

// runList lists runs: those that say nothing of how a branch or a change stands are folded.
type runList struct{ Shown, Folded []runRow }

func (l *runList) add(r runRow) {
	if r.Run.Conclusion == "cancelled" || r.Run.Trigger == pipeline.BisectTrigger || r.Run.Trigger == pipeline.TestTrigger {
		l.Folded = append(l.Folded, r)
		return
	}
	l.Shown = append(l.Shown, r)
}

// listedRepo is a repository, and how its default branch stands.
type listedRepo struct {
	store.Repo
	Standing badgeText
	Share    share  // of the claims of its newest runs
	Proved   int    // of 100 claims
	Oldest   string // age of the violation that is there longest; empty: there is none, or it is not known
}

// listed reads how the default branch of a repository stands, and its runs.
func listed(ctx context.Context, tx store.Tx, repo store.Repo) (listedRepo, []store.Run, error) {
	runs, err := tx.StandingRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
	if err != nil {
		return listedRepo{}, nil, err
	}
	now := latest(runs)
	out := listedRepo{Repo: repo, Standing: standing(runs), Share: shareOf(now)}
	out.Proved = out.Share.proved()
	since, err := tx.OldestOpen(ctx, repo.ID, repo.DefaultBranch, idsOf(now))
	if !since.IsZero() {
		out.Oldest = ageOf(tx.Now().Sub(since))
	}
	return out, runs, err
}

// indexPage is the data of the first page.
type indexPage struct {
	Repos     []listedRepo
	Runs      runList
	Login     string // of who signed in
	CanSignIn bool
	Unasked   int // private repositories that the page did not ask about
	section
}

// reposShown is how many repositories a page lists.
const reposShown = 100

// section is which part of a list a page shows.
type section struct {
	Earlier bool // there is something before, from the Before-th on
	Before  int
	Next    int // the first one after these; 0: there is none
}

// sectionAt is the section of size things from the first-th on, of which there are left or more from there on.
func sectionAt(first, size, left int) section {
	s := section{Earlier: first > 0, Before: max(0, first-size)}
	if left > size {
		s.Next = first + size
	}
	return s
}

// from is the number of the first thing that a request asks for.
func from(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("from"))
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}

// visible lists the repositories that the sender of a request may see, with the runs that were last of all; unasked counts
// private ones that are left out.
func (p *pages) visible(ctx context.Context, r *http.Request) (repos []store.Repo, runs []store.Run, who viewer,
	unasked int, err error) {
	err = p.s.store.Read(ctx, func(tx store.Tx) (err error) {
		if repos, err = tx.Repos(ctx); err != nil {
			return err
		}
		runs, err = tx.RecentRuns(ctx, 0, 50)
		return err
	})
	who, signedIn := p.s.signIn.viewer(r)
	repos, unasked = p.seen(ctx, repos, runs, who, signedIn)
	return repos, runs, who, unasked, err
}

func (p *pages) index(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	repos, runs, who, unasked, err := p.visible(ctx, r)
	d := indexPage{Login: who.login, CanSignIn: p.s.signIn != nil, Unasked: unasked}
	names := map[int64]string{}
	for _, x := range repos {
		names[x.ID] = x.FullName
	}
	for _, x := range runs {
		if n, ok := names[x.Repo]; ok {
			d.Runs.add(runRow{x, n})
		}
	}
	first := min(from(r), len(repos))
	d.section = sectionAt(first, reposShown, len(repos)-first)
	repos = repos[first:min(len(repos), first+reposShown)]
	p.show(w, r, "index", func(ctx context.Context, tx store.Tx) (any, error) {
		if err != nil {
			return nil, err
		}
		for _, x := range repos {
			row, _, err := listed(ctx, tx, x)
			if err != nil {
				return nil, err
			}
			d.Repos = append(d.Repos, row)
		}
		return d, nil
	})
}
