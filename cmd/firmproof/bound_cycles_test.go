package main

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// cyclesOf runs `bound --cycles --json` on function f.
func cyclesOf(t *testing.T, code int, args ...string) cycleBound {
	t.Helper()
	var out, errs bytes.Buffer
	if got := runWith(append([]string{"bound", "--cycles", "--json", "--entry", "f", "--target", "avr"}, args...), &out, &errs); got != code {
		t.Fatalf("%v: exit status %d, want %d\n%s%s", args, got, code, out.String(), errs.String())
	}
	var b cycleBound
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// simulator builds the program that measures calls in simavr.
func simulator(t *testing.T, dir string) string {
	t.Helper()
	if _, err := os.Stat("/usr/include/simavr/sim_avr.h"); err != nil {
		t.Skip("simavr is not installed: apt-get install libsimavr-dev")
	}
	out := filepath.Join(dir, "measure")
	if text, err := exec.Command("gcc", "-O2", "-I/usr/include/simavr", "testdata/cycles/measure.c", "-o", out, "-lsimavr").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// symbolsOf returns the addresses of functions of an image.
func symbolsOf(t *testing.T, image string) map[string]uint64 {
	t.Helper()
	f, err := elf.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]uint64{}
	for _, s := range list {
		out[s.Name] = s.Value
	}
	return out
}

// TestCyclesMeasured: what simavr measures of calls is within the bound of the same image, as clang and GCC make it with
// four sets of flags. Straight code takes half of its bound at least.
func TestCyclesMeasured(t *testing.T) {
	dir := t.TempDir()
	measure := simulator(t, dir)
	files, err := filepath.Glob("testdata/cycles/*.c")
	if err != nil || len(files) < 21 {
		t.Fatal(files, err)
	}
	tools, err := llvm.Find()
	if err != nil {
		t.Fatal(err)
	}
	bounded := 0
	old := false // GCC 5, as Debian 12 has it
	if version, err := exec.Command("avr-gcc", "-dumpversion").Output(); err == nil {
		old = strings.HasPrefix(string(version), "5.")
	}
	for i, c := range []struct {
		name  string
		build []string
	}{
		{"clang -Os", []string{tools.Clang, "--target=avr", "-mno-relax", "-Os"}}, // why: pipeline/compile/machine.go
		{"clang -O2", []string{tools.Clang, "--target=avr", "-mno-relax", "-O2"}},
		{"gcc -Os", []string{"avr-gcc", "-Os"}},
		{"gcc -O1", []string{"avr-gcc", "-O1"}},
	} {
		for k, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".c")
			if name == "measure" || (i+k)%testprogram.Sample(1, 2) != 0 {
				continue
			}
			image := filepath.Join(dir, name+".elf")
			if text, err := exec.Command(c.build[0], append(slices.Clone(c.build[1:]), "-mmcu=atmega328p", "-g", "-w", "-ffreestanding", file, "-o", image)...).
				CombinedOutput(); err != nil {
				t.Fatalf("%s %s: %v\n%s", c.name, name, err, text)
			}
			at := symbolsOf(t, image)
			text, err := exec.Command(measure, image, fmt.Sprint(at["f"]), fmt.Sprint(at["_exit"])).Output()
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			var calls, most int64
			if _, bad := fmt.Sscan(lines[len(lines)-1], &calls, &most); err != nil || bad != nil || calls == 0 {
				t.Fatalf("%s %s: %v %s", c.name, name, err, text)
			}
			code := exitOK
			if name == "float" || c.build[0] == "avr-gcc" && (name == "crc" || name == "frame" || name == "parameter" && c.build[1] == "-O1" && old) {
				// one number is shifted until it fits another; a pointer goes on to one that is computed from it
				code = exitUnknown
			}
			b := cyclesOf(t, code, image)
			t.Logf("%s %s: measured %d, bound %d", c.name, name, most, b.Cycles)
			if code == exitUnknown {
				continue
			}
			bounded++
			if b.Cycles < most || strings.HasPrefix(name, "straight") && b.Cycles > 2*most {
				t.Errorf("%s %s: measured %d, bound %d", c.name, name, most, b.Cycles)
			}
		}
	}
	t.Logf("%d bounds", bounded)
}

// TestCyclesOfSource: a C file is compiled; loops that end by what is in memory are open, unless their turns are declared.
func TestCyclesOfSource(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": "volatile unsigned char port;\n" +
		"unsigned char f(void) {\n\tunsigned char n = 0;\n\twhile (port & 1)\n\t\tn++;\n\treturn n;\n}\n"})
	b := cyclesOf(t, exitUnknown, dir+"/a.c")
	if b.Status != verdict.Unknown || len(b.Open) != 1 || b.Open[0].Line == 0 || !strings.HasSuffix(b.Open[0].File, "a.c") {
		t.Fatalf("%+v", b)
	}
	b = cyclesOf(t, exitOK, dir+"/a.c", "--turns", fmt.Sprintf("a.c:%d=9", b.Open[0].Line))
	if b.Status != verdict.Proved || len(b.Loops) != 1 || b.Loops[0].Turns != 9 || b.Loops[0].By != "declared" || b.Cycles < 40 {
		t.Fatalf("%+v", b)
	}
	calls := writeTree(t, map[string]string{"b.c": "volatile unsigned char port;\n" +
		"__attribute__((noinline)) void g(unsigned char i) {\n\tport = i;\n}\n" +
		"void f(void) {\n\tfor (unsigned char i = 0; i < 20; i++)\n\t\tg(i);\n}\n"})
	if b = cyclesOf(t, exitOK, calls+"/b.c"); b.Cycles < 20*15 || b.Cycles > 20*40 {
		t.Errorf("a loop around a call: %+v", b)
	}
	var out, errs bytes.Buffer
	for _, args := range [][]string{{dir + "/a.c", "--entry", "missing", "--target", "avr"}, {dir + "/a.c", "--target", "cortex-m3"},
		{dir + "/a.c", "--turns", "a.c=3"}, {dir + "/none.c", "--target", "avr"}} {
		if code := runWith(append([]string{"bound", "--cycles"}, args...), &out, &errs); code != exitUsage {
			t.Errorf("%v: %d", args, code)
		}
	}
}
