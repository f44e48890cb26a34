package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestStore drives every table on both databases.
func TestStore(t *testing.T) {
	each(t, func(t *testing.T, st *store.Store) {
		t.Run("deliveries", func(t *testing.T) { deliveries(t, st) })
		t.Run("pulls", func(t *testing.T) { pulls(t, st) })
		t.Run("runs", func(t *testing.T) { runs(t, st) })
		t.Run("cancel", func(t *testing.T) { cancel(t, st) })
		t.Run("findings", func(t *testing.T) { findings(t, st) })
		t.Run("pieces", func(t *testing.T) { pieces(t, st) })
		t.Run("baseline", func(t *testing.T) { baseline(t, st) })
		t.Run("tokens", func(t *testing.T) { tokens(t, st) })
		t.Run("locks", func(t *testing.T) { locks(t, st) })
		t.Run("schedules", func(t *testing.T) { schedules(t, st) })
		t.Run("expire", func(t *testing.T) { expire(t, st) })
		t.Run("rollback", func(t *testing.T) { rollback(t, st) })
	})
}

// tokens: one is good for its repository until its end, and known by its digest.
func tokens(t *testing.T, st *store.Store) {
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(
			tx.AddToken(ctx, "d1", store.Token{ID: "one", Repo: 7, Use: store.TokenReads, Note: "board", By: "ann",
				Until: tx.Now().Add(time.Hour)}),
			tx.AddToken(ctx, "d2", store.Token{ID: "old", Repo: 7, Use: store.TokenBadge, Until: tx.Now().Add(-time.Hour)}))
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		k, err := tx.TokenOf(ctx, "d1")
		if err != nil || k.ID != "one" || k.Repo != 7 || k.Use != store.TokenReads || k.By != "ann" || !tx.Stale(&k) {
			t.Errorf("a token that is good: %+v %v", k, err)
		}
		if _, err := tx.TokenOf(ctx, "d2"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a token that ended: %v", err)
		}
		return tx.UseToken(ctx, "d1")
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		list, err := tx.Tokens(ctx, 7)
		if err != nil || len(list) != 1 || tx.Stale(&list[0]) {
			t.Errorf("the tokens of a repository: %+v %v", list, err)
		}
		other, err := tx.DropToken(ctx, 8, "one")
		own, err2 := tx.DropToken(ctx, 7, "one")
		if other || !own {
			t.Errorf("ended by another repository %v, by its own %v", other, own)
		}
		return errors.Join(err, err2)
	})
}

func deliveries(t *testing.T, st *store.Store) {
	add := func() (fresh bool) {
		write(t, st, func(ctx context.Context, tx store.Tx) (err error) {
			fresh, err = tx.AddDelivery(ctx, store.Delivery{GUID: "g1", Event: "ping", Payload: "{}"})
			return err
		})
		return fresh
	}
	end := func(state string) {
		write(t, st, func(ctx context.Context, tx store.Tx) error { return tx.EndDelivery(ctx, "g1", state, "why") })
	}
	if !add() || add() {
		t.Error("an open delivery must be taken once")
	}
	end(store.DeliveryDone)
	if add() {
		t.Error("a replay of a finished delivery must be ignored")
	}
	end(store.DeliveryFailed)
	if !add() {
		t.Error("a redelivery of a failed one must be taken")
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		open, err := tx.OpenDeliveries(ctx, time.Now().Add(time.Minute))
		if len(open) != 1 || open[0] != "g1" {
			t.Errorf("open: %v", open)
		}
		return err
	})
}

func pulls(t *testing.T, st *store.Store) {
	now := time.UnixMilli(1700000000000).UTC()
	p := store.Pull{Repo: 1, Number: 7, State: "open", HeadSHA: "b", HeadRef: "fix", BaseSHA: "a", BaseRef: "main",
		Fork: true, EventAt: now}
	put := func(p store.Pull) (news bool) {
		write(t, st, func(ctx context.Context, tx store.Tx) (err error) { news, err = tx.PutPull(ctx, p); return err })
		return news
	}
	if !put(p) {
		t.Error("the first event is news")
	}
	old := p
	old.HeadSHA, old.EventAt = "stale", now.Add(-time.Second)
	if put(old) {
		t.Error("an older event must change nothing")
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := tx.ApprovePull(ctx, 1, 7, "ann", "b"); err != nil {
			return err
		}
		got, err := tx.PullByHead(ctx, 1, "b")
		p.ApprovedBy, p.ApprovedSHA = "ann", "b"
		if got != p {
			t.Errorf("got %+v, want %+v", got, p)
		}
		if _, err := tx.Pull(ctx, 1, 8); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("missing pull: %v", err)
		}
		return err
	})
}

func addRun(t *testing.T, st *store.Store, r store.Run) (id string) {
	t.Helper()
	write(t, st, func(ctx context.Context, tx store.Tx) (err error) { id, err = tx.AddRun(ctx, r); return err })
	return id
}

func runs(t *testing.T, st *store.Store) {
	id := addRun(t, st, store.Run{Repo: 1, Installation: 2, Pull: 9, HeadSHA: "h", Ref: "refs/pull/9/head",
		Target: "i386", Trigger: "push",
		Options: store.Options{Entries: []string{"main"}, Factor: 2}})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if ok, err := tx.ClaimRun(ctx, id, "w1", time.Hour); !ok || err != nil {
			t.Errorf("claim: %v %v", ok, err)
		}
		if ok, _ := tx.ClaimRun(ctx, id, "w2", time.Hour); ok {
			t.Error("two owners")
		}
		if ok, _ := tx.Heartbeat(ctx, id, "w2", time.Hour); ok {
			t.Error("a stranger's heartbeat")
		}
		if ok, _ := tx.FinishRun(ctx, id, "w2", "success", "", nil); ok {
			t.Error("a stranger finished the run")
		}
		return nil
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error { // its process dies
		if ok, err := tx.Heartbeat(ctx, id, "w1", -time.Second); !ok {
			return err
		}
		return nil
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		lost, err := tx.Orphans(ctx)
		if len(lost) != 1 || lost[0].ID != id {
			t.Errorf("orphans: %+v", lost)
		}
		if ok, _ := tx.ClaimRun(ctx, id, "w2", time.Hour); !ok {
			t.Error("an orphan can be claimed")
		}
		if ok, _ := tx.FinishRun(ctx, id, "w1", "failure", "", nil); ok {
			t.Error("the old owner finished the run")
		}
		if ok, _ := tx.FinishRun(ctx, id, "w2", "success", "fine", map[string]int{"proved": 3}); !ok {
			t.Error("the owner could not finish")
		}
		r, err2 := tx.Run(ctx, id)
		if r.State != store.Done || r.Conclusion != "success" || r.Counts["proved"] != 3 || r.Tries != 2 ||
			r.Options.Factor != 2 || r.Started.IsZero() || r.Finished.IsZero() {
			t.Errorf("run: %+v", r)
		}
		return errors.Join(err, err2)
	})
}

func cancel(t *testing.T, st *store.Store) {
	id := addRun(t, st, store.Run{Repo: 1, Pull: 10, HeadSHA: "h2", Ref: "x"})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if ok, err := tx.ClaimRun(ctx, id, "w1", time.Hour); !ok {
			return err
		}
		open, err := tx.OpenRuns(ctx, 1, 10)
		if len(open) != 1 {
			t.Errorf("open: %+v", open)
		}
		if err := tx.CancelRun(ctx, id, "superseded by h3", "other"); err != nil {
			return err
		}
		if ok, _ := tx.Heartbeat(ctx, id, "w1", time.Hour); ok {
			t.Error("the owner does not learn that its run was cancelled")
		}
		if ok, _ := tx.FinishRun(ctx, id, "w1", "failure", "", nil); ok {
			t.Error("a cancelled run was finished")
		}
		if err := tx.SetCheckRun(ctx, id, 77); err != nil {
			return err
		}
		r, err2 := tx.RunByCheck(ctx, 1, 77)
		if r.Conclusion != "cancelled" || r.SupersededBy != "other" {
			t.Errorf("run: %+v", r)
		}
		if err := tx.MarkPublished(ctx, id, r.Version); err != nil {
			return err
		}
		open2, err3 := tx.Unpublished(ctx, time.Now().Add(time.Minute))
		for _, u := range open2 {
			if u == id {
				t.Error("published run listed as unpublished")
			}
		}
		return errors.Join(err, err2, err3)
	})
}

type shelf map[string]string

func (s shelf) Get(_ context.Context, name string) ([]byte, error) { return []byte(s[name]), nil }

const reported = `{"results":[{"entry":"other","claims":[{"id":"memory@f#1"}]}]}`

// pieces: parts of a report are read one at a time, and places page by page; both go with the report.
func pieces(t *testing.T, st *store.Store) {
	runs := []string{"p1", "p2"}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		one, err := store.NewPiece(store.ClaimPiece, "f1", []string{"step"})
		for i, f := range []store.Finding{{Run: "p1", File: "b.c", Line: 3, Status: "violated", Target: "i386"},
			{Run: "p2", File: "b.c", Line: 3, Status: "violated", Target: "avr"}, {Run: "p1", File: "a.c", Line: 1, Status: "unknown"},
			{Run: "p1", File: "b.c", Line: 2, Status: "violated"}, {Run: "p3", File: "a.c", Line: 1, Status: "violated"}} {
			f.Rule, f.Fingerprint = "memory", fmt.Sprint(i)
			err = errors.Join(err, tx.PutFinding(ctx, f))
		}
		return errors.Join(err, tx.PutPieces(ctx, "p1", []store.Piece{one}), tx.PutPieces(ctx, "p1", []store.Piece{one}))
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		var steps []string
		if err := tx.Piece(ctx, "p1", store.ClaimPiece, "f1", &steps); err != nil || len(steps) != 1 || steps[0] != "step" {
			t.Errorf("piece: %v %v", steps, err)
		}
		all, err := tx.Sites(ctx, runs, "", 0, 10)
		page, err2 := tx.Sites(ctx, runs, "", 1, 1)
		if len(all) != 3 || all[0].Line != 2 || all[1].Line != 3 || all[2].File != "a.c" || len(page) != 1 || page[0] != all[1] {
			t.Fatalf("sites: %+v, second: %+v", all, page)
		}
		for word, want := range map[string]int{"A.C": 1, "MEMORY": 3, "%": 0, "_": 0, "!": 0} {
			if some, err := tx.Sites(ctx, runs, word, 0, 10); len(some) != want || err != nil {
				t.Errorf("%q: %+v %v", word, some, err)
			}
		}
		list, err3 := tx.FindingsAt(ctx, runs, all[1], 10)
		if len(list) != 2 || list[0].Target != "avr" {
			t.Errorf("findings: %+v", list)
		}
		return errors.Join(err, err2, err3, tx.DropFindings(ctx, "p1"))
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := tx.Piece(ctx, "p1", store.ClaimPiece, "f1", new([]string)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("dropped piece: %v", err)
		}
		return nil
	})
}

func findings(t *testing.T, st *store.Store) {
	f := store.Finding{Run: "r1", Fingerprint: "f1", Claim: "memory@f#1", Rule: "memory", Target: "i386",
		Entry: "main", File: "a.c", Line: 3, Message: "m", Status: "violated", State: "introduced"}
	type lines map[string][][2]int
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(tx.PutFinding(ctx, f), tx.PutFinding(ctx, f), tx.PutReport(ctx, "r1",
			store.Document{Body: []byte(reported)}, lines{"a.c": {{1, 2}}}))
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		list, err := tx.Findings(ctx, "r1")
		if len(list) != 1 || list[0] != f {
			t.Errorf("findings: %+v", list)
		}
		one, err2 := tx.Finding(ctx, "r1", "f1")
		if _, err := tx.Finding(ctx, "r1", "f2"); !errors.Is(err, store.ErrNotFound) || one != f {
			t.Errorf("one finding: %+v %v", one, err)
		}
		var changed lines
		report, err3 := tx.Report(ctx, "r1", &changed)
		if string(report) != reported || changed["a.c"][0][1] != 2 {
			t.Errorf("report %s changed %v", report, changed)
		}
		return errors.Join(err, err2, err3, tx.DropFindings(ctx, "r1"), tx.PutReport(ctx, "r2",
			store.Document{Name: "n"}, nil))
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Report(ctx, "r1", nil); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("dropped report: %v", err)
		}
		if _, err := tx.Report(ctx, "r2", nil); err == nil {
			t.Error("a document without a store")
		}
		return tx.DropFindings(ctx, "r2")
	})
	st.Attach(shelf{"n": "far away"})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := tx.PutReport(ctx, "r2", store.Document{Name: "n"}, nil); err != nil {
			return err
		}
		if text, err := tx.Report(ctx, "r2", nil); string(text) != "far away" {
			t.Errorf("%s %v", text, err)
		}
		names, err := tx.BlobsInUse(ctx)
		if err != nil || len(names) != 1 || names[0] != "n" {
			t.Errorf("in use: %v %v", names, err)
		}
		return nil
	})
}

func baseline(t *testing.T, st *store.Store) {
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if _, known, err := tx.Baseline(ctx, 1, "main", "i386"); known != "" || err != nil {
			t.Errorf("baseline before the first run: %v %v", known, err)
		}
		if err := tx.SetBaseline(ctx, 1, "main", "i386", "s1", "r1", map[string]string{"a": "A", "b": "B", "c": "C"},
			nil); err != nil {
			return err
		}
		// next run: a is fixed, b cannot be decided, c is still there, d is new
		if err := tx.SetBaseline(ctx, 1, "main", "i386", "s2", "r2", map[string]string{"c": "C", "d": "D"},
			map[string]string{"b": "B"}); err != nil {
			return err
		}
		got, known, err := tx.Baseline(ctx, 1, "main", "i386")
		if _, a := got["a"]; known == "" || a || len(got) != 3 || got["b"] != "B" {
			t.Errorf("baseline: %v", got)
		}
		day := time.Date(2100, 1, 31, 0, 0, 0, 0, time.UTC)
		for _, a := range []store.Acceptance{{Claim: "x", Reason: "old", By: "bob"}, {Claim: "x", Reason: "masked", By: "ann",
			Until: day}, {Claim: "y", Reason: "over", By: "ann", Until: time.Now().Add(-time.Hour)}, {Claim: "z"}} {
			err = errors.Join(err, tx.Accept(ctx, 1, a))
		}
		list, err2 := tx.Acceptances(ctx, 1)
		if len(list) != 2 || list[0].Claim != "x" || list[0].Reason != "masked" || list[0].By != "ann" ||
			!list[0].Until.Equal(day) || list[0].Since.IsZero() || !list[1].Until.IsZero() {
			t.Errorf("acceptances: %+v", list)
		}
		for claim, want := range map[string]bool{"x": true, "y": false, "none": false} {
			if was, err := tx.TakeBack(ctx, 1, claim); was != want || err != nil {
				t.Errorf("take back %s: %v %v", claim, was, err)
			}
		}
		if list, err := tx.Acceptances(ctx, 1); len(list) != 1 || err != nil {
			t.Errorf("afterwards: %+v %v", list, err)
		}
		return errors.Join(err, err2)
	})
}

func locks(t *testing.T, st *store.Store) {
	try := func(owner string, d time.Duration) (ok bool) {
		write(t, st, func(ctx context.Context, tx store.Tx) (err error) {
			ok, err = tx.TryLock(ctx, "x", owner, d)
			return err
		})
		return ok
	}
	if !try("a", time.Hour) || try("b", time.Hour) || !try("a", -time.Hour) || !try("b", time.Hour) {
		t.Error("a lock has one owner until it expires")
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error { return tx.Unlock(ctx, "x", "b") })
	if !try("a", time.Hour) {
		t.Error("a released lock is free")
	}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		first, err := tx.ClaimCommand(ctx, 5, "rerun")
		second, err2 := tx.ClaimCommand(ctx, 5, "rerun")
		if !first || second {
			t.Error("a command is taken once")
		}
		return errors.Join(err, err2)
	})
}

func rollback(t *testing.T, st *store.Store) {
	boom := errors.New("boom")
	err := st.Write(context.Background(), func(tx store.Tx) error {
		if err := tx.PutRepo(context.Background(), store.Repo{ID: 99, FullName: "a/b", Active: true}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	err = st.Read(context.Background(), func(tx store.Tx) error {
		_, err := tx.Repo(context.Background(),
			99)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("rolled back row: %v", err)
	}
}

func schedules(t *testing.T, st *store.Store) {
	at := time.UnixMilli(1700000000000).UTC()
	s := store.Schedule{Repo: 5, Name: "nightly", Spec: "a", Next: at}
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		moved := s
		moved.Next = at.Add(time.Hour)
		return errors.Join(tx.PutRepo(ctx, store.Repo{ID: 5, FullName: "a/five", Active: true}),
			tx.PutSchedule(ctx, s), tx.PutSchedule(ctx, moved))
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		due, err := tx.DueSchedules(ctx, at)
		if len(due) != 1 || due[0] != s {
			t.Fatalf("due: %+v", due)
		}
		first, err2 := tx.RanSchedule(ctx, due[0], at.Add(24*time.Hour))
		second, err3 := tx.RanSchedule(ctx, due[0], at.Add(24*time.Hour))
		if !first || second {
			t.Error("a schedule runs once")
		}
		due, err4 := tx.DueSchedules(ctx, at.Add(time.Hour))
		if len(due) != 0 {
			t.Errorf("due again: %+v", due)
		}
		return errors.Join(err, err2, err3, err4, tx.DropSchedule(ctx, 5, "nightly"))
	})
}

func expire(t *testing.T, st *store.Store) {
	old := addRun(t, st, store.Run{Repo: 6, HeadSHA: "h", Ref: "x", Target: "i386"})
	base := addRun(t, st, store.Run{Repo: 6, HeadSHA: "h", Ref: "x", Target: "i386"})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		for _, id := range []string{old, base} {
			_, err := tx.FinishRun(ctx, id, "", "success", "", nil)
			if err := errors.Join(err, tx.PutReport(ctx, id, store.Document{Body: []byte("{}")}, nil),
				tx.MarkPublished(ctx, id, 99)); err != nil {
				return err
			}
		}
		return tx.SetBaseline(ctx, 6, "main", "i386", "h", base, nil, nil)
	})
	time.Sleep(5 * time.Millisecond)
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if n, err := tx.Expire(ctx, store.Retention{Traces: time.Hour, Runs: time.Hour,
			Deliveries: time.Hour}); n != 0 {
			t.Errorf("%d young rows expired", n)
			return err
		}
		_, err := tx.Expire(ctx, store.Retention{Traces: time.Millisecond, Runs: time.Millisecond})
		return err
	})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Run(ctx, old); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an old run stays: %v", err)
		}
		_, err := tx.Report(ctx, base, nil)
		return err
	})
}
