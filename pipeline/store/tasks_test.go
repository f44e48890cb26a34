package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestTasks drives the queue of verifications on both databases.
func TestTasks(t *testing.T) {
	each(t, func(t *testing.T, st *store.Store) {
		t.Run("order", func(t *testing.T) { taskOrder(t, st) })
		t.Run("leases", func(t *testing.T) { taskLeases(t, st) })
		t.Run("many", func(t *testing.T) { taskMany(t, st) })
		t.Run("batches", func(t *testing.T) { taskBatches(t, st) })
		t.Run("lines", func(t *testing.T) { taskLines(t, st) })
		t.Run("cancel", func(t *testing.T) { taskCancel(t, st) })
		t.Run("answers", func(t *testing.T) { answers(t, st) })
	})
}

const engine = "e1"

// addTasks queues tasks written as "entry installation repo priority ms".
func addTasks(t *testing.T, st *store.Store, run string, list ...string) {
	t.Helper()
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		for i, s := range list {
			x := store.Task{Run: run, N: i, Engine: engine, Job: "{}"}
			var ms int64
			if _, err := fmt.Sscan(s, &x.Entry, &x.Installation, &x.Repo, &x.Priority, &ms); err != nil {
				return err
			}
			x.Expected = time.Duration(ms) * time.Millisecond
			if err := tx.AddTask(ctx, x); err != nil {
				return err
			}
		}
		return nil
	})
}

func claim(t *testing.T, st *store.Store, owner string, limit int) (x store.Task, ok bool) {
	t.Helper()
	write(t, st, func(ctx context.Context, tx store.Tx) (err error) {
		list, err := tx.ClaimTasks(ctx, owner, engine, time.Hour, store.Limits{Repo: limit})
		if ok = err == nil; ok {
			x = list[0]
			for _, other := range list[1:] {
				if _, err := tx.RequeueTask(ctx, other.ID, owner, 0, true, ""); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return err
	})
	return x, ok
}

func endTask(t *testing.T, st *store.Store, x store.Task) {
	t.Helper()
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		x.State, x.Result = store.TaskEnded, []byte("{}")
		if ok, err := tx.EndTask(ctx, &x); !ok {
			return errors.Join(err, errors.New("not ended"))
		}
		return nil
	})
}

// drain claims and ends tasks one after the other, and gives their entries.
func drain(t *testing.T, st *store.Store) string {
	var out []string
	for {
		x, ok := claim(t, st, "w", 0)
		if !ok {
			return strings.Join(out, " ")
		}
		out = append(out, x.Entry)
		endTask(t, st, x)
		time.Sleep(2 * time.Millisecond) // shares are served at different times
	}
}

// taskOrder: pull requests before nightly runs, installations and repositories in
// turn however much one of them has queued, short tasks before long ones.
func taskOrder(t *testing.T, st *store.Store) {
	addTasks(t, st, "r1", "night 1 11 4 0", "a1 1 11 2 50", "a2 1 11 2 20", "a3 1 11 2 90", "a4 1 11 2 30")
	addTasks(t, st, "r2", "b1 1 12 2 10")
	addTasks(t, st, "r3", "c1 2 21 2 70", "c2 2 21 2 60")
	if got, want := drain(t, st), "a2 c2 b1 c1 a4 a1 a3 night"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	// one repository's limit leaves the workers to others
	addTasks(t, st, "r4", "d1 3 31 2 1", "d2 3 31 2 2", "d3 3 31 2 3", "e1 3 32 2 4")
	var got []string
	for range 4 {
		if x, ok := claim(t, st, "w", 2); ok {
			got = append(got, x.Entry)
			defer endTask(t, st, x)
		}
	}
	if strings.Join(got, " ") != "d1 e1 d2" {
		t.Errorf("under a limit of two: %v", got)
	}
}

// taskBatches: who takes a short task takes others like it of the same repository along, as far as limits go; what may be
// long, or is not known, is taken alone.
func taskBatches(t *testing.T, st *store.Store) {
	addTasks(t, st, "r9", "s1 9 91 2 5", "s2 9 91 2 6", "s3 9 91 2 7", "long 9 91 2 400", "other 9 92 2 5", "new 9 91 2 0")
	var got []string
	for _, l := range []store.Limits{{}, {}, {Repo: 2}, {}, {}} {
		write(t, st, func(ctx context.Context, tx store.Tx) error {
			list, err := tx.ClaimTasks(ctx, "w", engine, time.Hour, l)
			for _, x := range list {
				got = append(got, x.Entry)
				x.State, x.Result = store.TaskEnded, []byte("{}")
				if ok, err := tx.EndTask(ctx, &x); !ok || err != nil || x.Tries != 1 {
					t.Errorf("%s was not taken: %v", x.Entry, err)
				}
			}
			got = append(got, "|")
			return err
		})
		time.Sleep(2 * time.Millisecond) // shares are served at different times
	}
	if want := "new | other | s1 s2 | s3 | long |"; strings.Join(got, " ") != want {
		t.Errorf("batches %v, want %s", got, want)
	}
}

// taskLeases: a task has one owner; what a dead one held can be taken again, and
// the dead one's answer is not taken any more. Another engine's tasks are not touched.
func taskLeases(t *testing.T, st *store.Store) {
	for {
		if x, ok := claim(t, st, "w", 0); ok {
			endTask(t, st, x)
			continue
		}
		break
	}
	addTasks(t, st, "r5", "f1 4 41 1 0")
	x, _ := claim(t, st, "w1", 0)
	if _, ok := claim(t, st, "w2", 0); ok || x.Tries != 1 {
		t.Fatal("two owners")
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if ok, err := tx.BeatTask(ctx, x.ID, "w2", time.Hour); ok {
			t.Error("a stranger's heartbeat")
			return err
		}
		ok, err := tx.BeatTask(ctx, x.ID, "w1", -time.Second) // its process dies
		if !ok {
			t.Error("the owner's heartbeat")
		}
		return err
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		lost, err := tx.LostTasks(ctx)
		if len(lost) != 1 || lost[0].ID != x.ID {
			t.Fatalf("lost: %+v", lost)
		}
		ok, err2 := tx.RequeueTask(ctx, x.ID, lost[0].Owner, 0, false, "lost")
		if !ok {
			t.Error("not requeued")
		}
		return errors.Join(err, err2)
	})
	y, ok := claim(t, st, "w2", 0)
	if !ok || y.Tries != 2 {
		t.Fatalf("second try: %+v", y)
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		late := store.Task{ID: x.ID, Owner: "w1", State: store.TaskEnded, Result: []byte("{}")}
		if ok, err := tx.EndTask(ctx, &late); ok {
			t.Error("the dead owner's answer was taken")
			return err
		}
		if ok, err := tx.RequeueTask(ctx, y.ID, "w2", time.Hour, true, "later"); !ok {
			return err
		}
		n, err := tx.CountTasks(ctx, engine)
		if n != 0 {
			t.Error("a task that waits counts")
		}
		return err
	})
	if _, ok := claim(t, st, "w3", 0); ok {
		t.Error("taken before its time")
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := errors.Join(tx.DropTasks(ctx, "r5"), tx.AddTask(ctx, store.Task{Run: "r6", Repo: 41, Engine: "e0",
			Job: "{}"})); err != nil {
			return err
		}
		young, err := tx.ForeignRuns(ctx, engine, time.Now().Add(-time.Hour))
		old, err2 := tx.ForeignRuns(ctx, engine, time.Now().Add(time.Hour))
		if len(young) != 0 || len(old) != 1 || old[0] != "r6" {
			t.Errorf("foreign: %v %v", young, old)
		}
		return errors.Join(err, err2)
	})
	if _, ok := claim(t, st, "w3", 0); ok {
		t.Error("another engine's task was taken")
	}
}

// taskLines: a list of tasks says how each stands, those at work first, and leaves their documents in the database.
func taskLines(t *testing.T, st *store.Store) {
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(tx.AddTask(ctx, store.Task{Run: "r7", Entry: "waits", Engine: engine, Repo: 71, Job: "{}",
			Priority: 9, Timeout: time.Minute}),
			tx.AddTask(ctx, store.Task{Run: "r7", N: 1, Entry: "known", Engine: engine, Repo: 71, Job: "{}",
				Result: []byte("{}"), Outcome: `{"status":"proved"}`}),
			tx.AddTask(ctx, store.Task{Run: "r7", N: 2, Entry: "held", Engine: engine, Repo: 71, Job: "{}", Base: true,
				State: store.TaskHeld}),
			tx.AddTask(ctx, store.Task{Run: "r7", N: 3, Entry: "ended", Engine: engine, Repo: 71, Job: "{}"}),
			tx.AddTask(ctx, store.Task{Run: "r7", N: 4, Entry: "works", Engine: engine, Repo: 71, Job: "{}",
				Priority: 1, Timeout: 1500 * time.Millisecond}))
	})
	x, _ := claim(t, st, "w1", 0)
	x.State, x.Result, x.Outcome, x.Log = store.TaskEnded, []byte("{}"), "violated", "twice"
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		ok, err := tx.EndTask(ctx, &x)
		if !ok {
			t.Error("not ended")
		}
		return err
	})
	claim(t, st, "w1", 0)
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		list, err := tx.TaskLines(ctx, "r7", 4)
		var got []string
		for _, x := range list {
			got = append(got, fmt.Sprintf("%s %s %s %v %s %s", x.Entry, x.State, x.Timeout, x.Base, x.Outcome, x.Log))
			if x.Job != "" || x.Result != nil || x.Started.IsZero() != (x.Entry != "works" && x.Entry != "ended") {
				t.Errorf("%+v", x)
			}
		}
		want := "works running 1.5s false  |known ended 0s false {\"status\":\"proved\"} |" +
			"ended ended 0s false violated twice|waits queued 1m0s false  "
		if strings.Join(got, "|") != want {
			t.Errorf("%s, want %s", strings.Join(got, "|"), want)
		}
		return err
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error { return tx.DropTasks(ctx, "r7") })
}

// taskMany: where more repositories wait than a claim looks at, each gets its turn, what is urgent soon, and one whose
// tasks are deferred or whose owner has all that it may have keeps nobody from it.
func taskMany(t *testing.T, st *store.Store) {
	const repos = 350
	var list []string
	for i := range repos {
		list = append(list, fmt.Sprintf("night %d %d 4 100", i%7, 1000+i))
	}
	addTasks(t, st, "r8", append(list, "pull 9 1333 2 100")...)
	seen := map[int64]int{}
	urgent := 0
	for n := 1; n <= repos+1; n++ {
		x, ok := claim(t, st, "w", 0)
		if !ok {
			t.Fatalf("%d of %d are found", n-1, repos+1)
		}
		seen[x.Repo]++
		if x.Entry == "pull" {
			urgent = n
		}
		endTask(t, st, x)
	}
	if len(seen) != repos || seen[1333] != 2 || urgent == 0 || urgent > repos/100+1 {
		t.Errorf("%d repositories of %d, the urgent one in claim %d", len(seen), repos, urgent)
	}
	list = nil
	for i := range 250 {
		list = append(list, fmt.Sprintf("a 1 %d 4 100", 2000+i))
	}
	addTasks(t, st, "r9", append(list, "b 2 2900 4 100")...)
	got := ""
	for range 3 {
		write(t, st, func(ctx context.Context, tx store.Tx) error {
			list, err := tx.ClaimTasks(ctx, "w", engine, time.Hour, store.Limits{Owner: 1})
			for _, x := range list {
				got += x.Entry
			}
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			return err
		})
	}
	if got != "ab" && got != "ba" {
		t.Errorf("two owners, each of whom may have one: %s", got)
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(tx.DropTasks(ctx, "r8"), tx.DropTasks(ctx, "r9"))
	})
}

// taskCancel: with its run go its tasks; who works on one learns it at the next heartbeat.
func taskCancel(t *testing.T, st *store.Store) {
	id := addRun(t, st, store.Run{Repo: 51, Pull: 3, HeadSHA: "h", Ref: "x", Target: "i386", State: store.Waiting})
	addTasks(t, st, id, "g1 5 51 1 0", "g2 5 51 1 0")
	x, _ := claim(t, st, "w1", 0)
	write(t, st, func(ctx context.Context, tx store.Tx) error { return tx.CancelRun(ctx, id, "closed", "") })
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if ok, err := tx.BeatTask(ctx, x.ID, "w1", time.Hour); ok {
			t.Error("the worker does not learn of it")
			return err
		}
		x.State, x.Result = store.TaskEnded, []byte("{}")
		if ok, err := tx.EndTask(ctx, &x); ok {
			t.Error("a cancelled task was ended")
			return err
		}
		open, err := tx.OpenTasks(ctx, id)
		if open {
			t.Error("tasks of a cancelled run are open")
		}
		return err
	})
}

// answers: scopes are kept apart, better answers stay, old ones expire.
func answers(t *testing.T, st *store.Store) {
	put := func(a store.Answer) {
		write(t, st, func(ctx context.Context, tx store.Tx) error { return tx.PutAnswer(ctx, a) })
	}
	get := func(scope string) (out map[string]store.Answer) {
		write(t, st, func(ctx context.Context, tx store.Tx) (err error) {
			out, err = tx.Answers(ctx, 7, scope, append(make([]string, 500), "k1", "k2"))
			return err
		})
		return out
	}
	put(store.Answer{Repo: 7, Key: "k1", Run: "r1", Budget: time.Minute, Body: []byte("one")})
	put(store.Answer{Repo: 7, Key: "k2", Run: "fork", Scope: "pull/3", Body: []byte("theirs")})
	put(store.Answer{Repo: 8, Key: "k2", Run: "elsewhere", Body: []byte("elsewhere")})
	if got := get(""); len(got) != 1 || string(got["k1"].Body) != "one" || got["k1"].Budget != time.Minute {
		t.Errorf("of the repository: %+v", got)
	}
	if got := get("pull/3"); len(got) != 2 || got["k2"].Run != "fork" {
		t.Errorf("of the pull request: %+v", got)
	}
	if got := get("pull/4"); len(got) != 1 {
		t.Errorf("of another pull request: %+v", got)
	}
	put(store.Answer{Repo: 7, Key: "k1", Run: "r2", Budget: time.Second, Body: []byte("in haste")})
	if got := get("")["k1"]; got.Run != "r1" {
		t.Errorf("an answer found in less time replaced %+v", got)
	}
	put(store.Answer{Repo: 7, Key: "k1", Run: "r3", Steady: true, Budget: time.Second, Body: []byte("proof")})
	put(store.Answer{Repo: 7, Key: "k1", Run: "r4", Budget: time.Hour, Body: []byte("bounded")})
	if got := get("")["k1"]; got.Run != "r3" || !got.Steady {
		t.Errorf("a proof was replaced by %+v", got)
	}
	time.Sleep(5 * time.Millisecond)
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := tx.UsedAnswers(ctx, 7, []store.Answer{{Key: "k1"}}); err != nil {
			return err
		}
		_, err := tx.Expire(ctx, store.Retention{Answers: 3 * time.Millisecond})
		return err
	})
	if got := get("pull/3"); len(got) != 1 || got["k1"].Run != "r3" {
		t.Errorf("after a while: %+v", got)
	}
}
