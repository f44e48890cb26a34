package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestRunTurns drives the queue of builds on both databases.
func TestRunTurns(t *testing.T) {
	each(t, func(t *testing.T, st *store.Store) {
		t.Run("shares", func(t *testing.T) { runShares(t, st) })
		t.Run("pause", func(t *testing.T) { runPause(t, st) })
	})
}

// turnRun queues a build of "owner/repo".
func turnRun(t *testing.T, st *store.Store, installation, repo int64, head, trigger string) string {
	t.Helper()
	time.Sleep(2 * time.Millisecond) // ids sort by milliseconds
	return addRun(t, st, store.Run{Repo: repo, Installation: installation, HeadSHA: head, Ref: "r", Target: "i386",
		Trigger: trigger})
}

// nextRun claims a build, and gives its commit; empty if there is none to be had.
func nextRun(t *testing.T, st *store.Store, owner string, slots int, l store.Limits) (head, id string) {
	t.Helper()
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		r, err := tx.ClaimNextRun(ctx, store.Builds, owner, time.Hour, slots, l)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		head, id = r.HeadSHA, r.ID
		return err
	})
	return head, id
}

func endRun(t *testing.T, st *store.Store, id, owner string) {
	t.Helper()
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.FinishRun(ctx, id, owner, "success", "", nil)
		return err
	})
}

// runShares: the builds of one owner, however many, hold all slots of a worker but one; another owner's
// gets that one at once; people go before nights; the place in the queue is what then happens.
func runShares(t *testing.T, st *store.Store) {
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(tx.PutRepo(ctx, store.Repo{ID: 11, Installation: 1, FullName: "mallory/a", Active: true}),
			tx.PutRepo(ctx, store.Repo{ID: 12, Installation: 1, FullName: "mallory/b", Active: true}),
			tx.PutRepo(ctx, store.Repo{ID: 21, Installation: 2, FullName: "acme/fw", Active: true}))
	})
	for _, head := range []string{"m1", "m2", "m3", "m4"} {
		turnRun(t, st, 1, 11, head, "pull_request")
	}
	turnRun(t, st, 1, 12, "m5", "nightly")
	m1, first := nextRun(t, st, "w", 3, store.Limits{})
	m2, _ := nextRun(t, st, "w", 3, store.Limits{})
	third, _ := nextRun(t, st, "w", 3, store.Limits{})
	if m1 != "m1" || m2 != "m2" || third != "" {
		t.Fatalf("of three slots one owner got %q %q %q", m1, m2, third)
	}
	clean := turnRun(t, st, 2, 21, "clean", "pull_request")
	last := turnRun(t, st, 1, 11, "m6", "pull_request")
	for id, want := range map[string]int{clean: 0, last: 3, first: 0} {
		write(t, st, func(ctx context.Context, tx store.Tx) error {
			r, err := tx.Run(ctx, id)
			if err != nil {
				return err
			}
			if n, err := tx.Place(ctx, r); n != want || err != nil {
				t.Errorf("place of %s: %d %v, want %d", r.HeadSHA, n, err, want)
			}
			return nil
		})
	}
	got, id := nextRun(t, st, "w", 3, store.Limits{})
	if got != "clean" {
		t.Errorf("the other owner waits; served was %q", got)
	}
	endRun(t, st, id, "w")
	if got, _ := nextRun(t, st, "v", 3, store.Limits{Owner: 2}); got != "" {
		t.Errorf("over the limit of its owner: %q", got)
	}
	endRun(t, st, first, "w")
	var order []string
	for range 4 {
		head, id := nextRun(t, st, "w", 3, store.Limits{})
		endRun(t, st, id, "w")
		order = append(order, head)
	}
	if got := strings.Join(order, " "); got != "m3 m4 m6 m5" {
		t.Errorf("order %s", got)
	}
}

// runPause: what is given back is not taken before its time.
func runPause(t *testing.T, st *store.Store) {
	turnRun(t, st, 2, 21, "later", "push")
	_, id := nextRun(t, st, "w", 3, store.Limits{})
	write(t, st, func(ctx context.Context, tx store.Tx) error {
		ok, err := tx.ReleaseRun(ctx, id, "w", time.Hour, true)
		if !ok {
			t.Error("not released")
		}
		return err
	})
	if head, _ := nextRun(t, st, "w", 3, store.Limits{}); head != "" {
		t.Errorf("taken at once: %s", head)
	}
	endRun(t, st, id, "")
}
