package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets"
)

// TestEdited: files are compiled as they are edited, also headers, under their own names; what is compiled of edited text
// is neither taken for what is on the disk, nor the other way round.
func TestEdited(t *testing.T) {
	dir, held, cache := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	source := write(filepath.Join(dir, "a.c"), "#include \"a.h\"\nint one(void) { return NUMBER; }\n")
	header := write(filepath.Join(dir, "a.h"), "#define NUMBER 11\n")
	host, err := targets.Load("host")
	if err != nil {
		t.Fatal(err)
	}
	build := func(edited map[string]string) (string, []Function) {
		t.Helper()
		img, err := Files(t.Context(), []string{source}, host, Options{WorkDir: t.TempDir(), CacheDir: cache, KeepAll: true,
			Edited: edited})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(img.IRPath)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), img.Functions
	}
	editedHeader := write(filepath.Join(held, "h"), "#define NUMBER 12\n")
	editedSource := write(filepath.Join(held, "s"), "#include \"a.h\"\nint two(void) { return NUMBER + 100; }\n")
	for i, c := range []struct {
		edited map[string]string
		name   string
		want   string
	}{
		{nil, "one", "ret i32 11"},
		{map[string]string{header: editedHeader}, "one", "ret i32 12"},
		{nil, "one", "ret i32 11"},
		{map[string]string{source: editedSource}, "two", "ret i32 111"},
		{map[string]string{source: editedSource, header: editedHeader}, "two", "ret i32 112"},
		{map[string]string{filepath.Join(dir, "none.c"): editedSource}, "one", "ret i32 11"},
	} {
		text, functions := build(c.edited)
		if !strings.Contains(text, c.want) {
			t.Errorf("%d: no %q in\n%s", i, c.want, text)
		}
		if len(functions) != 1 || functions[0].Name != c.name || strings.Contains(text, held) {
			t.Errorf("%d: functions %+v", i, functions)
		}
	}
}
