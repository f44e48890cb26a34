package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/blob"
	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// folder is a source: every repository is a folder on this machine.
type folder struct{}

// Remote implements pipeline.Source.
func (folder) Remote(_ context.Context, r store.Repo) (checkout.Remote, error) {
	return checkout.Remote{URL: r.CloneURL}, nil
}

// sleeper is a checker whose verifications only take time, and leave a line in a file.
type sleeper struct {
	Jobs  int
	Sleep time.Duration
	Log   string

	mu    sync.Mutex
	built time.Time
	waits []time.Duration // from the end of a build to the start of a verification
}

// Engine implements pipeline.Checker.
func (s *sleeper) Engine() string { return "sleeper" }

// Build implements pipeline.Checker.
func (s *sleeper) Build(_ context.Context, req pipeline.Request) (*pipeline.Built, error) {
	b := &pipeline.Built{}
	for i := range s.Jobs {
		name := fmt.Sprintf("module-%d", i)
		if err := os.WriteFile(req.Scratch+"/"+name, []byte(req.Run+name), 0o644); err != nil {
			return nil, err
		}
		b.Jobs = append(b.Jobs, prepare.Job{Plan: verifier.Plan{Target: req.Target, Entry: fmt.Sprintf("%s-%d",
			req.Run, i)}, Timeout: time.Minute, Module: name})
	}
	s.mu.Lock()
	s.built = time.Now()
	s.mu.Unlock()
	return b, nil
}

// Verify implements pipeline.Checker.
func (s *sleeper) Verify(ctx context.Context, t pipeline.Task) (*verdict.Result, error) {
	s.mu.Lock()
	s.waits = append(s.waits, time.Since(s.built))
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(s.Sleep):
	}
	if s.Log != "" {
		f, err := os.OpenFile(s.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, err
		}
		if _, err := f.WriteString(t.Job.Plan.Entry + "\n"); err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return &verdict.Result{Target: t.Job.Plan.Target, Entry: t.Job.Plan.Entry, Status: verdict.Proved,
		Claims: []verdict.Claim{}}, nil
}

// start makes a service and starts it.
func start(ctx context.Context, st *store.Store, data, artifacts string, workers int,
	c pipeline.Checker, closed func(string) error) (*pipeline.Service, error) {
	blobs, err := blob.OpenDisk(artifacts)
	if err != nil {
		return nil, err
	}
	ignore := func(context.Context, string, int) error { return nil }
	s, err := pipeline.New(pipeline.Config{Store: st, Data: data, Source: folder{}, Checker: c, Workers: workers,
		Log:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Folder: closed, Local: true, Blobs: blobs, Edge: map[string]queue.Handler{pipeline.PublishJob: ignore,
			pipeline.EventJob: ignore}})
	if err != nil {
		return nil, err
	}
	return s, s.Start(ctx)
}

// workerSpec holds what a worker process is told.
type workerSpec struct {
	DSN, Data, Artifacts string
	Workers              int
	Checker              *sleeper
}

// worker is the main function of a worker process.
func worker(text string) error {
	var spec workerSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	st, err := store.Open(ctx, spec.DSN)
	if err != nil {
		return err
	}
	s, err := start(ctx, st, spec.Data, spec.Artifacts, spec.Workers, spec.Checker, nil)
	if err != nil {
		return err
	}
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.Stop(last)
}

// begin starts a run of the default branch of each of n repositories that share a folder.
func begin(ctx context.Context, st *store.Store, s *pipeline.Service, n int, dir, head, trigger string) ([]string,
	error) {
	var ids []string
	err := st.Write(ctx, func(tx store.Tx) error {
		for i := range n {
			repo := store.Repo{ID: int64(i + 1), Installation: int64(i%3 + 1), FullName: fmt.Sprintf("m/r%d", i),
				CloneURL: dir, DefaultBranch: "main", Active: true}
			if err := tx.PutRepo(ctx, repo); err != nil {
				return err
			}
			id, err := s.Begin(ctx, tx, store.Run{Repo: repo.ID, Installation: repo.Installation, HeadSHA: head,
				Ref: "refs/heads/main", Trigger: trigger})
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// await waits until the runs are done.
func await(ctx context.Context, st *store.Store, ids []string, limit time.Duration) ([]store.Run, error) {
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		var runs []store.Run
		err := st.Read(ctx, func(tx store.Tx) error {
			for _, id := range ids {
				r, err := tx.Run(ctx, id)
				if err != nil {
					return err
				}
				if r.State == store.Done {
					runs = append(runs, r)
				}
			}
			return nil
		})
		if err != nil || len(runs) == len(ids) {
			return runs, err
		}
		if time.Now().After(end) {
			return runs, fmt.Errorf("%d of %d runs ended within %s", len(runs), len(ids), limit)
		}
	}
}
