package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// nativeDriver runs prog_main on each of the 256 inputs in a process of its own
// and prints, after "@", how that ended.
const nativeDriver = `#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned in[2]; static int next;
unsigned char __VERIFIER_nondet_uchar(void) { return next < 2 ? in[next++] : 0; }
void __VERIFIER_assert(int c) { if (!c) { printf("assert\n"); fflush(stdout); _exit(0); } }
void __VERIFIER_assume(int c) { if (!c) { printf("assume\n"); fflush(stdout); _exit(0); } }
int prog_main(void);
int main(void) {
  dup2(1, 2);
  for (unsigned i = 0; i < 256; i++) {
    printf("@"); fflush(stdout);
    int pid = fork(), status;
    if (pid == 0) { in[0] = i & 15; in[1] = i >> 4; int r = prog_main(); printf("=%d\n", r); fflush(stdout); _exit(0); }
    waitpid(pid, &status, 0);
    if (status) { printf("died %d\n", status); fflush(stdout); }
  }
  return 0;
}
`

var nativeReport = regexp.MustCompile(`p\.c:(\d+):(\d+): runtime error: .*`)

// nativeEnds builds the program with the sanitizers and runs it: "=value",
// "assert", "assume", "p.c:line:..." of the report, or the first line printed.
func nativeEnds(t *testing.T, dir, file, target string) ([]string, error) {
	driver, bin := filepath.Join(dir, "driver.c"), filepath.Join(dir, "p-"+target)
	if err := os.WriteFile(driver, []byte(nativeDriver), 0o600); err != nil {
		return nil, err
	}
	width := map[string]string{"x86_64": "-m64", "i386": "-m32"}[target]
	obj := filepath.Join(dir, target+".o")
	common := []string{width, "-std=gnu11", "-O0", "-g1", "-w", "-fno-builtin", "-ffp-contract=off",
		"-fsanitize=undefined,address", "-fno-sanitize-recover=all"}
	if target == "i386" {
		common = append(common, "-msse2", "-mfpmath=sse")
	}
	for _, args := range [][]string{
		append([]string{"-c", "-Dmain=prog_main", "-o", obj, file}, common...),
		append([]string{"-o", bin, obj, driver}, common...),
	} {
		if out, err := llvmtest.Clang(t, args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("clang: %w\n%s", err, out)
		}
	}
	cmd := exec.Command(bin)
	if target == "i386" { // a kernel may have no programs of 32 bits
		cmd = exec.Command("qemu-i386", bin)
	}
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:symbolize=0:detect_stack_use_after_return=0",
		"UBSAN_OPTIONS=print_stacktrace=0")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var ends []string
	for _, text := range strings.Split(string(out), "@")[1:] {
		end, _, _ := strings.Cut(text, "\n")
		if m := nativeReport.FindString(text); m != "" {
			end = m
		}
		ends = append(ends, end)
	}
	return ends, nil
}
