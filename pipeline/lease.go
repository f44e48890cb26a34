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

// hold claims a run, does work under a lease that is renewed, and stops work when
// the run is cancelled or taken away. work gets the claimed run. A run that is
// not to be had is no error: someone else has it, or it is done.
func (s *Service) hold(ctx context.Context, id string, work func(context.Context, store.Run) error) error {
	var run store.Run
	claimed := false
	err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		if claimed, err = tx.ClaimRun(ctx, id, s.owner, leaseTime); err != nil || !claimed {
			return err
		}
		if run, err = tx.Run(ctx, id); err != nil {
			return err
		}
		return s.Publish(ctx, tx, id)
	})
	if err != nil || !claimed {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.track(id, id, cancel)
	defer s.untrack(id)
	go s.beat(ctx, cancel, func(ctx context.Context, tx store.Tx) (bool, error) {
		return tx.Heartbeat(ctx, id, s.owner,
			leaseTime)
	})
	err = work(ctx, run)
	var later interface{ RetryAfter() time.Duration }
	switch cause := context.Cause(ctx); {
	case err == nil:
		return nil
	case errors.Is(cause, errUnwanted):
		return nil // the row says already why
	case cause != nil:
		return s.release(id, &queue.Snooze{After: time.Second}, false)
	case s.full(err):
		s.log.Warn("run waits for space", "run", id, "err", err)
		return s.release(id, &queue.Snooze{After: s.cfg.PausePoll}, true)
	case isFinal(err):
		return s.finish(context.WithoutCancel(ctx), run, conclusionOf(err), err.Error())
	case errors.As(err, &later): // nobody's fault: it does not count as a try
		return s.release(id, &queue.Snooze{After: max(time.Second, later.RetryAfter())}, true)
	case run.Tries >= maxTries:
		s.log.Error("run given up", "run", id, "tries", run.Tries, "err", err)
		return s.finish(ctx, run, "action_required", reports.OurFault(err.Error()))
	}
	s.log.Warn("run failed on our side", "run", id, "tries", run.Tries, "err", err)
	return s.release(id, err, false)
}

// maxTries bounds how often a run is tried when the fault is ours.
const maxTries = 4

// release gives a run back and returns why, for the queue. uncounted takes the try back.
func (s *Service) release(id string, why error, uncounted bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.store.Write(ctx, func(tx store.Tx) error {
		return tx.ReleaseRun(ctx, id, s.owner,
			uncounted)
	}); err != nil {
		return errors.Join(why, err)
	}
	return why
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
		if err := s.sweep(ctx, time.Now().Add(-lostAfter)); err != nil && ctx.Err() == nil {
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
// an expired lease, and runs and deliveries untouched since `before`.
func (s *Service) sweep(ctx context.Context, before time.Time) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
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
			if err := s.requeue(ctx, tx, r); err != nil {
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
		return s.sweepTasks(ctx, tx, before)
	})
}

// overdue ends what has been open for longer than the deadline.
func (s *Service) overdue(ctx context.Context, tx store.Tx) error {
	ids, err := tx.OverdueRuns(ctx, time.Now().Add(-s.cfg.Deadline))
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

func (s *Service) requeue(ctx context.Context, tx store.Tx, r store.Run) error {
	job := queue.Job{Kind: BuildJob, ID: r.ID, Lane: queue.Builds, Priority: priority(r.Trigger)}
	if r.Aggregate() {
		job.Kind, job.Lane = PlanJob, queue.Plans
	}
	if err := tx.Requeued(ctx, r.ID); err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, job)
}
