package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// bench is a service with a repository on disk and a scripted checker.
type bench struct {
	t     *testing.T
	st    *store.Store
	s     *Service
	dir   string
	mu    sync.Mutex
	calls []Request
	text  []string // manifests that the checks saw
	build func(ctx context.Context, req Request) (*Built, error)
	check func(ctx context.Context, t Task) (*verdict.Result, error)
	tasks []Task
}

// Remote implements Source.
func (b *bench) Remote(context.Context, store.Repo) (checkout.Remote, error) {
	return checkout.Remote{URL: b.dir}, nil
}

// Engine implements Checker.
func (b *bench) Engine() string { return "bench" }

// Build implements Checker.
func (b *bench) Build(ctx context.Context, req Request) (*Built, error) {
	text, err := os.ReadFile(filepath.Join(req.Dir, ManifestName))
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.calls, b.text = append(b.calls, req), append(b.text, string(text))
	b.mu.Unlock()
	return b.build(ctx, req)
}

// Verify implements Checker.
func (b *bench) Verify(ctx context.Context, t Task) (*verdict.Result, error) {
	b.mu.Lock()
	b.tasks = append(b.tasks, t)
	b.mu.Unlock()
	return b.check(ctx, t)
}

// proved is the answer of an entry with one claim.
func proved(t Task) *verdict.Result {
	return &verdict.Result{Target: t.Job.Plan.Target, Entry: t.Job.Plan.Entry, Status: verdict.Proved,
		Claims: []verdict.Claim{{ID: "memory@f#1", Check: verdict.Memory, Status: verdict.Proved,
			Pos: verdict.Pos{File: "a.c", Line: 3, Function: "f"}}}}
}

const benchManifest = "version: 1\ntargets: [i386]\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: main, unwind: 4}\nnightly: {at: \"02:00\", timeout: 30m, unwind: 64}\n"

func newBench(t *testing.T) *bench {
	ctx := context.Background()
	b := &bench{t: t, dir: t.TempDir(), check: func(_ context.Context, t Task) (*verdict.Result,
		error) {
		return proved(t), nil
	}}
	b.build = func(_ context.Context, req Request) (*Built, error) {
		return &Built{Jobs: []prepare.Job{{Plan: verifier.Plan{Target: req.Target, Entry: "main"},
			Timeout: time.Minute}}}, nil
	}
	st, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	b.st = st
	quiet := func(context.Context, string, int) error { return nil }
	b.s, err = New(Config{Store: st, Data: t.TempDir(), Source: b, Checker: b, Workers: 2,
		Log: slog.New(slog.DiscardHandler), Local: true,
		Edge: map[string]queue.Handler{PublishJob: quiet, EventJob: quiet}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := errors.Join(b.s.Stop(stop), st.Close()); err != nil {
			t.Error(err)
		}
	})
	b.git("init", "-q", "-b", "main")
	b.write(func(tx store.Tx) error {
		return tx.PutRepo(ctx, store.Repo{ID: 1, Installation: 2, FullName: "a/b", CloneURL: b.dir,
			DefaultBranch: "main", Active: true})
	})
	return b
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) commit(manifest string) string {
	b.t.Helper()
	if err := errors.Join(os.WriteFile(filepath.Join(b.dir, "a.c"), []byte(manifest), 0o644),
		os.WriteFile(filepath.Join(b.dir, ManifestName), []byte(manifest), 0o644)); err != nil {
		b.t.Fatal(err)
	}
	b.git("add", "-A")
	b.git("commit", "-q", "--allow-empty", "-m", "x")
	return b.git("rev-parse", "HEAD")
}

func (b *bench) write(f func(tx store.Tx) error) {
	b.t.Helper()
	if err := b.st.Write(context.Background(), f); err != nil {
		b.t.Fatal(err)
	}
}

// await waits until the newest aggregate is done, and gives it with its targets.
func (b *bench) await() (store.Run, []store.Run) {
	b.t.Helper()
	ctx := context.Background()
	var agg store.Run
	var kids []store.Run
	for range 400 {
		if err := b.st.Read(ctx, func(tx store.Tx) error {
			list, err := tx.RecentRuns(ctx, 1, 1)
			if err != nil || len(list) == 0 {
				return err
			}
			agg = list[0]
			kids, err = tx.Children(ctx, agg.ID)
			return err
		}); err != nil {
			b.t.Fatal(err)
		}
		if agg.State == store.Done {
			return agg, kids
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("not done: %+v %+v", agg, kids)
	return agg, kids
}

func (b *bench) begin(r store.Run) {
	b.t.Helper()
	ctx := context.Background()
	b.write(func(tx store.Tx) error { _, err := b.s.Begin(ctx, tx, r); return err })
}

// TestNightly: a push to the default branch makes the schedule; a night that was
// missed is caught up once, with the larger budget, on the branch's newest commit.
func TestNightly(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	sha := b.commit(benchManifest)
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "push"})
	if agg, _ := b.await(); agg.Conclusion != "success" {
		t.Fatalf("push: %+v", agg)
	}
	newest := b.commit(benchManifest)
	later := time.Now().Add(5 * 24 * time.Hour)
	for range 2 {
		if err := b.s.runDue(ctx, later); err != nil {
			t.Fatal(err)
		}
	}
	agg, kids := b.await()
	if agg.Trigger != "nightly" || agg.HeadSHA != newest || len(kids) != 1 || kids[0].HeadSHA != newest {
		t.Errorf("nightly: %+v %+v", agg, kids)
	}
	if last := b.text[len(b.text)-1]; !strings.Contains(last, "unwind: 64") || !strings.Contains(last, "timeout: 30m") {
		t.Errorf("the night's manifest: %s", last)
	}
	if len(b.calls) != 2 {
		t.Errorf("%d checks, want one for the push and one for all missed nights", len(b.calls))
	}
	sha = b.commit(strings.Split(benchManifest, "nightly")[0])
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "push"})
	b.await()
	if err := b.st.Read(ctx, func(tx store.Tx) error {
		due, err := tx.DueSchedules(ctx, later.Add(24*time.Hour))
		if len(due) != 0 {
			t.Errorf("a schedule outlives its manifest: %+v", due)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestBlame: our faults are retried and end as neutral, theirs are shown at once.
func TestBlame(t *testing.T) {
	b := newBench(t)
	sha := b.commit(benchManifest)
	start := func() {
		b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "rerun"})
	}
	fails := 0
	ok := b.build
	b.build = func(ctx context.Context, req Request) (*Built, error) {
		if fails++; fails <= 2 {
			return nil, ours(errors.New("disk on fire"))
		}
		return ok(ctx, req)
	}
	start()
	if _, kids := b.await(); kids[0].Conclusion != "success" || kids[0].Tries != 3 {
		t.Errorf("two faults of ours: %+v", kids[0])
	}
	b.build = func(context.Context, Request) (*Built, error) {
		return nil, &BuildError{"failure", fmt.Errorf("a.c:1:1: error: x")}
	}
	start()
	if agg, kids := b.await(); kids[0].Conclusion != "failure" || kids[0].Tries != 1 || agg.Conclusion != "failure" {
		t.Errorf("a fault of theirs: %+v", kids[0])
	}
}

// TestClassify: only an answer fixes a finding.
func TestClassify(t *testing.T) {
	claim := func(n int, s verdict.Status) verdict.Claim {
		return verdict.Claim{ID: fmt.Sprintf("memory@f#%d", n), Check: verdict.Memory, Status: s,
			Pos: verdict.Pos{Function: "f"}}
	}
	base := &verdict.Report{Results: []verdict.Result{{Target: "i386", Entry: "main",
		Claims: []verdict.Claim{claim(1, verdict.Violated), claim(2, verdict.Violated), claim(3, verdict.Violated),
			claim(4, verdict.Violated)}}}}
	known := classify(base, nil, false, nil, nil).violated
	now := &verdict.Report{Results: []verdict.Result{{Target: "i386", Entry: "main", Claims: []verdict.Claim{
		claim(1, verdict.Violated), claim(2, verdict.Bounded), claim(3, verdict.Unknown), claim(5, verdict.Violated),
		claim(6, verdict.Violated)}}}}
	now.Results[0].Claims[4].Accepted = &verdict.Accepted{Reason: "masked"}
	c := classify(now, known, true, nil, nil)
	want := map[string]string{"main|memory@f#1": "preexisting", "main|memory@f#5": "introduced",
		"main|memory@f#6": "suppressed", "main|memory@f#3": "preexisting"}
	for k, s := range want {
		if string(c.states[k]) != s {
			t.Errorf("%s: %q, want %s", k, c.states[k], s)
		}
	}
	if len(c.fixed) != 2 { // 2 is bounded now; 4 is gone from an entry with a full answer; 3 is undecided
		t.Errorf("fixed: %v", c.fixed)
	}
	if u := c.undecided(known); len(u) != 1 {
		t.Errorf("undecided: %v", u)
	}
	now.Results[0].Reason = &verdict.Reason{Kind: verdict.TimedOut}
	if c := classify(now, known, true, nil, nil); len(c.fixed) != 1 {
		t.Errorf("without a full answer only the bounded one is fixed: %v", c.fixed)
	}
}

// TestAdjustManifest: what the buttons change.
func TestAdjustManifest(t *testing.T) {
	text := []byte("version: 1\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: f, unwind: 4, unwindset: {g.0: 3}, timeout: 1m}\n  - {entry: g}\n")
	out, err := adjustManifest(text, store.Options{Factor: 2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse("x", out)
	if err != nil {
		t.Fatal(err)
	}
	if h := m.Harnesses[0]; h.Unwind != 8 || h.Unwindset[0].Bound != 6 || h.Timeout != 2*time.Minute ||
		m.Harnesses[1].Unwind != 0 {
		t.Errorf("deeper: %+v", m.Harnesses)
	}
	if out, err = adjustManifest(text, store.Options{Prove: true}); err != nil {
		t.Fatal(err)
	}
	if m, err = manifest.Parse("x", out); err != nil {
		t.Fatal(err)
	}
	if h := m.Harnesses[0]; h.Unwind != 0 || len(h.Unwindset) != 0 || h.Timeout != proofTime ||
		m.Harnesses[1].Timeout != proofTime {
		t.Errorf("prove: %+v", m.Harnesses)
	}
}
