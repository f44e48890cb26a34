package sources

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWalk: what `.gitignore` names at the root is left out there alone.
func TestWalk(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{".gitignore": "/build/\n*.prof\nnode_modules/\n", "build/a.go": "",
		"pipeline/build/b.go": "", "pipeline/node_modules/c.go": "", ".git/d.go": "", "e.go": ""} {
		file := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	if err := Walk(root, func(path string) error {
		got = append(got, path)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{".gitignore", "e.go", "pipeline/build/b.go"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
