package store

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// share is one repository's claim on the workers.
type share struct {
	installation, repo int64
	priority           int   // of its most urgent task
	running, crowd     int   // tasks that run: of the repository, of its installation
	served, last       int64 // when the repository, and its installation, last got a worker
}

// fairest orders shares: urgent work first; then the installation with the fewest
// running tasks and the longest wait, then the same among its repositories.
func fairest(a, b share) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.crowd, b.crowd), cmp.Compare(a.last, b.last),
		cmp.Compare(a.running, b.running),
		cmp.Compare(a.served, b.served), cmp.Compare(a.repo, b.repo))
}

// Limits bound what runs at a time of one tenant; 0: any number.
type Limits struct{ Repo, Owner int }

// allow reports whether one more of s may run.
func (l Limits) allow(s share) bool {
	return (l.Repo == 0 || s.running < l.Repo) && (l.Owner == 0 || s.crowd < l.Owner)
}

// Kinds of work that tenants share.
const (
	verifyTurn = "verify"
	buildTurn  = "build"
	planTurn   = "plan"
)

// patience is how long a task lets shorter ones go before it.
const patience = 10 * time.Minute

// claimAlone makes claims happen one at a time, so that shares and limits hold; in SQLite every writer is alone.
func (t Tx) claimAlone(ctx context.Context) error {
	_, err := t.exec(ctx, `UPDATE locks SET until = until WHERE name = 'claim'`)
	return err
}

// ClaimTask takes the task whose turn it is for owner, or gives ErrNotFound.
func (t Tx) ClaimTask(ctx context.Context, owner, engine string, lease time.Duration, l Limits) (Task, error) {
	if err := t.claimAlone(ctx); err != nil {
		return Task{}, err
	}
	list, err := t.shares(ctx, engine)
	if err != nil {
		return Task{}, err
	}
	slices.SortFunc(list, fairest)
	i := slices.IndexFunc(list, l.allow)
	if i < 0 {
		return Task{}, ErrNotFound
	}
	s := list[i]
	x, err := t.nextTask(ctx, engine, s)
	if err != nil {
		return Task{}, err
	}
	if _, err := t.exec(ctx,
		`UPDATE tasks SET state = 'running', owner = ?, lease_until = ?, tries = tries + 1, started_at = ? WHERE id = ?`,
		owner, t.ms()+lease.Milliseconds(), t.ms(), x.ID); err != nil {
		return Task{}, err
	}
	x.State, x.Owner, x.Tries, x.Started = TaskRunning, owner, x.Tries+1, t.now
	return x, t.served(ctx, verifyTurn, s)
}

// served notes that a repository, and with it its installation, got a worker now.
func (t Tx) served(ctx context.Context, kind string, s share) error {
	for _, repo := range []int64{0, s.repo} {
		if _, err := t.exec(ctx, `INSERT INTO turns (kind, installation_id, repo_id, served_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (kind, installation_id, repo_id) DO UPDATE SET served_at = excluded.served_at`, kind, s.installation, repo, t.now.UnixMicro()); err != nil {
			return err
		}
	}
	return nil
}

// urgent is the most urgent task of each repository that has one to be taken. Each step
// finds the next repository in the index: the cost grows with their number, not with the queue's length.
const urgent = `WITH RECURSIVE waiting(repo) AS (
	SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ?
	UNION ALL
	SELECT (SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id > waiting.repo) FROM waiting WHERE repo IS NOT NULL)
SELECT t.installation_id, t.repo_id, t.priority FROM waiting JOIN tasks t ON t.id =
	(SELECT id FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id = waiting.repo AND not_before <= ? ORDER BY priority, expected, id LIMIT 1)`

// shares lists who has work for an engine.
func (t Tx) shares(ctx context.Context, engine string) ([]share, error) {
	var out []share
	err := t.each(ctx, func(r rows) error {
		var s share
		err := r.Scan(&s.installation, &s.repo, &s.priority)
		out = append(out, s)
		return err
	}, urgent, engine, engine, engine, t.ms())
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return out, t.weigh(ctx, out, verifyTurn,
		`SELECT installation_id, repo_id, COUNT(*) FROM tasks WHERE state = 'running' GROUP BY installation_id, repo_id`)
}

// weigh completes shares of a kind of work by what runs, which the query counts, and by who was served when.
func (t Tx) weigh(ctx context.Context, list []share, kind, runs string) error {
	running := map[int64]int{}
	crowd := map[int64]int{}
	if err := t.each(ctx, func(r rows) error {
		var installation, repo int64
		var n int
		err := r.Scan(&installation, &repo, &n)
		running[repo] += n
		crowd[installation] += n
		return err
	}, runs); err != nil {
		return err
	}
	served := map[[2]int64]int64{}
	if err := t.each(ctx, func(r rows) error {
		var k [2]int64
		var at int64
		err := r.Scan(&k[0], &k[1], &at)
		served[k] = at
		return err
	}, `SELECT installation_id, repo_id, served_at FROM turns WHERE kind = ?`, kind); err != nil {
		return err
	}
	for i := range list {
		s := &list[i]
		s.running, s.crowd = running[s.repo], crowd[s.installation]
		s.served, s.last = served[[2]int64{s.installation, s.repo}], served[[2]int64{s.installation, 0}]
	}
	return nil
}

// nextTask is a repository's most urgent task: one that has waited long, else the shortest.
func (t Tx) nextTask(ctx context.Context, engine string, s share) (Task, error) {
	const where = `WHERE state = 'queued' AND engine = ? AND repo_id = ? AND priority = ? AND not_before <= ?`
	list, err := t.tasks(ctx, where+` AND created_at < ? ORDER BY created_at, id LIMIT 1`, engine, s.repo, s.priority,
		t.ms(), toMS(t.now.Add(-patience)))
	if err == nil && len(list) == 0 {
		list, err = t.tasks(ctx, where+` ORDER BY expected, id LIMIT 1`, engine, s.repo, s.priority, t.ms())
	}
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Task{}, err
	}
	return list[0], nil
}
