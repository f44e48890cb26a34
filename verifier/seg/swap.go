package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// swapped lists what rows and the equation eq say with the variables of eq replaced by each other: of i = j and
// j < n, it is i < n. A merge that loses i = j would lose that, too. Facts of two variables are enough.
func swapped(rows []linear.Row, eq linear.Row) []exact.Lin {
	var out []exact.Lin
	for _, t := range eq.Lin.Terms {
		if !t.Coef.Abs().IsOne() || len(eq.Lin.Terms) > 3 {
			continue
		}
		by := exact.V(t.Var).Sub(eq.Lin.Scale(t.Coef)) // what t.Var is
		for _, r := range rows {
			c := r.Lin.Coef(t.Var)
			if r.EQ || c.IsZero() || len(out) == policy.MergeSwaps {
				continue
			}
			if e := r.Lin.AddScaled(c, by.Sub(exact.V(t.Var))).Tighten(); len(e.Terms) == 2 {
				out = append(out, e)
			}
		}
	}
	return out
}
