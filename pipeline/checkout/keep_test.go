package checkout

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestTidy: a mirror of many fetches is packed and still holds its commits, one that is wanted but not used for long
// goes, and one that is in use is left alone.
func TestTidy(t *testing.T) {
	ctx := context.Background()
	o := newOrigin(t)
	c := &Cache{Dir: t.TempDir(), Limits: DefaultLimits(), Local: true}
	var m *Mirror
	first := ""
	for i := range packsKept + 2 {
		sha := o.commit(map[string]string{"a.c": fmt.Sprint(i)})
		var err error
		if m, _, err = c.Fetch(ctx, "1-2", Remote{URL: o.dir}, Want{Ref: "refs/heads/main", SHA: sha}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = sha
		}
	}
	all := func(string) bool { return true }
	unlock, err := m.lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := c.Tidy(ctx, func(string) bool { return false }, time.Hour); len(done) != 0 || err != nil {
		t.Errorf("in use: %v %v", done, err)
	}
	unlock()
	if done, err := c.Tidy(ctx, all, time.Hour); len(done) != 1 || done[0].Removed || err != nil {
		t.Fatalf("to be packed: %v %v", done, err)
	}
	packs, err := filepath.Glob(filepath.Join(m.dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) > 2 || !m.has(ctx, first) {
		t.Errorf("%d packs, the first commit is there: %v, %v", len(packs), m.has(ctx, first), err)
	}
	if done, err := c.Tidy(ctx, all, time.Hour); len(done) != 0 || err != nil {
		t.Errorf("packed already: %v %v", done, err)
	}
	if done, err := c.Tidy(ctx, all, 0); len(done) != 1 || !done[0].Removed || err != nil {
		t.Errorf("unused: %v %v", done, err)
	}
	if _, err := os.Stat(m.dir); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}
