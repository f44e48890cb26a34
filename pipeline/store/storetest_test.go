package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// each runs a test on both databases.
func each(t *testing.T, f func(t *testing.T, st *store.Store)) {
	t.Run("sqlite", func(t *testing.T) {
		f(t, open(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")))
	})
	t.Run("postgres", func(t *testing.T) {
		f(t, open(t, pgtest.Start(t)))
	})
}

func open(t *testing.T, dsn string) *store.Store {
	t.Helper()
	st, err := store.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func write(t *testing.T, st *store.Store, f func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	if err := st.Write(ctx, func(tx store.Tx) error { return f(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
}
