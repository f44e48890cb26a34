package invariant

import (
	"context"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestOneByOne: asking for candidates one by one leaves those that asking for all
// at once does, when no question is too hard.
func TestOneByOne(t *testing.T) {
	m := testprogram.Compile(t,
		`int main(void) { int n = nondet_int(), i = 0, j = 9; if (n < 0) return 0; while (i < n) { i++; if (nondet_int()) j = i; } CHECK(i == n); return j; }`, "-O0")
	left := func(all bool) []string {
		ctx := context.Background()
		prob := testprogram.Problem(m, "main", verdict.Assert)
		cut, err := OpenCut(ctx, prob, CutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer cut.Close()
		p := NewProver(cut)
		p.propose(ctx, nil)
		for _, l := range p.others {
			p.alive = append(p.alive, p.candidate(l))
		}
		if all {
			if !p.houdini(ctx) {
				t.Fatal("no answer")
			}
		} else if !p.oneByOne(ctx) {
			t.Fatal("no answer")
		}
		var out []string
		for _, c := range p.alive {
			out = append(out, c.Text(p.f))
		}
		return out
	}
	all, one := left(true), left(false)
	if !slices.Equal(all, one) {
		t.Errorf("all at once leaves %d, one by one %d:\n%q\n%q", len(all), len(one), all, one)
	}
	if len(all) == 0 {
		t.Error("nothing is inductive")
	}
	if len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("two candidates have one text: %q", all)
	}
}
