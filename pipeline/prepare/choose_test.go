package prepare

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/harness"
)

// TestNamedAmongAll: a manifest that lists functions is told how many it leaves out, one that lists all is not.
func TestNamedAmongAll(t *testing.T) {
	for _, c := range []struct{ functions, want string }{
		{"[f]", "1 of 2 functions of the project are called: `functions: all` calls the others, too"},
		{"[f, g]", ""}, {"all", ""}, {"all\nassume: {f.a: 0..9}", ""},
		{"all\nassume: {gone.a: 0..9}", ".firmproof.yml:5: assume: gone.a: the program has no function gone"},
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
			if got := strings.ReplaceAll(strings.Join(j.Notes, "; "), dir+"/", ""); got != c.want {
				t.Errorf("functions: %s: %s: %q, want %q", c.functions, j.Name(), got, c.want)
			}
		}
	}
}

// TestPartWithoutOthers: the part of a program that an entry comes to has no functions that harnesses of others made, also
// where it calls a function by its address.
func TestPartWithoutOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.c")
	text := "int f(int (*get)(void)) { return get(); }\nint g(int (*get)(void)) { return get(); }\nint (*kept)(void);\n" +
		"int h(void) { return kept ? kept() : 0; }\nstatic int one(void) { return 1; }\nvoid set(void) { kept = one; }\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	jobs, err := Jobs(context.Background(), Request{Paths: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		made, own := 0, false
		for _, f := range j.Program.Slice(j.Program.Func(j.Plan.Entry), false).Funcs {
			if strings.HasPrefix(f.Name, harness.AnyFunction) {
				made++
			}
			own = own || f.CName == "one"
		}
		switch name := strings.TrimPrefix(j.Name(), AnyCall); {
		case (name == "f" || name == "g") && (made != 1 || !own):
			t.Errorf("%s: %d functions are made, the program's own is there: %t", name, made, own)
		case (name == "h" || name == "set") && !own, name == "set" && made > 0:
			t.Errorf("%s: %d functions are made, the program's own is there: %t", name, made, own)
		}
	}
}
