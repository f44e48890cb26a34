package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
)

// BisectTrigger is the trigger of runs that a bisection asks for.
const BisectTrigger = "bisect"

// What may be asked for. What is not done by then goes on later.
const (
	maxBisections = 20 // findings of a night or a push
	maxBisectRuns = 24 // commits built for a repository in a day
	maxProbes     = 40 // commits looked at for one finding
)

// noticeBisection has somebody look at the bisections of a repository when a night, a push of several commits, or a run
// that they asked for, is over.
func (s *Service) noticeBisection(ctx context.Context, tx store.Tx, agg store.Run) error {
	switch agg.Trigger {
	case "nightly", BisectTrigger:
	case "push":
		if list, err := tx.Commits(ctx, agg.ID); err != nil || len(list) < 2 {
			return err // who brought what it brought is known
		}
	default:
		return nil
	}
	return s.queue.Enqueue(ctx, tx, queue.Job{Kind: BisectJob, ID: agg.ID, Lane: queue.Plans, Priority: 4})
}

// bisect begins bisections for what a night or a push found, and takes those of the repository a step on.
func (s *Service) bisect(ctx context.Context, id string, _ int) error {
	var run store.Run
	var repo store.Repo
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		if run, err = tx.Run(ctx, id); err == nil {
			repo, err = tx.Repo(ctx, run.Repo)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return &queue.Drop{Err: err}
	}
	if err != nil {
		return err
	}
	lock, me, ours := fmt.Sprintf("bisect:%d", repo.ID), store.NewID(), false
	if err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		ours, err = tx.TryLock(ctx, lock, me, 10*time.Minute)
		return err
	}); err != nil {
		return err
	}
	if !ours {
		return &queue.Snooze{After: time.Second}
	}
	if run.Trigger != BisectTrigger {
		err = s.beginBisections(ctx, run, repo)
	}
	if err == nil {
		err = s.stepBisections(ctx, repo)
	}
	return errors.Join(err, s.store.Write(context.WithoutCancel(ctx), func(tx store.Tx) error {
		return tx.Unlock(context.WithoutCancel(ctx), lock, me)
	}))
}

// beginBisections keeps a bisection for each finding of a night or a push that the run before was without, and for each
// finding or proof that it had, once.
func (s *Service) beginBisections(ctx context.Context, night store.Run, repo store.Repo) error {
	since := night.Created
	if night.Trigger == "nightly" {
		since = since.Add(-aNight)
	}
	change, err := regress(ctx, s.store, repo.FullName, since, night.Finished)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		known, err := tx.Bisections(ctx, repo.ID)
		if err != nil {
			return err
		}
		n := 0
		for i := range change.Targets {
			t := &change.Targets[i]
			to, err := tx.Run(ctx, t.To.Run)
			if err != nil {
				return err
			}
			for _, c := range t.traceable() {
				b := store.Bisection{Repo: repo.ID, Target: t.Target, Fingerprint: c.Fingerprint, Kind: c.kind,
					Night: night.ID, Open: true, Entry: c.Entry, Good: t.From.Commit, Bad: t.To.Commit,
					Options: to.Options}
				b.Options.Targets, b.Options.Entries = nil, nil
				if n >= maxBisections || slices.ContainsFunc(known,
					func(k store.Bisection) bool { return sameSearch(&k, &b) }) {
					continue
				}
				if err := tx.PutBisection(ctx, b); err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
}

// sameSearch reports whether two bisections have the same question.
func sameSearch(a, b *store.Bisection) bool {
	return a.Target == b.Target && a.Fingerprint == b.Fingerprint && a.Kind == b.Kind && a.Good == b.Good &&
		a.Bad == b.Bad
}

// traceable lists what came between two equally deep runs by way of a commit: new findings whose claim was answered well, or was
// not there, before (nor was its harness, if that is new), lost proofs, and findings whose claim, or harness, is answered
// well now.
func (t *TargetChange) traceable() []Change {
	if !t.equal || t.From.Commit == t.To.Commit || t.From.Commit == "" {
		return nil
	}
	var out []Change
	for _, c := range t.Introduced {
		if c.kind = store.FindingCame; c.well {
			out = append(out, c)
		}
	}
	for _, c := range t.ProofLost {
		c.kind = store.ProofGone
		out = append(out, c)
	}
	for _, c := range t.Fixed {
		if c.kind = store.FindingGone; c.well {
			out = append(out, c)
		}
	}
	return out
}

// need is a commit that a bisection wants verified.
type need struct {
	b   store.Bisection
	sha string
}

// stepBisections takes the open bisections of a repository as far as known answers lead, and begins a run of the commit
// that the first of them needs, for all that need it.
func (s *Service) stepBisections(ctx context.Context, repo store.Repo) error {
	var list []store.Bisection
	var busy bool
	begun := 0
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		if list, err = tx.Bisections(ctx, repo.ID); err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(b store.Bisection) bool { return !b.Open })
		open, err := tx.OpenRuns(ctx, repo.ID, 0)
		busy = slices.ContainsFunc(open, func(r store.Run) bool { return r.Trigger == BisectTrigger })
		if err != nil || len(list) == 0 {
			return err
		}
		begun, err = tx.BisectRuns(ctx, repo.ID)
		return err
	}); err != nil || busy || len(list) == 0 {
		return err
	}
	var needs []need
	for i := range list {
		sha, err := s.stepOne(ctx, repo, &list[i])
		if err != nil {
			return err
		}
		if sha != "" {
			needs = append(needs, need{list[i], sha})
		}
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		var ended []string
		for i := range list {
			if err := tx.PutBisection(ctx, list[i]); err != nil {
				return err
			}
			if night := list[i].Night; !list[i].Open && !slices.Contains(ended, night) {
				ended = append(ended, night)
			}
		}
		for _, night := range ended { // its issue says more now
			if err := errors.Join(tx.TouchRun(ctx, night), s.Publish(ctx, tx, night)); err != nil {
				return err
			}
		}
		if len(needs) == 0 || begun >= maxBisectRuns {
			return nil
		}
		_, err := s.Begin(ctx, tx, bisectRun(repo, needs))
		return err
	})
}

// bisectRun is the run of the commit that the first one needs, with what all need of it.
func bisectRun(repo store.Repo, needs []need) store.Run {
	first := needs[0]
	r := store.Run{Repo: repo.ID, Installation: repo.Installation, HeadSHA: first.sha, Trigger: BisectTrigger,
		Ref: "refs/heads/" + repo.DefaultBranch, Options: first.b.Options}
	for _, n := range needs {
		if n.sha != first.sha || !sameBounds(store.Run{Options: n.b.Options}, r) {
			continue
		}
		if o := &r.Options; !slices.Contains(o.Targets, n.b.Target) {
			o.Targets = append(o.Targets, n.b.Target)
		}
		if o := &r.Options; !slices.Contains(o.Entries, n.b.Entry) {
			o.Entries = append(o.Entries, n.b.Entry)
		}
	}
	return r
}

// stepOne takes a bisection on while earlier runs answer it. It returns the commit that has to be verified next; "" if the
// bisection is over.
func (s *Service) stepOne(ctx context.Context, repo store.Repo, b *store.Bisection) (string, error) {
	remote, err := s.cfg.Source.Remote(ctx, repo)
	if err != nil {
		return "", err
	}
	mirror, _, err := s.mirrors.Fetch(ctx, folderOf(repo.Installation, repo.ID), remote,
		checkout.Want{Ref: "refs/heads/" + repo.DefaultBranch, SHA: b.Bad},
		checkout.Want{Ref: "refs/heads/" + repo.DefaultBranch, SHA: b.Good})
	if errors.Is(err, checkout.ErrGone) {
		b.Open, b.Why = false, "The history of the branch was rewritten."
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if apart, err := mirror.Log(ctx, b.Bad, b.Good, 1); err != nil || len(apart) > 0 {
		b.Open, b.Why = false, "The history of the branch was rewritten."
		return "", err
	}
	for {
		left, next, err := nextProbe(ctx, mirror, b)
		if err != nil {
			return "", err
		}
		if next == "" || len(b.Tried) >= maxProbes {
			return "", endBisection(ctx, mirror, b, left)
		}
		p, err := withoutHarness(ctx, mirror, b, next)
		if p == nil && err == nil {
			p, err = s.known(ctx, b, next)
		}
		if err != nil || p == nil {
			return next, err
		}
		b.Tried = append(b.Tried, *p)
	}
}

// sweepBisections has bisections looked at, in tx, whose notice may be lost.
func (s *Service) sweepBisections(ctx context.Context, tx store.Tx, before time.Time) error {
	stale, err := tx.StaleBisections(ctx, before)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	for _, b := range stale {
		if seen[b.Repo] {
			continue
		}
		seen[b.Repo] = true
		if err := tx.TouchBisections(ctx, b.Repo); err != nil {
			return err
		}
		n, err := tx.BisectRuns(ctx, b.Repo)
		if err != nil {
			return err
		}
		if n >= maxBisectRuns {
			continue // another day
		}
		if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: BisectJob, ID: b.Night, Lane: queue.Plans,
			Priority: 4}); err != nil {
			return err
		}
	}
	return nil
}
