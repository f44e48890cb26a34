package pipeline

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// spread queues the tasks of a built run; it is concluded when they are over.
func (s *Service) spread(ctx context.Context, run store.Run, p *prepared, tasks []store.Task,
	used []store.Answer) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	open, found := 0, early{}
	for i := range tasks {
		if tasks[i].Result == nil && tasks[i].State == store.TaskQueued {
			open++
		}
	}
	for i := range tasks {
		if open == 0 || tasks[i].Result == nil || len(found.pieces) >= reports.MostNotes {
			continue
		}
		e, err := s.earlyOf(ctx, &run, &tasks[i])
		if err != nil {
			return err
		}
		found.findings, found.pieces = append(found.findings, e.findings...), append(found.pieces, e.pieces...)
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		show := len(found.findings) > 0
		if show { // the aggregate first: see end
			if err := tx.TouchRun(ctx, run.Parent); err != nil {
				return err
			}
		}
		if ours, err := tx.Heartbeat(ctx, run.ID, s.owner, leaseTime); err != nil || !ours {
			return err
		}
		past, err := tx.Timings(ctx, run.Repo, run.Target)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			t.Expected = past[t.Entry]
			if err := tx.AddTask(ctx, t); err != nil {
				return err
			}
			if t.Result == nil && t.State == store.TaskQueued {
				if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: WorkJob, ID: run.ID, Lane: queue.Verify,
					Priority: t.Priority}); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(tx.UsedAnswers(ctx, run.Repo, used), tx.SetPrepared(ctx, run.ID,
			string(text))); err != nil {
			return err
		}
		if show {
			return s.showEarly(ctx, tx, &run, found)
		}
		if open > 0 {
			return s.Publish(ctx, tx, run.ID)
		}
		return s.queue.Enqueue(ctx, tx, queue.Job{Kind: ConcludeJob, ID: run.ID, Lane: queue.Plans})
	})
}
