package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// work does tasks until none may be taken. A notice says that there is work, not
// which: whose turn it is, is decided when a worker is free.
func (s *Service) work(ctx context.Context, _ string, _ int) error {
	for {
		if s.stopping.Load() || ctx.Err() != nil {
			return &queue.Snooze{After: time.Second}
		}
		if err := s.pause(); err != nil {
			return err
		}
		var list []store.Task
		err := s.store.Write(ctx, func(tx store.Tx) (err error) {
			list, err = tx.ClaimTasks(ctx, s.owner, s.cfg.Checker.Engine(), leaseTime, s.cfg.Limits)
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.each(ctx, list); err != nil {
			return err
		}
	}
}

// each does tasks that were claimed at once, one after the other, and gives back what it does not come to while the lease
// of those that wait is good.
func (s *Service) each(ctx context.Context, list []store.Task) error {
	start := time.Now()
	for i, t := range list {
		if i > 0 && (time.Since(start) > leaseTime/2 || s.stopping.Load() || ctx.Err() != nil) {
			last, done := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer done()
			for _, t := range list[i:] {
				if err := s.giveBack(last, t, 0, true, ""); err != nil {
					return err
				}
			}
			return nil
		}
		if err := s.do(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// do works on a claimed task under its lease and keeps what came of it.
func (s *Service) do(ctx context.Context, t store.Task) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.track(t.ID, t.Run, cancel)
	defer s.untrack(t.ID)
	go s.beat(ctx, cancel, func(ctx context.Context, tx store.Tx) (bool, error) {
		return tx.BeatTask(ctx, t.ID, s.owner, leaseTime)
	})
	start := time.Now()
	job, res, err := s.answer(ctx, t)
	if s.cfg.Observe != nil {
		s.cfg.Observe("verify", t.Started.Sub(t.Created), time.Since(start), err)
	}
	cause := context.Cause(ctx)
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer done()
	switch {
	case err == nil:
		return s.ended(last, t, job, res, time.Since(start))
	case errors.Is(cause, errUnwanted):
		return nil // the row is gone, or another's
	case cause != nil:
		return s.giveBack(last, t, 0, true, "")
	case s.full(err):
		s.log.Warn("task waits for space", "task", t.ID, "entry", t.Entry, "err", err)
		return s.giveBack(last, t, s.cfg.PausePoll, true, err.Error())
	case t.Tries >= maxTries:
		return s.park(last, t, err.Error())
	}
	s.log.Warn("task failed on our side", "task", t.ID, "entry", t.Entry, "tries", t.Tries, "err", err)
	return s.giveBack(last, t, s.cfg.RetryPause<<(t.Tries-1), false, err.Error())
}

// answer verifies the entry in a folder and a process of its own.
func (s *Service) answer(ctx context.Context, t store.Task) (*prepare.Job, *verdict.Result, error) {
	var j prepare.Job
	if err := json.Unmarshal([]byte(t.Job), &j); err != nil {
		return nil, nil, fmt.Errorf("task %s: %w", t.ID, err)
	}
	dir := filepath.Join(s.cfg.Data, "work", fmt.Sprintf("%s-%d", t.ID, t.Tries))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, ours(err)
	}
	defer s.sweepAway(dir)
	if t.Module != "" {
		if err := s.fetch(ctx, t.Module, filepath.Join(dir, j.Module)); err != nil {
			return nil, nil, ours(err)
		}
	}
	if a := j.Against; a != nil {
		if err := s.fetch(ctx, a.Blob, filepath.Join(dir, a.File())); err != nil {
			s.log.Warn("the head's program is gone", "task", t.ID, "entry", t.Entry, "err", err)
			j.Against = nil
		}
	}
	res, err := s.deepen(ctx, Task{Job: j, Scratch: dir, Work: filepath.Dir(dir), Limit: clockOf(j.Timeout)})
	return &j, res, err
}

// fetch writes a blob into a file.
func (s *Service) fetch(ctx context.Context, blob, file string) error {
	data, err := s.blobs.Get(ctx, blob)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// deepen verifies; a night's job again with doubled bounds while there is time and
// a claim holds only up to them. The last whole answer counts.
func (s *Service) deepen(ctx context.Context, t Task) (*verdict.Result, error) {
	whole := t.Job.Timeout
	best, err := s.cfg.Checker.Verify(ctx, t)
	for err == nil && t.Job.Raise && t.Job.Plan.Unwind > 0 && best.Status == verdict.Bounded && ctx.Err() == nil {
		spent := time.Duration(best.ProcessorMS) * time.Millisecond
		if t.Job.Timeout = whole - spent; t.Job.Timeout < time.Second || t.Job.Plan.Unwind > maxUnwind {
			break
		}
		t.Job.Plan, t.Limit = doubled(t.Job.Plan), clockOf(t.Job.Timeout)
		res, err := s.cfg.Checker.Verify(ctx, t)
		if err != nil || res.Status == verdict.Unknown {
			break // out of time or memory, or a fault of ours: there is an answer already
		}
		res.DurationMS += best.DurationMS
		res.ProcessorMS += best.ProcessorMS
		best = res
	}
	return best, err
}

// maxUnwind is where doubling ends.
const maxUnwind = 1 << 20

// doubled is a plan with twice the bounds.
func doubled(p verifier.Plan) verifier.Plan {
	p.Unwind, p.Depth = 2*p.Unwind, 2*p.Depth
	set := map[string]int{}
	for k, n := range p.UnwindSet {
		set[k] = 2 * n
	}
	p.UnwindSet = set
	return p
}

// graceTime is how much longer than its engine a process may take.
const graceTime = 30 * time.Second

// clockOf returns how long a process may take by the clock whose engine has such a limit of processor time.
func clockOf(limit time.Duration) time.Duration { return policy.ClockFactor*limit + graceTime }

// ended keeps an answer, for its run and for later ones.
func (s *Service) ended(ctx context.Context, t store.Task, j *prepare.Job, res *verdict.Result,
	took time.Duration) error {
	if err := finish(&t, store.TaskEnded, res, ""); err != nil {
		return err
	}
	var run store.Run
	others := 0 // that are not over
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		if run, err = tx.Run(ctx, t.Run); err != nil {
			return err
		}
		over, all, err := tx.TaskProgress(ctx, t.Run)
		others = all - over - 1
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	found := early{}
	if err == nil && others > 0 {
		found, err = s.earlyOf(ctx, &run, &t)
	}
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		if len(found.findings) > 0 { // the aggregate first: see end
			if err := tx.TouchRun(ctx, run.Parent); err != nil {
				return err
			}
		}
		ours, open, err := s.endTask(ctx, tx, &t)
		if err != nil || !ours {
			return err
		}
		if open && len(found.findings) > 0 {
			if err := s.showEarly(ctx, tx, &run, found); err != nil {
				return err
			}
		}
		text, err := tx.Prepared(ctx, t.Run)
		if err != nil {
			return err
		}
		var p prepared
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return err
		}
		alone := *res
		alone.Change = nil // it is about this change
		if err := remember(ctx, tx, run, p.Scope, j, &alone); err != nil {
			return err
		}
		return tx.SetTiming(ctx, t.Repo, t.Target, t.Entry, took)
	})
}

// finish puts an answer into t, for endTask.
func finish(t *store.Task, state store.TaskState, res *verdict.Result, log string) error {
	t.State, t.Log = state, log
	return answer(t, res)
}

// answer puts an answer into t, and how it came out.
func answer(t *store.Task, res *verdict.Result) (err error) {
	if t.Result, err = json.Marshal(res); err != nil {
		return err
	}
	outcome, err := json.Marshal(TaskOutcome{res.Status, res.Reused != ""})
	t.Outcome = string(outcome)
	return err
}

// TaskOutcome says how a task ended, for a list of tasks.
type TaskOutcome struct {
	Status verdict.Status `json:"status"`
	Reused bool           `json:"reused,omitempty"` // it was answered before
}

// OutcomeOf returns how a task ended.
func OutcomeOf(t *store.Task) (o TaskOutcome, err error) {
	return o, json.Unmarshal([]byte(t.Outcome), &o)
}

// endTask ends a task in tx (store.Tx.EndTask), and has its run concluded if it was the last: then no other is open.
func (s *Service) endTask(ctx context.Context, tx store.Tx, t *store.Task) (ours, open bool, err error) {
	// the run first: its row lock orders the ends of its tasks
	if err := tx.Requeued(ctx, t.Run); err != nil {
		return false, false, err
	}
	if ours, err = tx.EndTask(ctx, t); err != nil || !ours {
		return false, false, err
	}
	if open, err = tx.OpenTasks(ctx, t.Run); err != nil || open {
		return true, open, err
	}
	return true, false, s.queue.Enqueue(ctx, tx, queue.Job{Kind: ConcludeJob, ID: t.Run, Lane: queue.Plans})
}

// park gives a task up with its log: an unknown of its entry, and nothing else.
func (s *Service) park(ctx context.Context, t store.Task, log string) error {
	s.log.Error("task given up", "task", t.ID, "run", t.Run, "entry", t.Entry, "tries", t.Tries, "err", log)
	res := lost(t.Target, t.Entry, verdict.Internal,
		fmt.Sprintf("given up after %d tries because of a fault on our side: %s", t.Tries, log))
	if err := finish(&t, store.TaskParked, res, log); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		_, _, err := s.endTask(ctx, tx, &t)
		return err
	})
}

// giveBack returns a task to the queue; uncounted takes the try back, when nobody failed.
func (s *Service) giveBack(ctx context.Context, t store.Task, after time.Duration, uncounted bool, log string) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		ours, err := tx.RequeueTask(ctx, t.ID, t.Owner, after, uncounted, log)
		if err != nil || !ours {
			return err
		}
		return s.queue.Enqueue(ctx, tx, queue.Job{Kind: WorkJob, ID: t.Run, Lane: queue.Verify, Priority: t.Priority,
			After: after})
	})
}
