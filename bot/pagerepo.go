package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// repoPage is the data of a repository's page.
type repoPage struct {
	Repo     store.Repo
	Home     string // address of this page
	Forge    forge
	Standing badgeText
	Latest   []store.Run     // of the default branch, by target
	Share    share           // of their claims
	Rows     []branchFinding // some of what they violate or leave unknown
	More     bool            // there are others
	Matrix   template.HTML   // of the answers of Latest
	Night    *store.Run      // the last nightly run
	Trends   []targetTrend
	Runs     runList
	Accepted []reports.AcceptedRow // by comments
}

// brokenShown is how many findings the page of a repository shows.
const brokenShown = 5

// byName finds the repository that a path names.
func byName(r *http.Request) func(context.Context, store.Tx) (store.Repo, error) {
	return func(ctx context.Context, tx store.Tx) (store.Repo, error) {
		return tx.RepoByName(ctx, r.PathValue("owner")+"/"+r.PathValue("name"))
	}
}

func (p *pages) repo(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, byName(r))
	if !ok {
		return
	}
	p.show(w, r, "repo", func(ctx context.Context, tx store.Tx) (any, error) {
		d := repoPage{Repo: repo, Forge: forgeOf(&repo), Home: p.s.cfg.PublicURL + "/repos/" + repo.FullName}
		runs, err := tx.RecentRuns(ctx, repo.ID, 200)
		if err != nil {
			return nil, err
		}
		for _, x := range runs {
			if d.Night == nil && x.Trigger == "nightly" && x.State == store.Done {
				d.Night = &x
			}
			d.Runs.add(runRow{Run: x})
		}
		branch, err := tx.BranchRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
		if err != nil {
			return nil, err
		}
		now, err := tx.StandingRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
		if err != nil {
			return nil, err
		}
		d.Trends, d.Latest, d.Standing = trendsOf(branch), latest(now), standing(now)
		d.Share = shareOf(d.Latest)
		left := 0
		if d.Rows, left, err = branchFindings(ctx, tx, repo, d.Latest, "", 0, brokenShown); err != nil {
			return nil, err
		}
		d.More = left > brokenShown
		if d.Matrix, err = matrixOf(ctx, tx, d.Latest); err != nil {
			return nil, err
		}
		list, err := tx.Acceptances(ctx, repo.ID)
		for _, a := range list {
			d.Accepted = append(d.Accepted, reports.AcceptedRow{Claim: a.Claim, Accepted: accepted(a)})
		}
		return d, err
	})
}

// latest returns the last run of each target, by its name. runs are those of a branch, oldest first.
func latest(runs []store.Run) []store.Run {
	last := map[string]store.Run{}
	for _, r := range runs {
		last[r.Target] = r
	}
	var out []store.Run
	for _, target := range slices.Sorted(maps.Keys(last)) {
		out = append(out, last[target])
	}
	return out
}

// idsOf lists the IDs of runs.
func idsOf(runs []store.Run) []string {
	out := make([]string, len(runs))
	for i := range runs {
		out[i] = runs[i].ID
	}
	return out
}

// matrixOf is the table of entries and targets of runs; empty if none has a report.
func matrixOf(ctx context.Context, tx store.Tx, runs []store.Run) (template.HTML, error) {
	var results []verdict.Result
	run := map[string]string{} // by target
	for _, r := range runs {
		var kept pipeline.Context
		err := tx.ReportContext(ctx, r.ID, &kept)
		if errors.Is(err, store.ErrNotFound) {
			continue // expired
		}
		if err != nil {
			return "", err
		}
		outline := kept.Outline()
		if outline == nil {
			if outline, err = wholeReport(ctx, tx, r.ID); err != nil {
				return "", err
			}
		}
		results = append(results, outline...)
		run[r.Target] = r.ID
	}
	if len(results) == 0 {
		return "", nil
	}
	return reports.Matrix(results, linkTo(run)), nil
}

// wholeReport reads the answers of a run whose report was kept without an outline, by an earlier version.
func wholeReport(ctx context.Context, tx store.Tx, run string) ([]verdict.Result, error) {
	text, err := tx.Report(ctx, run, nil)
	if err != nil {
		return nil, err
	}
	var report verdict.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("report of %s: %w", run, err)
	}
	return report.Results, nil
}

// linkTo gives the address of an entry's answer, in the run of its target.
func linkTo(run map[string]string) func(target, entry string) string {
	return func(target, entry string) string {
		if run[target] == "" {
			return ""
		}
		return "/runs/" + run[target] + "#entry-" + entry
	}
}

// nightPage is the data of the page of what changed on the default branch.
type nightPage struct {
	Repo   store.Repo
	Hours  int
	Change template.HTML
	Trends []targetTrend // of all that is kept
}

// night compares the default branch with how it stood a day ago, or a week.
func (p *pages) night(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, byName(r))
	if !ok {
		return
	}
	hours := 24
	if r.URL.Query().Get("since") == "week" {
		hours = 7 * 24
	}
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	change, err := pipeline.Regress(ctx, p.s.store, repo.FullName, time.Now().Add(-time.Duration(hours)*time.Hour))
	d := nightPage{Repo: repo, Hours: hours}
	if err == nil {
		d.Change, err = change.Body()
	}
	p.show(w, r, "night", func(ctx context.Context, tx store.Tx) (any, error) {
		if err != nil {
			return nil, err
		}
		branch, err := tx.BranchRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
		d.Trends = trendsOf(branch)
		return d, err
	})
}
