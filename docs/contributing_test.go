package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

// TestContributing: the files, folders and tests that CONTRIBUTING.md names are there.
func TestContributing(t *testing.T) {
	root := ".."
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t, root)
	files, named := 0, 0
	for _, m := range regexp.MustCompile("`([^`]+)`|\\]\\(([^)]+)\\)").FindAllStringSubmatch(string(text), -1) {
		name := m[1] + m[2]
		switch {
		case strings.HasPrefix(name, "Test"):
			named++
			if !tests[name] {
				t.Errorf("no test %s", name)
			}
		case m[2] != "" || regexp.MustCompile(`^[a-z]+/[\w./-]+$`).MatchString(name):
			files++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Error(err)
			}
		}
	}
	if files < 25 || named < 3 {
		t.Errorf("only %d files and %d tests found in the text", files, named)
	}
}

// testNames lists the test functions of the tree.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	pattern := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := sources.Walk(root, func(path string) error {
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
			out[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
