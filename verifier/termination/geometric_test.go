package termination

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Cycles whose runs diverge along directions end with NonTerminating; their twins end.
func TestGeometric(t *testing.T) {
	for _, c := range []struct {
		loop string
		want Verdict
	}{
		{"l(x,y,z) -> l(4*x+y, 2*y+z, 3*z-1) :|: x - y - z >= 0", NonTerminating},
		{"l(x,y,z) -> l(4*x+z, 3*y+z, 2*z+1) :|: x - 2*y - z >= 0", NonTerminating},
		{"l(x,y,z) -> l(4*x, 2*y+z, z+1) :|: x - y - z >= 0", NonTerminating},
		{"l(x,y,z) -> l(4*x, 2*y+z, z+1) :|: x - y - z >= 0 && x < 1000 && y > 0 && z > 0", Terminating},
		{"l(x,y,z) -> l(4*x+y, 2*y+z, 3*z-1) :|: x - y - z >= 0 && 0 < z && z < 9", Terminating},
	} {
		s := system(t, "s(x,y,z) -> l(x,y,z)\n "+c.loop)
		a := Prove(context.Background(), s, Options{})
		if a.Verdict != c.want {
			t.Errorf("%s: %v, %s", c.loop, a.Verdict, a.Reason)
		}
	}
}

// What runs of cones found for random cycles do is what the cycles do, for as long as they are followed; the checker
// refuses them where another state, set or turn stands in the certificate.
func TestCones(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	ctx := context.Background()
	found := 0
	for range 60 {
		k := func(n int) int { return r.Intn(2*n+1) - n }
		text := fmt.Sprintf("s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(%d*x+%d*y+%d*z+%d, %d*y+%d*z+%d, %d*z+%d)"+
			" :|: %d*x+%d*y+%d*z >= %d && %d*x+%d*y+%d*z >= %d", r.Intn(4), k(2), k(2), k(3), r.Intn(4), k(2), k(3), r.Intn(3),
			k(3), k(3), k(3), k(3), k(9), k(3), k(3), k(3), k(9))
		s := system(t, text)
		p := newProblem(ctx, s, linear.NewLadder(1000), false, nil)
		z := &lassos{p: p, stems: map[its.Loc][]*relation{}}
		run := z.geometric(ctx, [][]*edge{loops(p)})
		if run == nil {
			continue
		}
		found++
		if err := certify.NonTerminating(ctx, s, run); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		state := slices.Clone(run.Start)
		turn := &s.Trans[run.Cycle[0].Trans]
		for range 40 {
			value := func(v exact.Var) exact.Int { return state[v] }
			for _, a := range turn.Guard {
				if l, _ := a.Lin(); l.Eval(value).Sign() < 0 {
					t.Fatalf("%s: the run from %v ends", text, run.Start)
				}
			}
			var next []exact.Int
			for _, u := range turn.Targets()[0].Update {
				l, _ := u.Lin()
				next = append(next, l.Eval(value))
			}
			state = next
		}
	}
	if found < 15 {
		t.Errorf("cones for %d of 60 cycles", found)
	}
}

// Cones are refused where the set is wider, or begins elsewhere.
func TestConesSpoiled(t *testing.T) {
	ctx := context.Background()
	s := system(t, "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(4*x+y, 2*y+z, 3*z-1) :|: x - y - z >= 0")
	for name, spoil := range map[string]func(*certify.Recurrence){
		"":                func(*certify.Recurrence) {},
		"no conditions":   func(c *certify.Recurrence) { c.Set = nil },
		"one condition":   func(c *certify.Recurrence) { c.Set = c.Set[:1] },
		"begins above":    func(c *certify.Recurrence) { c.Start[1] = c.Start[1].Add(exact.I(1000)) },
		"other direction": func(c *certify.Recurrence) { c.Set[0] = c.Set[0].Neg() },
	} {
		p := newProblem(ctx, s, linear.NewLadder(1000), false, nil)
		z := &lassos{p: p, stems: map[its.Loc][]*relation{}}
		run := z.geometric(ctx, [][]*edge{loops(p)})
		if run == nil {
			t.Fatal("no cone")
		}
		spoil(run)
		if err := certify.NonTerminating(ctx, s, run); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The eigenvalues of triangular matrices stand on the diagonal; a turn of the plane has none.
func TestStretches(t *testing.T) {
	m := func(rows ...[]int64) (out [][]exact.Int) {
		for _, r := range rows {
			var row []exact.Int
			for _, c := range r {
				row = append(row, exact.I(c))
			}
			out = append(out, row)
		}
		return out
	}
	for _, c := range []struct {
		of   [][]exact.Int
		want []int64
	}{
		{m([]int64{3, 1, 4}, []int64{0, 1, 5}, []int64{0, 0, 3}), []int64{3, 3, 1}},
		{m([]int64{0, 1}, []int64{-1, 0}), nil},
		{m([]int64{5, -3}, []int64{1, 1}), []int64{4, 2}},
		{m([]int64{-2, 0}, []int64{7, 0}), []int64{0}},
		{m([]int64{0, 1}, []int64{0, 0}), []int64{0, 0}},
		{m([]int64{1, 1}, []int64{1, 0}), nil}, // the golden ratio is no whole number
	} {
		if got := stretches(c.of); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.of, got, c.want)
		}
	}
}

// loops lists the edges from a location to itself.
func loops(p *problem) []*edge {
	return slices.DeleteFunc(slices.Clone(p.edges), func(e *edge) bool { return e.from != e.to })
}
