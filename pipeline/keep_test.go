package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
)

// TestTidy: mirror and units of a repository go when the App is taken off it, and what an
// earlier process left in the work folder is removed at the start.
func TestTidy(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	sha := b.commit(benchManifest)
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: sha, Ref: "refs/heads/main", Trigger: "push"})
	b.await()
	mirror := filepath.Join(b.s.cfg.Data, "mirrors", "2-1.git")
	units := filepath.Join(b.s.cfg.Data, "units", "2-1")
	if err := os.MkdirAll(units, 0o755); err != nil {
		t.Fatal(err)
	}
	tidy := func(want bool) {
		t.Helper()
		if err := b.s.tidy(ctx); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{mirror, units} {
			if _, err := os.Stat(dir); (err == nil) != want {
				t.Errorf("%s: %v", dir, err)
			}
		}
	}
	tidy(true)
	b.write(func(tx store.Tx) error { return tx.DropRepo(ctx, 1) })
	tidy(false)
	left := filepath.Join(b.s.cfg.Data, "work", "left")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := b.s.Stop(short); err != nil {
		t.Fatal(err)
	}
	next, err := New(b.s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Start(ctx); err != nil {
		t.Fatal(err)
	}
	b.s = next
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a work tree of the process before: %v", err)
	}
}

// TestClosedData: what holds sources of others can be entered by nobody else on the machine, also where an earlier
// version left it open.
func TestClosedData(t *testing.T) {
	data := t.TempDir()
	names := []string{"work", "mirrors", "units"}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(data, name, "1-2"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	st, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Store: st, Data: data, Log: slog.New(slog.DiscardHandler),
		Edge: map[string]queue.Handler{PublishJob: func(context.Context, string, int) error { return nil }}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(data, name)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if err := errors.Join(s.Stop(ctx), st.Close()); err != nil {
		t.Error(err)
	}
}
