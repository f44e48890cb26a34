package files

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrite: a file is replaced as a whole, and a failure leaves nothing behind.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "", "three"} {
		if err := WriteDurable(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q %v, want %q", got, err, text)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "full", "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "full"), []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := Write(filepath.Join(dir, "absent", "f"), nil, 0o600); err == nil {
		t.Error("written into a folder that is not there")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left behind: %v %v", list, err)
	}
}
