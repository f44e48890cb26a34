package store

import (
	"context"
	"strings"
	"time"
)

// Answer holds what the engine said of one verification, to be used again where the
// same question comes up.
type Answer struct {
	Repo   int64
	Scope  string // empty: of the repository; else of one pull request from a fork
	Key    string // of the question, with lines relative to their functions
	Exact  string // the same with the lines as they are
	Run    string // that gave it
	Head   string // commit of that run
	Steady bool   // more time would not change it
	Budget time.Duration
	Body   []byte // JSON
	At     time.Time
}

// PutAnswer keeps a. A steady answer is not replaced by one that is not, nor one
// that took more time by one that took less.
func (t Tx) PutAnswer(ctx context.Context, a Answer) error {
	_, err := t.exec(ctx, `INSERT INTO answers (repo_id, scope, key, exact, run_id, head_sha, steady, budget, body, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (repo_id, scope, key) DO UPDATE SET exact = excluded.exact, run_id = excluded.run_id, head_sha = excluded.head_sha, steady = excluded.steady,
		budget = excluded.budget, body = excluded.body, created_at = excluded.created_at, used_at = excluded.used_at
		WHERE excluded.steady > answers.steady OR excluded.steady = answers.steady AND (excluded.budget >= answers.budget OR excluded.steady = 1)`,
		a.Repo, a.Scope, a.Key, a.Exact, a.Run, a.Head, flag(a.Steady), a.Budget.Milliseconds(), pack(a.Body), t.ms(),
		t.ms())
	return err
}

// Answers finds the answers to keys that a run of scope may use: those of the
// repository, and those of the scope before them.
func (t Tx) Answers(ctx context.Context, repo int64, scope string, keys []string) (map[string]Answer, error) {
	const most = 400 // parameters of one statement
	out := map[string]Answer{}
	for len(keys) > 0 {
		n := min(most, len(keys))
		args := []any{repo, scope}
		for _, k := range keys[:n] {
			args = append(args, k)
		}
		err := t.each(ctx, func(r rows) error {
			a := Answer{Repo: repo}
			var steady, budget, at int64
			if err := r.Scan(&a.Scope, &a.Key, &a.Exact, &a.Run, &a.Head, &steady, &budget, &a.Body, &at); err != nil {
				return err
			}
			var err error
			a.Steady, a.Budget, a.At = steady != 0, time.Duration(budget)*time.Millisecond, fromMS(at)
			if a.Body, err = unpack(a.Body); err != nil {
				return err
			}
			out[a.Key] = a
			return nil
		}, `SELECT scope, key, exact, run_id, head_sha, steady, budget, body, created_at FROM answers
			WHERE repo_id = ? AND scope IN ('', ?) AND key IN (?`+strings.Repeat(", ?", n-1)+`) ORDER BY scope`, args...)
		if err != nil {
			return nil, err
		}
		keys = keys[n:]
	}
	return out, nil
}

// UsedAnswers notes that answers were of use, so that they stay.
func (t Tx) UsedAnswers(ctx context.Context, repo int64, list []Answer) error {
	for _, a := range list {
		if _, err := t.exec(ctx, `UPDATE answers SET used_at = ? WHERE repo_id = ? AND scope = ? AND key = ?`, t.ms(),
			repo, a.Scope, a.Key); err != nil {
			return err
		}
	}
	return nil
}
