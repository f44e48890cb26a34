package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// sweepTasks takes care, in tx, of tasks whose worker or notice may be lost, and of
// runs that wait for nothing.
func (s *Service) sweepTasks(ctx context.Context, tx store.Tx, before time.Time) error {
	lostTasks, err := tx.LostTasks(ctx)
	if err != nil {
		return err
	}
	for _, t := range lostTasks {
		if err := s.requeueLost(ctx, tx, t); err != nil {
			return err
		}
	}
	ready, err := tx.ReadyRuns(ctx, before)
	if err != nil {
		return err
	}
	for _, id := range ready {
		if err := errors.Join(tx.Requeued(ctx, id), s.queue.Enqueue(ctx, tx, queue.Job{Kind: ConcludeJob, ID: id,
			Lane: queue.Plans})); err != nil {
			return err
		}
	}
	if s.cfg.Workers == 0 {
		return nil
	}
	n, err := tx.CountTasks(ctx, s.cfg.Checker.Engine())
	if err != nil {
		return err
	}
	for range min(n, s.cfg.Workers) {
		if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: WorkJob, Lane: queue.Verify}); err != nil {
			return err
		}
	}
	foreign, err := tx.ForeignRuns(ctx, s.cfg.Checker.Engine(), tx.Now().Add(-foreignAfter))
	if err != nil {
		return err
	}
	for _, id := range foreign {
		s.log.Info("built again for this version", "run", id)
		if err := errors.Join(tx.RebuildRun(ctx, id), s.queue.Enqueue(ctx, tx, queue.Job{Kind: BuildJob, ID: id,
			Lane: queue.Builds})); err != nil {
			return err
		}
	}
	return nil
}

// foreignAfter is how long tasks wait for a worker of the version that built them.
const foreignAfter = 5 * time.Minute

// requeueLost puts a task without a worker back into the queue, or gives it up if it may
// be what its workers died of.
func (s *Service) requeueLost(ctx context.Context, tx store.Tx, t store.Task) error {
	if t.Tries < maxTries {
		if ours, err := tx.RequeueTask(ctx, t.ID, t.Owner, 0, false, "its worker was lost"); err != nil || !ours {
			return err
		}
		return s.queue.Enqueue(ctx, tx, queue.Job{Kind: WorkJob, ID: t.Run, Lane: queue.Verify, Priority: t.Priority})
	}
	why := fmt.Sprintf("its worker was lost %d times", t.Tries)
	s.log.Error("task given up", "task", t.ID, "run", t.Run, "entry", t.Entry, "err", why)
	if err := finish(&t, store.TaskParked, lost(t.Target, t.Entry, verdict.Internal, "given up: "+why),
		why); err != nil {
		return err
	}
	_, _, err := s.endTask(ctx, tx, &t)
	return err
}
