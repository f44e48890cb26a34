package certify

import (
	"github.com/firmproof/firmproof/verifier/exact"
)

// interval holds the bounds of a variable, where it has them.
type interval struct{ low, high *exact.Int }

// products are facts about the products of two variables of the path, of which rows bound each: with a <= x <= b and
// c <= y <= d, (x-a)*(y-c), (b-x)*(d-y), (b-x)*(y-c) and (x-a)*(d-y) are not negative.
func (p *path) products(rows []row) []row {
	var out []row
	bounds := map[exact.Var]interval{}
	for i, vars := range p.monomials() {
		if len(vars) != 2 {
			continue
		}
		if len(bounds) == 0 {
			bounds = intervals(rows)
		}
		xy, x, y := exact.V(opaqueBase+exact.Var(i)), bounds[vars[0]], bounds[vars[1]]
		// sign * (x-a)*(y-c)
		fact := func(a, c *exact.Int, sign int64) {
			if a == nil || c == nil {
				return
			}
			l := xy.AddScaled(c.Neg(), exact.V(vars[0])).AddScaled(a.Neg(), exact.V(vars[1]))
			l.Const = l.Const.Add(a.Mul(*c))
			out = append(out, row{l.Scale(exact.I(sign)), false})
		}
		fact(x.low, y.low, 1)
		fact(x.high, y.high, 1)
		fact(x.high, y.low, -1)
		fact(x.low, y.high, -1)
	}
	return out
}

// intervals reads the bounds of single variables off the rows.
func intervals(rows []row) map[exact.Var]interval {
	out := map[exact.Var]interval{}
	for _, r := range rows {
		l := shrink(r.lin)
		if len(l.Terms) != 1 || !l.Terms[0].Coef.Abs().IsOne() {
			continue
		}
		v, at := l.Terms[0].Var, l.Const.Mul(l.Terms[0].Coef).Neg() // v >= at or v <= at
		i := out[v]
		if up := l.Terms[0].Coef.IsOne(); (up || r.eq) && (i.low == nil || at.Cmp(*i.low) > 0) {
			i.low = &at
		}
		if up := l.Terms[0].Coef.IsOne(); (!up || r.eq) && (i.high == nil || at.Cmp(*i.high) < 0) {
			i.high = &at
		}
		out[v] = i
	}
	return out
}
