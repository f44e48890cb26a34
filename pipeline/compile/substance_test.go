package compile

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// substanceFiles are a unit with its headers: the first of them has declarations alone.
var substanceFiles = map[string]string{
	"u.c": `#include "h.h"
#include "code.h"
struct list head;
mode_t2 mode;
char buffer[sizeof(struct packed)];
int f(int a) { state = A; return callee(a) + USED + helper(a) + (int)sizeof(struct inner) + hook(a); }
`,
	"inc/h.h": `#define USED 1
#define UNUSED 2
struct unused { int a; };
struct inner { char c; };
struct list { struct list *next; struct inner in; const struct far *far; };
struct far { int x; };
typedef enum { A, B = -1, C } mode_t2;
enum lone { D, E = 7 };
union both { int i; char c[4]; };
typedef int (*callback)(struct unused *, int);
typedef callback hook_t;
extern int (*hook)(int);
extern mode_t2 state;
extern int table[4];
int callee(int);
int other(struct unused *u, callback c);
struct packed { char c; int i; } __attribute__((packed));
`,
	"inc/code.h": "static inline int helper(int x) {\n  return x + 1;\n}\n",
}

// TestSubstance: edits of headers that are compiled again, and those that are not, because the IR is the same but for
// where types stand.
func TestSubstance(t *testing.T) {
	before := substanceRequest(t, substanceFiles)
	key, ir := sharedKeyNow(t, before), withoutTypePlaces(t, before)
	for _, c := range []struct {
		name, old, text string
		same            bool
	}{
		{"unused macro", "UNUSED 2", "UNUSED 3", true},
		{"comment", "#define UNUSED", "/* text\n more */\n\n#define UNUSED", true},
		{"unused function", "int callee", "int another(void);\nint callee", true},
		{"parameter of an unused function", "*u, callback c", "*u, callback c, int", true},
		{"unused structure", "unused { int a", "unused { long a[3]; int (*b)(void)", true},
		{"unused union", "char c[4]", "char c[5]", true},
		{"unused enumeration", "E = 7", "E = 8", true},
		{"unused type", "typedef int (*callback)", "typedef long (*callback)", true},
		{"unused variable", "table[4]", "table[5]", true},
		{"order of lines", "int callee(int);", "\n\n\n\n\n\n\n\n\n\n\nint\ncallee(int);", true},

		{"used macro", "USED 1", "USED 3", false},
		{"used function", "int callee(int)", "long callee(int)", false},
		{"member", "char c; }", "long c; }", false},
		{"name of a member", "char c; }", "char d; }", false},
		{"incomplete structure", "struct far { int x", "struct far { long x", false},
		{"enumerator", "B = -1", "B = -2", false},
		{"order of enumerators", "A, B", "Z, A, B", false},
		{"used variable", "extern mode_t2 state", "extern int state", false},
		{"variable of a function", "int (*hook)(int)", "int (*hook)(long)", false},
		{"attribute", " __attribute__((packed))", "", false},
		{"alignment", "((packed))", "((packed, aligned(8)))", false},
		{"packing", "struct inner", "#pragma pack(1)\nstruct inner", false},
		{"definition", "extern int table[4]", "int table[4]", false},
		{"definition with a value", "extern int table[4]", "extern int table[4] = {1}", false},
		{"assertion", "int callee", "_Static_assert(sizeof(int) == 4, \"\");\nint callee", false},
		{"expression", "E = 7", "E = 7 << 2", false},
		{"constructor", "int other", "__attribute__((constructor)) int other", false},
		{"code", "x + 1", "x + 2", false},
		{"column of code", "  return", "   return", false},
		{"line of code", "static", "\nstatic", false},
		{"renumbered code", "static", "#line 1\nstatic", false},
		{"code elsewhere", "int callee", "static inline int more(void) { return 1; }\nint callee", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := maps.Clone(substanceFiles)
			for name, text := range edited {
				if strings.HasPrefix(name, "inc/") {
					edited[name] = strings.Replace(text, c.old, c.text, 1)
				}
			}
			after := substanceRequest(t, edited)
			if got := key == sharedKeyNow(t, after); got != c.same {
				t.Errorf("the key is the same: %v", got)
			}
			if c.same {
				if got := withoutTypePlaces(t, after); got != ir {
					t.Errorf("the IR differs:\n%s\nand\n%s", ir, got)
				}
			}
		})
	}
}

// TestSharedUnit: a unit serves another text of the same substance, unless the compiler refuses that, or says another
// thing of it.
func TestSharedUnit(t *testing.T) {
	cache, dir := t.TempDir(), tree(t, substanceFiles)
	build := func(old, text string) (*Unit, error) {
		t.Helper()
		header := strings.Replace(substanceFiles["inc/h.h"], old, text, 1)
		if err := os.WriteFile(filepath.Join(dir, "inc/h.h"), []byte(header), 0o644); err != nil {
			t.Fatal(err)
		}
		return Compile(context.Background(), Request{File: "u.c", Dir: dir, Include: []string{"inc"},
			Target: load(t, "cortex-m3"), WorkDir: t.TempDir(), CacheDir: cache})
	}
	for _, c := range []struct {
		old, text    string
		fails, again bool
	}{
		{"", "", false, true},
		{"", "", false, false},
		{"UNUSED 2", "UNUSED 3", false, false},
		{"int other(struct", "int other(nothing, struct", true, false},
		{"table[4]", "table[0x]", true, false},
		{"USED 1", "USED 2", false, true},
		{"UNUSED 2", "UNUSED 3", false, false},
	} {
		u, err := build(c.old, c.text)
		if (err != nil) != c.fails || err == nil && u.Cached == c.again {
			t.Errorf("%s: %v, compiled anew: %v", c.text, err, err == nil && !u.Cached)
		}
	}
}

func substanceRequest(t *testing.T, files map[string]string) *Request {
	r := &Request{File: "u.c", Dir: tree(t, files), Include: []string{"inc"}, Target: load(t, "cortex-m3"),
		WorkDir: t.TempDir()}
	if err := r.prepare(); err != nil {
		t.Fatal(err)
	}
	return r
}

// sharedKeyNow returns the name of the unit that goes by what it takes from headers.
func sharedKeyNow(t *testing.T, r *Request) string {
	text, deps, err := r.preprocess(context.Background(), r.flags(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range deps {
		deps[i] = absolute(r.Dir, d)
	}
	key, ok := r.sharedKey(r.flags(), text, deps)
	if !ok && !strings.Contains(read(t, filepath.Join(r.Dir, "inc/code.h")), "#line") {
		t.Error("the headers are not looked into")
	}
	return key
}

var (
	typePlace = regexp.MustCompile(`(DICompositeType|DIDerivedType)\((.*), line: \d+`)
	checksum  = regexp.MustCompile(`, checksum: "\w+"`)
)

// withoutTypePlaces compiles a unit; where types stand, and digests of files, are left out.
func withoutTypePlaces(t *testing.T, r *Request) string {
	u, err := Compile(context.Background(), *r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(u.IRPath)
	if err != nil {
		t.Fatal(err)
	}
	return checksum.ReplaceAllString(typePlace.ReplaceAllString(string(text), "$1($2"), "")
}
