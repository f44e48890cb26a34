package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

func parse(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse(manifest.Name, []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var makeTree = map[string]string{
	"src/main.c":  "#include \"conf.h\"\n#include \"gen.h\"\nint value(void);\nint main(void) { return value() + LEVEL + GEN + QUOTED[0]; }\n",
	"src/value.c": "char sign = -1;\nint value(void) { return sign; }\n",
	"src/boot.s":  ".text\n",
	"inc/conf.h":  "#define LEVEL BOARD\n",
	"tools/gen.c": "#include <stdio.h>\nint main(void) { puts(\"#define GEN 5\"); return 0; }\n",
	"flags.rsp":   "-Iinc -DBOARD=3 '-DQUOTED=\"a b\"'\n",
}

const makefile = `CC = %s
CFLAGS = -mcpu=cortex-m3 -mthumb -Os -Wall -specs=nano.specs -fsigned-char -fno-frobnicate @../flags.rsp
all: app.elf
gen.h:
	gcc -o gen tools/gen.c && ./gen > gen.h
app.elf: gen.h
	mkdir -p obj
	cd obj && $(CC) $(CFLAGS) -I.. -I../inc -c ../src/main.c -o main.o -MMD -MF main.d
	$(CC) -mcpu=cortex-m3 -mthumb -fsigned-char -c $(CURDIR)/src/value.c -o obj/value.o
	$(CC) -c src/boot.s -o obj/boot.o
	$(CC) -nostdlib -Wl,-e,main obj/main.o obj/value.o obj/boot.o -o $@
	%sobjcopy -O binary $@ app.bin
`

// TestCommand records a make build, with a cross compiler that is there and with
// one that is not.
func TestCommand(t *testing.T) {
	for _, prefix := range []string{"arm-none-eabi-", "riscv-none-embed-"} {
		t.Run(prefix, func(t *testing.T) {
			files := map[string]string{"Makefile": strings.NewReplacer("-specs=nano.specs",
				"").Replace(fmt.Sprintf(makefile, prefix+"gcc", prefix))}
			if prefix != "arm-none-eabi-" {
				files["Makefile"] = fmt.Sprintf(makefile, prefix+"gcc", prefix)
			} else {
				files["Makefile"] = strings.Replace(files["Makefile"], " -fno-frobnicate", "", 1)
			}
			for k, v := range makeTree {
				files[k] = v
			}
			dir := tree(t, files)
			img, err := Project(context.Background(), dir,
				parse(t, "build: {command: make}\nharnesses: [{entry: main}]\n"), load(t, "cortex-m3"),
				Options{WorkDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			ir := read(t, img.IRPath)
			if !strings.Contains(ir, "i8 @value") && !strings.Contains(ir, "i32 @value") ||
				!strings.Contains(ir, "sext i8") {
				t.Errorf("value() or the sign of char is lost:\n%s", ir)
			}
			if strings.Contains(ir, dir) || !strings.Contains(ir, `filename: "./src/main.c"`) && !strings.Contains(ir,
				`filename: "src/main.c"`) {
				t.Errorf("file names: %s", ir)
			}
			notes := strings.Join(img.Notes, "\n")
			want := []string{"assembly file src/boot.s", "tools/gen.c is compiled by gcc for the build machine"}
			if prefix != "arm-none-eabi-" {
				want = append(want, "riscv-none-embed-gcc is not installed", "not known to matter: -fno-frobnicate")
			}
			for _, w := range want {
				if !strings.Contains(notes, w) {
					t.Errorf("no note %q in\n%s", w, notes)
				}
			}
			if len(img.Units) != 2 {
				t.Errorf("units %+v", img.Units)
			}
		})
	}
}

// TestRecordRunsProgram: a build may run what it linked by a compiler that is not installed.
func TestRecordRunsProgram(t *testing.T) {
	dir := tree(t, map[string]string{"a.c": "int main(void) { return 0; }\n", "b.c": "int b(void) { return 2; }\n",
		"Makefile": "CC = riscv-none-embed-gcc\nall: a\n\t./a\n\t$(CC) -c b.c -o b.o\n\ttest ! -x b.o\n" +
			"a: a.c\n\t$(CC) a.c -o a\n"})
	m := parse(t, "build: {command: make}\n")
	rec, err := Record(context.Background(), dir, m.Build, Options{WorkDir: t.TempDir()})
	if err != nil || len(rec.Calls) != 2 {
		t.Fatalf("%+v %v", rec, err)
	}
}

// TestRecordOnce: make has nothing to do for the second target, whose units come
// from the same recording, or from the one that is kept.
func TestRecordOnce(t *testing.T) {
	dir := tree(t, map[string]string{"a.c": "int b(void);\nint main(void) { return b(); }\n",
		"b.c": "int b(void) { return 2; }\n", "Makefile": "all: a.o b.o\n"})
	m := parse(t, "build: {command: make CC=gcc}\n")
	rec, err := Record(context.Background(), dir, m.Build, Options{WorkDir: t.TempDir()})
	if err != nil || len(rec.Calls) != 2 {
		t.Fatalf("%+v %v", rec, err)
	}
	for _, name := range []string{"cortex-m3", "i386"} {
		if img, err := Project(context.Background(), dir, m, load(t, name), Options{WorkDir: t.TempDir(),
			Recording: rec}); err != nil || len(img.Units) != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	cache := t.TempDir()
	for i, touch := range []string{"a.o b.o", "b.o", ""} {
		for _, o := range strings.Fields(touch) {
			if err := os.Remove(filepath.Join(dir, o)); err != nil {
				t.Fatal(err)
			}
		}
		img, err := Project(context.Background(), dir, m, load(t, "avr"), Options{WorkDir: t.TempDir(),
			CacheDir: cache})
		if err != nil || len(img.Units) != 2 {
			t.Fatalf("run %d: %v", i, err)
		}
		if n := strings.Join(img.Notes, "\n"); strings.Contains(n, "earlier run") != (i > 0) ||
			strings.Contains(n, "more than once") {
			t.Errorf("run %d: notes %s", i, n)
		}
	}
}

func TestCommandErrors(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"gcc -c a.c", "a.c:1:20: "},
		{"echo no rule to do it >&2; exit 3", "exit status 3: no rule to do it"},
		{"true", "compiled no C file"},
		{"sleep 100 & exit 7", "exit status 7"},
		{"sleep 100 & exit 0", "compiled no C file"},
	} {
		dir := tree(t, map[string]string{"a.c": "int f(void){return y;}\n"})
		_, err := Project(context.Background(), dir, parse(t, "build: {command: \""+c.command+"\"}\n"),
			load(t, "x86_64"), Options{WorkDir: t.TempDir()})
		var be *BuildError
		if !errors.As(err, &be) || be.Stage != "command" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.command, err, c.want)
		}
	}
}

// TestDatabaseCXX: C++ of a recorded build is verified; what clang refuses is left out with a note, and is the error
// where nothing else has the entry.
func TestDatabaseCXX(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.cpp": "#include <array>\nstruct A { std::array<int, 2> v; int get(unsigned i) { return v[i]; } };\n" +
			"extern \"C\" int a(unsigned i) { A x{}; return x.get(i); }\n",
		"b.cc":    "int b(int i) { if (i) throw 1; return 0; }\n",
		"proof.c": "int a(unsigned i);\nint harness(void) { return a(1); }\n"})
	db := fmt.Sprintf(`[
 {"directory": %q, "file": "a.cpp", "command": "g++ -std=gnu++14 -fno-exceptions -fno-use-cxa-atexit -c a.cpp"},
 {"directory": %q, "file": "b.cc", "command": "g++ -c b.cc"}
]`, dir, dir)
	writeFile(t, filepath.Join(dir, "compile_commands.json"), db)
	build := func(harness string) (*Image, error) {
		m := parse(t, "build: {compile_commands: compile_commands.json}\nharnesses: ["+harness+"]\n")
		return Project(context.Background(), dir, m, load(t, "x86_64"), Options{WorkDir: t.TempDir()})
	}
	img, err := build("{entry: harness, file: proof.c}")
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(img.Notes, "\n")
	if len(img.Units) != 2 || !strings.Contains(notes,
		"C++ file b.cc is not verified: clang refuses it: cannot use 'throw'") ||
		strings.Contains(notes, "a.cpp") || strings.Contains(notes, "not compared") {
		t.Errorf("units %+v, notes %s", img.Units, notes)
	}
	if ir := read(t, img.IRPath); !strings.Contains(ir, "__glibcxx_assert_fail") {
		t.Error("libstdc++ asserts nothing")
	}
	if _, err = build("{entry: b}"); err == nil || !strings.HasPrefix(err.Error(), "b.cc:1:23: cannot use 'throw'") {
		t.Errorf("got %v", err)
	}
}

func TestDatabase(t *testing.T) {
	dir := tree(t, map[string]string{"src/a.c": "#include \"a.h\"\nint a(void) { return A + B; }\n",
		"src/b.c": "#include \"a.h\"\nint b(void) { return A; }\n",
		"inc/a.h": "#define A 1\n",
		"proof.c": "#include \"a.h\"\nint a(void);\nint b(void);\nint harness(void) { return a() + b() + A + COMMON; }\n", "src/x.S": "\n"})
	db := fmt.Sprintf(`[
 {"directory": %q, "file": "../src/a.c", "command": "arm-none-eabi-gcc -mthumb -I../inc -DCOMMON=4 -DB=2 -O2 -c ../src/a.c -o a.o"},
 {"directory": %q, "file": %q, "arguments": ["cc", "-I", "../inc", "-D", "COMMON=4", "-c", %q]},
 {"directory": %q, "file": "../src/a.c", "command": "arm-none-eabi-gcc -c ../src/a.c"},
 {"directory": ".", "file": "../src/x.S", "command": "arm-none-eabi-gcc -c ../src/x.S"}
]`, filepath.Join(dir, "build"), filepath.Join(dir, "build"), filepath.Join(dir, "src/b.c"), filepath.Join(dir, "src/b.c"), filepath.Join(dir, "build"))
	writeFile(t, filepath.Join(dir, "build/compile_commands.json"), db)
	m := parse(t, "build: {compile_commands: build/compile_commands.json}\nharnesses: [{entry: harness, file: proof.c}]\n")
	img, err := Project(context.Background(), dir, m, load(t, "cortex-m3"), Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Join(img.Notes, "\n"); !strings.Contains(n, "a.c is compiled more than once") ||
		!strings.Contains(n, "assembly file src/x.S") {
		t.Errorf("notes %s", n)
	}
	if len(img.Units) != 3 || strings.Contains(read(t, img.IRPath), dir) {
		t.Errorf("%+v", img.Units)
	}
	for _, u := range img.Units {
		if filepath.IsAbs(u.File) {
			t.Errorf("unit %s is not relative to the root", u.File)
		}
	}
	writeFile(t, filepath.Join(dir, "src/a.c"), "int a(void) { return none; }\n")
	if _, err := Project(context.Background(), dir, m, load(t, "cortex-m3"),
		Options{WorkDir: t.TempDir()}); err == nil || !strings.HasPrefix(err.Error(),
		"src/a.c:1:22: use of undeclared") {
		t.Errorf("got %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Project(context.Background(), link, m, load(t, "cortex-m3"),
		Options{WorkDir: t.TempDir()}); err == nil || !strings.HasPrefix(err.Error(),
		"src/a.c:1:22: use of undeclared") {
		t.Errorf("through a link: %v", err)
	}
	for _, c := range []struct{ text, want string }{
		{"{", "not a compilation database"}, {"[]", "holds no C file"}, {`[{"file": "a.c"}]`, "entry 0 has no command"},
		{`[{"file": "a.c", "command": "cc 'a.c"}]`, "a quote that is not closed"},
		{`[{"file": "a.c", "command": "cc @none a.c"}]`, "response file @none"},
	} {
		writeFile(t, filepath.Join(dir, "build/compile_commands.json"), c.text)
		if _, err := Project(context.Background(), dir, m, load(t, "cortex-m3"),
			Options{WorkDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestTranslate(t *testing.T) {
	dir := tree(t, map[string]string{"r": "-DX=1 @s", "s": `"-DY=a b" c.c`, "loop": "@loop"})
	c, err := translate(dir, []string{"arm-none-eabi-gcc", "-c", "-std=gnu18", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16",
		"-I", "i", "-iquote", "q", "-include", "pre.h", "-isystemsys",
		"-fshort-enums", "-O2", "-g3", "-Wl,-Map=x", "-T", "x.ld", "-o", "c.o", "-ffast-math", "-fnew-thing", "@r",
		"-U", "Z", "-xc"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-std=gnu17", "-Ii", "-iquote", "q", "-include", "pre.h", "-isystemsys", "-fshort-enums",
		"-ffast-math", "-DX=1", "-DY=a b", "-UZ"}
	if !reflect.DeepEqual(c.flags, want) || !reflect.DeepEqual(c.files, []string{"c.c"}) || len(c.notes) != 1 {
		t.Errorf("%q\n%q\n%q", c.flags, c.files, c.notes)
	}
	for _, bad := range [][]string{{"cc", "@loop"}, {"cc", "-I"}, {"cc", "-o"}} {
		if _, err := translate(dir, bad); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	got, err := SplitCommand(`a 'b c' "d \" e" f\ g "" -D'X="1"' "\n"` + "\n h")
	if want := []string{"a", "b c", `d " e`, "f g", "", `-DX="1"`, `\n`, "h"}; err != nil || !reflect.DeepEqual(got,
		want) {
		t.Errorf("%q %v", got, err)
	}
}

// TestImages: of two programs that a build links, with a file in both, the one that the
// manifest names is read; a second run of the build, which has nothing to do, says the same.
func TestImages(t *testing.T) {
	const makefile = "CC = riscv-none-embed-gcc\nall: boot.elf out/app.elf\n%.o: %.c\n\t$(CC) -c $< -o $@\n" +
		"boot.elf: boot.o crc.o\n\t$(CC) $^ -o $@\nout/app.elf: app.o crc.o\n\tmkdir -p out && cd out && $(CC) ../app.o ../crc.o -oapp.elf\n"
	dir := tree(t, map[string]string{"Makefile": makefile,
		"boot.c": "int crc(int);\nint main(void) { return crc(1); }\n",
		"app.c":  "int crc(int);\nint main(void) { return crc(2) + 1; }\nint only_app(void) { return 0; }\n",
		"crc.c":  "int crc(int x) { return x * 3; }\n"})
	opts := Options{WorkDir: t.TempDir(), CacheDir: t.TempDir()}
	build := func(image string) (*Image, error) {
		m := parse(t, "targets: [riscv32]\nbuild: {command: make"+image+"}\nharnesses: [{entry: main}]\n")
		return Project(context.Background(), dir, m, load(t, "riscv32"), opts)
	}
	for image, app := range map[string]bool{", image: boot.elf": false, ", image: out/app.elf": true,
		", image: app.elf": true} {
		img, err := build(image)
		if err != nil {
			t.Fatalf("%s: %v", image, err)
		}
		names := ""
		for _, f := range img.Functions {
			names += f.Name + " "
		}
		if strings.Contains(names, "only_app") != app || !strings.Contains(names, "crc") || len(img.Units) != 2 {
			t.Errorf("%s: %s, %d units", image, names, len(img.Units))
		}
	}
	if _, err := build(", image: ap.elf"); err == nil || !strings.Contains(err.Error(),
		"it links boot.elf, out/app.elf") {
		t.Errorf("no such image: %v", err)
	}
	if _, err := build(""); err == nil || !strings.Contains(err.Error(), "defined more than once") {
		t.Errorf("both at once: %v", err)
	}
}

// TestUnsignedBitFields: where bit-fields are unsigned that do not say so, a unit that has one is refused by its name.
func TestUnsignedBitFields(t *testing.T) {
	for field, wrong := range map[string]bool{
		"unsigned f : 3": false, "uint8_t f : 3": false, "int16_t f : 3": false, "_Bool f : 1": false,
		"enum { A, B } f : 1": false, "int f": false,
		"int f : 3": true, "flag f : 2": true, "const int f : 2": true, "volatile short f : 2": true,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"s.h": "#include <stdint.h>\ntypedef int flag;\nstruct s {\n" + field + ";\n} x;\n",
			"a.c": "#include \"s.h\"\nint main(void) { return x.f; }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := Request{File: "a.c", Dir: dir, Root: dir, Target: load(t, "x86_64"), CFlags: []string{unsignedFields},
			WorkDir: t.TempDir()}
		_, err := Compile(context.Background(), r)
		var fault *BuildError
		if wrong != errors.As(err, &fault) {
			t.Errorf("%s: %v", field, err)
		}
		if !wrong || fault == nil {
			continue
		}
		if d := fault.Diagnostics[0]; d.File != "s.h" || d.Line != 4 || !strings.Contains(d.Message, `"f"`) {
			t.Errorf("%s: %+v", field, d)
		}
	}
}

// TestDevice: a call's device chooses what the headers of AVR and MSP430 look at; other targets have none.
func TestDevice(t *testing.T) {
	for target, c := range map[string]struct{ device, macro string }{
		"avr":    {"attiny85", "__AVR_ATtiny85__"},
		"msp430": {"msp430g2553", "__MSP430G2553__"},
		"i386":   {"attiny85", "__i386__"},
	} {
		call, err := translate(".", []string{"gcc", "-mmcu=" + c.device, "-c", "a.c"})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		text := "#ifndef " + c.macro + "\n#error not the device\n#endif\nint main(void) { return 0; }\n"
		if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := Request{File: "a.c", Dir: dir, Root: dir, Target: load(t, target), CFlags: call.flags, WorkDir: t.TempDir()}
		if _, err := Compile(context.Background(), r); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}
