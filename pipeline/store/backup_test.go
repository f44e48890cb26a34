package store_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// TestBackup: a backup of either database restores into either, row by row the same.
func TestBackup(t *testing.T) {
	ctx := context.Background()
	lite := func() *store.Store { return open(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")) }
	first := lite()
	run := addRun(t, first, store.Run{Repo: 1, Pull: 2, HeadSHA: "h", Ref: "x", Target: "i386",
		Options: store.Options{Entries: []string{"a\"b"}}, State: store.Waiting})
	write(t, first, func(ctx context.Context, tx store.Tx) error {
		_, err := tx.AddDelivery(ctx, store.Delivery{GUID: "g", Event: "push", Payload: `{"x":"ü\u0000"}`})
		return errors.Join(err, tx.PutRepo(ctx, store.Repo{ID: 1 << 40, FullName: "a/b", Active: true}),
			tx.PutReport(ctx, run, store.Document{Body: []byte(reported)}, nil), tx.PutReport(ctx, "other",
				store.Document{Name: "elsewhere"}, nil),
			tx.PutFinding(ctx, store.Finding{Run: run, Fingerprint: "f", Claim: "memory@f#1", Entry: "main"}),
			tx.PutAnswer(ctx, store.Answer{Repo: 1, Key: "k", Run: run, Body: []byte("answer"), Steady: true}),
			tx.AddTask(ctx, store.Task{Run: run, Entry: "queued", Job: "{}"}),
			tx.AddTask(ctx, store.Task{Run: run, N: 1, Entry: "ended", Job: "{}", Result: []byte("{}")}),
			tx.SetBaseline(ctx, 1, "main", "i386", "h", run, map[string]string{"f": "F"}, nil),
			tx.Accept(ctx, 1, store.Acceptance{Claim: "x", Reason: "y", By: "ann"}))
	})
	backup := func(st *store.Store) string {
		t.Helper()
		var b bytes.Buffer
		if err := st.Backup(ctx, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := backup(first)
	null := strings.ReplaceAll(want, `"body":""`, `"body":null`) // one driver gives the empty value so
	want = strings.ReplaceAll(want, `"body":null`, `"body":""`)
	for _, table := range []string{"runs", "tasks", "reports", "findings", "answers", "deliveries", "baselines",
		"suppressions", "repos"} {
		if !strings.Contains(want, `{"t":"`+table+`"`) {
			t.Errorf("%s is not in the backup", table)
		}
	}
	last := first
	for _, st := range []*store.Store{open(t, pgtest.Start(t)), lite()} {
		if err := st.Restore(ctx, strings.NewReader(backup(last))); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(backup(st), `"body":null`, `"body":""`); got != want {
			t.Errorf("restored:\n%s\nwant\n%s", got, want)
		}
		if err := st.Restore(ctx, strings.NewReader(want)); !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("restored over something: %v", err)
		}
		last = st
	}
	st := lite()
	if err := lite().Restore(ctx, strings.NewReader(null)); err != nil {
		t.Errorf("an empty value as none: %v", err)
	}
	for what, text := range map[string]string{"cut": want[:len(want)-20], "other schema": strings.Replace(want,
		`"schema":`, `"schema":1`, 1), "no backup": "{}", "a foreign table": want + `{"t":"river_job","r":{}}`} {
		if err := st.Restore(ctx, strings.NewReader(text)); err == nil {
			t.Errorf("%s: restored", what)
		}
	}
	if got := backup(st); strings.Count(got, "\n") != 1 {
		t.Errorf("half a backup stays: %s", got)
	}
}
