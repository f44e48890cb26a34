package store

import (
	"context"
	"time"
)

// Schedule is something to do again and again for a repository.
type Schedule struct {
	Repo    int64
	Name    string // nightly
	Spec    string // what the manifest says, as JSON
	LastRun time.Time
	Next    time.Time
}

// PutSchedule sets a schedule. If its spec is the known one, its next time stays.
func (t Tx) PutSchedule(ctx context.Context, s Schedule) error {
	_, err := t.exec(ctx, `INSERT INTO schedules (repo_id, name, spec, last_run_at, next_run_at) VALUES (?, ?, ?, 0, ?)
		ON CONFLICT (repo_id, name) DO UPDATE SET spec = excluded.spec, next_run_at = excluded.next_run_at WHERE schedules.spec <> excluded.spec`,
		s.Repo, s.Name, s.Spec, toMS(s.Next))
	return err
}

// DropSchedule removes a schedule, if it is there.
func (t Tx) DropSchedule(ctx context.Context, repo int64, name string) error {
	_, err := t.exec(ctx, `DELETE FROM schedules WHERE repo_id = ? AND name = ?`, repo, name)
	return err
}

// DueSchedules lists the schedules of active repositories whose time has come by `now`.
func (t Tx) DueSchedules(ctx context.Context, now time.Time) ([]Schedule, error) {
	var out []Schedule
	err := t.each(ctx, func(r rows) error {
		var s Schedule
		var last, next int64
		err := r.Scan(&s.Repo, &s.Name, &s.Spec, &last, &next)
		s.LastRun, s.Next = fromMS(last), fromMS(next)
		out = append(out, s)
		return err
	}, `SELECT s.repo_id, s.name, s.spec, s.last_run_at, s.next_run_at FROM schedules s JOIN repos r ON r.id = s.repo_id
		WHERE r.active = 1 AND s.next_run_at <= ? ORDER BY s.next_run_at, s.repo_id, s.name`, toMS(now))
	return out, err
}

// RanSchedule moves a due schedule on, and reports whether this caller was the one to do it.
func (t Tx) RanSchedule(ctx context.Context, s Schedule, next time.Time) (bool, error) {
	n, err := t.exec(ctx,
		`UPDATE schedules SET last_run_at = ?, next_run_at = ? WHERE repo_id = ? AND name = ? AND next_run_at = ?`,
		t.ms(), toMS(next), s.Repo, s.Name, toMS(s.Next))
	return n > 0, err
}

// SetHead gives a run the commit that its ref turned out to point at.
func (t Tx) SetHead(ctx context.Context, id, sha string) error {
	_, err := t.exec(ctx, `UPDATE runs SET head_sha = ? WHERE id = ? AND head_sha = ''`, sha, id)
	return err
}

// Retention says how long things are kept; zero keeps them for good.
type Retention struct {
	Traces     time.Duration // full reports, with their traces
	Runs       time.Duration // runs with their findings
	Deliveries time.Duration // handled webhooks and answered commands
	Answers    time.Duration // answers that no run used for so long
	Gone       time.Duration // everything about a repository since the App was taken off it
}

// Expire removes what is older than its time. What a branch's baseline rests on stays.
func (t Tx) Expire(ctx context.Context, k Retention) (int64, error) {
	const old = `(SELECT id FROM runs WHERE state = 'done' AND finished_at < ? AND id NOT IN (SELECT run_id FROM baseline_heads))`
	var total int64
	drop := func(age time.Duration, statements ...string) error {
		if age <= 0 {
			return nil
		}
		for _, q := range statements {
			n, err := t.exec(ctx, q, toMS(t.now.Add(-age)))
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	}
	err := drop(k.Traces, `DELETE FROM reports WHERE run_id IN `+old, `DELETE FROM pieces WHERE run_id IN `+old)
	if err == nil {
		err = drop(k.Runs, `DELETE FROM reports WHERE run_id IN `+old, `DELETE FROM pieces WHERE run_id IN `+old, `DELETE FROM findings WHERE run_id IN `+old,
			`DELETE FROM tasks WHERE run_id IN `+old, `DELETE FROM commits WHERE run_id IN `+old,
			`DELETE FROM runs WHERE state = 'done' AND published_version >= version AND finished_at < ? AND id NOT IN (SELECT run_id FROM baseline_heads)`)
	}
	if err == nil {
		err = drop(k.Deliveries, `DELETE FROM deliveries WHERE state <> 'open' AND received_at < ?`,
			`DELETE FROM commands WHERE at < ?`)
	}
	if err == nil {
		err = drop(k.Answers, `DELETE FROM answers WHERE used_at < ?`)
	}
	if err == nil {
		err = drop(k.Gone, forgotten()...)
	}
	return total, err
}

// forgotten lists the statements that remove all rows of repositories that went before a moment.
func forgotten() []string {
	const (
		repos = `(SELECT id FROM repos WHERE active = 0 AND updated_at < ?)`
		runs  = `(SELECT id FROM runs WHERE repo_id IN ` + repos + `)`
	)
	var out []string
	for _, table := range []string{"reports", "pieces", "findings", "commits", "tasks"} {
		out = append(out, `DELETE FROM `+table+` WHERE run_id IN `+runs)
	}
	for _, table := range []string{"runs", "pulls", "answers", "baselines", "baseline_heads", "suppressions",
		"schedules", "posts", "timings", "turns", "bisections", "tokens", "names"} {
		out = append(out, `DELETE FROM `+table+` WHERE repo_id IN `+repos)
	}
	return append(out, `DELETE FROM repos WHERE active = 0 AND updated_at < ?`)
}
