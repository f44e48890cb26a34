package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/blob"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// TestBackupCommand: what a server kept is back after a restore, on both databases, with its artifacts.
func TestBackupCommand(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	f := storeFlags{data: filepath.Join(dir, "old")}
	st, blobs, err := f.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	name, err := blobs.Put(ctx, []byte(`{"results":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blobs.Put(ctx, []byte("nobody names this")); err != nil {
		t.Fatal(err)
	}
	var id string
	err = st.Write(ctx, func(tx store.Tx) (err error) {
		if id, err = tx.AddRun(ctx, store.Run{Repo: 1, HeadSHA: "h", Ref: "x", Target: "i386"}); err != nil {
			return err
		}
		return tx.PutReport(ctx, id, store.Document{Name: name}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	// the server still has it open
	file := filepath.Join(dir, "backup.tar.gz")
	cli := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if code := runWith(args, &out, &out); code != exitOK {
			t.Fatalf("%v: %s", args, out.String())
		}
		return out.String()
	}
	if out := cli("backup", "--data", f.data, "-o", file); !strings.Contains(out, "and 1 artifacts") {
		t.Error(out)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for what, db := range map[string]string{"sqlite": "", "postgres": pgtest.Start(t)} {
		to := storeFlags{data: filepath.Join(dir, what), db: db}
		args := []string{"restore", file, "--data", to.data, "--db", db}
		cli(args...)
		st, blobs, err := to.open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Read(ctx, func(tx store.Tx) error {
			text, err := tx.Report(ctx, id, nil)
			if string(text) != `{"results":[]}` {
				t.Errorf("%s: report %q", what, text)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		n := 0
		if err := blobs.List(ctx, func(blob.Info) error { n++; return nil }); err != nil || n != 1 {
			t.Errorf("%s: %d artifacts, %v", what, n, err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := runWith(args, &out, &out); code == exitOK || !strings.Contains(out.String(), "not empty") {
			t.Errorf("%s: restored twice: %s", what, out.String())
		}
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := runWith([]string{"restore", file, "--data", filepath.Join(dir, "cut")}, &out, &out); code == exitOK {
		t.Error("half a file was restored")
	}
}
