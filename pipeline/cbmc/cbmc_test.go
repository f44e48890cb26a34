package cbmc

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tree is a repository with one proof in the starter kit's layout.
var tree = map[string]string{
	"source/ring.c": "#include \"ring.h\"\nstatic int next(int i) { return (i + 1) % SIZE; }\nint read_hw(void) { return *(volatile int *)4096; }\n" +
		"int step(int i) { return next(i) + read_hw(); }\nint twice(int x) { return 2 * x; }\n",
	"source/ring.h":               "int step(int);\nint read_hw(void);\n",
	"cbmc/proofs/Makefile.common": "SRCDIR ?= $(abspath ../../..)\nPROOFDIR ?= $(abspath .)\nINCLUDES += -I$(SRCDIR)/source\nDEFINES += -DCBMC=1 -DMAX=\"(1 << (2))\"\nCHECKFLAGS += --unsigned-overflow-check\n%.goto:\n\tfalse\n",
	"cbmc/proofs/step/Makefile": "HARNESS_ENTRY = harness\nHARNESS_FILE = step_harness\nDEFINES += -DSIZE=8\nUNWINDSET += __CPROVER_file_local_ring_c_next.0:4\nUNWINDSET += harness.1:3\n" +
		"REMOVE_FUNCTION_BODY += read_hw\nPROOF_SOURCES += $(PROOFDIR)/$(HARNESS_FILE).c\nPROJECT_SOURCES += $(SRCDIR)/source/ring.c\ninclude ../Makefile.common\n",
	"cbmc/proofs/step/step_harness.c": "#include \"ring.h\"\nint __CPROVER_file_local_ring_c_next(int);\nint twice(int x) { return x + x; }\n" +
		"void harness() { int i = nondet_int(); __CPROVER_assume(i >= 0 && i < MAX); __CPROVER_assert(__CPROVER_file_local_ring_c_next(i) == i + 1, \"next\"); step(twice(i)); }\n",
	"cbmc/proofs/contract/Makefile": "HARNESS_FILE = h\nCHECK_FUNCTION_CONTRACTS = step\nAPPLY_LOOP_CONTRACTS = 1\ninclude ../Makefile.common\n",
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadMakefile(t *testing.T) {
	dir := write(t, tree)
	found, err := Find(dir)
	if err != nil || len(found) != 2 || filepath.Base(found[0]) != "contract" || filepath.Base(found[1]) != "step" {
		t.Fatalf("%v, %v", found, err)
	}
	p, err := readOne(found[1])
	if err != nil {
		t.Fatal(err)
	}
	if p.Entry != "harness" || p.Name != "step" || !p.Unsigned || p.MallocOK || len(p.Needs) > 0 || p.Bits32 {
		t.Errorf("%+v", p)
	}
	if want := []LoopBound{{"__CPROVER_file_local_ring_c_next", 0, 4}, {"harness", 1, 3}}; !reflect.DeepEqual(p.Loops,
		want) {
		t.Errorf("loops %v", p.Loops)
	}
	if want := "-DSIZE=8 -DCBMC=1 -DMAX=(1 << (2)) -I" + p.Root + "/source"; strings.Join(p.Flags, " ") != want {
		t.Errorf("flags %q, want %q", p.Flags, want)
	}
	if c := p.Checks(); !c.Has(verdict.UnsignedOverflow) || c.Has(verdict.Conversion) || !c.Has(verdict.Memory) {
		t.Errorf("checks %v", c)
	}
	p, err = readOne(found[0])
	if err != nil || p.Contracts == nil || p.Contracts.Check["step"] != "step" || !p.Contracts.Loops ||
		len(p.Contracts.Replace) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestBuild: the static function has the name that the proof calls, the removed
// body is gone, and of two definitions the proof's own stays.
func TestBuild(t *testing.T) {
	dir := write(t, tree)
	p, err := readOne(filepath.Join(dir, "cbmc/proofs/step"))
	if err != nil {
		t.Fatal(err)
	}
	host, err := targets.Load("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	img, err := p.Build(context.Background(), host, compile.Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(img.IRPath)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{"define internal i32 @__CPROVER_file_local_ring_c_next(",
		"declare dso_local i32 @read_hw(", "add nsw i32 %0, %1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "mul nsw i32 2") {
		t.Error("the project's definition of twice was linked")
	}
}

func TestOptions(t *testing.T) {
	for flags, never := range map[string]bool{"": false, "--no-malloc-may-fail": true, "--pointer-check": true,
		"--pointer-check --malloc-may-fail": false} {
		p := &Proof{}
		p.options(strings.Fields(flags))
		if p.MallocOK != never {
			t.Errorf("%q: malloc never fails: %v", flags, p.MallocOK)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := write(t, map[string]string{"p/Makefile": "HARNESS_FILE = h\ninclude ../missing.common\n"})
	if _, err := Read(context.Background(), compile.Direct{}, filepath.Join(dir, "p")); err == nil ||
		!strings.Contains(err.Error(), "missing.common") {
		t.Errorf("%v", err)
	}
	dir = write(t, map[string]string{"p/Makefile": "HARNESS_FILE = h\nUNWINDSET = f.x:3\n"})
	if _, err := Read(context.Background(), compile.Direct{}, filepath.Join(dir, "p")); err == nil ||
		!strings.Contains(err.Error(), `"f.x:3"`) {
		t.Errorf("%v", err)
	}
}

func readOne(dir string) (*Proof, error) {
	list, err := Read(context.Background(), compile.Direct{}, dir)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// jsonTree is a repository with proofs in the JSON layout: one with a single set of
// macros, one with two.
var jsonTree = map[string]string{
	"src/queue.c":              "#include <stddef.h>\n#define LENGTH 3 + \\\n  1\n#if WIDE\ntypedef struct { int wide; } item_t;\n#else\ntypedef struct { char narrow; } item_t;\n#endif\nstruct head { item_t *first; };\nstruct head list = {NULL};\nint size(void) { return sizeof(item_t) + LENGTH; }\n",
	"cbmc/MakefileCommon.json": "{\"SRC\": [\" ..\"], \"PROOFS\": [\".\"], \"DEF \": [\"CBMC\", \"'CHECK(X)=__CPROVER_assert(X,\\\"check\\\")'\"], \"INC \": [\"$(SRC)/src\"], \"CBMCFLAGS \": [\"--32\"],\n\"TYPE_HEADERS\": [\"$(SRC)/src/queue.c\"]}",
	"cbmc/MakefileLinux.json":  "{\"INC\": [\"$(PROOFS)/x\"]}",
	"cbmc/one/Makefile.json":   "{\n # a comment\n\"ENTRY\": \"one\",\n\"N\": 7,\n\"M\": \"__eval max(2, {N} / 2) + 1\",\n# another\n\"CBMCFLAGS\": [\"--unwind 1\", \"--unwindset size.0:{M},f.1:2\", \"--nondet-static\"], \"OBJS\": [\"$(ENTRY)_harness.goto\", \"$(SRC)/src/queue.goto\"], \"INSTFLAGS\": [\"--remove-function-body size\"]}",
	"cbmc/two/Configurations.json": "{\"ENTRY\": \"two\", \"OBJS\": [\"two_harness.goto\", \"$(SRC)/src/queue.goto\"], \"GENERATE_HEADER\": [\"queue_datastructure.h\"],\n" +
		"\"DEF\": [{\"wide\": [\"WIDE=1\"]}, {\"narrow\": [\"WIDE=0\", \"SLASH=//2\"], \"EXPECTED\": false}]}",
	"cbmc/two/two_harness.c":             "#include \"queue_datastructure.h\"\nint size(void);\nvoid harness(void) { struct head h; h.first = 0; CHECK(size() == sizeof(item_t) + LENGTH); }\n",
	"cbmc/two/config_wide/Makefile.json": "{\"ENTRY\": \"two\", \"OBJS\": []}",
}

func TestJSON(t *testing.T) {
	dir := write(t, jsonTree)
	found, err := Find(dir)
	if err != nil || len(found) != 2 || filepath.Base(found[0]) != "one" || filepath.Base(found[1]) != "two" {
		t.Fatalf("%v, %v", found, err)
	}
	p, err := readOne(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := []LoopBound{{"size", 0, 4}, {"f", 1, 2}}; !reflect.DeepEqual(p.Loops, want) || !p.NondetStatic ||
		!p.Bits32 || !p.Expect || p.BodylessFails {
		t.Errorf("%+v", p)
	}
	if p.Project[0] != filepath.Join(p.Root, "src/queue.c") || p.Sources[0] != filepath.Join(p.Dir, "one_harness.c") ||
		!reflect.DeepEqual(p.RemoveBody, []string{"size"}) {
		t.Errorf("files %v %v, removed %v", p.Project, p.Sources, p.RemoveBody)
	}
	list, err := Read(context.Background(), compile.Direct{}, found[1])
	if err != nil || len(list) != 2 || list[0].Title() != "two/wide/harness" || !list[0].Expect || list[1].Expect {
		t.Fatalf("%+v, %v", list, err)
	}
	if f := strings.Join(list[1].Flags, " "); !strings.HasSuffix(f,
		`-DCBMC -DCHECK(X)=__CPROVER_assert(X,"check") -DWIDE=0 -DSLASH=/2`) {
		t.Errorf("flags %q", f)
	}
	host, err := targets.Load("i386")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"icmp eq i32 %call, 8", "icmp eq i32 %call, 5"} {
		img, err := list[i].Build(context.Background(), host, compile.Options{WorkDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(img.IRPath)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
}

func TestEvaluate(t *testing.T) {
	for in, want := range map[string]string{" 2 + 3 * (4 - 1)": "11", "(7+1)/ 3": "2", "(0 - 7) / 2": "-4",
		"1 if 3 <= 2 else 5 - 1": "4", "max(3, min(9, 4+1))": "5",
		"1 if 3 > 2 else 0": "1", "1 / 0": "error", "2 +": "error", "f(1)": "error", "1 2": "error", "3 % 2": "error"} {
		got, err := evaluateText(in)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s (%v), want %s", in, got, err, want)
		}
	}
}

func TestTypesOf(t *testing.T) {
	got := typesOf(jsonTree["src/queue.c"] +
		"typedef struct { /* not; here */\n#if A\nint a;\n#endif\nint b; } both_t;\nstatic struct head *f(int x) { return x ? 0 : &list; }\nenum color { RED };\n")
	want := "#define LENGTH 3 + \\\n  1\n#if WIDE\ntypedef struct { int wide; } item_t;\n#else\ntypedef struct { char narrow; } item_t;\n#endif\nstruct head { item_t *first; };\n" +
		"typedef struct {  \n#if A\nint a;\n#endif\nint b; } both_t;\nenum color { RED };\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRetyped: a stub may have another type than the header that it includes, as for
// goto-cc; the project's calls reach it, and a file that uses both types is an error.
func TestRetyped(t *testing.T) {
	files := map[string]string{
		"src/api.h":  "long hw_read(long port);\n",
		"src/api.c":  "#include \"api.h\"\nint poll(void) { return (int)hw_read(3); }\n",
		"p/Makefile": "HARNESS_FILE = h\nPROOF_SOURCES = h.c stub.c\nPROJECT_SOURCES = ../src/api.c\nINCLUDES = -I../src\n",
		"p/h.c":      "int poll(void);\nvoid harness(void) { __CPROVER_assert(poll() == 4, \"read\"); }\n",
		"p/stub.c":   "#include \"api.h\"\nint\nhw_read(int port)\n{ return port + 1; }\nint again(void) { return hw_read(1); }\n",
	}
	host, err := targets.Load("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	text := func() (string, error) {
		p, err := readOne(filepath.Join(write(t, files), "p"))
		if err != nil {
			return "", err
		}
		img, err := p.Build(context.Background(), host, compile.Options{WorkDir: t.TempDir()})
		if err != nil {
			return "", err
		}
		data, err := os.ReadFile(img.IRPath)
		return string(data), err
	}
	ir, err := text()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(ir, "define internal i32 @hw_read(i32") || strings.Contains(ir, retypedPrefix+"hw_read(") ||
		!strings.Contains(ir, "line: 3,") {
		t.Errorf("stub is not linked:\n%s", ir)
	}
	files["p/stub.c"] = "#include \"api.h\"\nlong before(void) { return hw_read(2); }\nint hw_read(int port) { return port + 1; }\n"
	if _, err := text(); err == nil || !strings.Contains(err.Error(), "hw_read is used with two types") {
		t.Errorf("two types: %v", err)
	}
}

// TestGenerated: a source that the makefile makes by a job of litani's is made without
// litani, and stands at its place in messages, not in the tree. A function
// whose declaration lost its static is not static.
func TestGenerated(t *testing.T) {
	dir := write(t, map[string]string{
		"src.c": "static int g(void);\nstatic int f(void) { return g(); }\n" +
			" static int g(void) { return 3; }\nint h(void) { return 4; }\n",
		"p/Makefile": "HARNESS_FILE = h\nPROOF_SOURCES = h.c\nPROJECT_SOURCES = $(abspath .)/src.c\nLITANI ?= litani\nSHELL = /bin/bash\n" +
			"$(abspath .)/src.c: ../src.c\n\t$(LITANI) add-job --command \"sed -E 's/^static //' $^\" --inputs $^ --outputs $@ --stdout-file $@ --ci-stage build\n",
		"p/h.c": "int f(void), g(void);\nint harness(void) { return f() + g(); }\n",
	})
	p, err := readOne(filepath.Join(dir, "p"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "p/src.c")); err == nil {
		t.Error("the tree was written to")
	}
	if got := string(p.Generated[p.Project[0]]); got != "int g(void);\nint f(void) { return g(); }\n"+
		" static int g(void) { return 3; }\nint h(void) { return 4; }\n" {
		t.Fatalf("%q of %v", got, p.Generated)
	}
	host, err := targets.Load("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	img, err := p.Build(context.Background(), host, compile.Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, f := range img.Functions {
		if f.Name != "harness" && !strings.HasSuffix(f.File, "p/src.c") && f.File != "src.c" {
			t.Errorf("%s lies in %s", f.Name, f.File)
		}
		lines[f.Name] = f.Line
	}
	if lines["f"] != 2 || lines["h"] != 4 {
		t.Errorf("lines %v", lines)
	}
	if ir, err := os.ReadFile(img.IRPath); err != nil || strings.Contains(string(ir), "declare i32 @g(") {
		t.Errorf("%v: the harness does not reach g:\n%s", err, ir)
	}
}

// TestRedirect: calls go to the function that stands for another, whose body keeps its
// place under another name.
func TestRedirect(t *testing.T) {
	const unit = "define dso_local i32 @f(i32 %x) !dbg !7 {\n  %r = call i32 @f(i32 %x)\n  %s = call i32 @g(i32 1)\n  ret i32 %r\n}\ndeclare i32 @g(i32)\n"
	got := string(redirect([]byte(unit), &contract.Options{Check: map[string]string{"f": "f"},
		Replace: map[string]string{"g": "g"}}))
	want := "define dso_local i32 @__firmproof_body_f(i32 %x) !dbg !7 {\n  %r = call i32 @__firmproof_check_f(i32 %x)\n  %s = call i32 @__firmproof_use_g(i32 1)\n  ret i32 %r\n}\n" +
		"declare dso_local i32 @__firmproof_check_f(i32 %x)\ndeclare i32 @__firmproof_use_g(i32)\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	const stands = "define i32 @__firmproof_use_g(i32 %x) {\n  ret i32 0\n}\ndeclare i32 @g(i32)\n"
	if got := string(redirect([]byte(stands),
		&contract.Options{Replace: map[string]string{"g": "g"}})); strings.Contains(got, "declare") {
		t.Errorf("declared beside its definition:\n%s", got)
	}
}

// TestTakeBack: of two types that differ in const alone, both names are one function.
func TestTakeBack(t *testing.T) {
	unit := func(second string) string {
		return "define dso_local i64 @g(i8* noundef %p) #0 {\n  %a = call i64 @f(i8* noundef %p)\n  %b = call i64 @firmproof_retyped_f(i8* noundef %p)\n  ret i64 %b\n}\ndeclare i64 @f(i8* noundef) #1\ndeclare i64 @firmproof_retyped_f(" + second + ") #1\n"
	}
	got, err := takeBack([]byte(unit("i8* noundef")), nil)
	if err != nil || strings.Contains(string(got), "retyped") || strings.Count(string(got), "declare") != 1 {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := takeBack([]byte(unit("i32* noundef")), nil); err == nil || !strings.Contains(err.Error(), "two types") {
		t.Errorf("another type: %v", err)
	}
}
