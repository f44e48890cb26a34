package bot_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline"
)

// sleeper is a reader whose builds of sources that say "sleep" last until the test ends.
type sleeper struct {
	reader
	asleep chan string
	wake   chan struct{}
}

// Build implements pipeline.Checker.
func (c *sleeper) Build(ctx context.Context, req pipeline.Request) (*pipeline.Built, error) {
	text, err := os.ReadFile(filepath.Join(req.Dir, "main.c"))
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(text), "sleep") {
		c.asleep <- req.Run
		select {
		case <-c.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return c.reader.Build(ctx, req)
}

// TestSleepingBuilds: builds of four pull requests of one tenant sleep; another tenant's clean one is
// answered meanwhile. The pages of those that wait say how many come first.
func TestSleepingBuilds(t *testing.T) {
	c := &sleeper{asleep: make(chan string, 100), wake: make(chan struct{})}
	w := newWorld(t, c)
	w.repo("int main\n", installed)
	w.await("the first run", finished(3))
	w.call("POST", "/_fake/users", obj{"login": "mallory", "permission": "write"})
	dir := t.TempDir()
	for name, text := range map[string]string{"main.c": "int main\n", ".firmproof.yml": testManifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.call("POST", "/_fake/repos", obj{"name": "mallory/fw", "path": dir})
	for i := range 4 {
		head := fmt.Sprintf("sleep%d", i)
		w.call("POST", "/_fake/push", obj{"repo": "mallory/fw", "branch": head, "files": obj{"main.c": "sleep\n"}})
		w.call("POST", "/_fake/pulls", obj{"repo": "mallory/fw", "head": head, "base": "main", "title": head})
	}
	<-c.asleep
	w.await("all of the sleepers' checks, and those of the first run", func(s state) bool { return len(s.CheckRuns) == 15 })
	w.push("fix", "int main\nfine\n")
	w.pull("fix", false)
	start := time.Now()
	s := w.await("the clean pull request", func(s state) bool {
		n := 0
		for _, r := range s.CheckRuns {
			if r.Repository == "acme/fw" && r.Conclusion == "success" {
				n++
			}
		}
		return n == 6
	})
	t.Logf("answered after %s", time.Since(start))
	waits := 0
	b := w.browser("mallory")
	for _, r := range s.CheckRuns {
		if r.Repository != "mallory/fw" || r.Status != "queued" {
			continue
		}
		waits++
		if _, text, _ := b.open("/runs/" + r.ExternalID); !strings.Contains(text, "come first") &&
			!strings.Contains(text, "comes first") && !strings.Contains(text, "next in the queue") {
			t.Errorf("no place in the queue: %s", text)
		}
	}
	if waits < 7 { // eight builds, of which one sleeps
		t.Errorf("%d of the sleepers wait", waits)
	}
	close(c.wake)
}
