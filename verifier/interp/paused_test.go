package interp_test

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A run that was paused goes on in copies with other inputs, none of which sees what another one wrote.
func TestPausedFork(t *testing.T) {
	m := testprogram.File(t, "testdata/fork/paused.c", "x86_64")
	f := m.Func("turns")
	heads := map[*ir.Block]bool{}
	for _, b := range f.Blocks {
		for _, p := range b.Preds {
			heads[b] = heads[b] || p.Index >= b.Index
		}
	}
	start, err := interp.Pause(m, interp.Options{Entry: f, Checks: verdict.CheckSet{verdict.Memory: true}}, heads)
	if err != nil {
		t.Fatal(err)
	}
	one := func(p *interp.Paused, n int64) (*interp.Paused, *interp.Outcome) {
		c, _ := p.Fork()
		out, err := c.Go(context.Background(), &testprogram.Inputs{List: []int64{n}, Mallocs: true}, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		return c, out
	}
	for _, a := range []int64{1, 2} {
		first, out := one(start, a)
		if out != nil {
			t.Fatal(out)
		}
		for _, b := range []int64{3, 4} {
			second, out := one(first, b)
			if out != nil {
				t.Fatal(out)
			}
			third, out := one(second, 5)
			if out != nil {
				t.Fatal(out)
			}
			_, out = one(third, 0)
			want := (500+10*b+a)*1000 + (a+b)*10 + 5
			if out == nil || out.Kind != interp.Returned || out.Ret.Signed().Int64() != want {
				t.Errorf("%d, %d, 5: got %v, want %d", a, b, out, want)
			}
		}
	}
}

// TestPausedStops: a run that pauses nowhere goes on until its steps are over, and stops with its context.
func TestPausedStops(t *testing.T) {
	m := testprogram.Compile(t, "int main(void) { volatile unsigned n = 0; for (;;) n++; }\n", "-O0")
	for _, ends := range []bool{false, true} {
		p, err := interp.Pause(m, interp.Options{Entry: m.Func("main")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if ends {
			cancel()
		}
		out, err := p.Go(ctx, &testprogram.Inputs{}, 100_000)
		cancel()
		if ends && err == nil || !ends && (err != nil || out == nil || out.Kind != interp.StepLimit) {
			t.Errorf("context ended %t: %v, %v", ends, out, err)
		}
	}
}
