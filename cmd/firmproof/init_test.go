package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestInit: for each kind of repository, `check` runs on what init writes.
func TestInit(t *testing.T) {
	const program = "int main(void) { int a[3] = {0}; return a[2]; }\n"
	cases := map[string]struct {
		prepare func(t *testing.T, dir string)
		want    []string // in the manifest
		check   []string // further arguments of check
		code    int
	}{
		"plain": {func(t *testing.T, dir string) { put(t, dir, "src/a.c", program) },
			[]string{"targets: [host]", `sources: ["src/a.c"]`, "entry: main"}, nil, exitOK},
		"plain with a bug": {func(t *testing.T, dir string) {
			put(t, dir, "a.c", strings.Replace(program, "a[2]",
				"a[3]", 1))
		}, []string{"entry: main"}, nil, exitViolated},
		"no main": {func(t *testing.T, dir string) {
			put(t, dir, "a.c",
				"int half(int n) { return n / 2; }\n")
		}, []string{"functions: all"}, nil, exitOK},
		"cmake": {func(t *testing.T, dir string) {
			put(t, dir, "a.c", program)
			put(t, dir, "CMakeLists.txt", "project(x C)\nadd_executable(x a.c)\n")
			put(t, dir, "build/compile_commands.json",
				fmt.Sprintf(`[{"directory":%q,"file":"a.c","command":"cc -O2 -c a.c -o a.o"}]`, dir))
		}, []string{"compile_commands: build/compile_commands.json"}, nil, exitOK},
		"make": {func(t *testing.T, dir string) {
			put(t, dir, "a.c", program)
			put(t, dir, "Makefile", "a.o: a.c\n\tarm-none-eabi-gcc -mcpu=cortex-m4 -c a.c -o a.o\n")
		}, []string{"targets: [cortex-m4]", "command: make"}, nil, exitOK},
		"a build that fails behind what it compiles": {func(t *testing.T, dir string) {
			put(t, dir, "a.c", program)
			put(t, dir, "Makefile", "all: a.o\n\tfalse\n")
		}, []string{"command: make -k -B || true"}, nil, exitOK},
		"two programs, a test, a build that fails": {func(t *testing.T, dir string) {
			put(t, dir, "src/a.c", program)
			put(t, dir, "src/b.c", program)
			put(t, dir, "test/t.c", program)
			put(t, dir, "Makefile", "all:\n\tfalse\n")
		}, []string{"sources: [\"src/a.c\"]", "Left out: src/b.c: defines main, as src/a.c does",
			"Left out: 1 files: tests", "Question: this way to build did not work: `make`"}, nil, exitOK},
		"headers elsewhere, or nowhere": {func(t *testing.T, dir string) {
			put(t, dir, "lib/inc/deep.h", "int hal(int *p);\nenum { N = 3 };\n")
			put(t, dir, "src/a.c",
				"#include \"deep.h\"\nint at(unsigned i) { int a[N] = {0}; hal(a); return a[i % N]; }\n")
			put(t, dir, "src/port.c", "#include \"vendor.h\"\nint port(void) { return 0; }\n")
		}, []string{"include: [\"lib/inc\"]", "Left out: src/port.c: src/port.c:1:10: 'vendor.h' file not found",
			"stubs: {\"*\": havoc}", "functions: all"}, nil, exitOK},
		"several images": {func(t *testing.T, dir string) {
			put(t, dir, "app.c", program)
			put(t, dir, "test/t.c", program)
			put(t, dir, "Makefile", "all:\n\tgcc -c app.c -o app.o\n\tgcc app.o -o app\n\tgcc test/t.c -o test_app\n")
		}, []string{"command: make", "image: app\n",
			"# The build links several programs (app, test_app); `image` names"}, nil, exitOK},
		"a project of an IDE": {func(t *testing.T, dir string) {
			put(t, dir, "src/a.c", "#include \"level.h\"\n#if LEVEL != 2\n#error level\n#endif\n"+
				"int main(void) { return *(volatile int *)0x40023830 % 7; }\n")
			put(t, dir, "src/old.c", program)
			put(t, dir, "inc/level.h", "")
			put(t, dir, "MDK-ARM/p.uvprojx", `<Project><Targets><Target><TargetOption>
<TargetCommonOption><Cpu>CPUTYPE("Cortex-M3")</Cpu></TargetCommonOption><TargetArmAds><Cads><VariousControls>
<Define>LEVEL=2</Define><IncludePath>..\Inc;..\Pack</IncludePath></VariousControls></Cads></TargetArmAds></TargetOption>
<Groups><Group><Files><File><FilePath>..\src\a.c</FilePath></File></Files></Group></Groups></Target></Targets></Project>`)
		}, []string{"targets: [cortex-m3]   # MDK-ARM/p.uvprojx", `sources: ["src/a.c"]`, "include: [inc]",
			`defines: ["LEVEL=2"]`, "lists what is not in this folder (Pack)"}, nil, exitOK},
		"an application of Zephyr": {func(t *testing.T, dir string) {
			put(t, dir, "prj.conf", "CONFIG_LEVEL=3\n")
			put(t, dir, "CMakeLists.txt", "find_package(Zephyr REQUIRED)\n")
			put(t, dir, "src/main.c", "#include <zephyr/kernel.h>\n#include \"own.h\"\nint main(void) { return 0; }\n")
			put(t, dir, "src/more.c", "#include <zephyr/kernel.h>\n")
			put(t, dir, "src/level.c", "int level(int n) { return n / CONFIG_LEVEL; }\n")
			put(t, dir, "src/ui.cpp", "")
		}, []string{"targets: [cortex-m3]", `defines: ["CONFIG_LEVEL=3"]`, "Left out: 1 files in C++ (src/ui.cpp)",
			"2 files (src/main.c, src/more.c): 'zephyr/kernel.h' file not found", "of Zephyr: `west build` makes",
			"Question: are the macros CONFIG_... those of the build?"}, nil, exitOK},
		"packages of others": {func(t *testing.T, dir string) {
			put(t, dir, "src/a.c", "int port(int);\nint half(int n) { return port(n / 2); }\n")
			put(t, dir, "Drivers/X_HAL_Driver/Src/port.c", "int port(int n) { return 7 / n; }\n")
		}, []string{"functions: [half]", "Not called by themselves: 1 functions of packages that others made (port)"}, nil,
			exitViolated},
		"drivers of a chip by their names": {func(t *testing.T, dir string) {
			put(t, dir, "src/a.c", "int port(int);\nint half(int n) { return port(n / 2); }\n")
			put(t, dir, "hal/stm32f4xx_hal_adc.c", "int port(int n) { return n; }\n"+
				"__attribute__((weak)) void HAL_ADC_ConvCpltCallback(int n) { (void)n; }\n")
			put(t, dir, "hal/stm32f4xx_hal_msp.c", "int msp(int n) { return n; }\n")
		}, []string{"functions: [msp, half]", "2 functions of packages that others made (port, HAL"},
			nil, exitOK},
		"a library with tests and examples": {func(t *testing.T, dir string) {
			put(t, dir, "lib.c", "int half(int n) { return n / 2; }\n")
			put(t, dir, "test/t.c", "int half(int);\nint main(void) { return half(1); }\n")
			put(t, dir, "examples/e.c", "int half(int);\nint main(void) { return half(0); }\n")
			put(t, dir, "Makefile", "all:\n\tgcc lib.c test/t.c -o test_half\n\tgcc lib.c examples/e.c -o examples/half\n")
		}, []string{"command: make", "# The build links tests, examples and the like only", "functions: all",
			"the like\nversion: 1\n"}, nil, exitOK},
		"names of C++": {func(t *testing.T, dir string) {
			put(t, dir, "link.cpp", "namespace bus {\n"+
				"struct Link { int n; Link(int k); ~Link(); int at(int k); int at(char c);\n"+
				"  bool operator==(const Link &o) const; virtual int put(int k); };\n"+
				"Link::Link(int k) : n(k) {}\nLink::~Link() { n = 0; }\nint Link::at(int k) { return k & n; }\n"+
				"int Link::at(char c) { return c & n; }\nint Link::put(int k) { return k ^ n; }\n"+
				"bool Link::operator==(const Link &o) const { return n == o.n; }\n"+
				"template <class T> T half(T n) { return n / 2; }\ntemplate int half<int>(int);\n}\n"+
				"namespace { __attribute__((used)) int mine(int n) { return n | 1; } }\n"+
				"struct one { int n; }; bool operator!(one o) { return !o.n; }\n")
			put(t, dir, "hal/stm32f4xx_hal_adc.c", "int port(int n) { return n; }\n")
			put(t, dir, "Makefile", "all:\n\tg++ -c link.cpp -o link.o\n\tgcc -c hal/stm32f4xx_hal_adc.c -o port.o\n")
		}, []string{"bus::Link::put", "bus::Link::at (_ZN3bus4Link2atEi)", "operator!"}, nil, exitOK},
		"a configured build keeps the paths of compilers": {func(t *testing.T, dir string) {
			put(t, dir, "a.c", program)
			put(t, dir, "configure", "#!/bin/sh\n[ -f config.mk ] || echo \"CC = $(command -v cc)\" >config.mk\n")
			put(t, dir, "Makefile", "include config.mk\nall:\n\t$(CC) -c a.c -o a.o\n")
			put(t, dir, "examples/x/x.ino", "")
			if err := os.Chmod(filepath.Join(dir, "configure"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{"command: ./configure && make", ".\nversion: 1\n"}, nil, exitOK},
		"sensor-node": {func(t *testing.T, dir string) {
			if err := os.CopyFS(dir, os.DirFS("../../examples/sensor-node")); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(dir, ".firmproof.yml")); err != nil {
				t.Fatal(err)
			}
		}, []string{"targets: [cortex-m3]", "linker_script: board/board.ld",
			`entry: mode_step_harness, file: "proofs/mode.c"`}, []string{"--entry", "mode_step_harness"}, exitOK},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.prepare(t, dir)
			var out bytes.Buffer
			if code := runWith([]string{"init", "--timeout", "5s", dir}, &out, &out); code != exitOK {
				t.Fatalf("exit %d: %s", code, out.String())
			}
			wantAll(t, out.String(), "Next:", "firmproof check "+dir)
			text, err := os.ReadFile(filepath.Join(dir, ".firmproof.yml"))
			if err != nil {
				t.Fatal(err)
			}
			wantAll(t, string(text), c.want...)
			out.Reset()
			if code := runWith(append([]string{"check", dir}, c.check...), &out, &out); code != c.code {
				t.Errorf("check: exit %d, want %d:\n%s\n%s", code, c.code, text, out.String())
			}
			out.Reset()
			if code := runWith([]string{"init", dir}, &out, &out); code != exitUsage || !strings.Contains(out.String(),
				"--force") {
				t.Errorf("second init: exit %d: %s", code, out.String())
			}
			if code := runWith([]string{"init", "--force", "--timeout", "1s", dir}, &out, &out); code != exitOK {
				t.Errorf("init --force: exit %d: %s", code, out.String())
			}
		})
	}
}

// TestInitNothing: a folder without C is refused, and nothing is written.
func TestInitNothing(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if code := runWith([]string{"init", dir}, &out, &out); code != exitUsage || !strings.Contains(out.String(),
		"no C files") {
		t.Errorf("exit %d: %s", code, out.String())
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}

// TestInitCannot: where nothing is checked out, the compiler is not there, or a folder for what is compiled cannot be
// made, init says so, or goes on, and writes a manifest only where it went on.
func TestInitCannot(t *testing.T) {
	for name, c := range map[string]struct {
		file, env, value, says string
		code                   int
	}{
		"bare":        {".git/HEAD", "HOME", t.TempDir(), "nothing checked out", exitUsage},
		"no compiler": {"a.c", "PATH", t.TempDir(), "no clang is installed: LLVM 14 to 22 is needed (apt-get install", exitUsage},
		"no cache":    {"a.c", "XDG_CACHE_HOME", "/dev/null/cache", "Wrote ", exitOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(c.env, c.value)
			dir := t.TempDir()
			put(t, dir, c.file, "int half(int n) { return n / 2; }\n")
			var out bytes.Buffer
			if code := runWith([]string{"init", "--timeout", "10s", dir}, &out, &out); code != c.code ||
				!strings.Contains(out.String(), c.says) {
				t.Errorf("exit %d: %s", code, out.String())
			}
			if _, err := os.Stat(filepath.Join(dir, ".firmproof.yml")); (err == nil) != (c.code == exitOK) {
				t.Errorf("manifest: %v", err)
			}
		})
	}
}

// TestNothingToVerify: a build without a function is a request that cannot be carried out; one with a function can.
func TestNothingToVerify(t *testing.T) {
	for text, want := range map[string]int{"static int n;\nint *at = &n;\n": exitUsage,
		"static int n;\nint at(void) { return n; }\n": exitOK} {
		dir := t.TempDir()
		put(t, dir, "a.c", text)
		put(t, dir, ".firmproof.yml", "version: 1\ntargets: [host]\nbuild: {sources: [a.c]}\nfunctions: all\n")
		var out bytes.Buffer
		if code := runWith([]string{"check", dir}, &out, &out); code != want {
			t.Errorf("%q: exit %d, want %d\n%s", text, code, want, out.String())
		}
	}
}

// TestInitCBMC: proofs for CBMC are offered, and their files are no sources or harnesses
// of the manifest.
func TestInitCBMC(t *testing.T) {
	proof := "HARNESS_FILE = h\nPROOF_SOURCES = h.c\nPROJECT_SOURCES = ../../../../src/a.c\n"
	harness := "int twice(int);\nvoid harness()\n{ __CPROVER_assert(twice(2) == 4, \"twice\"); }\nvoid other(void) {\n __CPROVER_assume(1); }\n"
	dir := writeTree(t, map[string]string{"src/a.c": "int twice(int x) {\n return 2 * x; }\n",
		"test/cbmc/stubs/s.c":         "int stubbed(int x) {\n return x; }\n",
		"test/cbmc/proofs/a/Makefile": proof, "test/cbmc/proofs/a/h.c": harness, "test/cbmc/proofs/b/Makefile": proof,
		"test/cbmc/proofs/b/h.c": harness})
	var out strings.Builder
	if code := runWith([]string{"init", dir}, &out, &out); code != 0 {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	if s := out.String(); !strings.Contains(s, "2 in test/cbmc/proofs") ||
		!strings.Contains(s, "firmproof check --cbmc-proof "+filepath.Join(dir, "test/cbmc/proofs")) {
		t.Errorf("said %s", s)
	}
	text, err := os.ReadFile(filepath.Join(dir, ".firmproof.yml"))
	if err != nil || !strings.Contains(string(text), `sources: ["src/a.c"]`) || strings.Contains(string(text),
		"harness}") {
		t.Errorf("%v\n%s", err, text)
	}
	if code, rep, errs := checkJSON(t, "--cbmc-proof", filepath.Join(dir, "test/cbmc/proofs")); code != 0 ||
		len(rep.Results) != 2 {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// TestInitOnce: the check that init tries runs no build again, and compiles nothing again.
func TestInitOnce(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := writeTree(t, map[string]string{
		"a.c":      "static int unused(int x) { return x; }\nint twice(int x) { return 2 * (x % 9); }\n",
		"Makefile": "all:\n\techo run >>runs\n\tgcc -c a.c -o a.o\n"})
	var out strings.Builder
	if code := runWith([]string{"init", "--timeout", "5s", dir}, &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	wantAll(t, out.String(), "2 functions answered")
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(runs) != "run\n" {
		t.Errorf("the build ran as %q (%v)", runs, err)
	}
	units, err := filepath.Glob(filepath.Join(cache, "firmproof", "units", "*.ll"))
	if err != nil || len(units) != 1 {
		t.Errorf("%d units (%v): %q", len(units), err, units)
	}
}
