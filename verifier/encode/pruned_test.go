package encode

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestPruned: on the way to the last write, what a block held that was not written is no pointer that the write can go
// through. The prober knows, the terms do not.
func TestPruned(t *testing.T) {
	const body = `struct s { int *p; } *a = malloc(sizeof *a);
int x = 1; unsigned long at = (unsigned long)&x;
__VERIFIER_assume(at % 16 == 0);
int k = nondet_int();
if (!a) return 1; else if (k < 10) a->p = nondet_int() ? &x : 0;
if (k > 5 || !a->p) return 1; else *a->p = 5;
return x;`
	m := compile(t, "", prelude+"int main(void) {\n#line 1\n"+body+"\n}\n")
	can := func(ask bool) int {
		s := ilr.NewStore(nil)
		solver := solve.New(s, solve.Options{})
		defer solver.Close()
		var p Prober
		if ask {
			p = solverProbe{solver}
		}
		f, err := Encode(context.Background(), m, m.Func("main"), s, Options{Checks: verdict.DefaultChecks()}, p)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range f.Claims {
			if c.Pos.Line == 6 && c.Check == verdict.Memory && !s.IsFalse(c.Violated) {
				n++
			}
		}
		return n
	}
	if without, with := can(false), can(true); without == 0 || with != 0 {
		t.Errorf("claims of the write that terms leave open: %d without the prober, %d with it", without, with)
	}
}
