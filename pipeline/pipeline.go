// Package pipeline turns "verify this commit" into verdicts: it plans a run per
// target, checks the commit out, verifies it in a process of its own, and keeps
// the outcome. It knows processes and disks; GitHub is behind Source and the
// handlers of package bot, logic is in verifier.
//
// A run is a row of the store (store.Run) with one owner at a time, and so is each
// verification of a target run (store.Task):
//
//	aggregate  queued -plan-> waiting for its targets -> done
//	target     queued -build-> waiting for its tasks -conclude-> done
//	task       queued -work-> running -> ended, or parked when we give it up
//
// The queue only says "look at row X"; every handler claims the row, and a row
// whose owner died is found by its lease. So a job may arrive twice, late or
// never without harm.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/firmproof/firmproof/pipeline/blob"
	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Kinds of jobs.
const (
	PlanJob     = "plan"     // on an aggregate run
	BuildJob    = "build"    // on a target run
	WorkJob     = "work"     // on no row: there are tasks to do
	ConcludeJob = "conclude" // on a target run whose tasks are over
	BisectJob   = "bisect"   // on an aggregate run of a night, or of its bisections
	PublishJob  = "publish"  // on any run; handled by the edge
	EventJob    = "event"    // on a delivery; handled by the edge
)

// Source lends what a fetch needs. package bot implements it with installation tokens.
type Source interface {
	Remote(ctx context.Context, repo store.Repo) (checkout.Remote, error)
}

// Defaulter is a Source that knows of manifests for all repositories of an owner.
type Defaulter interface {
	// Defaults reads the manifest that completes repo's own, and says where it is;
	// nil if there is none.
	Defaults(ctx context.Context, repo store.Repo) (where string, text []byte, err error)
}

// Config holds what a Service needs.
type Config struct {
	Store    *store.Store
	Data     string // folder for mirrors and work trees
	Source   Source
	Checker  Checker
	Git      checkout.Runner                   // what git runs in; nil: it runs as it is
	Folder   func(dir string) error            // makes a folder for jobs, closed to others; nil: closed to all
	Workers  int                               // verifications at a time; 0: this process only queues
	Edge     map[string]queue.Handler          // handlers of the other kinds; nil in a plain worker
	RunLimit time.Duration                     // of one build or verification; 0: an hour
	Limits   store.Limits                      // of plans, of builds and of tasks at a time of a tenant
	Deadline time.Duration                     // of a run, from its beginning; 0: a day
	MinFree  uint64                            // bytes that must be free below Data to begin work
	Free     func(path string) (uint64, error) // nil: asks the file system
	Blobs    blob.Store                        // nil: a folder below Data
	Log      *slog.Logger
	Observe  func(kind string, waited, took time.Duration, err error) // may be nil
	Measured func(*verdict.Report)                                    // told of each report that is kept; may be nil
	Keep     store.Retention                                          // zero: DefaultRetention
	Local    bool                                                     // allow remotes on this machine's disk
	Version  string                                                   // of firmproof, as reports name it

	// For tests: how long a pause is, and the first one after a fault of ours.
	PausePoll, RetryPause time.Duration
}

// Service plans and works runs.
type Service struct {
	cfg     Config
	store   *store.Store
	queue   *queue.Queue
	mirrors *checkout.Cache
	owner   string // of leases: this process
	log     *slog.Logger

	blobs    blob.Store
	stopping atomic.Bool // take up nothing more

	mu        sync.Mutex
	active    map[string]activity // by run or task
	pausedFor string

	expired   time.Time // when retention was last seen to
	stopSweep context.CancelFunc
	swept     chan struct{}
}

// activity is work that can be stopped.
type activity struct {
	run    string
	cancel context.CancelCauseFunc
}

func (s *Service) track(id, run string, cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[id] = activity{run, cancel}
}

func (s *Service) untrack(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, id)
}

// errStopped is the cause when the process stops, errUnwanted when the run was cancelled.
var (
	errStopped  = errors.New("the server stops")
	errUnwanted = errors.New("the run was cancelled")
)

// New prepares a service; Start makes it work.
func New(cfg Config) (*Service, error) {
	if cfg.RunLimit == 0 {
		cfg.RunLimit = time.Hour
	}
	if cfg.Deadline == 0 {
		cfg.Deadline = 24 * time.Hour
	}
	if cfg.PausePoll == 0 {
		cfg.PausePoll = 5 * time.Second
	}
	if cfg.RetryPause == 0 {
		cfg.RetryPause = 2 * time.Second
	}
	if cfg.Folder == nil {
		cfg.Folder = closedFolder
	}
	if cfg.Free == nil {
		cfg.Free = freeBytes
	}
	if cfg.Keep == (store.Retention{}) {
		cfg.Keep = DefaultRetention()
	}
	s := &Service{cfg: cfg, store: cfg.Store, log: cfg.Log, owner: store.NewID(), active: map[string]activity{},
		mirrors: &checkout.Cache{Dir: filepath.Join(cfg.Data, "mirrors"), Limits: checkout.DefaultLimits(),
			Local: cfg.Local, Run: cfg.Git}}
	if s.blobs = cfg.Blobs; s.blobs == nil {
		disk, err := blob.OpenDisk(filepath.Join(cfg.Data, "artifacts"))
		if err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
		s.blobs = disk
	}
	s.store.Attach(s.blobs)
	handlers := map[string]queue.Handler{ConcludeJob: s.conclude}
	for kind, h := range cfg.Edge {
		handlers[kind] = h
	}
	lanes := map[queue.Lane]int{}
	if len(cfg.Edge) > 0 {
		lanes[queue.Events], lanes[queue.Publish] = 4, 4
	}
	if cfg.Workers > 0 {
		handlers[PlanJob], handlers[BuildJob], handlers[WorkJob] = s.plan, s.build, s.work
		handlers[BisectJob] = s.bisect
		lanes[queue.Plans], lanes[queue.Builds], lanes[queue.Verify] = s.slots(), s.slots(), cfg.Workers
	}
	q, err := queue.New(cfg.Store, queue.Config{Workers: lanes, Handlers: handlers, Log: cfg.Log, Observe: cfg.Observe})
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	s.queue = q
	return s, nil
}

// closedFolder makes a folder that this process's user alone can enter.
func closedFolder(dir string) error {
	return errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700))
}

// Start takes up work that an earlier process left and begins with new work.
func (s *Service) Start(ctx context.Context) error {
	if err := s.sameBlobs(ctx); err != nil {
		return err
	}
	work := filepath.Join(s.cfg.Data, "work")
	// the folder is this process's alone, whatever the database: what an earlier one left is nobody's
	if err := files.Remove(work); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	for _, name := range []string{"work", "mirrors", "units"} { // sources of others are in all of them
		if err := s.cfg.Folder(filepath.Join(s.cfg.Data, name)); err != nil {
			return fmt.Errorf("pipeline: %w", err)
		}
	}
	if s.store.SQLite() != nil { // one process
		if err := s.store.Write(ctx, func(tx store.Tx) error {
			return errors.Join(tx.DropLeases(ctx),
				tx.DropLocks(ctx))
		}); err != nil {
			return fmt.Errorf("pipeline: %w", err)
		}
		if err := s.sweep(ctx, 0); err != nil {
			return err
		}
	}
	sweepCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stopSweep, s.swept = cancel, make(chan struct{})
	go s.sweepLoop(sweepCtx)
	return s.queue.Start(ctx)
}

// Stop lets running jobs end until ctx does, then gives them back to the queue.
func (s *Service) Stop(ctx context.Context) error {
	if s.stopSweep == nil {
		return nil // it never started
	}
	s.stopping.Store(true)
	s.stopSweep()
	<-s.swept
	done := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
			s.cancelAll(errStopped)
		case <-done:
		}
	}()
	soft, cancel := context.WithTimeout(context.WithoutCancel(ctx), untilDeadline(ctx)+5*time.Second)
	defer cancel()
	err := s.queue.Stop(soft)
	close(done)
	return err
}

func untilDeadline(ctx context.Context) time.Duration {
	if d, ok := ctx.Deadline(); ok {
		return max(0, time.Until(d))
	}
	return time.Hour
}

// Owner is the name of this process in leases and locks.
func (s *Service) Owner() string { return s.owner }

// Enqueue adds jobs in tx.
func (s *Service) Enqueue(ctx context.Context, tx store.Tx, jobs ...queue.Job) error {
	return s.queue.Enqueue(ctx, tx, jobs...)
}

// Publish asks in tx for the edge to show the runs as they are now.
func (s *Service) Publish(ctx context.Context, tx store.Tx, ids ...string) error {
	for _, id := range ids {
		if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: PublishJob, ID: id, Lane: queue.Publish}); err != nil {
			return err
		}
	}
	return nil
}

// Begin adds an aggregate run in tx and sets it going: to be planned if it is
// queued, only to be shown if its state says that it waits or is done.
func (s *Service) Begin(ctx context.Context, tx store.Tx, r store.Run) (string, error) {
	id, err := tx.AddRun(ctx, r)
	if err != nil {
		return "", err
	}
	if r.State == store.Queued || r.State == "" {
		if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: PlanJob, ID: id, Lane: queue.Plans,
			Priority: priority(r.Trigger)}); err != nil {
			return "", err
		}
	}
	if r.HeadSHA == "" {
		return id, nil // there is no commit yet to show it on
	}
	return id, s.Publish(ctx, tx, id)
}

// priority puts people before machines.
func priority(trigger string) int { return store.RunPriority(trigger) }

// CancelRuns ends in tx what is open of a pull request, except tests of patches on the commit `keep`.
// The processes end within a heartbeat; Interrupt ends those of this process at once.
func (s *Service) CancelRuns(ctx context.Context, tx store.Tx, repo int64, pull int, keep, detail,
	supersededBy string) ([]string, error) {
	open, err := tx.OpenRuns(ctx, repo, pull)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range open {
		if r.Trigger == TestTrigger && r.BaseSHA == keep {
			continue
		}
		if err := tx.CancelRun(ctx, r.ID, detail, supersededBy); err != nil {
			return nil, err
		}
		ids = append(ids, r.ID)
	}
	return ids, s.Publish(ctx, tx, ids...)
}

// Interrupt ends the work of this process on the given runs; call it after the
// transaction of CancelRuns.
func (s *Service) Interrupt(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.active {
		if slices.Contains(ids, a.run) {
			a.cancel(errUnwanted)
		}
	}
}

func (s *Service) cancelAll(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.active {
		a.cancel(cause)
	}
}
