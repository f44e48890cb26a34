package weave

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
)

const interrupted = `
int shared, other;
void handler(void) { shared = 1; }
static int pure(int x) { int y = x; return y + other; }
int main(void) { int s = pure(1); for (;;) { if (s++ > 3) break; } s += shared; return s; }
`

func compile(t *testing.T, src string) *ir.Module {
	t.Helper()
	c := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(c, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("clang-14", "-O0", "-w", "--target=x86_64-linux-gnu", "-S", "-emit-llvm", "-o",
		c+".ll", c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := frontend.Read(c + ".ll")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func points(f *ir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if k, ok := in.Callee.(*ir.Const); ok && k.Func != nil && k.Func.Name == Point {
				n++
			}
		}
	}
	return n
}

// TestInterrupts: points stand before what the handler can tell: the read of shared, the jump
// back of the loop, the end; not in the handler and not before accesses of other memory.
func TestInterrupts(t *testing.T) {
	list := []Handler{{"handler", 2}}
	m := compile(t, interrupted+PointSource(list))
	notes, err := Interrupts(m, list, []string{"main"}, nil)
	if err != nil || len(notes) != 3 {
		t.Fatalf("%q, %v", notes, err)
	}
	if err := ir.Check(m); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]int{"main": 3, "pure": 0, "handler": 0, Point: 0} {
		if got := points(m.Func(name)); got != want {
			t.Errorf("%s: %d points, want %d", name, got, want)
		}
	}
	// through a pointer, the handler may touch anything that is not local
	m = compile(t, strings.Replace(interrupted, "{ shared = 1; }", "{ static int *p; *p = 1; }", 1)+PointSource(list))
	if _, err := Interrupts(m, list, []string{"main"}, nil); err != nil || points(m.Func("pure")) != 1 {
		t.Errorf("%v, %d points in pure", err, points(m.Func("pure")))
	}
}

func TestInterruptsErrors(t *testing.T) {
	var unknown *UnknownError
	m := compile(t, interrupted)
	if _, err := Interrupts(m, []Handler{{"handlr", 1}}, nil, []string{"pure", "handler"}); !errors.As(err, &unknown) ||
		unknown.Nearest != "handler" {
		t.Errorf("%v", err)
	}
	if _, err := Interrupts(m, []Handler{{"pure", 1}}, nil, nil); err == nil || !strings.Contains(err.Error(),
		"parameters") {
		t.Errorf("%v", err)
	}
	if _, err := Interrupts(m, []Handler{{"handler", 1}}, nil, nil); err == nil || !strings.Contains(err.Error(),
		Point) {
		t.Errorf("%v", err)
	}
}
