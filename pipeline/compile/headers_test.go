package compile

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// TestHeaderIsPlain: firmproof.h compiles without a warning in old and new C and
// in C++, with the compilers that a project may use beside firmproof.
func TestHeaderIsPlain(t *testing.T) {
	dir, clang := t.TempDir(), llvmtest.Tools(t).Clang
	if err := WriteHeaders(dir); err != nil {
		t.Fatal(err)
	}
	text := "#include \"firmproof.h\"\nint main(void) { unsigned char a[4]; firmproof_havoc(a, sizeof a); firmproof_assume(a[0] < 3);\n" +
		"firmproof_assert(firmproof_nondet_bool() || firmproof_nondet_ulonglong() == 0, \"m\"); return firmproof_nondet_int8_t(); }\n"
	file := filepath.Join(tree(t, map[string]string{"a.c": text}), "a.c")
	for _, cc := range []string{
		"gcc -std=c89", "gcc -std=c99", "gcc -std=gnu17", "gcc -x c++ -std=c++98", clang + " -std=c89",
		clang + " -std=c11", clang + " -x c++",
		"arm-none-eabi-gcc -std=c99", "arm-none-eabi-gcc -std=c89",
	} {
		args := append(strings.Fields(cc), "-pedantic", "-Wall", "-Wextra", "-Werror", "-I"+dir, "-fsyntax-only", file)
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", cc, err, out)
		}
	}
}
