package pipeline

import (
	"context"
	"fmt"
	"math"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// scopeOf keeps apart what the code of a fork has influenced.
func scopeOf(run store.Run, fork bool) string {
	if fork {
		return fmt.Sprintf("pull/%d", run.Pull)
	}
	return ""
}

// asks reports whether a run takes answers from the store: someone who asks for a
// run anew gets one.
func asks(run store.Run) bool { return run.Trigger != "rerun" && run.Trigger != "command" }

// recall finds stored answers to jobs, by index, and what was of use.
func (s *Service) recall(ctx context.Context, run store.Run, scope string, jobs []prepare.Job) (map[int]*verdict.Result,
	[]store.Answer, error) {
	out := map[int]*verdict.Result{}
	if !asks(run) {
		return out, nil, nil
	}
	var keys []string
	for i := range jobs {
		keys = append(keys, jobs[i].Keys()...)
	}
	var found map[string]store.Answer
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		found, err = tx.Answers(ctx, run.Repo, scope, keys)
		return err
	}); err != nil {
		return nil, nil, err
	}
	var used []store.Answer
	for i := range jobs {
		j := &jobs[i]
		budget := j.Timeout
		if run.Trigger == "nightly" { // looks for what more time gives
			budget = math.MaxInt64
		}
		for _, key := range j.Keys() {
			a, ok := found[key]
			if !ok {
				continue
			}
			res, err := j.Show(answers.Answer{Key: a.Key, Exact: a.Exact, Steady: a.Steady, Budget: a.Budget,
				Body: a.Body}, budget)
			if err != nil {
				return nil, nil, fmt.Errorf("answer of %s: %w", a.Run, err)
			}
			if res != nil {
				res.Reused = a.Run
				out[i] = res
				used = append(used, a)
				break
			}
		}
	}
	return out, used, nil
}

// remember keeps an answer of the engine, in tx.
func remember(ctx context.Context, tx store.Tx, run store.Run, scope string, j *prepare.Job,
	res *verdict.Result) error {
	list, err := j.Keep(res, j.Timeout)
	if err != nil {
		return err
	}
	for _, a := range list {
		if err := tx.PutAnswer(ctx, store.Answer{Repo: run.Repo, Scope: scope, Key: a.Key, Exact: a.Exact, Run: run.ID,
			Head: run.HeadSHA, Steady: a.Steady, Budget: a.Budget, Body: a.Body}); err != nil {
			return err
		}
	}
	return nil
}
