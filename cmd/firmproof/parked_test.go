package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestParked: what was given up is listed with its log, and nothing else.
func TestParked(t *testing.T) {
	ctx := context.Background()
	place := storeFlags{data: t.TempDir()}
	list := func() string {
		t.Helper()
		var out bytes.Buffer
		if code := runWith([]string{"parked", "--data", place.data}, &out, &out); code != exitOK {
			t.Fatal(out.String())
		}
		return out.String()
	}
	if got := list(); !strings.Contains(got, "nothing") {
		t.Error(got)
	}
	st, _, err := place.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Write(ctx, func(tx store.Tx) error {
		for _, entry := range []string{"poison", "fine"} {
			if err := tx.AddTask(ctx, store.Task{Run: "r1", Repo: 1, Entry: entry, Target: "i386", Engine: "e",
				Job: "{}"}); err != nil {
				return err
			}
		}
		for range 2 {
			list, err := tx.ClaimTasks(ctx, "w", "e", time.Minute, store.Limits{})
			if err != nil {
				return err
			}
			x := list[0]
			x.State, x.Result = store.TaskEnded, []byte("{}")
			if x.Entry == "poison" {
				x.State, x.Log = store.TaskParked, "it burns\nbadly"
			}
			if _, err := tx.EndTask(ctx, &x); err != nil {
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
	if got := list(); !strings.Contains(got, "run r1  poison on i386, 1 tries\n  it burns\n  badly\n") ||
		strings.Contains(got, "fine") {
		t.Error(got)
	}
}
