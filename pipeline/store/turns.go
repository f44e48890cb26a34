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
	return t.lazy(ctx, `UPDATE locks SET until = until WHERE name = 'claim'`)
}

// ClaimTasks takes the task whose turn it is for owner, or gives ErrNotFound; a short one with up to maxBatch - 1 others of
// the same repository that are short, to be done one after the other.
func (t Tx) ClaimTasks(ctx context.Context, owner, engine string, lease time.Duration, l Limits) ([]Task, error) {
	if err := t.claimAlone(ctx); err != nil {
		return nil, err
	}
	s, last, err := t.turn(ctx, engine, considered, l)
	if err == ErrNotFound { // those that were looked at may be deferred, or at their limits
		s, last, err = t.turn(ctx, engine, all, l)
	}
	if err != nil {
		return nil, err
	}
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
	return out, t.served(ctx, verifyTurn, s, last)
}

// How many waiting repositories a claim looks at: so many, one after the other in the order of their numbers, from where
// the claim before ended. What it costs does not grow with how many wait, or many that wait would make all wait longer; a
// repository is looked at in every so many claims, and is then served as its urgency says.
const (
	considered = 100
	all        = 1 << 30
)

// turn is the share of whose turn it is among n waiting repositories, and the last one of these; ErrNotFound if there
// is none.
func (t Tx) turn(ctx context.Context, engine string, n int, l Limits) (next share, last int64, err error) {
	list, err := t.shares(ctx, verifyTurn, urgent, []any{engine, engine, n, n, engine, engine, engine, t.ms()},
		`tasks WHERE state = 'running'`)
	if err != nil {
		return share{}, 0, err
	}
	slices.SortFunc(list, fairest)
	i := slices.IndexFunc(list, l.allow)
	if i < 0 {
		return share{}, 0, ErrNotFound
	}
	return list[i], slices.MaxFunc(list, func(a, b share) int { return cmp.Compare(a.repo, b.repo) }).repo, nil
}

// served notes that a repository, and with it its installation, got a worker now, and which repository was the last one
// that was looked at for it; 0: all were.
func (t Tx) served(ctx context.Context, kind string, s share, last int64) error {
	now := t.now.UnixMicro()
	rows, args := `(?, ?, 0, ?), (?, ?, ?, ?)`, []any{kind, s.installation, now, kind, s.installation, s.repo, now}
	if last != 0 {
		rows, args = rows+`, (?, 0, 0, ?)`, append(args, kind+" last", last)
	}
	_, err := t.exec(ctx, `INSERT INTO turns (kind, installation_id, repo_id, served_at) VALUES `+rows+`
		ON CONFLICT (kind, installation_id, repo_id) DO UPDATE SET served_at = excluded.served_at`, args...)
	return err
}

// urgent is the most urgent task of each of so many repositories that have one to be taken, from the last one on and,
// where these are fewer, from the first one on. Each step finds the next repository in the index: the cost grows with
// their number, not with the queue's length.
const urgent = `SELECT t.installation_id AS installation, t.repo_id AS repo, t.priority AS priority FROM (
	WITH RECURSIVE last(repo) AS (SELECT COALESCE(MAX(served_at), 0) FROM turns WHERE kind = '` + verifyTurn + ` last'),
	waiting(repo, n) AS (
		SELECT (SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id > last.repo), 1 FROM last
		UNION ALL
		SELECT (SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id > waiting.repo), n + 1 FROM waiting WHERE repo IS NOT NULL AND n < ?),
	room(n) AS (SELECT ? - COUNT(repo) FROM waiting),
	early(repo, n) AS (
		SELECT (SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id <= last.repo), 1 FROM last, room WHERE room.n > 0
		UNION ALL
		SELECT (SELECT MIN(repo_id) FROM tasks WHERE state = 'queued' AND engine = ? AND repo_id > early.repo AND repo_id <= last.repo), early.n + 1
			FROM early, last, room WHERE early.repo IS NOT NULL AND early.n < room.n)
	SELECT repo FROM waiting UNION ALL SELECT repo FROM early) AS w JOIN tasks t ON t.id =
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
	list, err := t.tasks(ctx, `WHERE id = COALESCE((SELECT id FROM tasks `+where+` AND created_at < ? ORDER BY created_at, id LIMIT 1),
		(SELECT id FROM tasks `+where+` ORDER BY expected, id LIMIT 1))`, slices.Concat(args, []any{toMS(t.now.Add(-patience))}, args)...)
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
