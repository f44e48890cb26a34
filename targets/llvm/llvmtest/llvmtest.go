// Package llvmtest gives tests the LLVM that firmproof itself would take on this machine.
package llvmtest

import (
	"os/exec"
	"strconv"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
)

// Tools returns the tools; without them the test fails, with what to install.
func Tools(t testing.TB) llvm.Tools {
	t.Helper()
	found, err := llvm.Find()
	if err == nil && !found.Complete() {
		t.Fatalf("%s is there without its tools: install %s", found.Clang, found.Packages())
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Clang returns a call of clang that ends with the test.
func Clang(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), Tools(t).Clang, args...)
}

// AsPreferred skips a test whose expectation is what the preferred version writes, where another one is taken. `reason`
// says what differs.
func AsPreferred(t testing.TB, reason string) {
	t.Helper()
	if v := Tools(t).Version; v != llvm.Preferred {
		t.Skipf("LLVM %d is taken, and the expectation is that of %d: %s", v, llvm.Preferred, reason)
	}
}

// Each runs a test with each LLVM that is supported, as the one that is taken; those that are not installed are skipped,
// with what to install.
func Each(t *testing.T, f func(*testing.T, llvm.Tools)) {
	t.Helper()
	for v := llvm.Oldest; v <= llvm.Newest; v++ {
		t.Run(strconv.Itoa(v), func(t *testing.T) {
			tools := llvm.Versioned(v)
			if !tools.Complete() {
				t.Skipf("LLVM %d is not installed: apt-get install %s", v, tools.Packages())
			}
			t.Setenv(llvm.Variable, tools.Clang)
			f(t, tools)
		})
	}
}
