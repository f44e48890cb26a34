package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

const (
	leaseTime = 30 * time.Second
	heartbeat = time.Second // also how soon another process's cancellation is noticed
)

// turns works on runs of a kind until none may be taken. A notice says that there is one, not
// which: whose turn it is, is decided when a worker is free.
func (s *Service) turns(ctx context.Context, kind store.RunKind, work func(context.Context, store.Run) error) error {
	for {
		if s.stopping.Load() || ctx.Err() != nil {
			return &queue.Snooze{After: time.Second}
		}
		if kind == store.Builds {
			if err := s.pause(); err != nil {
				return err
			}
		}
		var run store.Run
		err := s.store.Write(ctx, func(tx store.Tx) (err error) {
			if run, err = tx.ClaimNextRun(ctx, kind, s.owner, leaseTime, s.slots(), s.cfg.Limits); err != nil {
				return err
			}
			return s.Publish(ctx, tx, run.ID)
		})
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = s.hold(ctx, run, work)
		}
		if err != nil {
			return err
		}
	}
}

// slots is how many runs are planned, and how many are built, at a time: two at least, so that one
// is left for other tenants.
func (s *Service) slots() int { return max(2, s.cfg.Workers/2) }

// hold does work on a claimed run under a lease that is renewed, and stops work when the run is
// cancelled or taken away.
func (s *Service) hold(ctx context.Context, run store.Run, work func(context.Context, store.Run) error) error {
	id := run.ID
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.track(id, id, cancel)
	defer s.untrack(id)
	go s.beat(ctx, cancel, func(ctx context.Context, tx store.Tx) (bool, error) {
		return tx.Heartbeat(ctx, id, s.owner,
			leaseTime)
	})
	err := work(ctx, run)
	var later interface{ RetryAfter() time.Duration }
	switch cause := context.Cause(ctx); {
	case err == nil:
		return nil
	case errors.Is(cause, errUnwanted):
		return nil // the row says already why
	case cause != nil:
		return errors.Join(s.release(run, 0, false), &queue.Snooze{After: time.Second})
	case s.full(err):
		s.log.Warn("run waits for space", "run", id, "err", err)
		return s.release(run, s.cfg.PausePoll, true)
	case isFinal(err):
		return s.finish(context.WithoutCancel(ctx), run, conclusionOf(err), err.Error())
	case errors.As(err, &later): // nobody's fault: it does not count as a try
		return s.release(run, max(time.Second, later.RetryAfter()), true)
	case run.Tries >= maxTries:
		s.log.Error("run given up", "run", id, "tries", run.Tries, "err", err)
		return s.finish(ctx, run, "action_required", reports.OurFault(err.Error()))
	}
	s.log.Warn("run failed on our side", "run", id, "tries", run.Tries, "err", err)
	return s.release(run, s.cfg.RetryPause<<(run.Tries-1), false)
}

// maxTries bounds how often a run is tried when the fault is ours.
const maxTries = 4

// release gives a run back, to be taken up again after a while. uncounted takes the try back.
func (s *Service) release(run store.Run, after time.Duration, uncounted bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.store.Write(ctx, func(tx store.Tx) error {
		ours, err := tx.ReleaseRun(ctx, run.ID, s.owner, after, uncounted)
		if err != nil || !ours {
			return err
		}
		return s.requeue(ctx, tx, run, after)
	})
}

// beat renews a lease until ctx ends; it ends the work when what it holds is no more ours.
func (s *Service) beat(ctx context.Context, cancel context.CancelCauseFunc, renew func(context.Context,
	store.Tx) (bool, error)) {
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(heartbeat):
		}
		wanted := false
		err := s.store.Write(ctx, func(tx store.Tx) (err error) {
			wanted, err = renew(ctx, tx)
			return err
		})
		switch {
		case err == nil && wanted:
			last = time.Now()
		case err == nil:
			cancel(errUnwanted)
			return
		case time.Since(last) > leaseTime: // the database is away for so long that others may take the run
			cancel(errStopped)
			return
		}
	}
}

// sweepLoop looks for lost work now and then.
func (s *Service) sweepLoop(ctx context.Context) {
	defer close(s.swept)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweepEvery):
		}
		s.Paused() // where the database has no room either, nothing else comes to say so
		if err := s.sweep(ctx, lostAfter); err != nil && ctx.Err() == nil {
			s.log.Error("sweep", "err", err)
		}
		if err := s.maintain(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("maintenance", "err", err)
		}
	}
}

const (
	sweepEvery = 10 * time.Second
	lostAfter  = 2 * time.Minute // a notice that has not led to anything by then may be lost
)

// sweep makes new notices for rows whose notice or owner may be lost: runs with
// an expired lease, and runs and deliveries untouched for so long.
func (s *Service) sweep(ctx context.Context, untouched time.Duration) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		before := tx.Now().Add(-untouched)
		ok, err := tx.TryLock(ctx, "sweep", s.owner, sweepEvery)
		if err != nil || !ok {
			return err
		}
		orphans, err := tx.Orphans(ctx)
		if err != nil {
			return err
		}
		for _, r := range orphans {
			if err := tx.SetRunState(ctx, r.ID, store.Queued, ""); err != nil {
				return err
			}
		}
		stale, err := tx.StaleQueued(ctx, before)
		if err != nil {
			return err
		}
		for _, r := range append(orphans, stale...) {
			if err := s.requeue(ctx, tx, r, 0); err != nil {
				return err
			}
		}
		ids, err := tx.Unpublished(ctx, before)
		if err != nil {
			return err
		}
		if err := s.Publish(ctx, tx, ids...); err != nil {
			return err
		}
		guids, err := tx.OpenDeliveries(ctx, before)
		if err != nil {
			return err
		}
		for _, g := range guids {
			if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: EventJob, ID: g, Lane: queue.Events}); err != nil {
				return err
			}
		}
		if err := s.overdue(ctx, tx); err != nil {
			return err
		}
		return errors.Join(s.sweepTasks(ctx, tx, before), s.sweepBisections(ctx, tx, before))
	})
}

// overdue ends what has been open for longer than the deadline.
func (s *Service) overdue(ctx context.Context, tx store.Tx) error {
	ids, err := tx.OverdueRuns(ctx, tx.Now().Add(-s.cfg.Deadline))
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.AbortRun(ctx, id, "timed_out", fmt.Sprintf("There was no answer within %s.", s.cfg.Deadline),
			""); err != nil {
			return err
		}
	}
	return s.Publish(ctx, tx, ids...)
}

// requeue makes a notice for a run.
func (s *Service) requeue(ctx context.Context, tx store.Tx, r store.Run, after time.Duration) error {
	job := queue.Job{Kind: BuildJob, ID: r.ID, Lane: queue.Builds, Priority: priority(r.Trigger), After: after}
	if r.Aggregate() {
		job.Kind, job.Lane = PlanJob, queue.Plans
	}
	if err := tx.Requeued(ctx, r.ID); err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, job)
}
