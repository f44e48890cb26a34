package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestConstants: what is undefined in constant expressions is found wherever C has them, on 16 and on 32 bits, and
// nothing else is.
func TestConstants(t *testing.T) {
	const max = "2147483647"
	for _, c := range []struct{ text, want string }{
		{"int x = -(-" + max + " - 1);", "signed-overflow global x"},
		{"int x = 1 ? " + max + " + 1 : 0;", "signed-overflow global x"},
		{"int x = 0 ? " + max + " + 1 : 0;", ""},
		{"int x = 0 && " + max + " + 1;", ""},
		{"int x = !(" + max + " + 1);", "signed-overflow global x"},
		{"int x = sizeof(" + max + " + 1);", ""},
		{"unsigned x = -1u - 2147483647u * 9u;", ""},
		{"int *p = (int[]){2, -(" + max + " + 1)};", "signed-overflow global p"},
		{"struct { int a[3]; } x = {{1 ? 7 << 40 : 0}};", "shift global x"},
		{"int x = 1 ? 1 << 31 : 0;", "shift global x"},
		{"int x = 1 ? 1 << 30 : 0;", ""},
		{"int x = 0 ? 5 / 0 : 0;", ""},
		{"int a = " + max + " + 1, b = 2;", "signed-overflow global a"},
		{"#define N 0\nint x = N ? 100 / N : 0;", ""},
		{"int a = 1, b = " + max + " + 1;", "signed-overflow global b"},
		{"int x = 1 ? (-" + max + " - 1) / -1 : 0;", "signed-overflow global x"},
		{"enum { A = " + max + " - 1, B };\nint x = 1 ? B + 1 : 0;", "signed-overflow global x"},
		{"enum { A = 1 ? " + max + " + 1 : 0 };", "signed-overflow unit a.c"},
		{"struct { int b : 1 ? " + max + " + 1 < 0 ? 3 : 4 : 2; } x;", "signed-overflow unit a.c"},
		{"_Static_assert((1 ? " + max + " + 1 : 0) < 0, \"\");", "signed-overflow unit a.c"},
		{"struct s { int b : 1 ? " + max + " + 1 < 0 ? 3 : 4 : 2; } x;", "signed-overflow unit a.c"},
		{"int f(int x) { switch (x) { case 1 ? " + max + " + 1 : 0: return 1; } return 0; }",
			"signed-overflow function f"},
		{"int f(void) { static int x = 1 ? " + max + " + 1 : 0; return x; }", "signed-overflow global x"},
		{"int f(void) { int x[2] = {1 ? " + max + " + 1 : 0, 1}; return x[0]; }", "signed-overflow aggregate x"},
		{"int f(int a) { int x[2] = {a ? " + max + " + 1 : 0, 1}; return x[0]; }", ""},
		{"unsigned char x = 300;", "conversion global x"},
		{"unsigned char x = (unsigned char)300;", ""},
		{"unsigned x = -1;", "conversion global x"},
		{"short t[4] = {1, 70000};", "conversion global t"},
		{"enum { A = 1 << 31 };", ""},
		{"struct s { int a[9]; };\nint x = -(int)sizeof(struct s);", "signed-overflow global x undecided"},
		{"struct s { int a[9]; };\nint x = (int)sizeof(struct s) - 1;", ""},
		{"struct s { int a[9]; };\nint x = sizeof(struct s) > 4 ? " + max + " + 1 : 0;",
			"signed-overflow global x undecided"},
		{"struct s { int a[9]; };\nint x = sizeof(struct s) > 4 ? 7 : 0;", ""},
		{"int f(int a) { int x[2] = {-a, 1}; return x[0]; }", ""},
		{"char c = 'a', *p = &c + 1;", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(c.text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			r := Request{File: "a.c", Dir: dir, Target: load(t, "i386"), WorkDir: t.TempDir(),
				Checks: Checks{Conversion: true}}
			u, err := Compile(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(foldedIn(read(t, u.IRPath)), "; "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

var foldedNode = regexp.MustCompile(
	`(?m)^!\d+ = !\{!"a\.c", !"1", !"\d+", !"([a-z-]+)", !"[^"]*", !"(\w+)", !"([\w.]+)", !"\d+", !"\d+", !"(\w+)"\}$`)

// foldedIn lists the notes of a unit: check, kind and name of the owner.
func foldedIn(ir string) []string {
	var out []string
	for _, m := range foldedNode.FindAllStringSubmatch(strings.ReplaceAll(ir, `!"2", !"`, `!"1", !"`), -1) {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %s %s %s", m[1], m[2], m[3], m[4]), " undefined"))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
