package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestEndlessFiles: a pipe that nobody writes to and a device without an end are named at
// once, wherever a project has them instead of a file.
func TestEndlessFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, manifest string }{
		"linker script":        {"app.ld", "build: {sources: [a.c], linker_script: app.ld}\n"},
		"included script":      {"part.ld", "build: {sources: [a.c], linker_script: whole.ld}\n"},
		"device description":   {"chip.svd", "build: {sources: [a.c], svd: chip.svd}\n"},
		"compilation database": {"db.json", "build: {compile_commands: db.json}\n"},
		"response file":        {"flags.rsp", "build: {compile_commands: good.json}\n"},
		"source":               {"b.c", "build: {sources: [a.c, b.c]}\n"},
		"LLVM text":            {"b.ll", "build: {sources: [a.c, b.ll]}\n"},
	} {
		for _, kind := range []string{"pipe", "device"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				dir := tree(t, map[string]string{"a.c": "int main(void) { return 0; }\n",
					"whole.ld": "INCLUDE part.ld\n"})
				path := filepath.Join(dir, c.file)
				var err error
				if kind == "pipe" {
					err = syscall.Mkfifo(path, 0o644)
				} else {
					err = os.Symlink("/dev/zero", path)
				}
				good := fmt.Sprintf(`[{"directory": %q, "file": "a.c", "command": "gcc @flags.rsp -c a.c"}]`, dir)
				if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "good.json"), []byte(good),
					0o644)); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
				defer cancel()
				_, err = Project(ctx, dir, parse(t, c.manifest), load(t, "x86_64"), Options{WorkDir: t.TempDir()})
				var fault *BuildError
				if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.file) || ctx.Err() != nil {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// TestIncludedPipe: a pipe that a build makes, and its sources include, ends the compilation with its name; what the
// shell of the build waits for itself is the build's business.
func TestIncludedPipe(t *testing.T) {
	for name, src := range map[string]string{"include": "#include \"made.h\"\nint main(void) { return 0; }\n",
		"flag": "int main(void) { return 0; }\n"} {
		t.Run(name, func(t *testing.T) {
			flag := ""
			if name == "flag" {
				flag = "-include made.h"
			}
			dir := tree(t, map[string]string{"a.c": src,
				"build.sh": "echo > made.h; cc " + flag + " -c a.c; rm made.h; mkfifo made.h\n"})
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
			defer cancel()
			_, err := Project(ctx, dir, parse(t, "build: {command: sh build.sh}\n"), load(t, "x86_64"),
				Options{WorkDir: t.TempDir()})
			var fault *BuildError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), "made.h, which is a pipe") ||
				ctx.Err() != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestForgedRecords: a build that writes the records of compilers itself stays within limits.
func TestForgedRecords(t *testing.T) {
	log := t.TempDir()
	for i := range maxCalls + 1 {
		if err := os.Link(forged(t, log), filepath.Join(log, fmt.Sprint("call.", i))); err != nil {
			t.Fatal(err)
		}
	}
	var limit *LimitError
	if _, err := readRecord(log); !errors.As(err, &limit) || !strings.Contains(err.Error(), "compiler calls") {
		t.Errorf("%v", err)
	}
	log = t.TempDir()
	if err := os.WriteFile(filepath.Join(log, "call.x"), make([]byte, maxCall+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readRecord(log); !errors.As(err, &limit) {
		t.Errorf("a long record: %v", err)
	}
}

// forged returns the name of a record.
func forged(t *testing.T, log string) string {
	t.Helper()
	name := filepath.Join(log, "call.first")
	if _, err := os.Stat(name); err == nil {
		return name
	}
	if err := os.WriteFile(name, []byte("/x\x00gcc\x00-c\x00a.c\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}
