package contract

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// asked are the options that the comment of a case names, a line each: check F=CONTRACT, recursive F, replace
// F=CONTRACT, alias F=NAME, loops.
func asked(t *testing.T, comment string) Options {
	t.Helper()
	o := Options{Check: map[string]string{}, Recursive: map[string]bool{}, Replace: map[string]string{}}
	alias := map[string][]string{}
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, other, _ := strings.Cut(value, "=")
		switch key {
		case "check":
			o.Check[name] = other
		case "recursive":
			o.Recursive[name] = true
		case "replace":
			o.Replace[name] = other
		case "alias":
			alias[name] = append(alias[name], other)
		case "loops":
			o.Loops = true
		case "#", "":
		default:
			t.Fatalf("no option is called %s", key)
		}
	}
	if len(alias) > 0 {
		o.Aliases = func(file, fn string) []string { return alias[file+":"+fn] }
	}
	return o
}

// units yields the files of testdata with their paths.
func units(t *testing.T) iter.Seq2[string, *txtar.Archive] {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return func(yield func(string, *txtar.Archive) bool) {
		for _, path := range paths {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(path, a) {
				return
			}
		}
	}
}

// TestGolden compares what becomes of the units in testdata with what they want, and lets clang read it. UPDATE=1
// writes it anew: whoever does so reads the difference as C.
func TestGolden(t *testing.T) {
	for path, a := range units(t) {
		out, err := Rewrite("a.c", a.Files[0].Data, asked(t, string(a.Comment)))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		_, got, _ := strings.Cut(string(out), "\n# 1 \"a.c\"\n")
		if os.Getenv("UPDATE") == "1" {
			a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: []byte(got + "\n")})
			if err := os.WriteFile(path, txtar.Format(a), 0o600); err != nil {
				t.Error(err)
			}
		}
		if len(a.Files) < 2 || strings.TrimSpace(string(a.Files[1].Data)) != strings.TrimSpace(got) {
			t.Errorf("%s differs from what it was; UPDATE=1 writes it anew. Got:\n%s", path, got)
		}
		cmd := llvmtest.Clang(t, "-fsyntax-only", "-Wno-everything", "-x", "cpp-output", "-")
		cmd.Stdin = strings.NewReader(string(out))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, text)
		}
	}
}

// TestPrefixes: a unit that ends anywhere is rewritten or refused.
func TestPrefixes(t *testing.T) {
	for path, a := range units(t) {
		o, text := asked(t, string(a.Comment)), a.Files[0].Data
		toks, _ := lex("a.c", text)
		at := 0
		for _, k := range toks {
			at += len(k.pre) + len(k.text)
			if out, err := Rewrite("a.c", text[:at], o); err == nil && !strings.Contains(string(out), "# 1 \"a.c\"") {
				t.Fatalf("%s: nothing is left of its first %d bytes", path, at)
			}
		}
		if rest := strings.TrimSpace(string(text[at:])); rest != "" {
			t.Errorf("%s: %q is no token", path, rest)
		}
	}
}

// TestRuntime: the C beside a unit has room for what the rewriter promises, and objects as large as CBMC's options say.
func TestRuntime(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "((__typeof__(sizeof 0))-1 >> 9)"},
		{Options{ObjectBits: 8, PtrBits: 32}, "((__typeof__(sizeof 0))-1 >> 9)"},
		{Options{ObjectBits: 16, PtrBits: 32}, "((__typeof__(sizeof 0))-1 >> 17)"},
		{Options{ObjectBits: 20, PtrBits: 16}, "((__typeof__(sizeof 0))-1 >> 14)"},
		{Options{ObjectBits: 62}, "((__typeof__(sizeof 0))-1 >> 62)"},
	} {
		out, err := Rewrite("a.c", []byte("int x;"), c.o)
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%+v: no %s (%v)", c.o, c.want, err)
		}
	}
	text := runtime(Options{})
	if left := regexp.MustCompile(`\b(WEAK|QUIET|ROOM|LARGEST|INIT_LOCALS|LOCALS|TARGETS|FREED|SEEN)\b|%N`).FindString(
		text); left != "" {
		t.Errorf("%s is left", left)
	}
	for part, last := range map[string]int{"f->local[%N].p = 0;": 7, "inside(&f->local[%N]": 7,
		"inside(&f->t[%N]":  maxTargets - 1,
		"p == f->freed[%N]": 7, "seen_n > %N)": 15} {
		for i := 0; i <= last+1; i++ {
			in := strings.Contains(text, strings.ReplaceAll(part, "%N", strconv.Itoa(i)))
			if in != (i <= last) {
				t.Errorf("%s of %d: %v", part, i, in)
			}
		}
	}
}
