package compile

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// cutFiles have what hides a use: pointers in initialisers, statics of one name, weak
// definitions, aliases, constructors, used attributes, sections, enums, local statics.
var cutFiles = map[string]string{
	"a.c": `#include <stdint.h>
enum mode { OFF, ON = 7 };
struct dev { int (*op)(int); struct dev *next; enum mode mode; };
extern struct dev uart;
extern int by_alias(int);
int weak_one(int);
static int helper(int x) { static int calls; return x + ++calls; }
__attribute__((weak)) int tuned(int x) { return x; }
static const char *const names[] = {"first @helper !3", "second"};
int counter;
__attribute__((constructor)) static void begin(void) { counter = 1; }
__attribute__((used)) static void kept(void) { counter++; }
int unused(void) { return helper(2) + names[1][0]; }
int entry(int n) { return uart.op(n) + by_alias(n) + weak_one(n) + tuned(n) + helper(n) + (uart.mode == ON) + names[n & 1][0]; }
`,
	"b.c": `struct dev { int (*op)(int); struct dev *next; int mode; };
static int helper(int x) { return x * 3; }
static int send(int x) { return helper(x) - 1; }
static int receive(int x) { return helper(x) - 2; }
struct dev other = {receive, 0, 0};
struct dev spare = {receive, 0, 0};
struct dev uart = {send, &other, 7};
int target(int x) { return x ^ 5; }
int by_alias(int) __attribute__((alias("target")));
int tuned(int x) { return x + 2; }
__attribute__((weak)) int weak_one(int x) { return x; }
int only_here(int x) { return helper(x); }
`,
}

// symbols lists the names that LLVM text defines or declares.
func symbols(text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(
		`(?m)^(?:define|declare) [^@]*@([\w.]+)|^@([\w.]+) = (?:[a-z_]+ )*(?:global|constant|alias)`).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1]+m[2])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestCutAgrees: what is cut before linking is what LLVM's tools drop afterwards.
func TestCutAgrees(t *testing.T) {
	for _, entry := range []string{"entry", "unused", "only_here", "tuned", "helper"} {
		sources, several := []string{"a.c", "b.c"}, 10
		if entry == "only_here" { // one unit is not linked
			sources, several = sources[1:], 5
		}
		dir := tree(t, cutFiles)
		t.Chdir(dir)
		opts := Options{WorkDir: t.TempDir(), Entries: []string{entry}}
		img, err := Files(context.Background(), sources, load(t, "cortex-m3"), opts)
		if err != nil {
			t.Fatal(entry, err)
		}
		var texts [][]byte
		var paths []string
		for _, u := range img.Units {
			texts = append(texts, []byte(read(t, u.IRPath)))
			paths = append(paths, u.IRPath)
		}
		cut, functions, declared, ok := cutUnits(texts, []string{entry})
		if !ok || len(declared) != 0 || len(functions) < several {
			t.Fatal(entry, ok, declared, functions)
		}
		for i := range cut {
			if n, m := strings.Count(string(cut[i]), "\n"), strings.Count(string(texts[i]), "\n"); n != m {
				t.Errorf("%s: %d lines, %d before", entry, n, m)
			}
		}
		if entry == "helper" { // static: only its name in the result tells
			if !slices.Contains(symbols(read(t, img.IRPath)), "helper") {
				t.Error("the static entry is gone")
			}
			continue
		}
		tools := llvmtest.Tools(t)
		whole, sliced := filepath.Join(opts.WorkDir, "w.ll"), filepath.Join(opts.WorkDir, "s.ll")
		for _, argv := range [][]string{append([]string{tools.Link, "-S", "-o", whole}, paths...),
			{tools.Opt, "-S", "-passes=internalize,globaldce", "-internalize-public-api-list=" + entry, "-o", sliced,
				whole}} {
			if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", argv, err, out)
			}
		}
		if w, g := heads(read(t, sliced)), heads(read(t, img.IRPath)); w != g {
			t.Errorf("%s: definitions\n%s\nwant\n%s", entry, g, w)
		}
		want := symbols(read(t, sliced))
		for i, s := range want {
			want[i] = strings.TrimSuffix(strings.TrimSuffix(s, ".1"), ".2") // the linker numbers statics that meet
		}
		got := symbols(read(t, img.IRPath))
		for i, s := range got {
			got[i] = strings.TrimSuffix(strings.TrimSuffix(s, ".1"), ".2")
		}
		if w, g := slices.Compact(want), slices.Compact(got); !slices.Equal(w, g) {
			t.Errorf("%s: got\n%v\nwant\n%v", entry, g, w)
		}
		if text := read(t, img.IRPath); !strings.Contains(text, `!DISubprogram(name: "`+entry+`"`) ||
			entry != "unused" && strings.Contains(text, `name: "unused"`) {
			t.Errorf("%s: debug information of more or less than is left:\n%s", entry, text)
		}
	}
}

// heads lists the definitions of LLVM text with their linkage, without the numbers of attributes and metadata.
func heads(text string) string {
	out := regexp.MustCompile(`(?m)^(define |@[\w.]+ = (?:[a-z_]+ )*(?:global|constant|alias) ).*$`).FindAllString(
		text, -1)
	for i, s := range out {
		s = regexp.MustCompile(`[!#]\d+|\.[12]\b| dso_local`).ReplaceAllString(s, "")
		out[i] = strings.ReplaceAll(s, " comdat", "")
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// TestNotCut: two definitions of one name are the linker's to tell, and what no printer
// of LLVM writes is left as it is.
func TestNotCut(t *testing.T) {
	f := "define i32 @f() {\n  ret i32 1\n}\n"
	for _, texts := range [][]string{{f, f}, {"define i32 @f()\n{\n  ret i32 1\n}\n"},
		{"define i32 @f() {\n  ret i32 1\n"}, {"  stray\n" + f}, {"uselistorder i32 1, { 1, 0 }\n" + f}} {
		var bs [][]byte
		for _, text := range texts {
			bs = append(bs, []byte(text))
		}
		if _, _, _, ok := cutUnits(bs, []string{"f"}); ok {
			t.Errorf("%q was cut", texts)
		}
	}
	if cut, _, declared, ok := cutUnits(
		[][]byte{[]byte("declare void @g()\n\n" + f + "\ndefine void @h() {\n  call void @g()\n  ret void\n}\n")},
		[]string{"f"}); !ok || string(cut[0]) != "\n\n"+f+"\n\n\n\n\n" || len(declared) != 1 {
		t.Errorf("%v %q %v", ok, cut, declared)
	}
}

// TestLargeFile: a mistake in a file that is too large to be checked whole is told at its line.
func TestLargeFile(t *testing.T) {
	tgt := load(t, "cortex-m3")
	text := fmt.Sprintf("target datalayout = %q\ntarget triple = %q\n", tgt.DataLayout, tgt.Triple) +
		strings.Repeat("; "+strings.Repeat("x", 1000)+"\n", maxChecked/1000) +
		"define i32 @fine() {\n  ret i32 0\n}\ndefine i32 @wrong() {\n  ret i32 %nothing\n}\n"
	dir := tree(t, map[string]string{"big.ll": text})
	t.Chdir(dir)
	if img, err := Files(context.Background(), []string{"big.ll"}, tgt, Options{WorkDir: t.TempDir(),
		Entries: []string{"fine"}}); err != nil || strings.Contains(read(t, img.IRPath), "@wrong") {
		t.Error(err)
	}
	_, err := Files(context.Background(), []string{"big.ll"}, tgt, Options{WorkDir: t.TempDir(),
		Entries: []string{"wrong"}})
	var be *BuildError
	if !errors.As(err, &be) || len(be.Diagnostics) != 1 || be.Diagnostics[0].File != "big.ll" ||
		be.Diagnostics[0].Line != strings.Count(text[:strings.Index(text, "%nothing")], "\n")+1 {
		t.Errorf("%#v", err)
	}
}

// TestCutNumbers: of variables that have numbers for names, a later one may be used and
// an earlier one not.
func TestCutNumbers(t *testing.T) {
	const text = "@0 = private constant i8 1\n@1 = private constant { i8, [2 x i8] } { i8 2, [2 x i8] c\"ab\" }\n@2 = private constant i8 3\n" +
		"define i8 @entry() {\n  %v = load i8, i8* @2\n  ret i8 %v\n}\n"
	dir := tree(t, map[string]string{"a.ll": text})
	t.Chdir(dir)
	img, err := Files(context.Background(), []string{"a.ll"}, load(t, "x86_64"), Options{WorkDir: t.TempDir(),
		Entries: []string{"entry"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, img.IRPath); !strings.Contains(got, "constant i8 3") || strings.Contains(got, "[2 x i8]") {
		t.Errorf("image:\n%s", got)
	}
}
