// Package llvmtest gives tests the LLVM that firmproof itself would take on this machine.
package llvmtest

import (
	"os/exec"
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
