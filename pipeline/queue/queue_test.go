package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
)

// TestQueue: a job arrives only if its transaction commits, is retried on an
// error, comes again after a snooze, and is given up when dropped.
func TestQueue(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	st, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "q.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var mu sync.Mutex
	seen := map[string]int{}
	done := make(chan string, 10)
	handle := func(_ context.Context, id string, _ int) error {
		mu.Lock()
		defer mu.Unlock()
		seen[id]++
		switch {
		case id == "retry" && seen[id] == 1:
			return errors.New("once")
		case id == "snooze" && seen[id] == 1:
			return &queue.Snooze{After: 10 * time.Millisecond}
		case id == "drop":
			done <- id
			return &queue.Drop{Err: errors.New("no use")}
		}
		done <- id
		return nil
	}
	q, err := queue.New(st, queue.Config{Workers: map[queue.Lane]int{queue.Verify: 2},
		Handlers: map[string]queue.Handler{"x": handle}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := st.Write(ctx, func(tx store.Tx) error {
		return errors.Join(q.Enqueue(ctx, tx, queue.Job{Kind: "x", ID: "never", Lane: queue.Verify}), boom)
	}); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if err := q.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := st.Write(ctx, func(tx store.Tx) error {
		for _, id := range []string{"plain", "retry", "snooze", "drop"} {
			if err := q.Enqueue(ctx, tx, queue.Job{Kind: "x", ID: id, Lane: queue.Verify}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		select {
		case <-done:
		case <-ctx.Done():
			t.Fatalf("waited for jobs; seen %v", seen)
		}
	}
	if err := q.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if seen["never"] != 0 || seen["plain"] != 1 || seen["retry"] != 2 || seen["snooze"] != 2 || seen["drop"] != 1 {
		t.Errorf("seen %v", seen)
	}
}
