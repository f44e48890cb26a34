package termination

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// product is a variable that stands for x*y.
type product struct{ v, x, y exact.Var }

// productFacts are the linear facts about products that follow from the bounds of their factors in rows: (x-a)*(y-b) is
// not negative for lower bounds a and b, nor for upper ones, and not positive for one of each (McCormick).
func productFacts(rows []linear.Row, products []product) []linear.Row {
	if len(products) == 0 {
		return nil
	}
	lower, upper := map[exact.Var]exact.Int{}, map[exact.Var]exact.Int{}
	for _, r := range rows {
		if len(r.Lin.Terms) != 1 || !r.Lin.Terms[0].Coef.Abs().IsOne() || r.Lin.Const.BitLen() > policy.ProductBits {
			continue
		}
		v, rises := r.Lin.Terms[0].Var, r.Lin.Terms[0].Coef.IsOne()
		bound := r.Lin.Const // where v falls: c - v >= 0
		if rises {
			bound = bound.Neg() // v + c >= 0
		}
		if l, ok := lower[v]; (rises || r.EQ) && (!ok || bound.Cmp(l) > 0) {
			lower[v] = bound
		}
		if u, ok := upper[v]; (!rises || r.EQ) && (!ok || bound.Cmp(u) < 0) {
			upper[v] = bound
		}
	}
	var out []linear.Row
	fact := func(p product, xs, ys map[exact.Var]exact.Int, sign int64) {
		a, known := xs[p.x]
		b, both := ys[p.y]
		if !known || !both {
			return
		}
		l := exact.V(p.v).AddScaled(b.Neg(), exact.V(p.x)).AddScaled(a.Neg(), exact.V(p.y))
		l.Const = l.Const.Add(a.Mul(b))
		out = append(out, linear.AtLeast(l.Scale(exact.I(sign))))
	}
	for _, p := range products {
		fact(p, lower, lower, 1)
		fact(p, upper, upper, 1)
		fact(p, lower, upper, -1)
		fact(p, upper, lower, -1)
	}
	return out
}
