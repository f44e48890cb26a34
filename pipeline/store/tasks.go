package store

import (
	"context"
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
	Timeout      time.Duration
	Base         bool   // of the commit that the run's change starts from
	Job          string // JSON, pipeline.Job
	Module       string // name of the program in the blob store; may be empty
	State        TaskState
	Owner        string
	Tries        int
	Result       []byte // JSON, when Ended or Parked
	Outcome      string // JSON, pipeline.TaskOutcome, when Ended or Parked
	Log          string // why it was given up
	Created      time.Time
	Started      time.Time
	Finished     time.Time
}

// TaskState is the state of a Task.
type TaskState string

// The states of a Task.
const (
	TaskHeld    TaskState = "held" // not to be taken yet
	TaskQueued  TaskState = "queued"
	TaskRunning TaskState = "running"
	TaskEnded   TaskState = "ended"
	TaskParked  TaskState = "parked" // given up by us; ended for its run
)

const taskColumns = `id, run_id, n, repo_id, installation_id, entry, target, engine, priority, expected, timeout, base, job, module, state, owner, tries, result, outcome, log, created_at, started_at, finished_at`

func scanTask(r rows) (Task, error) {
	var t Task
	var expected, timeout, base, created, started, finished int64
	err := r.Scan(&t.ID, &t.Run, &t.N, &t.Repo, &t.Installation, &t.Entry, &t.Target, &t.Engine, &t.Priority,
		&expected, &timeout, &base, &t.Job, &t.Module, &t.State, &t.Owner, &t.Tries, &t.Result, &t.Outcome,
		&t.Log, &created, &started, &finished)
	if err != nil {
		return t, err
	}
	t.Expected, t.Timeout = time.Duration(expected)*time.Millisecond, time.Duration(timeout)*time.Millisecond
	t.Base, t.Created, t.Started, t.Finished = base != 0, fromMS(created), fromMS(started), fromMS(finished)
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

// AddTask inserts x: queued, unless it is held or has a result already.
func (t Tx) AddTask(ctx context.Context, x Task) error {
	state, result, finished := TaskQueued, []byte(nil), int64(0)
	if x.State == TaskHeld {
		state = TaskHeld
	}
	if x.Result != nil {
		state, result, finished = TaskEnded, pack(x.Result), t.ms()
	}
	_, err := t.exec(ctx, `INSERT INTO tasks (id, run_id, n, repo_id, installation_id, entry, target, engine, priority, expected, timeout, base, job, module, state, result, outcome, created_at, finished_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, NewID(), x.Run, x.N, x.Repo, x.Installation, x.Entry, x.Target, x.Engine, x.Priority,
		x.Expected.Milliseconds(), x.Timeout.Milliseconds(), flag(x.Base), x.Job, x.Module, string(state), result,
		x.Outcome, t.ms(), finished)
	return err
}

// ReleaseTask queues a held task with what its job and its time are now, and reports whether it was held.
func (t Tx) ReleaseTask(ctx context.Context, id, job string, timeout time.Duration) (bool, error) {
	n, err := t.exec(ctx,
		`UPDATE tasks SET state = 'queued', job = ?, timeout = ?, created_at = ? WHERE id = ? AND state = 'held'`,
		job, timeout.Milliseconds(), t.ms(), id)
	return n > 0, err
}

// Tasks lists the tasks of a run in the order of the report.
func (t Tx) Tasks(ctx context.Context, run string) ([]Task, error) {
	return t.tasks(ctx, `WHERE run_id = ? ORDER BY n`, run)
}

// TaskLines lists tasks of a run without their documents (Job, Module, Result), at most n: first those at work, then those
// that are over, then those that wait; each in the order of the report.
func (t Tx) TaskLines(ctx context.Context, run string, n int) ([]Task, error) {
	var out []Task
	err := t.each(ctx, func(r rows) error {
		x := Task{Run: run}
		var expected, timeout, base, started, finished int64
		err := r.Scan(&x.ID, &x.N, &x.Entry, &x.State, &expected, &timeout, &base, &x.Outcome, &x.Log, &started,
			&finished)
		x.Expected, x.Timeout = time.Duration(expected)*time.Millisecond, time.Duration(timeout)*time.Millisecond
		x.Base, x.Started, x.Finished = base != 0, fromMS(started), fromMS(finished)
		out = append(out, x)
		return err
	}, `SELECT id, n, entry, state, expected, timeout, base, outcome, log, started_at, finished_at FROM tasks WHERE run_id = ?
		ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'queued' THEN 2 WHEN 'held' THEN 2 ELSE 1 END, n LIMIT ?`, run, n)
	return out, err
}

// TaskProgress counts the tasks of a run that are over, and all.
func (t Tx) TaskProgress(ctx context.Context, run string) (over, all int, err error) {
	err = t.one(ctx, []any{&over, &all}, `SELECT COUNT(CASE WHEN state IN ('held', 'queued', 'running') THEN NULL ELSE 1 END), COUNT(*)
		FROM tasks WHERE run_id = ?`, run)
	return over, all, err
}

// OpenTasks reports whether tasks of a run, but for those held, are not over.
func (t Tx) OpenTasks(ctx context.Context, run string) (bool, error) {
	var n int
	err := t.one(ctx, []any{&n},
		`SELECT CASE WHEN EXISTS (SELECT 1 FROM tasks WHERE run_id = ? AND state IN ('queued', 'running')) THEN 1 ELSE 0 END`, run)
	return n > 0, err
}

// BeatTask renews the lease and reports whether the task is still the owner's and wanted.
func (t Tx) BeatTask(ctx context.Context, id, owner string, lease time.Duration) (bool, error) {
	n, err := t.exec(ctx, `UPDATE tasks SET lease_until = ? WHERE id = ? AND owner = ? AND state = 'running'`,
		t.ms()+lease.Milliseconds(), id, owner)
	return n > 0, err
}

// EndTask ends the task x, which x.Owner holds, with its State (Ended or Parked), Result, Outcome and Log, and reports
// whether it did.
func (t Tx) EndTask(ctx context.Context, x *Task) (bool, error) {
	n, err := t.exec(ctx,
		`UPDATE tasks SET state = ?, result = ?, outcome = ?, log = ?, owner = '', lease_until = 0, finished_at = ? WHERE id = ? AND owner = ? AND state = 'running'`,
		string(x.State), pack(x.Result), x.Outcome, x.Log, t.ms(), x.ID, x.Owner)
	return n > 0, err
}

// RequeueTask gives a task that owner holds back, not to be taken before `after` has
// passed. uncounted gives the try back, too.
func (t Tx) RequeueTask(ctx context.Context, id, owner string, after time.Duration, uncounted bool, log string) (bool,
	error) {
	n, err := t.exec(ctx,
		`UPDATE tasks SET state = 'queued', owner = '', lease_until = 0, not_before = ?, tries = tries - ?, log = ? WHERE id = ? AND owner = ? AND state = 'running'`,
		t.ms()+after.Milliseconds(), flag(uncounted), log, id, owner)
	return n > 0, err
}

// LostTasks lists the tasks whose owner stopped renewing its lease.
func (t Tx) LostTasks(ctx context.Context) ([]Task, error) {
	return t.tasks(ctx, `WHERE state = 'running' AND lease_until < ? ORDER BY id LIMIT 1000`, t.ms())
}

// CountTasks counts the queued tasks of an engine that may be taken now.
func (t Tx) CountTasks(ctx context.Context, engine string) (int, error) {
	var n int
	err := t.one(ctx, []any{&n},
		`SELECT COUNT(*) FROM tasks WHERE state = 'queued' AND engine = ? AND not_before <= ?`, engine, t.ms())
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
	_, err := t.exec(ctx,
		`UPDATE runs SET state = 'queued', prepared = '', version = version + 1, changed_at = ? WHERE id = ? AND state = 'waiting'`, t.ms(), id)
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
	_, err := t.exec(ctx,
		`UPDATE runs SET state = 'waiting', prepared = ?, owner = '', lease_until = 0, version = version + 1, changed_at = ? WHERE id = ? AND state <> 'done'`, prepared, t.ms(), id)
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
	_, err := t.exec(ctx,
		`INSERT INTO timings (repo_id, target, entry, ms) VALUES (?, ?, ?, ?) ON CONFLICT (repo_id, target, entry) DO UPDATE SET ms = excluded.ms`,
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
	return t.strings(ctx,
		`SELECT module FROM tasks WHERE module <> '' UNION SELECT doc FROM reports WHERE doc <> '' UNION SELECT owner FROM locks WHERE name = 'artifacts'`)
}

// SetMarker keeps the name of the document by which workers know that they share a
// blob store, unless there is one, and gives what is kept.
func (t Tx) SetMarker(ctx context.Context, name string) (string, error) {
	if _, err := t.exec(ctx,
		`INSERT INTO locks (name, owner, until) VALUES ('artifacts', ?, 0) ON CONFLICT (name) DO NOTHING`,
		name); err != nil {
		return "", err
	}
	var kept string
	err := t.one(ctx, []any{&kept}, `SELECT owner FROM locks WHERE name = 'artifacts'`)
	return kept, err
}
