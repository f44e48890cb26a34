package bot

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// findingHistory is the history of a finding on the default branch.
type findingHistory struct {
	Age      string     // since the first run with it, without a run between
	FirstBad store.Run  // that run
	LastGood *store.Run // the run before it, if there was one
	Again    bool       // it was there and gone before
	Gone     *store.Run // the first run after it without the finding, if there is one
	Came     suspects   // who brought it
	Mended   suspects   // who mended it, if it is gone
	Runs     []sighting // newest first
}

// suspects are commits one of which brought a finding, or mended it.
type suspects struct {
	New    []namedCommit    // that were new in the first run with it, or without it, newest first
	Origin *pipeline.Origin // what a bisection says; nil: there was none
	said   [2]string        // of one commit, of several
}

// namedCommit is a commit with the person who wrote it.
type namedCommit store.Commit

// sighting is a run of the branch, and whether it has the finding.
type sighting struct {
	Run store.Run
	Has bool
}

// Commits are those that a bisection is left with, or all that were new.
func (x *suspects) Commits() []namedCommit {
	if x.Origin != nil && len(x.Origin.Commits) > 0 {
		var out []namedCommit
		for _, c := range x.Origin.Commits {
			out = append(out, namedCommit(c))
		}
		return out
	}
	return x.New
}

// Verdict says what these commits are.
func (x *suspects) Verdict() string {
	switch n := len(x.Commits()); {
	case x.Origin != nil && x.Origin.State != "searching" && x.Origin.State != "stopped":
		return x.Origin.Line()
	case x.Origin != nil && n > 0:
		return x.Origin.Line() + " One of these:"
	case n == 0:
		return ""
	case n == 1:
		return x.said[0]
	}
	return x.said[1]
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
	h.Came.said = [2]string{"First bad commit:", "One of these commits brought it:"}
	h.Mended.said = [2]string{"This commit mended it:", "One of these commits mended it:"}
	if h.LastGood != nil {
		if err := h.Came.find(ctx, tx, repo, f, store.FindingCame, &h.FirstBad); err != nil {
			return nil, err
		}
	}
	if h.Gone == nil {
		return h, nil
	}
	return h, h.Mended.find(ctx, tx, repo, f, store.FindingGone, h.Gone)
}

// find fills in who brought or mended a finding: run is the first with or without it.
func (x *suspects) find(ctx context.Context, tx store.Tx, repo store.Repo, f *store.Finding, kind string,
	run *store.Run) error {
	origins, err := pipeline.OriginsOf(ctx, tx, repo.ID, f.Target, kind)
	if err != nil {
		return err
	}
	if o := origins[f.Fingerprint]; o.Of(run.Finished) {
		x.Origin = o
	}
	x.New, err = newIn(ctx, tx, run.Parent)
	return err
}

// blamed are suspects, for a template, with the way to commits at the forge.
type blamed struct {
	Forge    forge
	Suspects *suspects
}

// outcome words what a bisection saw at a commit.
func outcome(o *pipeline.Origin, p store.Probe) template.HTML {
	switch there, known := o.There(p); {
	case !known:
		return `<span class="unknown">? no answer</span>`
	case there:
		return `<span class="violated">✗ there</span>`
	}
	return "✓ not there"
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
