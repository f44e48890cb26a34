package weave

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func TestEnumConversions(t *testing.T) {
	const src = "enum e { A, B };\nvoid g(char *);\nenum e result(int x) { int k = 1; char c[4]; g(c); return x; }\nvoid variable(int x) { enum e y = x; }\nunsigned integer(int x) { return x; }\nvoid member(int x, struct { enum e m; } *p) { p->m = x; }\n"
	c := filepath.Join(t.TempDir(), "t.c")
	cmd := llvmtest.Clang(t, "-O0", "-g", "-Xclang", "-fsanitize-address-use-after-scope", "-w", "-xc",
		"-fsanitize=implicit-conversion", "-fsanitize-trap=all", "--target=x86_64-linux-gnu", "-S", "-emit-llvm", "-o",
		c+".ll", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = in.Write([]byte(src)); in.Close() }()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := frontend.Read(c + ".ll")
	if err != nil {
		t.Fatal(err)
	}
	if len(EnumConversions(m)) == 0 {
		t.Error("nothing found")
	}
	if err := ir.Check(m); err != nil {
		t.Error(err)
	}
	for name, checked := range map[string]bool{"result": false, "variable": false, "integer": true, "member": true} {
		got := false
		for _, b := range m.Func(name).Blocks {
			for _, s := range b.Succs() {
				got = got || s.Instrs[0].Op == ir.OpTrap && s.Instrs[0].Check == verdict.Conversion
			}
		}
		if got != checked {
			t.Errorf("%s: checked %v", name, got)
		}
	}
	if len(EnumConversions(m)) != 0 {
		t.Error("found again")
	}
}
