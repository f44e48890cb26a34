package prepare

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDefinedIn: only what other files see, and only definitions.
func TestDefinedIn(t *testing.T) {
	got := definedIn([]byte(`#define LONG \\
  int hidden;
extern int declared; typedef int named; static int own;
/* int comment; */ int one; // int other;
char *text = "int quoted;", buf[10], last;
struct s { int member; } whole = { .member = 3 };
enum { A, B } kind;
int f(int arg) { int local; { int inner; } return local; }
const volatile unsigned long tick __attribute__((section(".noinit")));
int prototype(int);
struct t { int m; };
uint8_t array[4][2] = { { 1 } }, behind;
`))
	want := "array behind buf kind last one text tick whole"
	if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); names != want {
		t.Errorf("got %s, want %s", names, want)
	}
	if got["one"] != 4 || got["behind"] != 12 {
		t.Errorf("lines: one %d, behind %d", got["one"], got["behind"])
	}
}

func TestDefinitions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"src/a.c": "int x;\n", "src/b.c": "\nint y = 3;\n", "src/c.h": "int z;\n",
		".git/d.c": "int z;\n"} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := definitions(dir, []string{"x", "y", "z"})
	if len(got) != 2 || got["x"] != "src/a.c:1" || got["y"] != "src/b.c:2" {
		t.Errorf("got %v", got)
	}
	if tree := treeOf(filepath.Join(dir, "src", "a.c")); tree != dir {
		t.Errorf("the tree is %s", tree)
	}
}
