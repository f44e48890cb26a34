package weave

import (
	"context"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// dice decides what the environment decides: small numbers, some of them negative.
type dice struct{ r *rand.Rand }

func (d dice) Next(_ input.Kind, _ *ir.Instr, width int) (bits.Vec, bool) {
	return bits.NewInt(width, d.r.Int63n(5)-1), true
}

func (d dice) Havoc(*ir.Instr, int64) (func(int64) byte, bool) {
	return func(int64) byte { return byte(d.r.Intn(3)) }, true
}

func (d dice) ObjectBytes(int, *ir.Instr) func(int64) byte { return nil }

func (d dice) Base(int) (bits.Vec, bool) { return bits.Vec{}, false }

// TestArgumentsInRuns: whatever the environment gives, a program that reads all of its arguments and its environment as
// C says they are reads nothing else (C17 5.1.2.2.1).
func TestArgumentsInRuns(t *testing.T) {
	m := compile(t, `int main(int argc, char **argv, char **envp) { int n = 0; if (argc < 1) return *(int *)0;
		for (int i = 0; i < argc; i++) for (char *s = argv[i]; *s; s++) n += *s; if (argv[argc]) return *(int *)0;
		for (char **e = envp; *e; e++) n += **e; return n; }`)
	with, start, made := Arguments(m, m.Func("main"), m.Func("main"))
	if !made {
		t.Fatal("no arguments are made")
	}
	returned := 0
	for seed := range int64(600) {
		out, err := interp.Run(context.Background(), with, interp.Options{Entry: start},
			dice{rand.New(rand.NewSource(seed))})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case out.Kind == interp.Returned:
			returned++
		case out.Kind == interp.AssumeFailed:
		case out.Kind == interp.Unsupported && strings.Contains(out.Message, "holds more than"):
		default:
			t.Fatalf("seed %d: %s", seed, out)
		}
	}
	if returned < 5 {
		t.Errorf("only %d runs return", returned)
	}
}

// TestOwnNames: what contracts themselves are made of is not held to their clauses.
func TestOwnNames(t *testing.T) {
	for name, want := range map[string]bool{"firmproof_contract_local": true, "__firmproof_check_f": true,
		"__firmproof_use_f": true, "f": false, "check_f": false} {
		if got := ours(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestBlocksOut: blocks on the way out of a loop are those that are reached from it, not those in front of it.
func TestBlocksOut(t *testing.T) {
	m := compile(t, `int g; int f(int n) { g = 1; if (n == 7) return 2; for (int i = 0; i < n; i++) { if (i == 5) break; g = i; } g = 3; return 0; }`)
	f := m.Func("f")
	w := &assigns{Builder: &irbuild.Builder{Module: m, Func: f}, g: unwind.Analyse(f), frames: map[*unwind.Loop]ir.Value{}}
	out := w.blocksOut(w.g.Loops[0])
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpStore {
				continue
			}
			c, isConst := in.Args[0].(*ir.Const)
			if _, toGlobal := in.Args[1].(*ir.Const); !toGlobal || !isConst {
				continue
			}
			v, _ := c.Bits.Int64()
			if want := v == 3; out[b] != want {
				t.Errorf("the block of g = %d is reached from the loop: %v", v, out[b])
			}
		}
	}
}

// TestKnownResults: a known function gives no more than the parameter that its standard names (POSIX read, sleep).
func TestKnownResults(t *testing.T) {
	m := compile(t, `long read(int, void *, unsigned long); unsigned sleep(unsigned); int main(void) { char b[8] = {0};
		long n = read(0, b, 2); if (n > 2 || n < -1) return *(int *)0; return sleep(1) > 1 ? *(int *)0 : n == 2; }`)
	if len(Known(m)) != 1 {
		t.Fatal("no known functions")
	}
	returned := 0
	for seed := range int64(100) {
		out, err := interp.Run(context.Background(), m, interp.Options{}, dice{rand.New(rand.NewSource(seed))})
		if err != nil {
			t.Fatal(err)
		}
		switch out.Kind {
		case interp.Returned:
			returned++
		case interp.AssumeFailed:
		default:
			t.Fatalf("seed %d: %s", seed, out)
		}
	}
	if returned < 5 {
		t.Errorf("only %d runs return", returned)
	}
}

func compile(t *testing.T, src string) *ir.Module {
	t.Helper()
	return testprogram.Compile(t, src, "-O0")
}
