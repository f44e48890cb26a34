package solve

import (
	"context"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// TestCore: the assumptions of a core are among those made, are impossible
// together, and leave out what plays no part.
func TestCore(t *testing.T) {
	s := ilr.NewStore(nil)
	x, y := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
	small, large, other := s.Ult(x, s.Int(8, 4)), s.Ult(s.Int(8, 9), x), s.Ult(y, s.Int(8, 7))
	o := NewOwn(s, Options{})
	defer o.Close()
	ask := func(ts ...ilr.Term) []ilr.Term {
		t.Helper()
		if a, err := o.Check(context.Background(), ts...); a != Unsat || err != nil {
			t.Fatal(a, err)
		}
		return o.Core()
	}
	if got := ask(other, small, large); !slices.Equal(got, []ilr.Term{small, large}) {
		t.Errorf("core %v of %v", got, []ilr.Term{other, small, large})
	}
	if got := ask(other, s.False()); !slices.Equal(got, []ilr.Term{s.False()}) {
		t.Errorf("core with a false assumption: %v", got)
	}
	for seed := int64(0); seed < 40; seed++ {
		g := newTerms(seed, 3, 3, 3, 1)
		for i := 0; i < 20; i++ {
			g.step()
		}
		own := NewOwn(g.s, Options{})
		as := g.bools[:min(len(g.bools), 12)]
		if a, err := own.Check(context.Background(), as...); err != nil {
			t.Fatal(err)
		} else if a == Unsat {
			core := own.Core()
			for _, c := range core {
				if !slices.Contains(as, c) {
					t.Fatalf("seed %d: %d was not assumed", seed, c)
				}
			}
			if a, _ := own.Check(context.Background(), core...); a != Unsat {
				t.Errorf("seed %d: the core is possible", seed)
			}
		}
		own.Close()
	}
	own := NewOwn(s, Options{})
	defer own.Close()
	own.Assert(s.False())
	if a, _ := own.Check(context.Background(), other); a != Unsat || len(own.Core()) != 0 {
		t.Errorf("no assumption is needed: %v", own.Core())
	}
}
