package syntax

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// foldedValues has a value that clang computes on each line, where it is undefined in C.
const foldedValues = `int a1 = 2147483647 + 1;
int a2(void) { return (-2147483647 - 1) / -1; }
int a3(void) { return 1 << 32; }
int a4(void) { return 1 >> 40; }
int a5(void) { return 1 << -1; }
int a6(void) { return -1 << 2; }
int a7(void) { return 3 << 31; }
int a8(void) { return 1 << 31; }
int a9(void) { return 1 / 0; }
int b1(void) { return 1 % 0; }
enum { b2 = 2147483647 * 2 };
enum { b3 = 1 << 40 };
enum { b4 = (-2147483647 - 1) / -1 };
struct { int x : (1 << 33) ? 3 : 2; } b5;
int b6(int c) { switch (c) { case 2147483647 + 1: return 1; } return 0; }
`

// TestFoldedByVersion: what clang says of a value is read, with each version. Of those that it says nothing of, such as
// the width of a bit-field, the syntax tree tells.
func TestFoldedByVersion(t *testing.T) {
	const want = "signed-overflow - shift shift shift shift shift shift div-by-zero div-by-zero " +
		"signed-overflow - signed-overflow - signed-overflow"
	llvmtest.Each(t, func(t *testing.T, tools llvm.Tools) {
		file := filepath.Join(t.TempDir(), "a.c")
		if err := os.WriteFile(file, []byte(foldedValues), 0o644); err != nil {
			t.Fatal(err)
		}
		said, _ := exec.CommandContext(t.Context(), tools.Clang, append([]string{"-Wno-everything", "-std=gnu11",
			"-fno-color-diagnostics", "-fno-caret-diagnostics", "-fsyntax-only", file}, Warnings...)...).CombinedOutput()
		read := map[int]verdict.Check{}
		for _, f := range ReadFolded(said) {
			read[f.line] = f.check
		}
		for n, check := range strings.Fields(want) {
			if check != "-" && read[n+1] != verdict.Check(check) {
				t.Errorf("line %d: %q is read, want %s\n%s", n+1, read[n+1], check, said)
			}
		}
	})
}
