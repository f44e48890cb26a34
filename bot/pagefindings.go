package bot

import (
	"context"
	"net/http"

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
	Age string // since it is known there; empty: not known
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
		var ids []string
		for _, x := range latest(runs) {
			ids = append(ids, x.ID)
		}
		sites, err := tx.Sites(ctx, ids, d.Word, from(r), sitesShown+1)
		if err != nil {
			return nil, err
		}
		d.section = sectionAt(from(r), sitesShown, len(sites))
		for _, s := range sites[:min(len(sites), sitesShown)] {
			list, err := tx.FindingsAt(ctx, ids, s, findingsAt)
			if err != nil {
				return nil, err
			}
			for _, row := range bySite(list) {
				since, err := tx.KnownSince(ctx, repo.ID, repo.DefaultBranch, row.Target, row.Fingerprint)
				if err != nil {
					return nil, err
				}
				f := branchFinding{findingRow: row}
				if !since.IsZero() {
					f.Age = ageOf(tx.Now().Sub(since))
				}
				d.Rows = append(d.Rows, f)
			}
		}
		return d, nil
	})
}
