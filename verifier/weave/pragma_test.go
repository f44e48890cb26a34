package weave

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestSwitchOff: in the lines of a pragma arithmetic wraps and pointers go anywhere, elsewhere nothing changes; claims
// about accesses stay.
func TestSwitchOff(t *testing.T) {
	const src = "unsigned in(unsigned a) { return a - 1; }\n" +
		"unsigned out(unsigned a) { return a - 1; }\n" +
		"int sin(int a) { return a + 1; }\n" +
		"int sout(int a) { return a + 1; }\n" +
		"char *pin(char *a) { return a + 3; }\n" +
		"char *pout(char *a) { return a + 3; }\n"
	ll := filepath.Join(t.TempDir(), "t.ll")
	cmd := llvmtest.Clang(t, "-O0", "-g", "-w", "-xc", "-fsanitize=unsigned-integer-overflow",
		"-fsanitize-trap=all", "-S", "-emit-llvm", "-o", ll, "-")
	cmd.Stdin = strings.NewReader(src)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := frontend.Read(ll)
	if err != nil {
		t.Fatal(err)
	}
	file := m.Func("in").Pos.File
	said := SwitchOff(m, []CheckPragma{{File: file, From: 1, To: 1, Check: "unsigned-overflow"},
		{File: file, From: 3, To: 3, Check: "signed-overflow"}, {File: file, From: 5, To: 5, Check: "pointer-overflow"},
		{File: file, From: 1, To: 6, Check: "pointer"}, {File: file, From: 2, To: 6, Check: "signed-overflow",
			Enable: true},
		{File: "other.c", From: 1, To: 9, Check: "pointer-overflow"}})
	if len(said) != 2 {
		t.Errorf("assumptions %q", said)
	}
	if err := ir.Check(m); err != nil {
		t.Error(err)
	}
	for name, checked := range map[string]bool{"in": false, "out": true, "sin": false, "sout": true, "pin": false,
		"pout": true} {
		got := false
		for _, b := range m.Func(name).Blocks {
			for _, in := range b.Instrs {
				got = got || in.Op == ir.OpCondBr || in.Op == ir.OpAdd && in.Flags.Has(ir.NSW) ||
					in.Op == ir.OpGep && in.Flags.Has(ir.InBounds)
			}
		}
		if got != checked {
			t.Errorf("%s: checked %v", name, got)
		}
	}
	if p := (CheckPragma{File: file, From: 1, To: 1, Check: "pointer"}); !p.Covers(verdict.Memory,
		verdict.Pos{File: file,
			Line: 1}) || p.Covers(verdict.Assert, verdict.Pos{File: file, Line: 1}) {
		t.Error("pointer covers accesses, and no assertions")
	}
}
