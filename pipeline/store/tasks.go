package store

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Task is one verification of a target run.
type Task struct {
	ID           string
	Run          string
	N            int // place in the report
	Repo         int64
	Installation int64
	Entry        string
	Target       string
	Engine       string // build of firmproof that may work on it
	Priority     int
	Expected     time.Duration // by past times
	Job          string        // JSON, pipeline.Job
	Module       string        // name of the program in the blob store; may be empty
	State        TaskState
	Owner        string
	Tries        int
	Result       []byte // JSON, when Ended or Parked
	Log          string // why it was given up
	Created      time.Time
	Started      time.Time
	Finished     time.Time
}

// TaskState is the state of a Task.
type TaskState string

// The states of a Task.
const (
	TaskQueued  TaskState = "queued"
	TaskRunning TaskState = "running"
	TaskEnded   TaskState = "ended"
	TaskParked  TaskState = "parked" // given up by us; ended for its run
)

const taskColumns = `id, run_id, n, repo_id, installation_id, entry, target, engine, priority, expected, job, module, state, owner, tries, result, log, created_at, started_at, finished_at`

func scanTask(r rows) (Task, error) {
	var t Task
	var expected, created, started, finished int64
	err := r.Scan(&t.ID, &t.Run, &t.N, &t.Repo, &t.Installation, &t.Entry, &t.Target, &t.Engine, &t.Priority, &expected, &t.Job, &t.Module, &t.State, &t.Owner, &t.Tries, &t.Result,
		&t.Log, &created, &started, &finished)
	if err != nil {
		return t, err
	}
	t.Expected, t.Created, t.Started, t.Finished = time.Duration(expected)*time.Millisecond, fromMS(created), fromMS(started), fromMS(finished)
	if len(t.Result) > 0 {
		t.Result, err = unpack(t.Result)
	}
	return t, err
}

func (t Tx) tasks(ctx context.Context, where string, args ...any) ([]Task, error) {
	var out []Task
	err := t.each(ctx, func(r rows) error {
		x, err := scanTask(r)
		out = append(out, x)
		return err
	}, `SELECT `+taskColumns+` FROM tasks `+where, args...)
	return out, err
}

// AddTask inserts x, queued unless it has a result already.
func (t Tx) AddTask(ctx context.Context, x Task) error {
	state, result, finished := TaskQueued, []byte(nil), int64(0)
	if x.Result != nil {
		state, result, finished = TaskEnded, pack(x.Result), t.ms()
	}
	_, err := t.exec(ctx, `INSERT INTO tasks (id, run_id, n, repo_id, installation_id, entry, target, engine, priority, expected, job, module, state, result, created_at, finished_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, NewID(), x.Run, x.N, x.Repo, x.Installation, x.Entry, x.Target, x.Engine, x.Priority,
		x.Expected.Milliseconds(), x.Job, x.Module, string(state), result, t.ms(), finished)
	return err
}

// Tasks lists the tasks of a run in the order of the report.
func (t Tx) Tasks(ctx context.Context, run string) ([]Task, error) {
	return t.tasks(ctx, `WHERE run_id = ? ORDER BY n`, run)
}

// OpenTasks reports whether tasks of a run are not over.
func (t Tx) OpenTasks(ctx context.Context, run string) (bool, error) {
	var n int
	err := t.one(ctx, []any{&n}, `SELECT CASE WHEN EXISTS (SELECT 1 FROM tasks WHERE run_id = ? AND state IN ('queued', 'running')) THEN 1 ELSE 0 END`, run)
	return n > 0, err
}

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
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.crowd, b.crowd), cmp.Compare(a.last, b.last), cmp.Compare(a.running, b.running),
		cmp.Compare(a.served, b.served), cmp.Compare(a.repo, b.repo))
}

// patience is how long a task lets shorter ones go before it.
const patience = 10 * time.Minute

// ClaimTask takes the task whose turn it is for owner, or gives ErrNotFound. At
// most limit tasks of a repository run at a time (0: any number).
func (t Tx) ClaimTask(ctx context.Context, owner, engine string, lease time.Duration, limit int) (Task, error) {
	// one at a time, so that shares and limits hold; in SQLite every writer is alone
	if _, err := t.exec(ctx, `UPDATE locks SET until = until WHERE name = 'claim'`); err != nil {
		return Task{}, err
	}
	list, err := t.shares(ctx, engine)
	if err != nil {
		return Task{}, err
	}
	slices.SortFunc(list, fairest)
	i := slices.IndexFunc(list, func(s share) bool { return limit == 0 || s.running < limit })
	if i < 0 {
		return Task{}, ErrNotFound
	}
	s := list[i]
	x, err := t.nextTask(ctx, engine, s)
	if err != nil {
		return Task{}, err
	}
	if _, err := t.exec(ctx, `UPDATE tasks SET state = 'running', owner = ?, lease_until = ?, tries = tries + 1, started_at = ? WHERE id = ?`,
		owner, t.ms()+lease.Milliseconds(), t.ms(), x.ID); err != nil {
		return Task{}, err
	}
	x.State, x.Owner, x.Tries, x.Started = TaskRunning, owner, x.Tries+1, t.now
	for _, repo := range []int64{0, s.repo} {
		if _, err := t.exec(ctx, `INSERT INTO shares (installation_id, repo_id, served_at) VALUES (?, ?, ?)
			ON CONFLICT (installation_id, repo_id) DO UPDATE SET served_at = excluded.served_at`, s.installation, repo, t.now.UnixMicro()); err != nil {
			return Task{}, err
		}
	}
	return x, nil
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
	running := map[int64]int{}
	crowd := map[int64]int{}
	if err := t.each(ctx, func(r rows) error {
		var installation, repo int64
		var n int
		err := r.Scan(&installation, &repo, &n)
		running[repo] += n
		crowd[installation] += n
		return err
	}, `SELECT installation_id, repo_id, COUNT(*) FROM tasks WHERE state = 'running' GROUP BY installation_id, repo_id`); err != nil {
		return nil, err
	}
	served := map[[2]int64]int64{}
	if err := t.each(ctx, func(r rows) error {
		var k [2]int64
		var at int64
		err := r.Scan(&k[0], &k[1], &at)
		served[k] = at
		return err
	}, `SELECT installation_id, repo_id, served_at FROM shares`); err != nil {
		return nil, err
	}
	for i := range out {
		s := &out[i]
		s.running, s.crowd = running[s.repo], crowd[s.installation]
		s.served, s.last = served[[2]int64{s.installation, s.repo}], served[[2]int64{s.installation, 0}]
	}
	return out, nil
}

// nextTask is a repository's most urgent task: one that has waited long, else the shortest.
func (t Tx) nextTask(ctx context.Context, engine string, s share) (Task, error) {
	const where = `WHERE state = 'queued' AND engine = ? AND repo_id = ? AND priority = ? AND not_before <= ?`
	list, err := t.tasks(ctx, where+` AND created_at < ? ORDER BY created_at, id LIMIT 1`, engine, s.repo, s.priority, t.ms(), toMS(t.now.Add(-patience)))
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

// BeatTask renews the lease and reports whether the task is still the owner's and wanted.
func (t Tx) BeatTask(ctx context.Context, id, owner string, lease time.Duration) (bool, error) {
	n, err := t.exec(ctx, `UPDATE tasks SET lease_until = ? WHERE id = ? AND owner = ? AND state = 'running'`, t.ms()+lease.Milliseconds(), id, owner)
	return n > 0, err
}

// EndTask ends a task that owner holds, as Ended or Parked, and reports whether it did.
func (t Tx) EndTask(ctx context.Context, id, owner string, state TaskState, result []byte, log string) (bool, error) {
	n, err := t.exec(ctx, `UPDATE tasks SET state = ?, result = ?, log = ?, owner = '', lease_until = 0, finished_at = ? WHERE id = ? AND owner = ? AND state = 'running'`,
		string(state), pack(result), log, t.ms(), id, owner)
	return n > 0, err
}

// RequeueTask gives a task that owner holds back, not to be taken before `after` has
// passed. free gives the try back, too.
func (t Tx) RequeueTask(ctx context.Context, id, owner string, after time.Duration, free bool, log string) (bool, error) {
	n, err := t.exec(ctx, `UPDATE tasks SET state = 'queued', owner = '', lease_until = 0, not_before = ?, tries = tries - ?, log = ? WHERE id = ? AND owner = ? AND state = 'running'`,
		t.ms()+after.Milliseconds(), flag(free), log, id, owner)
	return n > 0, err
}

// LostTasks lists the tasks whose owner stopped renewing its lease.
func (t Tx) LostTasks(ctx context.Context) ([]Task, error) {
	return t.tasks(ctx, `WHERE state = 'running' AND lease_until < ? ORDER BY id LIMIT 1000`, t.ms())
}

// CountTasks counts the queued tasks of an engine that may be taken now.
func (t Tx) CountTasks(ctx context.Context, engine string) (int, error) {
	var n int
	err := t.one(ctx, []any{&n}, `SELECT COUNT(*) FROM tasks WHERE state = 'queued' AND engine = ? AND not_before <= ?`, engine, t.ms())
	return n, err
}

// ForeignRuns lists the runs with tasks, queued before `before`, for an engine that
// nobody works with.
func (t Tx) ForeignRuns(ctx context.Context, engine string, before time.Time) ([]string, error) {
	return t.strings(ctx, `SELECT DISTINCT run_id FROM tasks WHERE state = 'queued' AND engine <> ? AND created_at < ?
		AND engine NOT IN (SELECT engine FROM tasks WHERE state = 'running') ORDER BY run_id LIMIT 100`, engine, toMS(before))
}

// RebuildRun forgets what was built of a run, and queues it again.
func (t Tx) RebuildRun(ctx context.Context, id string) error {
	if err := t.DropTasks(ctx, id); err != nil {
		return err
	}
	_, err := t.exec(ctx, `UPDATE runs SET state = 'queued', prepared = '', version = version + 1, changed_at = ? WHERE id = ? AND state = 'waiting'`, t.ms(), id)
	return err
}

// ReadyRuns lists the waiting target runs whose tasks are all over, unchanged since `before`.
func (t Tx) ReadyRuns(ctx context.Context, before time.Time) ([]string, error) {
	return t.strings(ctx, `SELECT id FROM runs r WHERE state = 'waiting' AND prepared <> '' AND changed_at < ?
		AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.run_id = r.id AND t.state IN ('queued', 'running')) ORDER BY id LIMIT 100`, toMS(before))
}

// DropTasks forgets the tasks of a run, but for those that were given up.
func (t Tx) DropTasks(ctx context.Context, run string) error {
	_, err := t.exec(ctx, `DELETE FROM tasks WHERE run_id = ? AND state <> 'parked'`, run)
	return err
}

// ParkedTasks lists the tasks that were given up, newest first.
func (t Tx) ParkedTasks(ctx context.Context, n int) ([]Task, error) {
	return t.tasks(ctx, `WHERE state = 'parked' ORDER BY finished_at DESC, id LIMIT ?`, n)
}

// SetPrepared keeps what a built target run needs to be concluded, and lets it wait for its tasks.
func (t Tx) SetPrepared(ctx context.Context, id, prepared string) error {
	_, err := t.exec(ctx, `UPDATE runs SET state = 'waiting', prepared = ?, owner = '', lease_until = 0, version = version + 1, changed_at = ? WHERE id = ? AND state <> 'done'`, prepared, t.ms(), id)
	return err
}

// Prepared reads what SetPrepared kept; empty if the run is not built.
func (t Tx) Prepared(ctx context.Context, id string) (string, error) {
	var s string
	err := t.one(ctx, []any{&s}, `SELECT prepared FROM runs WHERE id = ?`, id)
	return s, err
}

// SetTiming keeps how long a verification took.
func (t Tx) SetTiming(ctx context.Context, repo int64, target, entry string, took time.Duration) error {
	_, err := t.exec(ctx, `INSERT INTO timings (repo_id, target, entry, ms) VALUES (?, ?, ?, ?) ON CONFLICT (repo_id, target, entry) DO UPDATE SET ms = excluded.ms`,
		repo, target, entry, took.Milliseconds())
	return err
}

// Timings are the past times of a repository's entries on a target.
func (t Tx) Timings(ctx context.Context, repo int64, target string) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	err := t.each(ctx, func(r rows) error {
		var entry string
		var ms int64
		err := r.Scan(&entry, &ms)
		out[entry] = time.Duration(ms) * time.Millisecond
		return err
	}, `SELECT entry, ms FROM timings WHERE repo_id = ? AND target = ?`, repo, target)
	return out, err
}

// BlobsInUse lists the names of the documents that something refers to.
func (t Tx) BlobsInUse(ctx context.Context) ([]string, error) {
	return t.strings(ctx, `SELECT module FROM tasks WHERE module <> '' UNION SELECT doc FROM reports WHERE doc <> '' UNION SELECT owner FROM locks WHERE name = 'artifacts'`)
}

// SetMarker keeps the name of the document by which workers know that they share a
// blob store, unless there is one, and gives what is kept.
func (t Tx) SetMarker(ctx context.Context, name string) (string, error) {
	if _, err := t.exec(ctx, `INSERT INTO locks (name, owner, until) VALUES ('artifacts', ?, 0) ON CONFLICT (name) DO NOTHING`, name); err != nil {
		return "", err
	}
	var kept string
	err := t.one(ctx, []any{&kept}, `SELECT owner FROM locks WHERE name = 'artifacts'`)
	return kept, err
}
