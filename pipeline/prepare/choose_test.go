package prepare

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamedAmongAll: a manifest that lists functions is told how many it leaves out, one that lists all is not.
func TestNamedAmongAll(t *testing.T) {
	for _, c := range []struct{ functions, want string }{
		{"[f]", "1 of 2 functions of the project are called: `functions: all` calls the others, too"},
		{"[f, g]", ""}, {"all", ""},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"a.c":            "static int part(int a) { return a & 1; }\nint f(int a) { return part(a); }\nint g(int a) { return a; }\n",
			".firmproof.yml": "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nfunctions: " + c.functions + "\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		jobs, err := Jobs(context.Background(), Request{Paths: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			if got := strings.Join(j.Notes, "; "); got != c.want {
				t.Errorf("functions: %s: %s: %q, want %q", c.functions, j.Name(), got, c.want)
			}
		}
	}
}
