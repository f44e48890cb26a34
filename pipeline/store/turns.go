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

// A worker that gets a task which past times call short takes others like it along: a claim costs as much as they do.
const (
	shortTask = 50 * time.Millisecond
	maxBatch  = 20
)

// claimAlone makes claims happen one at a time, so that shares and limits hold; in SQLite every writer is alone. A claim
// that a crash of the database forgets was made by nobody: the task is there to be taken, and who took it loses its lease.
func (t Tx) claimAlone(ctx context.Context) error {
	if err := t.lazy(ctx); err != nil {
		return err
	}
	_, err := t.exec(ctx, `UPDATE locks SET until = until WHERE name = 'claim'`)
	return err
}

// ClaimTasks takes the task whose turn it is for owner, or gives ErrNotFound; a short one with up to maxBatch - 1 others of
// the same repository that are short, to be done one after the other.
func (t Tx) ClaimTasks(ctx context.Context, owner, engine string, lease time.Duration, l Limits) ([]Task, error) {
	if err := t.claimAlone(ctx); err != nil {
		return nil, err
	}
	list, err := t.shares(ctx, verifyTurn, urgent, []any{engine, engine, engine, t.ms()}, `tasks WHERE state = 'running'`)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, fairest)
	i := slices.IndexFunc(list, l.allow)
	if i < 0 {
		return nil, ErrNotFound
	}
	s := list[i]
	out, err := t.nextTasks(ctx, engine, s, l)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(out))
	for i := range out {
		x := &out[i]
		ids[i] = x.ID
		x.State, x.Owner, x.Tries, x.Started = TaskRunning, owner, x.Tries+1, t.now
	}
	if _, err := t.exec(ctx,
		`UPDATE tasks SET state = 'running', owner = ?, lease_until = ?, tries = tries + 1, started_at = ? WHERE id IN (`+
			marks(len(ids))+`)`, append([]any{owner, t.ms() + lease.Milliseconds(), t.ms()}, anys(ids)...)...); err != nil {
		return nil, err
	}
	return out, t.served(ctx, verifyTurn, s)
}

// served notes that a repository, and with it its installation, got a worker now.
func (t Tx) served(ctx context.Context, kind string, s share) error {
	now := t.now.UnixMicro()
	_, err := t.exec(ctx, `INSERT INTO turns (kind, installation_id, repo_id, served_at) VALUES (?, ?, 0, ?), (?, ?, ?, ?)
		ON CONFLICT (kind, installation_id, repo_id) DO UPDATE SET served_at = excluded.served_at`,
		kind, s.installation, now, kind, s.installation, s.repo, now)
	return err
}

// urgent is the most urgent task of each repository that has one to be taken. Each step
// finds the next repository in the index: the cost grows with their number, not with the queue's length.
const urgent = `SELECT t.installation_id AS installation, t.repo_id AS repo, t.priority AS priority FROM (
	WITH RECURSIVE waiting(repo) AS (
		SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ?
		UNION ALL
		SELECT (SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id > waiting.repo) FROM waiting WHERE repo IS NOT NULL)
	SELECT repo FROM waiting) AS w JOIN tasks t ON t.id =
	(SELECT id FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id = w.repo AND not_before <= ? ORDER BY priority, expected, id LIMIT 1)`

// shares lists who has work of a kind, which the query urgent gives with args: what of theirs runs, of the rows that running
// names, and when they were served.
func (t Tx) shares(ctx context.Context, kind, urgent string, args []any, running string) ([]share, error) {
	var out []share
	err := t.each(ctx, func(r rows) error {
		var s share
		err := r.Scan(&s.installation, &s.repo, &s.priority, &s.running, &s.crowd, &s.served, &s.last)
		out = append(out, s)
		return err
	}, `WITH urgent AS (`+urgent+`),
	own AS (SELECT repo_id, COUNT(*) AS n FROM `+running+` GROUP BY repo_id),
	crowd AS (SELECT installation_id, COUNT(*) AS n FROM `+running+` GROUP BY installation_id)
	SELECT u.installation, u.repo, u.priority, COALESCE(own.n, 0), COALESCE(crowd.n, 0), COALESCE(r.served_at, 0), COALESCE(i.served_at, 0)
	FROM urgent u LEFT JOIN own ON own.repo_id = u.repo LEFT JOIN crowd ON crowd.installation_id = u.installation
	LEFT JOIN turns r ON r.kind = '`+kind+`' AND r.installation_id = u.installation AND r.repo_id = u.repo
	LEFT JOIN turns i ON i.kind = '`+kind+`' AND i.installation_id = u.installation AND i.repo_id = 0`, args...)
	return out, err
}

// nextTasks gives a repository's most urgent task: one that has waited long, else the shortest, with others that are short.
func (t Tx) nextTasks(ctx context.Context, engine string, s share, l Limits) ([]Task, error) {
	const where = `WHERE state = 'queued' AND engine = ? AND repo_id = ? AND priority = ? AND not_before <= ?`
	args := []any{engine, s.repo, s.priority, t.ms()}
	list, err := t.tasks(ctx, where+` AND created_at < ? ORDER BY created_at, id LIMIT 1`,
		append(args, toMS(t.now.Add(-patience)))...)
	if err == nil && len(list) == 0 {
		list, err = t.tasks(ctx, where+` ORDER BY expected, id LIMIT 1`, args...)
	}
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil || !isShort(&list[0]) || l.batch(s) == 1 {
		return list, err
	}
	others, err := t.tasks(ctx, where+` AND expected BETWEEN 1 AND ? AND id <> ? ORDER BY expected, id LIMIT ?`,
		append(args, shortTask.Milliseconds(), list[0].ID, l.batch(s)-1)...)
	return append(list, others...), err
}

// isShort reports whether past times say that a task is short.
func isShort(x *Task) bool { return x.Expected > 0 && x.Expected <= shortTask }

// batch is how many tasks of s may be taken at once.
func (l Limits) batch(s share) int {
	n := maxBatch
	if l.Repo > 0 {
		n = min(n, l.Repo-s.running)
	}
	if l.Owner > 0 {
		n = min(n, l.Owner-s.crowd)
	}
	return max(1, n)
}
