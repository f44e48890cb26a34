package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneClock: leases and deadlines of several machines are compared by the database's clock, so
// no query may ask this machine's. NewID and the clock of SQLite, which has one process, do.
func TestOneClock(t *testing.T) {
	allowed := map[string]int{"store.go": 1, "sqlite.go": 1}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "time.Now("); n != allowed[name] {
			t.Errorf("%s asks this machine's clock %d times, want %d", name, n, allowed[name])
		}
	}
}
