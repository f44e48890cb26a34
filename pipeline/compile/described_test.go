package compile

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// TestRecordOfAnotherBuild: calls of earlier runs count while what describes the build is what it was. Else make compiles
// everything, in the way that holds now; so does a first run that finds objects.
func TestRecordOfAnotherBuild(t *testing.T) {
	const rules = "all: a.o b.o\n%.o: %.c\n\tgcc -DW=8 -c $< -o $@\n"
	dir := tree(t, map[string]string{"a.c": "int a;\n", "b.c": "int b;\n", "Makefile": rules,
		"build.sh": "for f in a b; do gcc -c $f.c -o $f.o; done\n"})
	cache := t.TempDir()
	record := func(command string) (calls []string, old int) {
		t.Helper()
		rec, err := Record(context.Background(), dir, manifest.Build{Command: command},
			Options{WorkDir: t.TempDir(), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rec.Calls {
			calls = append(calls, strings.Join(c.Args, " "))
		}
		slices.Sort(calls)
		if rec.Changed {
			t.Errorf("%s: a description of another build is left", command)
		}
		return calls, rec.Old
	}
	both := []string{"-DW=8 -c a.c -o a.o", "-DW=8 -c b.c -o b.o"}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what, command string
		change        func()
		want          []string
		old           int
	}{
		{"first", "make", func() {}, both, 0},
		{"nothing to do", "make", func() {}, both, 2},
		{"an object is gone", "make", func() { _ = os.Remove(filepath.Join(dir, "a.o")) }, both, 1},
		{"another flag", "make", func() { write("Makefile", strings.Replace(rules, "8", "9", 1)) },
			[]string{"-DW=9 -c a.c -o a.o", "-DW=9 -c b.c -o b.o"}, 0},
		{"a file less", "make", func() { write("Makefile", strings.Replace(rules, " b.o", "", 1)) }, both[:1], 0},
		{"objects of nobody", "make all", func() { write("Makefile", rules) }, both, 0},
		{"a script", "sh build.sh", func() {}, []string{"-c a.c -o a.o", "-c b.c -o b.o"}, 0},
		{"a file less of a script", "sh build.sh", func() { write("build.sh", "gcc -c a.c -o a.o\n") }, []string{"-c a.c -o a.o"}, 0},
	} {
		c.change()
		if calls, old := record(c.command); !slices.Equal(calls, c.want) || old != c.old {
			t.Errorf("%s: %q, %d of earlier runs", c.what, calls, old)
		}
	}
}

// TestRecordInDoubt: where a build that keeps account of its own calls has nothing to do, calls of an earlier description stay,
// and it is said.
func TestRecordInDoubt(t *testing.T) {
	dir := tree(t, map[string]string{"a.c": "int a;\n", "rules.sh": "test -f a.o || gcc -c a.c -o a.o\n"})
	opts := Options{WorkDir: t.TempDir(), CacheDir: t.TempDir()}
	for i, text := range []string{"", "# another\n", ""} {
		if i > 0 {
			if err := os.WriteFile(filepath.Join(dir, "rules.sh"), []byte(text+"test -f a.o || gcc -c a.c -o a.o\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		rec, err := Record(context.Background(), dir, manifest.Build{Command: "sh rules.sh"}, opts)
		if err != nil || len(rec.Calls) != 1 || rec.Changed != (i == 1) {
			t.Errorf("%d: %+v, %v", i, rec, err)
		}
	}
}
