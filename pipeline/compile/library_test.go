package compile

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLibraryIndex compiles each file of the library for machines of all widths and
// holds the index to what is defined.
func TestLibraryIndex(t *testing.T) {
	byFile := map[string][]string{}
	for name, file := range libraryIndex() {
		byFile[file] = append(byFile[file], name)
	}
	files, err := librarySources.ReadDir("libc")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"x86_64", "cortex-m3", "avr"} {
		dir := t.TempDir()
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f.Name()), libraryText(f.Name()), 0o600); err != nil {
				t.Fatal(err)
			}
			u, err := Compile(context.Background(), Request{File: f.Name(), Dir: dir, Target: load(t, target),
				WorkDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range readFunctions([]byte(read(t, u.IRPath))) {
				if !d.Static {
					got = append(got, d.Name)
				}
			}
			want := slices.Clone(byFile[f.Name()])
			if strings.HasPrefix(f.Name(), "cxx") { // size_t decides the names
				size := regexp.MustCompile(`^_Z(nw|na)[jm]|^_Z(dl|da)Pv[jm]`)
				sized := len(want)
				want = slices.DeleteFunc(want, func(n string) bool {
					return size.MatchString(n) &&
						!slices.Contains(got, n)
				})
				if len(want)-len(slices.DeleteFunc(slices.Clone(want), size.MatchString)) != (sized - len(want)) {
					t.Errorf("%s: %s defines %q", target, f.Name(), got)
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s %s defines %q, the index has %q", target, f.Name(), got, want)
			}
		}
	}
}

// TestLibraryAgrees compares the library with the machine's own on random arguments.
func TestLibraryAgrees(t *testing.T) {
	dir := t.TempDir()
	rename := []string{}
	for name := range libraryIndex() {
		rename = append(rename, "-D"+name+"=fp_"+name)
	}
	slices.Sort(rename)
	objects := []string{}
	for _, f := range []string{"string.c", "stdlib.c", "math.c", "stdio_out.c", "stdio_in.c"} {
		src, obj := filepath.Join(dir, f), filepath.Join(dir, f+".o")
		if err := os.WriteFile(src, libraryText(f), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, append([]string{tools().Clang, "-w", "-O1", "-fno-builtin", "-c", src, "-o", obj}, rename...)...)
		objects = append(objects, obj)
	}
	program := filepath.Join(dir, "compare")
	run(t, append([]string{tools().Clang, "-w", "-O1", "-o", program, "testdata/library.c", "-lm"}, objects...)...)
	run(t, program)
}

func run(t *testing.T, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(argv[0]), err, out)
	}
}

// TestLibraryIsLinked links what is missing, leaves what the program defines, and
// does not show the library among the program's functions.
func TestLibraryIsLinked(t *testing.T) {
	dir := t.TempDir()
	text := `unsigned long strspn(const char *, const char *); int atoi(const char *s) { return 7; } long atol(const char *);
int main(void) { return (int)strspn("ab", "a") + atoi("1") + (int)atol("2"); }
`
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	img, err := Files(context.Background(), []string{filepath.Join(dir, "a.c")}, load(t, "x86_64"),
		Options{WorkDir: t.TempDir(), Entries: []string{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	ir := read(t, img.IRPath)
	for _, want := range []string{"@strspn(", "@atol("} {
		if !strings.Contains(ir, "define internal i64 "+want) {
			t.Errorf("%s is not linked", want)
		}
	}
	if strings.Contains(ir, "@strtok") || strings.Count(ir, "define internal i32 @atoi(") != 1 ||
		len(img.Functions) != 2 || len(img.Declared) != 0 {
		t.Errorf("functions %v, declared %v", img.Functions, img.Declared)
	}
}
