package compile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
)

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, name string) targets.Target {
	t.Helper()
	tgt, err := targets.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// compileText compiles one file and gives its IR.
func compileText(t *testing.T, target, text string, change func(*Request)) (string, error) {
	t.Helper()
	dir := tree(t, map[string]string{"a.c": text})
	r := Request{File: "a.c", Dir: dir, Target: load(t, target), WorkDir: t.TempDir()}
	if change != nil {
		change(&r)
	}
	u, err := Compile(context.Background(), r)
	if err != nil {
		return "", err
	}
	return read(t, u.IRPath), nil
}

const everyHeader = `#include <stdatomic.h>
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "firmproof.h"
uint64_t most = UINT64_MAX;
int f(int x, char *s) {
	assert(x > 0);
	firmproof_assume(x < 10);
	firmproof_assert(s != NULL, "s");
	return (int)strlen(s) << x;
}
`

// TestEveryTarget: each target compiles with its C library's headers, a failed
// assertion calls what the package comment says with the expression's text, and
// the traps are there.
func TestEveryTarget(t *testing.T) {
	for _, name := range targets.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tgt := load(t, name)
			dirs, installed := tgt.HeaderDirs()
			text := everyHeader
			if !installed {
				text = regexp.MustCompile(`#include <(ctype|inttypes|stdio|stdlib|string)\.h>\n`).ReplaceAllString(
					text, "")
				text = strings.Replace(text, "strlen", "__builtin_strlen", 1)
			}
			ir, err := compileText(t, name, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			fail := "@__assert_fail("
			if len(dirs) > 0 && (strings.Contains(dirs[0], "newlib") || strings.Contains(dirs[0], "picolibc")) {
				fail = "@__assert_func("
			}
			for _, want := range []string{fail, `c"x > 0\00"`, "@llvm.ubsantrap(i8 20)", "@firmproof_assume(i1",
				"!DISubprogram(name: \"f\""} {
				if !strings.Contains(ir, want) {
					t.Errorf("no %s in the IR", want)
				}
			}
			if m := layoutLine.FindStringSubmatch(ir); m == nil || !targets.SameMachine(m[1], tgt.DataLayout) {
				t.Errorf("layout %q, want %s", m, tgt.DataLayout)
			}
			if strings.Contains(ir, "optnone") {
				t.Error("optnone is in the IR")
			}
		})
	}
}

func TestChecks(t *testing.T) {
	text := "unsigned f(unsigned a, unsigned b) { return a + b; }\nunsigned char g(int x) { return x; }\nint h(int a) { return a + 1; }\n"
	ir, err := compileText(t, "cortex-m3", text, nil)
	if err != nil || strings.Contains(ir, "ubsantrap") || !strings.Contains(ir, "add nsw i32") {
		t.Errorf("plain: %v\n%s", err, ir)
	}
	ir, err = compileText(t, "cortex-m3", text, func(r *Request) { r.Checks.UnsignedOverflow = true })
	if err != nil || !strings.Contains(ir, "@llvm.ubsantrap(i8 0)") || strings.Contains(ir, "@llvm.ubsantrap(i8 7)") {
		t.Errorf("unsigned: %v", err)
	}
	ir, err = compileText(t, "cortex-m3", text, func(r *Request) { r.Checks.Conversion = true })
	if err != nil || !strings.Contains(ir, "@llvm.ubsantrap(i8 7)") || strings.Contains(ir, "@llvm.ubsantrap(i8 0)") {
		t.Errorf("conversion: %v", err)
	}
}

func TestShim(t *testing.T) {
	text := `int main(void) {
	unsigned long long a = nondet_ulonglong();
	void *p = __VERIFIER_nondet_pointer();
	_Bool b = nondet_bool();
	__CPROVER_size_t n = nondet_size_t();
	__CPROVER_assume(n < 4 && b);
	return a > 3 && p && __CPROVER_r_ok(p, n) && other(n);
}
`
	ir, err := compileText(t, "x86_64", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	pointer := "ptr" // how LLVM writes it from 15 on
	if tools().Version < 15 {
		pointer = "i8*"
	}
	for _, want := range []string{"declare i64 @nondet_ulonglong()", "declare " + pointer + " @__VERIFIER_nondet_pointer()",
		"declare zeroext i1 @nondet_bool()", "declare i64 @nondet_size_t()", "@__CPROVER_assume(i1",
		"zeroext i1 @__CPROVER_r_ok(" + pointer, "@other("} {
		if !strings.Contains(ir, want) {
			t.Errorf("no %s in\n%s", want, ir)
		}
	}
	for _, flags := range [][]string{{"-w"}, {"-Werror=implicit-function-declaration"},
		{"-std=c89", "-pedantic-errors"}, {"-Wno-implicit-function-declaration"}} {
		ir, err := compileText(t, "x86_64", "int main(void) { return nondet_ulong() > 3; }\n",
			func(r *Request) { r.CFlags = flags })
		if err != nil || !strings.Contains(ir, "declare i64 @nondet_ulong()") {
			t.Errorf("%v: %v", flags, err)
		}
	}
	// what the file declares or defines itself is left alone
	own := "static int nondet_int(void) { return 3; }\nextern unsigned nondet_char();\nint main(void) { return nondet_int() + nondet_char() + nondet_long(); }\n"
	if ir, err = compileText(t, "i386", own, nil); err != nil ||
		!strings.Contains(ir, "internal i32 @nondet_int") || !strings.Contains(ir, "declare i32 @nondet_long()") {
		t.Errorf("%v\n%s", err, ir)
	}
}

// A manifest's sources take the same words of CBMC and SV-COMP as a file that is named.
func TestWordsInProject(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.c": "int t[8];\nint main(void) {\n\tlong long v = nondet_longlong();\n\t__CPROVER_assume(v > 0);\n\treturn __CPROVER_forall { int i; 0 <= i && i < 8 ==> t[i] == v };\n}\n"})
	m := parse(t, "targets: [cortex-m3]\nbuild: {sources: [\"*.c\"]}\nharnesses: [{entry: main}]\n")
	img, err := Project(context.Background(), dir, m, load(t, "cortex-m3"), Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"declare dso_local i64 @nondet_longlong()", "@__CPROVER_assume(i1"} {
		if ir := read(t, img.IRPath); !strings.Contains(ir, want) {
			t.Errorf("no %s in\n%s", want, ir)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"int f(void) { return x; }\n", "a.c:1:22: use of undeclared identifier 'x'"},
		{"#include \"missing.h\"\n", "a.c:1:10: 'missing.h' file not found"},
		{"int f(void) {\n", "a.c:1:14: expected '}'"},
		{"#error stop\n", "a.c:1:2: stop"},
	} {
		_, err := compileText(t, "cortex-m3", c.text, nil)
		var be *BuildError
		if !errors.As(err, &be) || !strings.Contains(err.Error(), c.want) || be.Target != "cortex-m3" {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := compileText(t, "avr", "int x;", func(r *Request) { r.CFlags = []string{"-frubbish"} }); err == nil ||
		!strings.Contains(err.Error(), "-frubbish") {
		t.Error(err)
	}
	if _, err := compileText(t, "avr", "int x;", func(r *Request) { r.File = "b.c" }); err == nil ||
		err.Error() != "b.c: no such file" {
		t.Error(err)
	}
	bad := Request{File: "a.c", Dir: tree(t, map[string]string{"a.c": "int x;"}), Target: load(t, "avr"),
		WorkDir: t.TempDir(), Runner: broken{}}
	var ie *InfraError
	if _, err := Compile(context.Background(), bad); !errors.As(err, &ie) {
		t.Errorf("a runner that fails is our fault: %v", err)
	}
}

type broken struct{}

func (broken) Run(context.Context, Cmd) (Result, error) { return Result{}, errors.New("no sandbox") }

// TestIRFiles: LLVM text and bitcode are accepted; what is none, is cut off or is
// for another machine is refused with its line.
func TestIRFiles(t *testing.T) {
	ir, err := compileText(t, "cortex-m3", "int f(int x) { return x / 2; }\nint main(void) { return f(3); }\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, map[string]string{"ok.ll": ir, "cut.ll": ir[:strings.Index(ir, "sdiv")+3], "no.ll": "hello\n",
		"no.bc": "hello", "bare.ll": "define i32 @f() {\n  ret i32 1\n}\n"})
	if out, err := exec.Command(tools().As, "-o", filepath.Join(dir, "ok.bc"), filepath.Join(dir, "ok.ll")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	version := strconv.Itoa(tools().Version)
	for _, c := range []struct{ file, target, want string }{
		{"ok.ll", "cortex-m3", ""}, {"ok.bc", "cortex-m3", ""}, {"bare.ll", "avr", ""},
		{"cut.ll", "cortex-m3", "cut.ll:"}, {"no.ll", "cortex-m3", "no.ll:1:1: this is no LLVM " + version + " IR"},
		{"no.bc", "cortex-m3", "no.bc: this is no LLVM " + version + " bitcode"},
		{"ok.ll", "x86_64", "compiled for another machine than target x86_64"}, {"ok.txt", "x86_64", "no such file"},
	} {
		u, err := Compile(context.Background(), Request{File: c.file, Dir: dir, Target: load(t, c.target),
			WorkDir: t.TempDir()})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.file, err)
			} else if got := read(t, u.IRPath); !strings.Contains(got, "target datalayout") || !strings.Contains(got,
				"@f(") {
				t.Errorf("%s:\n%s", c.file, got)
			}
			continue
		}
		var be *BuildError
		if !errors.As(err, &be) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.file, err, c.want)
		}
	}
}

func TestCache(t *testing.T) {
	files := map[string]string{"a.c": "#include \"a.h\"\nint main(void) { return A; }\n", "inc/a.h": "#define A 1\n"}
	cache := t.TempDir()
	build := func(dir string, defines ...string) *Unit {
		t.Helper()
		u, err := Compile(context.Background(), Request{File: "a.c", Dir: dir, Include: []string{"inc"},
			Defines: defines, Target: load(t, "cortex-m3"), WorkDir: t.TempDir(), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	one, two := tree(t, files), tree(t, files)
	if build(one).Cached {
		t.Error("the first build came from the cache")
	}
	if !build(one).Cached || !build(two).Cached {
		t.Error("the second build, or another checkout, did not come from the cache")
	}
	if build(one, "B=1").Cached {
		t.Error("other flags came from the cache")
	}
	if err := os.WriteFile(filepath.Join(two, "inc/a.h"), []byte("#define A 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if u := build(two); u.Cached || !strings.Contains(read(t, u.IRPath), "ret i32 2") {
		t.Error("a changed header was not seen")
	}
	// a blank moves columns without changing the tokens
	if err := os.WriteFile(filepath.Join(one, "a.c"), []byte("#include \"a.h\"\nint main(void) {  return A; }\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if u := build(one); u.Cached || !strings.Contains(read(t, u.IRPath), "column: 19") {
		t.Error("positions are those of another text")
	}
}

const ringC = `#include "ring.h"
#include <string.h>
static int helper(int x) { return x + 1; }
static int spare(int x) { return x + 2; }
int ring_push(struct ring *r, int v) { r->v[r->n++ % 4] = helper(v); return r->n; }
int unused_elsewhere(void) { return 7; }
void UART_IRQHandler(void) { __asm__ volatile("cpsid i"); __asm__ volatile("" ::: "memory"); }
`

func project(t *testing.T) (string, *manifest.Manifest) {
	t.Helper()
	dir := tree(t, map[string]string{
		"src/ring.c": ringC, "src/skip/broken.c": "int x = ;", "src/start.s": "nop\n",
		"include/ring.h": "struct ring { int v[4]; int n; };\nint ring_push(struct ring *r, int v);\n",
		"proofs/push.c":  "#include \"ring.h\"\n#include \"firmproof.h\"\nvoid push_harness(void) { struct ring r; firmproof_havoc(&r, sizeof r); ring_push(&r, LIMIT); }\n",
		manifest.Name: `version: 1
targets: [cortex-m3, i386, x86_64, avr]
build: {sources: ["src/**/*", "!src/skip/**"], include: [include], defines: [LIMIT=9]}
harnesses: [{entry: push_harness, file: proofs/push.c}, {entry: pusch_harness}]
interrupts: [{handler: UART_IRQHandler}]
memory_map: [{name: uart, base: 0x40000400, size: 0x100, access: constant}]
`})
	m, err := manifest.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, m
}

func TestProject(t *testing.T) {
	dir, m := project(t)
	for _, tgt := range m.Targets {
		img, err := Project(context.Background(), dir, m, tgt, Options{WorkDir: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", tgt.Name, err)
		}
		ir, word := read(t, img.IRPath), map[int]string{2: "i16", 4: "i32"}[tgt.Types.Int.Size]
		for _, want := range []string{"define dso_local void @push_harness()", "define internal " + word +
			" @ring_push(", "define internal " + word + " @helper(", "define dso_local void @UART_IRQHandler"} {
			if !strings.Contains(ir, want) {
				t.Errorf("%s: no %s", tgt.Name, want)
			}
		}
		if strings.Contains(ir, "unused_elsewhere") || strings.Contains(ir, "optnone") {
			t.Errorf("%s: not sliced", tgt.Name)
		}
		if len(img.Entries) != 1 || len(img.Missing) != 1 || img.Missing[0].Nearest != "push_harness" {
			t.Errorf("entries %v, missing %v", img.Entries, img.Missing)
		}
		if n := strings.Join(img.Notes, "\n"); !strings.Contains(n, "assembly file src/start.s") ||
			strings.Count(n, "inline assembly") != 1 || !strings.Contains(n, "UART_IRQHandler") {
			t.Errorf("notes %s", n)
		}
		for _, f := range img.Functions {
			if f.Name == "helper" && (f.File != "src/ring.c" || f.Line != 3 || !f.Static) {
				t.Errorf("%+v", f)
			}
		}
		if len(img.Units) != 3 || len(img.Stages) != 4 || len(img.Memory) != map[string]int{"cortex-m3": 6, "i386": 1,
			"x86_64": 1, "avr": 4}[tgt.Name] {
			t.Errorf("units %v stages %v memory %v", img.Units, img.Stages, img.Memory)
		}
		if strings.Contains(ir, dir) {
			t.Error("the checkout's directory is in the IR")
		}
	}
}

func TestKeepAll(t *testing.T) {
	dir, m := project(t)
	img, err := Project(context.Background(), dir, m, load(t, "cortex-m3"), Options{WorkDir: t.TempDir(),
		KeepAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if ir := read(t, img.IRPath); !strings.Contains(ir, "@unused_elsewhere") || !strings.Contains(ir, "@spare") {
		t.Error("functions are gone")
	}
}

func TestStaticEntry(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.c": "static int f(int x) { return x; }\nstatic void idle(void) {}\nint main(void) { return f(1); }\n"})
	t.Chdir(dir)
	img, err := Files(context.Background(), []string{"a.c"}, load(t, "i386"), Options{WorkDir: t.TempDir(),
		Entries: []string{"f"}})
	if err != nil {
		t.Fatal(err)
	}
	if ir := read(t, img.IRPath); !strings.Contains(ir, "@f(") || strings.Contains(ir, "@main(") {
		t.Error(ir)
	}
	if img, err = Files(context.Background(), []string{"a.c"}, load(t, "i386"), Options{WorkDir: t.TempDir(),
		Entries: []string{"idle"}}); err != nil || !strings.Contains(read(t, img.IRPath), "@idle(") {
		t.Errorf("a static function that nothing calls: %v", err)
	}
	_, err = Files(context.Background(), []string{"a.c"}, load(t, "i386"), Options{WorkDir: t.TempDir(),
		Entries: []string{"mian"}})
	var ee *EntryError
	if !errors.As(err, &ee) || !strings.Contains(err.Error(),
		`no function "mian" in the program, did you mean "main"?`) {
		t.Error(err)
	}
}

func TestDuplicates(t *testing.T) {
	t.Chdir(tree(t, map[string]string{"a.c": "int f(void) { return 1; }\n", "b.c": "\nint f(void) { return 2; }\n"}))
	_, err := Files(context.Background(), []string{"a.c", "b.c"}, load(t, "cortex-m3"), Options{WorkDir: t.TempDir()})
	var be *BuildError
	if !errors.As(err, &be) || !strings.Contains(err.Error(),
		"a.c:1: symbol `f` is defined more than once, also in b.c:2") {
		t.Error(err)
	}
}

// TestAllUnitsReport: one build shows the mistakes of every unit.
func TestAllUnitsReport(t *testing.T) {
	t.Chdir(tree(t, map[string]string{"a.c": "int f(void) { return x; }\n", "b.c": "int g(void) { return y; }\n"}))
	_, err := Files(context.Background(), []string{"a.c", "b.c"}, load(t, "cortex-m3"), Options{WorkDir: t.TempDir(),
		Jobs: 2})
	if err == nil || !strings.Contains(err.Error(), "a.c:1:22") || !strings.Contains(err.Error(), "b.c:1:22") {
		t.Error(err)
	}
}

func TestMergeRegions(t *testing.T) {
	base := []targets.Region{{Name: "p", Base: 0x100, Size: 0x100, Access: targets.Volatile}}
	over := []targets.Region{{Name: "u", Base: 0x140, Size: 0x10, Access: targets.Constant},
		{Name: "v", Base: 0, Size: 0x110, Access: targets.RAM}}
	got := mergeRegions(base, over)
	if len(got) != 4 || got[1].Base != 0x110 || got[1].Size != 0x30 || got[3].Base != 0x150 || got[3].Size != 0xb0 {
		t.Errorf("%+v", got)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
