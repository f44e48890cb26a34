package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

// TestSecurityTests: each test that SECURITY.md names is there.
func TestSecurityTests(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	if err := sources.Walk("..", func(path string) error {
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path)))
		all.Write(source)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 30 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, n := range names {
		if !strings.Contains(all.String(), "func "+n[1]+"(") {
			t.Errorf("SECURITY.md names %s, which is not there", n[1])
		}
	}
}
