package bot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// findingHistory is the history of a finding on the default branch.
type findingHistory struct {
	Age      string           // since the first run with it, without a run between
	FirstBad store.Run        // that run
	LastGood *store.Run       // the run before it, if there was one
	Again    bool             // it was there and gone before
	Gone     *store.Run       // the first run after it without the finding, if there is one
	Commits  []namedCommit    // that were new in FirstBad, newest first: one of them is the first bad one
	Mended   []namedCommit    // that were new in Gone, newest first: one of them mended it
	Runs     []sighting       // newest first
	Origin   *pipeline.Origin // what a bisection says; nil: there was none
}

// namedCommit is a commit with the person who wrote it.
type namedCommit store.Commit

// sighting is a run of the branch, and whether it has the finding.
type sighting struct {
	Run store.Run
	Has bool
}

// Suspects are the commits one of which brought the finding: those that a bisection is left with, or all that were new.
func (h *findingHistory) Suspects() []namedCommit {
	if h.Origin != nil && len(h.Origin.Commits) > 0 {
		var out []namedCommit
		for _, c := range h.Origin.Commits {
			out = append(out, namedCommit(c))
		}
		return out
	}
	if h.LastGood == nil {
		return nil
	}
	return h.Commits
}

// Verdict says what the suspects are.
func (h *findingHistory) Verdict() string {
	switch n := len(h.Suspects()); {
	case h.Origin != nil && h.Origin.State != "searching" && h.Origin.State != "stopped":
		return h.Origin.Line()
	case h.Origin != nil:
		return h.Origin.Line() + " One of these:"
	case n == 1:
		return "First bad commit:"
	}
	return "One of these commits brought it:"
}

// maxSightings bounds the runs that a history lists.
const maxSightings = 20

// historyOf follows a finding over the runs of the default branch on its target; nil where it is in none of them.
func historyOf(ctx context.Context, tx store.Tx, repo store.Repo, f *store.Finding, now time.Time) (*findingHistory,
	error) {
	runs, err := tx.BranchRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
	if err != nil {
		return nil, err
	}
	with, err := tx.RunsWith(ctx, repo.ID, f.Fingerprint)
	if err != nil {
		return nil, err
	}
	h := &findingHistory{}
	var before *store.Run
	for i := range runs { // oldest first
		r := &runs[i]
		if r.Target != f.Target {
			continue
		}
		if with[r.ID] && (before == nil || !with[before.ID]) {
			h.Again = h.Gone != nil
			h.FirstBad, h.LastGood, h.Gone = *r, before, nil
		}
		if !with[r.ID] && before != nil && with[before.ID] {
			h.Gone = r
		}
		h.Runs = append(h.Runs, sighting{*r, with[r.ID]})
		before = r
	}
	if h.FirstBad.ID == "" {
		return nil, nil
	}
	h.Runs = h.Runs[max(0, len(h.Runs)-maxSightings):]
	slices.Reverse(h.Runs)
	h.Age = ageOf(now.Sub(h.FirstBad.Finished))
	origins, err := pipeline.OriginsOf(ctx, tx, repo.ID, f.Target, store.FindingCame)
	if err != nil {
		return nil, err
	}
	h.Origin = origins[f.Fingerprint]
	if h.Commits, err = newIn(ctx, tx, h.FirstBad.Parent); err == nil && h.Gone != nil {
		h.Mended, err = newIn(ctx, tx, h.Gone.Parent)
	}
	return h, err
}

// newIn lists the commits that were new in an aggregate run, newest first.
func newIn(ctx context.Context, tx store.Tx, run string) (out []namedCommit, err error) {
	list, err := tx.Commits(ctx, run)
	for _, c := range list {
		out = append(out, namedCommit(c))
	}
	return out, err
}

// ageOf words a time in its largest unit.
func ageOf(d time.Duration) string {
	for _, u := range []struct {
		name string
		of   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / u.of); n > 0 {
			if n == 1 {
				return "1 " + u.name
			}
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}
	return "less than a minute"
}
