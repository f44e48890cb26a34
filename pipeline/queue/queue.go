// Package queue carries job notices from the transaction that made them
// necessary to a handler, at least once. River is the transport; nothing but
// River knows about a job until a handler runs, so a handler must look at the
// store to see whether its work is still to be done.
package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"github.com/firmproof/firmproof/pipeline/store"
)

// Lane is a queue with workers of its own.
type Lane string

// The lanes: short jobs never wait behind long ones.
const (
	Events  Lane = "events"  // webhook deliveries
	Plans   Lane = "plans"   // checkouts
	Builds  Lane = "builds"  // builds of targets
	Verify  Lane = "verify"  // verifications
	Publish Lane = "publish" // calls to GitHub
)

// Job names work to do: what, on which row of the store.
type Job struct {
	Kind     string
	ID       string
	Lane     Lane
	Priority int           // 1 (first, default) to 4 (what is more counts as 4)
	After    time.Duration // not before
}

// Handler does a job. Errors are retried with growing pauses, except *Snooze
// (again after a while, without counting) and *Drop (given up).
type Handler func(ctx context.Context, id string, attempt int) error

// Snooze asks for the same job again later.
type Snooze struct{ After time.Duration }

func (s *Snooze) Error() string { return fmt.Sprintf("again in %s", s.After) }

// Drop gives a job up.
type Drop struct{ Err error }

func (d *Drop) Error() string { return d.Err.Error() }

// Unwrap returns the cause.
func (d *Drop) Unwrap() error { return d.Err }

// Config says which lanes this process works on, with how many workers each.
type Config struct {
	Workers  map[Lane]int
	Handlers map[string]Handler
	Log      *slog.Logger
	Observe  func(kind string, waited, took time.Duration, err error) // may be nil
}

// Queue inserts and works jobs.
type Queue struct {
	client transport
}

// transport is River's client over either database.
type transport interface {
	insert(ctx context.Context, tx store.Tx, args notice, opts *river.InsertOpts) error
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// notice is the only kind of job that River sees.
type notice struct {
	Do string `json:"do"`
	ID string `json:"id"`
}

// Kind implements river.JobArgs.
func (notice) Kind() string { return "firmproof" }

// maxAttempts with retryPause spans several days.
const maxAttempts = 400

// New prepares a queue on the store's database. Start makes it work.
func New(st *store.Store, cfg Config) (*Queue, error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{cfg: cfg})
	conf := &river.Config{
		FetchCooldown:     20 * time.Millisecond,
		FetchPollInterval: 500 * time.Millisecond,
		JobTimeout:        -1, // each handler has its own deadline
		// Our own leases find lost work sooner; this only tidies River's table.
		RescueStuckJobsAfter:        24 * time.Hour,
		CompletedJobRetentionPeriod: time.Hour,
		MaxAttempts:                 maxAttempts,
		RetryPolicy:                 retryPause{},
		Logger:                      quiet(cfg.Log),
		Workers:                     workers,
		Queues:                      map[string]river.QueueConfig{},
	}
	for lane, n := range cfg.Workers {
		if n > 0 {
			conf.Queues[string(lane)] = river.QueueConfig{MaxWorkers: n}
		}
	}
	if len(conf.Queues) == 0 {
		conf.Queues, conf.Workers = nil, nil
	}
	if db := st.SQLite(); db != nil {
		c, err := river.NewClient(riversqlite.New(db), conf)
		return &Queue{sqliteClient{c}}, err
	}
	c, err := river.NewClient(riverpgxv5.New(st.Postgres()), conf)
	return &Queue{postgresClient{c}}, err
}

// Enqueue adds jobs in the transaction tx.
func (q *Queue) Enqueue(ctx context.Context, tx store.Tx, jobs ...Job) error {
	for _, j := range jobs {
		opts := &river.InsertOpts{Queue: string(j.Lane), Priority: min(max(1, j.Priority), 4)}
		if j.After > 0 {
			opts.ScheduledAt = time.Now().Add(j.After)
		}
		if err := q.client.insert(ctx, tx, notice{j.Kind, j.ID}, opts); err != nil {
			return fmt.Errorf("queue: %s %s: %w", j.Kind, j.ID, err)
		}
	}
	return nil
}

// Start begins to work on jobs, until Stop.
func (q *Queue) Start(ctx context.Context) error { return q.client.Start(context.WithoutCancel(ctx)) }

// Stop takes no new jobs and waits for the running ones until ctx ends; then it cancels them.
func (q *Queue) Stop(ctx context.Context) error {
	if err := q.client.Stop(ctx); err == nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return q.client.StopAndCancel(last)
}

type sqliteClient struct{ *river.Client[*sql.Tx] }

func (c sqliteClient) insert(ctx context.Context, tx store.Tx, args notice, opts *river.InsertOpts) error {
	_, err := c.InsertTx(ctx, tx.Raw().(*sql.Tx), args, opts)
	return err
}

type postgresClient struct{ *river.Client[pgx.Tx] }

func (c postgresClient) insert(ctx context.Context, tx store.Tx, args notice, opts *river.InsertOpts) error {
	_, err := c.InsertTx(ctx, tx.Raw().(pgx.Tx), args, opts)
	return err
}

// worker hands a notice to its handler and translates the outcome for River.
type worker struct {
	river.WorkerDefaults[notice]
	cfg Config
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[notice]) error {
	h := w.cfg.Handlers[job.Args.Do]
	if h == nil {
		return river.JobSnooze(time.Minute) // a newer replica's kind: leave it to that
	}
	start := time.Now()
	err := h(ctx, job.Args.ID, job.Attempt)
	if w.cfg.Observe != nil {
		w.cfg.Observe(job.Args.Do, start.Sub(job.ScheduledAt), time.Since(start), err)
	}
	var snooze *Snooze
	var drop *Drop
	switch {
	case err == nil:
		return nil
	case errors.As(err, &snooze):
		return river.JobSnooze(snooze.After)
	case errors.As(err, &drop):
		w.cfg.Log.Error("job given up", "kind", job.Args.Do, "id", job.Args.ID, "err", err)
		return river.JobCancel(err)
	}
	w.cfg.Log.Warn("job failed", "kind", job.Args.Do, "id", job.Args.ID, "attempt", job.Attempt, "err", err)
	return err
}

// retryPause doubles from a second to ten minutes, with up to a quarter of jitter.
type retryPause struct{}

// NextRetry implements river.ClientRetryPolicy.
func (retryPause) NextRetry(job *rivertype.JobRow) time.Time {
	d := 10 * time.Minute
	if n := len(job.Errors); n < 10 {
		d = min(d, time.Second<<n)
	}
	return time.Now().Add(d + time.Duration(rand.Int64N(int64(d/4))))
}

// quiet keeps River's own chatter to warnings.
func quiet(l *slog.Logger) *slog.Logger {
	return slog.New(levelHandler{l.Handler(), slog.LevelError})
}

type levelHandler struct {
	slog.Handler
	min slog.Level
}

// Enabled implements slog.Handler.
func (h levelHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.min && h.Handler.Enabled(ctx, l)
}

// WithAttrs implements slog.Handler.
func (h levelHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return levelHandler{h.Handler.WithAttrs(a), h.min}
}

// WithGroup implements slog.Handler.
func (h levelHandler) WithGroup(name string) slog.Handler {
	return levelHandler{h.Handler.WithGroup(name), h.min}
}
