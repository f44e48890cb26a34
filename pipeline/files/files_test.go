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

// TestFold: case does not matter, but where two names differ in it alone; folders are no files.
func TestFold(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Inc/Main.h", "Inc/both.h", "Inc/BOTH.h", "src/a.c"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"inc/MAIN.H": "Inc/Main.h", "Inc/Main.h": "Inc/Main.h",
		"inc/both.h": "Inc/both.h", "inc/Both.H": "Inc/BOTH.h", "src/../INC/main.h": "Inc/Main.h", "inc": "",
		"inc/none.h": "", "none/main.h": ""} {
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got := Fold(dir, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
