package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

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
