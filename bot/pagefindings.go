package bot

import (
	"context"
	"net/http"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// findingsPage is the data of the page of what the default branch violates, or leaves unknown.
type findingsPage struct {
	Repo store.Repo
	Word string // that all rows have
	Rows []branchFinding
	section
}

// branchFinding is a place with findings on the default branch.
type branchFinding struct {
	findingRow
	Since   time.Time        // since when it is known there; zero: not known
	Age     string           // the same, as words
	Brought *pipeline.Commit // the commit that a bisection found, if there was one
}

// branchFindings lists most places with findings in runs of the default branch, from the first-th of those with word
// on, and says how many are left from there on, most + 1 at most.
func branchFindings(ctx context.Context, tx store.Tx, repo store.Repo, runs []store.Run, word string, first,
	most int) (out []branchFinding, left int, err error) {
	ids := idsOf(runs)
	sites, err := tx.Sites(ctx, ids, word, first, most+1)
	if err != nil {
		return nil, 0, err
	}
	origins := map[string]map[string]*pipeline.Origin{} // by target
	for _, s := range sites[:min(len(sites), most)] {
		list, err := tx.FindingsAt(ctx, ids, s, findingsAt)
		if err != nil {
			return nil, 0, err
		}
		for _, row := range bySite(list) {
			f := branchFinding{findingRow: row}
			since, err := tx.KnownSince(ctx, repo.ID, repo.DefaultBranch, row.Target, row.Fingerprint)
			if err != nil {
				return nil, 0, err
			}
			if f.Since = since; !since.IsZero() {
				f.Age = ageOf(tx.Now().Sub(since))
			}
			if origins[row.Target] == nil {
				o, err := pipeline.OriginsOf(ctx, tx, repo.ID, row.Target, store.FindingCame)
				if err != nil {
					return nil, 0, err
				}
				origins[row.Target] = o
			}
			if o := origins[row.Target][row.Fingerprint]; o.Of(since) && len(o.Commits) == 1 {
				f.Brought = &o.Commits[0]
			}
			out = append(out, f)
		}
	}
	return out, len(sites), nil
}

func (p *pages) findings(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, byName(r))
	if !ok {
		return
	}
	p.show(w, r, "findings", func(ctx context.Context, tx store.Tx) (any, error) {
		d := findingsPage{Repo: repo, Word: r.URL.Query().Get("q")}
		runs, err := tx.StandingRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
		if err != nil {
			return nil, err
		}
		left := 0
		if d.Rows, left, err = branchFindings(ctx, tx, repo, latest(runs), d.Word, from(r), sitesShown); err != nil {
			return nil, err
		}
		d.section = sectionAt(from(r), sitesShown, left)
		return d, nil
	})
}
