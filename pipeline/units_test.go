package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
)

// TestUnits: units that a build compiled are there for the next one of the
// repository, but not those of a fork, nor for a run that is to be done anew; they go after a time.
func TestUnits(t *testing.T) {
	b := newBench(t)
	b.entries("main")
	plain := b.build
	made := ""
	b.build = func(ctx context.Context, req Request) (*Built, error) {
		units := filepath.Join(req.Scratch, prepare.UnitsFolder)
		name := filepath.Join(units, strings.Repeat(made, 40)+".ll")
		if err := errors.Join(os.MkdirAll(units, 0o755), os.WriteFile(name, []byte("ir "+made), 0o644),
			os.WriteFile(name+".json", []byte("{}"), 0o644),
			os.WriteFile(filepath.Join(units, strings.Repeat("0", 40)+".origin.json"), []byte(made),
				0o644)); err != nil {
			return nil, err
		}
		return plain(ctx, req)
	}
	see := func(made string) string {
		folder := b.calls[len(b.calls)-1].Units
		text, err := os.ReadFile(filepath.Join(folder, strings.Repeat(made, 40)+".ll"))
		if folder == "" || err != nil {
			return ""
		}
		return string(text)
	}
	made = "a"
	b.push()
	made = "b"
	b.push()
	if see("a") != "ir a" {
		t.Error("the second build does not have what the first one compiled")
	}
	folder := b.calls[len(b.calls)-1].Units
	if origin, err := os.ReadFile(filepath.Join(folder, strings.Repeat("0", 40)+".origin.json")); err != nil ||
		string(origin) != "b" {
		t.Errorf("the files of the last build's unit: %q, %v", origin, err)
	}
	head := b.commit(benchManifest)
	b.git("branch", "fork")
	b.write(func(tx store.Tx) error {
		_, err := tx.PutPull(context.Background(), store.Pull{Repo: 1, Number: 7, HeadSHA: head, HeadRef: "fork",
			BaseSHA: head, BaseRef: "main", Fork: true})
		return err
	})
	made = "c"
	b.begin(store.Run{Repo: 1, Installation: 2, Pull: 7, HeadSHA: head, BaseSHA: head, Ref: "refs/heads/fork",
		Trigger: "pull_request"})
	b.await()
	if see("b") != "ir b" {
		t.Error("the fork's build does not have what the branch's compiled")
	}
	made = "d"
	b.push()
	if see("c") != "" {
		t.Error("a unit from a fork's build is used for the branch")
	}
	b.begin(store.Run{Repo: 1, Installation: 2, HeadSHA: head, Ref: "refs/heads/main", Trigger: "rerun"})
	b.await()
	if folder := b.calls[len(b.calls)-1].Units; folder != "" {
		t.Errorf("a rerun builds with the units in %s", folder)
	}
	if err := b.s.expireUnits(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	made = "e"
	b.push()
	if see("a") != "" || see("d") != "" {
		t.Error("old units are still there")
	}
}

// TestKeepUnits: what is no unit is not taken over, and a unit that is there stays as it is.
func TestKeepUnits(t *testing.T) {
	from, to, secret := t.TempDir(), filepath.Join(t.TempDir(), "units"), filepath.Join(t.TempDir(), "secret")
	unit := func(c string) string { return strings.Repeat(c, 40) + ".ll" }
	err := errors.Join(os.WriteFile(secret, []byte("s"), 0o600), os.Symlink(secret, filepath.Join(from, unit("a"))),
		os.Mkdir(filepath.Join(from, unit("b")), 0o755),
		os.WriteFile(filepath.Join(from, "record-1.json"), nil, 0o644), os.WriteFile(filepath.Join(from, unit("c")),
			[]byte("evil"), 0o644), os.WriteFile(filepath.Join(from, unit("d")), []byte("new"), 0o644),
		os.Mkdir(to, 0o755), os.WriteFile(filepath.Join(to, unit("c")), []byte("good"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(keepUnits(from, to), keepUnits(filepath.Join(from, "missing"), to)); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(to)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v %v", list, err)
	}
	for name, want := range map[string]string{unit("c"): "good", unit("d"): "new"} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
}
