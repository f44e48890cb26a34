package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// Regression says what changed on a repository's default branch over a time.
type Regression struct {
	Repository string         `json:"repository"`
	Branch     string         `json:"branch"`
	Since      time.Time      `json:"since"`
	Until      time.Time      `json:"until"`
	Targets    []TargetChange `json:"targets"` // those with most introduced first, then by name
}

// TargetChange compares the last complete run before the time (or the first in
// it) with the last one, at equal bounds if there are two such runs. An open or undecided finding is never counted as fixed.
type TargetChange struct {
	Target      string   `json:"target"`
	From        RunRef   `json:"from"`
	To          RunRef   `json:"to"`
	Introduced  []Change `json:"introduced"`
	Fixed       []Change `json:"fixed"`
	Open        []Change `json:"open"`
	Undecided   []Change `json:"undecided"`    // violated before, unknown now
	NewlyProved []Change `json:"newly_proved"` // not proved before
	ProofLost   []Change `json:"proof_lost"`   // proved before, only bounded or unknown now
	Slower      []Change `json:"slower"`       // entries that take half as long again, and a second at least
	Commits     []Commit `json:"commits"`      // between the two runs, newest first
	Trend       []Point  `json:"trend"`        // the runs of the time, oldest first

	equal bool // both runs looked equally deep
}

// Commit is one that came between two runs.
type Commit struct {
	SHA     string    `json:"sha"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	At      time.Time `json:"at"`
}

// Point is one run in a trend.
type Point struct {
	RunRef
	Trigger string         `json:"trigger"`
	Counts  map[string]int `json:"counts"` // proved, bounded, violated, unknown
	// the least number of turns that a loop with more was followed; 0: every loop was followed to its end
	Turns int `json:"turns"`
}

// RunRef names a run.
type RunRef struct {
	Run     string    `json:"run"`
	Commit  string    `json:"commit"`
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"`
}

// Change is one claim.
type Change struct {
	Claim       string  `json:"claim"`
	Entry       string  `json:"entry"`
	Where       string  `json:"where"`
	Message     string  `json:"message"`
	Fingerprint string  `json:"fingerprint,omitempty"`
	Origin      *Origin `json:"origin,omitempty"` // of what was introduced, is open, was fixed, or has no proof any more

	well bool   // it was answered well in the run before, or was not there; so was its harness; what was fixed is so now
	kind string // of its bisection
}

// Regress makes the report for one repository from the store.
func Regress(ctx context.Context, st *store.Store, repository string, since time.Time) (*Regression, error) {
	return regress(ctx, st, repository, since, time.Now())
}

// Night makes the report of what a nightly run, which is over, found anew: whatever ran after it does not change it.
func Night(ctx context.Context, st *store.Store, repository string, night store.Run) (*Regression, error) {
	return regress(ctx, st, repository, night.Created.Add(-aNight), night.Finished)
}

// aNight is how far back a night looks for the run that it is compared with.
const aNight = 24 * time.Hour

func regress(ctx context.Context, st *store.Store, repository string, since, until time.Time) (*Regression, error) {
	out := &Regression{Repository: repository, Since: since.UTC(), Until: until.UTC()}
	err := st.Read(ctx, func(tx store.Tx) error {
		repo, err := tx.RepoByName(ctx, repository)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("report: there is no repository %s in the store", repository)
		}
		if err != nil {
			return err
		}
		out.Branch = repo.DefaultBranch
		runs, err := tx.BranchRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
		if err != nil {
			return err
		}
		byTarget := map[string][]store.Run{}
		var names []string
		for _, r := range runs { // oldest first
			if r.Finished.After(until) {
				break
			}
			if byTarget[r.Target] == nil {
				names = append(names, r.Target)
			}
			byTarget[r.Target] = append(byTarget[r.Target], r)
		}
		sort.Strings(names)
		for _, name := range names {
			c, ok, err := compareRuns(ctx, tx, byTarget[name], since)
			if err != nil {
				return err
			}
			if ok {
				out.Targets = append(out.Targets, c)
			}
		}
		byNews(out.Targets)
		return out.trace(ctx, tx, repo.ID)
	})
	return out, err
}

// byNews puts the targets first on which most was introduced.
func byNews(list []TargetChange) {
	slices.SortStableFunc(list, func(a, b TargetChange) int {
		return cmp.Compare(len(b.Introduced), len(a.Introduced))
	})
}

// sameBounds reports whether two runs looked equally deep: a deeper one decides more, and takes longer.
func sameBounds(a, b store.Run) bool {
	return a.Options.Unwind == b.Options.Unwind && a.Options.Timeout == b.Options.Timeout &&
		a.Options.Prove == b.Options.Prove && max(1, a.Options.Factor) == max(1, b.Options.Factor)
}

// framing picks the run to compare the last one with: the last before the time, or else the first, at equal bounds. Only
// where there is no other run with them is it one with other bounds, and equal is false.
func framing(runs []store.Run, since time.Time) (first store.Run, equal bool) {
	last := runs[len(runs)-1]
	pick := func(list []store.Run) store.Run {
		out := list[0]
		for _, r := range list {
			if r.Finished.Before(since) {
				out = r
			}
		}
		return out
	}
	var same []store.Run
	for _, r := range runs {
		if sameBounds(r, last) {
			same = append(same, r)
		}
	}
	if len(same) > 1 || len(runs) == 1 {
		return pick(same), true
	}
	return pick(runs), false
}

// compareRuns picks the two runs of a target that frame the time.
func compareRuns(ctx context.Context, tx store.Tx, runs []store.Run, since time.Time) (TargetChange, bool, error) {
	last := runs[len(runs)-1]
	if last.Finished.Before(since) {
		return TargetChange{}, false, nil // nothing ran
	}
	first, equal := framing(runs, since)
	before, err := claimsOf(ctx, tx, first.ID)
	if err != nil {
		return TargetChange{}, false, err
	}
	before.whole = len(before.failed) > 0 && len(first.Options.Entries) == 0
	after, err := claimsOf(ctx, tx, last.ID)
	if err != nil {
		return TargetChange{}, false, err
	}
	c := TargetChange{Target: last.Target, From: refOf(first), To: refOf(last), equal: equal}
	c.fill(before, after)
	if equal {
		c.slower(before, after)
	} else {
		c.ProofLost = nil // what was proved at other bounds may only be bounded at these
	}
	if c.Commits, err = commitsBetween(ctx, tx, runs, first, last); err != nil {
		return c, false, err
	}
	c.Trend, err = trend(ctx, tx, runs, first)
	return c, true, err
}

// maxTrend bounds the points of a trend.
const maxTrend = 60

// trend lists the runs from `first` on.
func trend(ctx context.Context, tx store.Tx, runs []store.Run, first store.Run) ([]Point, error) {
	var out []Point
	for _, r := range runs[max(0, len(runs)-maxTrend):] {
		if r.Finished.Before(first.Finished) {
			continue
		}
		a, err := claimsOf(ctx, tx, r.ID)
		if err != nil {
			return nil, err
		}
		p := Point{RunRef: refOf(r), Trigger: r.Trigger, Counts: map[string]int{}, Turns: a.turns}
		for _, k := range []string{"proved", "conditional", "bounded", "violated", "unknown"} {
			p.Counts[k] = r.Counts[k]
		}
		out = append(out, p)
	}
	return out, nil
}

// commitsBetween lists the commits of the runs after `first`, up to `last`.
func commitsBetween(ctx context.Context, tx store.Tx, runs []store.Run, first, last store.Run) ([]Commit, error) {
	var out []Commit
	seen := map[string]bool{}
	for i := len(runs) - 1; i >= 0; i-- {
		r := runs[i]
		if r.ID == first.ID || r.Finished.Before(first.Finished) || r.Finished.After(last.Finished) {
			continue
		}
		list, err := tx.Commits(ctx, r.Parent)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if !seen[c.SHA] {
				seen[c.SHA] = true
				out = append(out, Commit(c))
			}
		}
	}
	return out, nil
}

// slower lists the entries that took longer, in both cases by a run of their own.
func (t *TargetChange) slower(before, after claimsOfRun) {
	for _, entry := range slices.Sorted(maps.Keys(after.took)) {
		was, now := before.took[entry], after.took[entry]
		if was > 0 && now-was >= time.Second && now > was+was/2 {
			t.Slower = append(t.Slower, Change{Entry: entry, Message: fmt.Sprintf("%.1f s before, %.1f s now",
				was.Seconds(), now.Seconds())})
		}
	}
}

func refOf(r store.Run) RunRef {
	return RunRef{r.ID, r.HeadSHA, r.Finished, r.Finished.Sub(r.Started).Seconds()}
}
