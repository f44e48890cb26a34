package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// claimsOfRun are the claims of a report by key, and the entries that have no full answer.
type claimsOfRun struct {
	claims map[string]verdict.Claim
	entry  map[string]string
	finger map[string]string // fingerprints, by key
	failed map[string]bool
	took   map[string]time.Duration // by entry, of those that were verified in this run
	turns  int                      // see Point
	whole  bool                     // no entry of the commit is left out
}

func claimsOf(ctx context.Context, tx store.Tx, run string) (claimsOfRun, error) {
	a := claimsOfRun{claims: map[string]verdict.Claim{}, entry: map[string]string{}, finger: map[string]string{},
		failed: map[string]bool{}, took: map[string]time.Duration{}}
	text, err := tx.Report(ctx, run, nil)
	if errors.Is(err, store.ErrNotFound) {
		return a, nil // expired
	}
	if err != nil {
		return a, err
	}
	var rep verdict.Report
	if err := json.Unmarshal(text, &rep); err != nil {
		return a, fmt.Errorf("report of %s: %w", run, err)
	}
	for i := range rep.Results {
		r := &rep.Results[i]
		a.failed[r.Entry] = r.Reason != nil
		if r.Reused == "" {
			a.took[r.Entry] = time.Duration(r.DurationMS) * time.Millisecond
		}
		for _, l := range r.Bounds.Loops {
			if !l.Complete && (a.turns == 0 || l.Turns < a.turns) {
				a.turns = l.Turns
			}
		}
		for _, c := range r.Claims {
			k := reports.Key(r, &c)
			a.claims[k], a.entry[k], a.finger[k] = c, r.Entry, reports.Fingerprint(r, &c)
		}
	}
	return a, nil
}

func (t *TargetChange) fill(before, after claimsOfRun) {
	keys := map[string]bool{}
	for k := range before.claims {
		keys[k] = true
	}
	for k := range after.claims {
		keys[k] = true
	}
	sorted := make([]string, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	for _, k := range sorted {
		old, had := before.claims[k]
		now, has := after.claims[k]
		shown, entry := now, after.entry[k]
		if !has {
			shown, entry = old, before.entry[k]
		}
		failed, ran := before.failed[entry]
		c := Change{Claim: shown.ID, Entry: entry, Where: shown.Pos.String(), Message: shown.Message,
			Fingerprint: cmp.Or(after.finger[k], before.finger[k]),
			well:        had && old.Status != verdict.Unknown || !had && ran && !failed || !ran && before.whole}
		was := had && old.Status == verdict.Violated
		switch {
		case has && now.Status == verdict.Violated && was:
			t.Open = append(t.Open, c)
		case has && now.Status == verdict.Violated:
			t.Introduced = append(t.Introduced, c)
		case was && (has && now.Status == verdict.Unknown || !has && after.failed[entry]):
			t.Undecided = append(t.Undecided, c)
		case was:
			_, runs := after.failed[entry]
			c.well = has || runs
			t.Fixed = append(t.Fixed, c)
		case had && has && now.Status == verdict.Proved && old.Status != verdict.Proved:
			t.NewlyProved = append(t.NewlyProved, c)
		case had && has && old.Status == verdict.Proved && now.Status != verdict.Proved && !now.IsShadowed():
			t.ProofLost = append(t.ProofLost, c)
		}
	}
}
