package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// nextProbe lists the commits one of which must be the first bad one, and says which to look at next; "" if none is left
// that may have an answer.
func nextProbe(ctx context.Context, mirror *checkout.Mirror, b *store.Bisection) (left []string, next string,
	err error) {
	bad, good, skip := b.Bad, []string{b.Good}, map[string]bool{}
	for _, p := range b.Tried {
		switch p.Outcome {
		case store.ProbeBad:
			bad = p.SHA // each is an ancestor of the one before
		case store.ProbeGood:
			good = append(good, p.SHA)
		default:
			skip[p.SHA] = true
		}
	}
	if left, err = mirror.Between(ctx, bad, good); err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(left, func(sha string) bool { return sha != bad && !skip[sha] })
	if i >= 0 {
		next = left[i]
	}
	return left, next, nil
}

// endBisection closes b with the commits that are left.
func endBisection(ctx context.Context, mirror *checkout.Mirror, b *store.Bisection, left []string) error {
	b.Open = false
	if len(left) > 1 {
		b.Why = fmt.Sprintf("One of %d commits: the others of them have no answer, as they do not build or the claim is "+
			"unknown there.", len(left))
	}
	if len(b.Tried) >= maxProbes {
		b.Why = fmt.Sprintf("One of %d commits: it ended after %d steps.", len(left), maxProbes)
	}
	list, err := mirror.Describe(ctx, left[:min(len(left), maxCommits)])
	b.Commits = nil
	for _, c := range list {
		b.Commits = append(b.Commits, store.Commit(c))
	}
	return err
}

// withoutHarness is the answer about a commit whose manifest does not name the harness of a finding yet, as that of the
// bad commit does; nil for others.
func withoutHarness(ctx context.Context, mirror *checkout.Mirror, b *store.Bisection, sha string) (*store.Probe,
	error) {
	if b.Kind != store.FindingCame {
		return nil, nil
	}
	for _, c := range []struct {
		sha   string
		named bool
	}{{sha, false}, {b.Bad, true}} {
		text, err := mirror.File(ctx, c.sha, ManifestName, manifest.MaxSize)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, nil // a run says what is wrong there
		}
		m, err := readManifest(text)
		if err != nil || c.named != slices.ContainsFunc(m.Harnesses,
			func(h manifest.Harness) bool { return h.Entry == b.Entry }) {
			return nil, nil
		}
	}
	return &store.Probe{SHA: sha, Outcome: store.ProbeGood}, nil
}

// known is the answer that earlier runs have about a commit; nil if none has one.
func (s *Service) known(ctx context.Context, b *store.Bisection, sha string) (*store.Probe, error) {
	var found *store.Probe
	err := s.store.Read(ctx, func(tx store.Tx) error {
		runs, err := tx.RunsByHead(ctx, b.Repo, sha)
		if err != nil {
			return err
		}
		for i := range runs { // newest first
			r := &runs[i]
			if r.State != store.Done || r.Pull != 0 {
				continue
			}
			if r.Aggregate() {
				if found == nil && r.Trigger == BisectTrigger && inVain(r, b) {
					found = &store.Probe{SHA: sha, Outcome: store.ProbeSkip, Run: r.ID}
				}
				continue
			}
			outcome, err := outcomeOf(ctx, tx, r, b)
			if err != nil {
				return err
			}
			if outcome != "" {
				found = &store.Probe{SHA: sha, Outcome: outcome, Run: r.ID}
				return nil
			}
		}
		return nil
	})
	return found, err
}

// inVain reports whether a run was to answer b: unless an entry that another one asked for is what it failed by, no other
// will do better.
func inVain(r *store.Run, b *store.Bisection) bool {
	return sameBounds(*r, store.Run{Options: b.Options}) && slices.Contains(r.Options.Targets, b.Target) &&
		slices.Contains(r.Options.Entries, b.Entry) &&
		(len(r.Options.Entries) == 1 || r.Conclusion == "failure" || len(r.Counts) > 0)
}

// outcomeOf returns what a run says about b: ProbeGood, ProbeBad, or "".
func outcomeOf(ctx context.Context, tx store.Tx, r *store.Run, b *store.Bisection) (string, error) {
	if r.Target != b.Target {
		return "", nil
	}
	text, err := tx.Report(ctx, r.ID, nil)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var report verdict.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return "", fmt.Errorf("report of %s: %w", r.ID, err)
	}
	equal := sameBounds(*r, store.Run{Options: b.Options})
	for i := range report.Results {
		if res := &report.Results[i]; res.Entry == b.Entry {
			return judgeProbe(res, b, equal), nil
		}
	}
	if b.Kind == store.FindingCame && equal && leftOut(r, &report, b.Entry) {
		return store.ProbeGood, nil
	}
	return "", nil
}

// leftOut reports whether a run of a bisection was asked for an entry that its commit has not got: the manifest names no
// such harness there, or generates none, as the function is not there or callers of it are verified.
func leftOut(r *store.Run, report *verdict.Report, entry string) bool {
	built := !slices.ContainsFunc(report.Results, func(res verdict.Result) bool { return res.Entry == "*" })
	return built && r.Trigger == BisectTrigger && slices.Contains(r.Options.Entries, entry)
}

// judgeProbe returns what an answer says about the claim of b; equal says that it looked as deep as the night.
func judgeProbe(res *verdict.Result, b *store.Bisection, equal bool) string {
	if b.Kind == store.FindingGone { // the question of who brought it, from the other end
		came := *b
		came.Kind = store.FindingCame
		return map[string]string{store.ProbeGood: store.ProbeBad, store.ProbeBad: store.ProbeGood}[judgeProbe(res, &came, equal)]
	}
	for i := range res.Claims {
		c := &res.Claims[i]
		exact := c.Status == verdict.Violated && b.Kind == store.FindingCame // another way to fail is another finding
		if exact && reports.Fingerprint(res, c) != b.Fingerprint || !slices.Contains(keysOf(res, c), b.Fingerprint) {
			continue
		}
		switch {
		case c.Status == verdict.Violated:
			return store.ProbeBad
		case c.Status == verdict.Proved:
			return store.ProbeGood
		case !equal:
			return ""
		case b.Kind == store.ProofGone:
			return store.ProbeBad
		case c.Status == verdict.Bounded || c.Status == verdict.Conditional:
			return store.ProbeGood
		}
		return ""
	}
	if b.Kind == store.FindingCame && res.Reason == nil && equal {
		return store.ProbeGood // the claim is not there yet
	}
	return ""
}
