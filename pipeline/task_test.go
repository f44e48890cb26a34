package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/moved"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// entries makes builds give a job for each name.
func (b *bench) entries(names ...string) {
	b.build = func(_ context.Context, req Request) (*Built, error) {
		out := &Built{}
		for _, n := range names {
			out.Jobs = append(out.Jobs, prepare.Job{Plan: verifier.Plan{Target: req.Target, Entry: n},
				Timeout: time.Minute})
		}
		return out, nil
	}
}

// push verifies a new commit and gives its results by entry.
func (b *bench) push() (store.Run, map[string]verdict.Result) {
	b.t.Helper()
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: b.commit(benchManifest), Ref: "refs/heads/main",
		Trigger: "push"})
	_, kids := b.await()
	return kids[0], b.results(kids[0].ID)
}

func (b *bench) results(run string) map[string]verdict.Result {
	b.t.Helper()
	ctx := context.Background()
	out := map[string]verdict.Result{}
	if err := b.st.Read(ctx, func(tx store.Tx) error {
		text, err := tx.Report(ctx, run, nil)
		if err != nil {
			return err
		}
		rep := verdict.Report{}
		if err := json.Unmarshal(text, &rep); err != nil {
			return err
		}
		for _, r := range rep.Results {
			out[r.Entry] = r
		}
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// TestBlameOfTasks: a fault of ours is tried again and then parked with its log, as
// an unknown of its entry and of nothing else.
func TestBlameOfTasks(t *testing.T) {
	b := newBench(t)
	b.entries("good", "flaky", "poison")
	var flaky, poison atomic.Int32
	b.check = func(_ context.Context, task Task) (*verdict.Result, error) {
		switch task.Job.Plan.Entry {
		case "flaky":
			if flaky.Add(1) < 2 {
				return nil, ours(errors.New("a hiccup"))
			}
		case "poison":
			poison.Add(1)
			return nil, ours(errors.New("the machine burns"))
		}
		return proved(task), nil
	}
	b.s.cfg.RetryPause = time.Millisecond
	run, got := b.push()
	if run.Conclusion != "neutral" || len(got) != 3 || got["good"].Status != verdict.Proved ||
		got["flaky"].Status != verdict.Proved || flaky.Load() != 2 {
		t.Errorf("%s: %+v", run.Conclusion, got)
	}
	if r := got["poison"].Reason; r == nil || r.Kind != verdict.Internal || !strings.Contains(r.Detail,
		"the machine burns") || poison.Load() != maxTries {
		t.Errorf("poison after %d tries: %v", poison.Load(), r)
	}
	ctx := context.Background()
	b.write(func(tx store.Tx) error {
		parked, err := tx.ParkedTasks(ctx, 10)
		if len(parked) != 1 || parked[0].Entry != "poison" || !strings.Contains(parked[0].Log, "burns") {
			t.Errorf("parked: %+v", parked)
		}
		return err
	})
	// what failed is asked again, what was answered is not
	if _, got = b.push(); len(got) != 3 {
		t.Errorf("the next run: %+v", got)
	}
}

// TestLostWorkers: a task whose workers die again and again is given up; its run ends.
func TestLostWorkers(t *testing.T) {
	b := newBench(t)
	b.entries("deadly", "good")
	ctx := context.Background()
	hold := make(chan struct{})
	b.check = func(ctx context.Context, task Task) (*verdict.Result, error) {
		if task.Job.Plan.Entry == "deadly" {
			select { // the process dies: nobody hears of this worker again
			case <-hold:
			case <-ctx.Done():
			}
			return nil, context.Cause(ctx)
		}
		return proved(task), nil
	}
	defer close(hold)
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: b.commit(benchManifest), Ref: "refs/heads/main",
		Trigger: "push"})
	deadline := time.Now().Add(20 * time.Minute)
	for lost := 0; lost < maxTries && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		b.write(func(tx store.Tx) error {
			agg, err := tx.RecentRuns(ctx, 1, 1)
			if err != nil {
				return err
			}
			kids, err := tx.Children(ctx, agg[0].ID)
			if err != nil || len(kids) == 0 {
				return err
			}
			tasks, err := tx.Tasks(ctx, kids[0].ID)
			for _, x := range tasks {
				if x.Entry == "deadly" && x.State == store.TaskRunning && x.Tries == lost+1 {
					lost++
					if err := b.s.requeueLost(ctx, tx, x); err != nil {
						return err
					}
				}
			}
			return err
		})
	}
	_, kids := b.await()
	got := b.results(kids[0].ID)
	if r := got["deadly"].Reason; r == nil || !strings.Contains(r.Detail, fmt.Sprintf("its worker was lost %d times",
		maxTries)) || got["good"].Status != verdict.Proved {
		t.Errorf("%+v", got)
	}
}

// TestAnswersFollowKeys: what may be used again, and by whom.
func TestAnswersFollowKeys(t *testing.T) {
	b := newBench(t)
	key := func(s string) moved.Key {
		return moved.Key{Exact: s + "@1", Shape: s, Places: moved.Places{"a.c:f": 3}}
	}
	timeout, exact := time.Minute, "k@1"
	b.build = func(_ context.Context, req Request) (*Built, error) {
		j := prepare.Job{Plan: verifier.Plan{Target: req.Target, Entry: "main"}, Timeout: timeout,
			Question: answers.Question{Key: key("k"), Proof: key("p")}}
		j.Key.Exact, j.Proof.Exact = exact, exact
		if exact != "k@1" {
			j.Key.Places = moved.Places{"a.c:f": 13}
			j.Proof.Places = j.Key.Places
		}
		return &Built{Jobs: []prepare.Job{j}}, nil
	}
	status, reason := verdict.Bounded, (*verdict.Reason)(nil)
	b.check = func(_ context.Context, task Task) (*verdict.Result, error) {
		r := proved(task)
		r.Claims[0].Status, r.Claims[0].Reason = status, reason
		return r, nil
	}
	asked := func(what string, want bool) verdict.Result {
		t.Helper()
		before := len(b.tasks)
		_, got := b.push()
		if (len(b.tasks) > before) != want {
			t.Errorf("%s: verified %v, want %v", what, !want, want)
		}
		return got["main"]
	}
	status, reason = verdict.Unknown, &verdict.Reason{Kind: verdict.TimedOut}
	asked("the first time", true)
	status, reason = verdict.Unknown, &verdict.Reason{Kind: verdict.Unsupported, Detail: "asm"}
	asked("a timeout is not kept", true)
	status, reason = verdict.Bounded, nil
	timeout = 2 * time.Minute
	asked("what is not modelled stays so", false)
	exact = "k@2"
	if r := asked("a moved answer", false); r.Claims[0].Pos.Line != 13 || r.Reused == "" {
		t.Errorf("moved to %v by %q", r.Claims[0].Pos, r.Reused)
	}
}

// TestFullDisk: work stops when the disk is full, what failed for it does not count,
// and goes on when there is room.
func TestFullDisk(t *testing.T) {
	b := newBench(t)
	b.entries("main")
	var free atomic.Uint64
	free.Store(math.MaxInt64)
	b.s.cfg.Free = func(string) (uint64, error) { return free.Load(), nil }
	b.s.cfg.MinFree = 1 << 20
	tries := 0
	b.check = func(_ context.Context, task Task) (*verdict.Result, error) {
		if tries++; tries == 1 {
			return nil, ours(fmt.Errorf("write: %w", syscall.ENOSPC))
		}
		return proved(task), nil
	}
	b.s.cfg.PausePoll = 20 * time.Millisecond
	if _, got := b.push(); got["main"].Status != verdict.Proved || tries != 2 || !strings.HasSuffix(b.tasks[1].Scratch,
		"-1") {
		t.Errorf("after %d tries: %+v in %s", tries, got, b.tasks[1].Scratch)
	}
	free.Store(1000)
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: b.commit(benchManifest), Ref: "refs/heads/main",
		Trigger: "push"})
	time.Sleep(300 * time.Millisecond)
	if why := b.s.Paused(); !strings.Contains(why, "full") || tries != 2 {
		t.Errorf("paused %q after %d tries", why, tries)
	}
	free.Store(math.MaxInt64)
	if _, kids := b.await(); kids[0].Conclusion != "success" || b.s.Paused() != "" {
		t.Errorf("afterwards: %+v", kids)
	}
}

// TestDeadline: a run that nobody finishes ends as timed out, with its tasks.
func TestDeadline(t *testing.T) {
	b := newBench(t)
	b.entries("main")
	stopped := make(chan struct{})
	b.check = func(ctx context.Context, _ Task) (*verdict.Result, error) {
		<-ctx.Done()
		close(stopped)
		return nil, context.Cause(ctx)
	}
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: b.commit(benchManifest), Ref: "refs/heads/main",
		Trigger: "push"})
	for len(b.started()) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	b.s.cfg.Deadline = time.Nanosecond
	b.write(func(tx store.Tx) error { return b.s.overdue(context.Background(), tx) })
	agg, kids := b.await()
	if agg.Conclusion != "timed_out" || kids[0].Conclusion != "timed_out" {
		t.Errorf("%s %s", agg.Conclusion, kids[0].Conclusion)
	}
	<-stopped // its worker learns of it by the heartbeat
}

func (b *bench) started() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, x := range b.tasks {
		out = append(out, x.Job.Name())
	}
	slices.Sort(out)
	return out
}

// TestRaise: a night's bounds are doubled while claims are bounded; a raise that runs
// out of time does not take back what was known.
func TestRaise(t *testing.T) {
	b := newBench(t)
	job := func(unwind int) Task {
		return Task{Job: prepare.Job{Plan: verifier.Plan{Entry: "main", Unwind: unwind,
			UnwindSet: map[string]int{"f.0": 3}},
			Timeout: time.Hour, Raise: true}}
	}
	var seen []string
	until, then := 0, verdict.Proved
	b.check = func(_ context.Context, task Task) (*verdict.Result, error) {
		p := task.Job.Plan
		seen = append(seen, fmt.Sprint(p.Unwind, " ", p.UnwindSet["f.0"]))
		r := proved(task)
		r.Claims[0].Status, r.DurationMS, r.Bounds.Unwind = verdict.Bounded, 10, p.Unwind
		if p.Unwind >= until {
			r.Claims[0].Status = then
		}
		r.Summarise()
		return r, nil
	}
	for _, c := range []struct {
		until  int
		then   verdict.Status
		unwind int
		want   string
		status verdict.Status
		bound  int
	}{
		{16, verdict.Proved, 4, "[4 3 8 6 16 12]", verdict.Proved, 16},
		{8, verdict.Violated, 4, "[4 3 8 6]", verdict.Violated, 8},
		{16, verdict.Unknown, 4, "[4 3 8 6 16 12]", verdict.Bounded, 8},
		{16, verdict.Proved, 0, "[0 3]", verdict.Bounded, 0}, // the engine deepens by itself
	} {
		seen, until, then = nil, c.until, c.then
		res, err := b.s.deepen(context.Background(), job(c.unwind))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(seen) != c.want || res.Status != c.status || res.Bounds.Unwind != c.bound {
			t.Errorf("%+v: %v, %s at %d", c, seen, res.Status, res.Bounds.Unwind)
		}
	}
	day := job(4)
	day.Job.Raise, seen, until = false, nil, 100
	if _, err := b.s.deepen(context.Background(), day); err != nil || len(seen) != 1 {
		t.Errorf("by day: %v %v", seen, err)
	}
}
