package main

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const counting = "int nondet_int(void);\nint main(void) {\n int n = nondet_int(), s = 0;\n" +
	" for (int i = 0; i < n; i++) s ^= i;\n return s; }\n"

// TestUsage: wrong requests are exit 2 with a sentence that says what to do; right ones work.
func TestUsage(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": counting,
		"none/.firmproof.yml": "version: 1\nbuild: {sources: [a.c]}\n",
		"none/a.c":            counting,
		"with_main.c":         counting + "void sum_harness(void) { main(); }\n",
		"cxx.c":               "class A { int x; };\n", "only.h": "int x;\n", "start.S": "nop\n",
		"folder/.firmproof.yml/x": "",
		"one.c":                   "static int step(int n) { return n; }\nint one(void) { return step(1); }\n",
		"two.c":                   "static int step(int n) { return 1 / n; }\nint two(void) { return step(1); }\n",
		"p/.firmproof.yaml": "version: 1\nbuild: {sources: [src/a.c]}\nharnesses: [{entry: main, " +
			"unwind: 3, unwindset: {main: 2, gone.0: 2}}]\n", "p/src/a.c": counting, "p/src/deep/x.txt": "",
		"h/.firmproof.yml": "version: 1\nbuild: {sources: [src/a.c]}\nharnesses: [{entry: main}]\n",
		"d/.firmproof.yml": "version: 1\nharnesses: [{entry: main, unwind: 3}]\n" +
			"build: {compile_commands: db.json, include: [lib/inc]}\n",
		"d/db.json": `[{"directory": "out", "command": "cc -c ../src/a.c", "file": "../src/a.c"}]`,
		"d/src/a.c": "#include \"board.h\"\n" + counting,
		"d/out/x":   "", "d/lib/inc/board.h": "",
		"h/src/a.c":                "#include \"board.h\"\n#include <gone/x.h>\n" + counting,
		"h/platform/stm32/board.h": "#include \"pins.h\"\n", "h/lib/pins.h": "", "h/.git/HEAD": ""})
	file := filepath.Join(dir, "a.c")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--format jsn:r.json FILE", exitUsage, `did you mean "json"?`},
		{"--chekcs default FILE", exitUsage, "did you mean --checks? (`firmproof check --help` lists all)"},
		{"--unwind x FILE", exitUsage, `--unwind "x": want a whole number`},
		{"-i x FILE", exitUsage, "did you mean -I?"},
		{"--timeout 0 FILE", exitUsage, "some time is needed"},
		{"--checks= FILE", exitUsage, "--checks names no check"},
		{"--checks -default FILE", exitUsage, "none is left"},
		{"--target x86_64,,avr FILE", exitUsage, "names no target"},
		{"--target nothing-near FILE", exitUsage, `unknown target "nothing-near" (known: host`},
		{"--entry= FILE", exitUsage, "--entry names no function"},
		{"--function main,g FILE", exitUsage, "give --function once for each name"},
		{"--cache FILE FILE", exitUsage, "is a file, and has to be a folder"},
		{"--changed-since HEAD FILE", exitUsage, "is about projects"},
		{"--unwind 3 -I " + at("nowhere") + " FILE", exitOK, "there is no such folder"},
		{"--unwind 3 " + at("with_main.c"), exitOK, "--entry sum_harness verifies what looks like a harness"},
		{at("cxx.c"), exitUsage, "is this C++?"},
		{at("only.h"), exitUsage, "a header: name a C file that includes it"},
		{at("start.S"), exitUsage, "assembly is not verified"},
		{at("folder"), exitUsage, ".firmproof.yml is a folder"},
		{"-", exitUsage, "not read from standard input"},
		{"--function step " + at("one.c") + " " + at("two.c"), exitViolated, "any call of step (" + at("two.c") + ")"},
		{"--nothing-like-it FILE", exitUsage, "--nothing-like-it (`firmproof check --help` lists all)"},
		{"--format json: FILE", exitUsage, "names no file"},
		{"--format json:" + at("r.json") + " -o x FILE", exitUsage, "one of the two ways"},
		{"--format json --format md FILE", exitUsage, "both go to standard output"},
		{"--format text --format json -o r.json FILE", exitUsage, "r.json would get the format text"},
		{"--format json:" + at("r") + " --format md:" + at("r") + " FILE", exitUsage, "given twice"},
		{"--unwind 3 --format json:" + at("r.json") + " --format text FILE", exitOK, "bounded"},
		{"--stop-after read --format json:" + at("r.json") + " --format gitlab:" + at("g.json") + " FILE", exitUnknown,
			""},
		{"--stop-after red FILE", exitUsage, `did you mean "read"?`},
		{"--stop-after compile FILE", exitUnknown, "stopped after compile, as asked"},
		{"--jobs 0 FILE", exitUsage, "--jobs 0: at least 1"},
		{"--unwindset main.7:3 FILE", exitUsage, "no such loop: main has main.0"},
		{"--unwindset a.c:99:3 FILE", exitUsage, "no such loop"},
		{"--unwindset main.0:3 FILE", exitOK, "only the first 3 turns of loop"},
		{"--unwindset main:3 FILE", exitOK, "only the first 3 turns of loop"},
		{at("none"), exitUsage, "nothing to verify: add `harnesses`"},
		{at("p/src/deep"), exitOK, "only the first 2 turns of loop"},
		{at("p"), exitOK, "unwindset gone.0:2: what its entries reach has no such loop"},
		{at("none/nowhere"), exitUsage, "no such file"},
		{at("h"), exitUsage, "src/a.c:1:10: 'board.h' file not found: it is in platform/stm32\n"},
		{at("h"), exitUsage, "platform/stm32/board.h:1:10: 'pins.h' file not found: it is in lib\n"},
		{at("h"), exitUsage, "src/a.c:2:10: 'gone/x.h' file not found, and no folder of this tree has it: give its folder with -I, or as `include` of `build` in the manifest\n"},
		{at("d"), exitOK, "bounded"}, // folders are those of the manifest, wherever the compiler ran
		{at("h"), exitUsage, "include: [platform/stm32, lib]"},
		{at("h/src/a.c"), exitUsage, "/h/platform/stm32 -I "},
		{"--unwind 3 --cache " + at("cache") + " FILE", exitOK, "bounded"},
		{"--cache=off FILE", exitUsage, "without --cache none are kept"},
		{"--unwind 3 --cache " + at("cache") + " -v FILE", exitOK, "answered by the cache"},
	} {
		args := append([]string{"check", "--timeout", "6s"}, strings.Fields(strings.ReplaceAll(c.args, "FILE",
			file))...)
		var out bytes.Buffer
		if code := runWith(args, &out, &out); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", c.args, code, c.code, c.want, out.String())
		}
	}
	if data, err := os.ReadFile(at("r.json")); err != nil || !bytes.HasPrefix(data, []byte("{")) {
		t.Errorf("r.json: %v: %.40s", err, data)
	}
}

// TestInRoot: a file is verified from the folder /, too, where containers begin.
func TestInRoot(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"a.c": "int f(int a) { return 1 / a; }\n"}), "a.c")
	t.Chdir("/")
	for _, name := range []string{file, file[1:]} {
		var out bytes.Buffer
		if code := runWith([]string{"check", name}, &out, &out); code != exitViolated ||
			!strings.Contains(out.String(), "any call of f") {
			t.Errorf("%s: exit %d: %s", name, code, out.String())
		}
	}
}

// TestUsageOfCommands: commands that are written wrong say how they are written.
func TestUsageOfCommands(t *testing.T) {
	t.Chdir(writeTree(t, map[string]string{"a.c": counting, "-d.c": counting}))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"a.c"}, "a.c is no command: `firmproof check a.c` verifies it"},
		{[]string{"check", "-d.c"}, "-d.c is taken for a flag: write ./-d.c for the file"},
		{[]string{"check", "a.c", "--cflags", "-std=c17 -O2"}, "give --cflags once for each flag"},
		{[]string{"harness"}, "it is written `firmproof harness FUNCTION [FILE.c|FOLDER]...`"},
		{[]string{"targets", "avr", "host"}, "it is written `firmproof targets [NAME]`"},
		{[]string{"svcomp", "a.c"}, "--spec names the property file"},
		{[]string{"explain", "nothing-near"}, "unknown check \"nothing-near\" (`firmproof explain` lists all)"},
	} {
		var out bytes.Buffer
		if code := runWith(c.args, &out, &out); code != exitUsage || !strings.Contains(out.String(), c.want) {
			t.Errorf("%q: exit %d: %s", c.args, code, out.String())
		}
	}
}

// TestPreprocessed: a preprocessed file is verified as it is, at the lines of its sources.
func TestPreprocessed(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"a.i": "# 1 \"src/a.c\"\n# 7 \"src/a.c\"\nint main(void) { int a[2] = {0}; return a[2]; }\n"})
	var out bytes.Buffer
	if code := runWith([]string{"check", filepath.Join(dir, "a.i")}, &out, &out); code != exitViolated ||
		!strings.Contains(out.String(), "a.c:7:") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}

// TestComplete: the shell completes values of flags, the harnesses of the manifest among them.
func TestComplete(t *testing.T) {
	dir := writeTree(t, map[string]string{
		".firmproof.yml": "version: 1\nbuild: {sources: [a.c]}\nharnesses: [{entry: ring_h}]\n"})
	t.Chdir(dir)
	for flag, want := range map[string]string{"--format": "sarif", "--target": "cortex-m3",
		"--checks":  "signed-overflow",
		"--fail-on": "vacuous", "--trace": "short", "--integers": "unbounded", "--dump": "smt2",
		"--solver": "cadical", "--stop-after": "encode", "--entry": "ring_h"} {
		var out bytes.Buffer
		if code := runWith([]string{"__complete", "check", flag, ""}, &out, &out); code != exitOK ||
			!strings.Contains(out.String(), want) {
			t.Errorf("%s: exit %d: %s", flag, code, out.String())
		}
	}
}

// TestInterrupted: Ctrl-C ends a check soon, with what is known and 130.
func TestInterrupted(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": "unsigned nondet_unsigned(void);\nint main(void) {\n" +
		" unsigned long long a = nondet_unsigned(), b = nondet_unsigned();\n" +
		" __CPROVER_assert(a <= 1 || b <= 1 || a * b != 13372101884243077687u, \"factors\"); return 0; }\n"})
	own := make(chan os.Signal, 1)
	signal.Notify(own, os.Interrupt) // a check that had ended already would leave the signal to the test, and end it
	defer signal.Stop(own)
	var out bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- runWith([]string{"check", filepath.Join(dir, "a.c"), "--timeout", "5m"}, &out, &out) }()
	time.Sleep(3 * time.Second)
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-done:
		if code != exitInterrupted {
			t.Errorf("exit %d: %s", code, out.String())
		}
	case <-time.After(20 * time.Minute):
		t.Fatal("it does not end")
	}
}

// TestExamples: help has examples for each command, with flags that it knows.
func TestExamples(t *testing.T) {
	for _, cmd := range rootCommand().Commands() {
		if cmd.Hidden || cmd.Name() == "completion" || cmd.Name() == "help" {
			continue
		}
		own := false
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(line, " #")
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			root := rootCommand()
			said, rest, err := root.Find(words[1:])
			if err != nil || words[0] != "firmproof" {
				t.Errorf("%s: %q: %v", cmd.Name(), line, err)
				continue
			}
			own = own || said.Name() == cmd.Name()
			if err := said.ParseFlags(rest); err != nil {
				t.Errorf("%s: %q: %v", cmd.Name(), line, err)
			}
		}
		if !own {
			t.Errorf("help for %s has no example", cmd.Name())
		}
	}
}
