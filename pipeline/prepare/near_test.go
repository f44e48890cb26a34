package prepare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/reports"
)

// TestTimeOfChange: functions that a changed macro makes others share the time of a few; those whose lines changed have
// their own.
func TestTimeOfChange(t *testing.T) {
	for others, want := range map[int]time.Duration{5: 20 * time.Second, 40: 4 * time.Second, 200: time.Second} {
		dir := t.TempDir()
		var text strings.Builder
		text.WriteString("#define LIMIT 8\nint edited(int a) { return a & 1; }\n")
		var differ []string
		for i := range others {
			fmt.Fprintf(&text, "int other%d(int a) { return a & LIMIT; }\n", i)
			differ = append(differ, fmt.Sprintf("other%d", i))
		}
		for name, data := range map[string]string{"a.c": text.String(), ".firmproof.yml": "version: 1\ntargets: [x86_64]\n" +
			"build: {sources: [a.c]}\nfunctions: changed\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		jobs, err := Jobs(t.Context(), Request{Paths: []string{dir}, Timeout: 20 * time.Second,
			Changed: map[string][]reports.LineRange{"a.c": {{From: 2, To: 2}}},
			Asked:   Asked{Differ: map[string][]string{"x86_64": differ}}})
		if err != nil || len(jobs) != others+1 {
			t.Fatalf("%d jobs: %v", len(jobs), err)
		}
		for i := range jobs {
			is := want
			if jobs[i].Name() == AnyCall+"edited" {
				is = 20 * time.Second
			}
			if jobs[i].Timeout != is {
				t.Errorf("of %d: %s has %s, want %s", others, jobs[i].Name(), jobs[i].Timeout, is)
			}
		}
	}
}
