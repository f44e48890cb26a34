package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// TestNewerSchema: a version that does not know the schema leaves the database alone, and says what to do.
func TestNewerSchema(t *testing.T) {
	ctx := context.Background()
	for name, dsn := range map[string]string{"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "x.db"),
		"postgres": pgtest.Start(t)} {
		t.Run(name, func(t *testing.T) {
			st := open(t, dsn)
			if db := st.SQLite(); db != nil {
				if _, err := db.ExecContext(ctx,
					`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`); err != nil {
					t.Fatal(err)
				}
			} else if _, err := st.Postgres().Exec(ctx,
				`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)`); err != nil {
				t.Fatal(err)
			}
			later, err := store.Open(ctx, dsn)
			if err == nil {
				t.Fatal(errors.Join(errors.New("opened"), later.Close()))
			}
			if !strings.Contains(err.Error(), "schema 99") {
				t.Error(err)
			}
		})
	}
}

// TestDamagedFile: what is no database, or one with pages overwritten, is refused at the start.
func TestDamagedFile(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db")
	st, err := store.Open(ctx, "sqlite:"+whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Write(ctx, func(tx store.Tx) error {
		for i := range 200 {
			r := store.Repo{ID: int64(i), FullName: strings.Repeat("x", 500)}
			if err := tx.PutRepo(ctx, r); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	holes := append([]byte{}, text...)
	for at := 5 * 4096; at+4096 <= len(holes); at += 3 * 4096 {
		copy(holes[at:], strings.Repeat("garbage ", 512))
	}
	for name, data := range map[string][]byte{"other": []byte(strings.Repeat("no database ", 1000)), "holes": holes,
		"cut": text[:len(text)/2]} {
		path := filepath.Join(dir, name+".db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(ctx, "sqlite:"+path)
		if err == nil {
			t.Errorf("%s: opened", name)
			_ = st.Close()
			continue
		}
		if !strings.Contains(err.Error(), "firmproof restore") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgotten: of a repository that the App was taken off, nothing is left after its time; of others all.
func TestForgotten(t *testing.T) {
	each(t, func(t *testing.T, st *store.Store) {
		for _, repo := range []int64{1, 2} {
			write(t, st, func(ctx context.Context, tx store.Tx) error {
				err := tx.PutRepo(ctx, store.Repo{ID: repo, Installation: repo, FullName: "o/r", Active: true})
				id, err2 := tx.AddRun(ctx, store.Run{Repo: repo, Installation: repo, HeadSHA: "h", Ref: "r",
					Target: "i386"})
				return errors.Join(err, err2, tx.AddTask(ctx, store.Task{Run: id, Repo: repo, Job: "{}"}),
					tx.PutAnswer(ctx, store.Answer{Repo: repo, Key: "k", Run: id, Body: []byte("x")}))
			})
		}
		write(t, st, func(ctx context.Context, tx store.Tx) error { return tx.DropInstallation(ctx, 1) })
		time.Sleep(5 * time.Millisecond)
		write(t, st, func(ctx context.Context, tx store.Tx) error {
			if _, err := tx.Expire(ctx, store.Retention{Gone: time.Millisecond}); err != nil {
				return err
			}
			for repo, want := range map[int64]int{1: 0, 2: 1} {
				runs, err := tx.RunsByHead(ctx, repo, "h")
				kept, err2 := tx.Answers(ctx, repo, "", []string{"k"})
				if len(runs) != want || len(kept) != want || errors.Join(err, err2) != nil {
					t.Errorf("of %d: %d runs, %d answers, %v %v", repo, len(runs), len(kept), err, err2)
				}
			}
			if _, err := tx.Repo(ctx, 1); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the repository is left: %v", err)
			}
			return nil
		})
	})
}
