package ellipse

import (
	"math"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// A polynomial g is not negative where others, p1 to pn, are not, if g - a1*p1 - ... - an*pn is a sum of squares for
// some multipliers ai >= 0. Here the others are most - poly of the ellipse, and limit^2 - v^2 of each further variable
// v. Multipliers are guessed with machine numbers; what counts is checked with rational ones.

// matrixOf returns the quadratic part of poly over two lists of variables.
func matrixOf(poly form, rows, columns []ilr.Term) matrix {
	out := newMatrix(len(rows), len(columns))
	for i, a := range rows {
		for j, b := range columns {
			out[i][j], _ = poly[[2]ilr.Term{min(a, b), max(a, b)}].Big().Float64()
			if a != b {
				out[i][j] /= 2
			}
		}
	}
	return out
}

// others lists the variables of poly that are none of f's, one among them.
func (f *fact) others(poly form) []ilr.Term {
	var out []ilr.Term
	for m := range poly {
		for _, v := range m {
			if !slices.Contains(out, v) && !slices.Contains(f.vars, v) {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// limitOf returns the limit of one of the variables, or of the number one.
func (x *reader) limitOf(v ilr.Term) exact.Rat {
	if v == one {
		return exact.R(1)
	}
	return x.limits[v]
}

// bound returns what the magnitude of n, which is linear, is at most; ok is false if that is not seen.
func (f *fact) bound(x *reader, n *number) (most exact.Rat, ok bool) {
	if !n.poly.linear() {
		return most, false
	}
	inside := form{}
	for m, c := range n.poly {
		if slices.Contains(f.vars, m[1]) {
			inside[m] = c
		} else {
			most = most.Add(abs(c).Mul(x.limitOf(m[1])))
		}
	}
	most = most.Add(n.err)
	if len(inside) == 0 {
		return most, true
	}
	p, ok := matrixOf(f.poly, f.vars, f.vars).inverse()
	if !ok {
		return most, false
	}
	c := matrixOf(inside, []ilr.Term{one}, f.vars).plus(1, matrixOf(inside, []ilr.Term{one}, f.vars))
	size := c.times(p).times(c.transposed())[0][0]
	k, _ := f.most.Big().Float64()
	guess, ok := ratOf(math.Sqrt(k*size) * (1 + policy.EllipseSlack))
	by, okBy := ratOf(math.Sqrt(size/k) / 2)
	if !ok || !okBy || guess.Sign() <= 0 {
		return most, false
	}
	// guess - inside - by*(f.most - f.poly), and the same with the other sign of each variable
	g := constant(guess.Sub(by.Mul(f.most))).plus(exact.R(-1), inside).plus(by, f.poly)
	if by.Sign() < 0 || !g.neverNegative(append([]ilr.Term{one}, f.vars...)) {
		return most, false
	}
	return most.Add(guess), true
}

// keeps reports whether n <= most follows.
func (f *fact) keeps(x *reader, n *number, most exact.Rat) bool {
	vars := f.others(n.poly)
	of, others, ok := f.multipliers(x, n.poly, vars)
	if !ok {
		return false
	}
	// (most - err) - n.poly - of*(f.most - f.poly) - sum of others*(limit^2 - v^2), where numbers have to be left over
	rest := most.Sub(n.err).Sub(of.Mul(f.most))
	g := form{}.plus(exact.R(-1), n.poly).plus(of, f.poly)
	for i, v := range vars {
		limit := x.limitOf(v)
		rest = rest.Sub(others[i].Mul(limit).Mul(limit))
		g = g.plus(others[i], form{{v, v}: exact.R(1)})
	}
	return rest.Sign() >= 0 && g.neverNegative(append(slices.Clone(f.vars), vars...))
}

// multipliers guesses those for the ellipse and for the further variables.
func (f *fact) multipliers(x *reader, poly form, vars []ilr.Term) (of exact.Rat, others []exact.Rat, ok bool) {
	p, m := matrixOf(f.poly, f.vars, f.vars), matrixOf(poly, f.vars, f.vars)
	limits := make([]float64, len(vars))
	for i, v := range vars {
		limits[i], _ = x.limitOf(v).Big().Float64()
	}
	var cross, own matrix
	if len(vars) > 0 {
		cross, own = matrixOf(poly, f.vars, vars), matrixOf(poly, vars, vars)
	}
	k, _ := f.most.Big().Float64()
	least, by, each := math.Inf(1), 0.0, []float64(nil)
	for i := range policy.EllipseMultipliers {
		l := (float64(i) + 0.5) / policy.EllipseMultipliers
		rows, ok := weights(l, p, m, cross, own, limits)
		if !ok {
			continue
		}
		cost := l * k
		for a, r := range rows {
			rows[a] = r*(1+policy.EllipseSlack) + policy.EllipseSlack*k/(limits[a]*limits[a])
			cost += rows[a] * limits[a] * limits[a]
		}
		if cost < least {
			least, by, each = cost, l, rows
		}
	}
	if math.IsInf(least, 1) {
		return of, nil, false
	}
	of, ok = ratOf(by)
	for _, r := range each {
		v, fits := ratOf(r)
		others, ok = append(others, v), ok && fits && v.Sign() >= 0
	}
	return of, others, ok
}

// weights guesses multipliers for further variables, where that of the ellipse with matrix p is l: m is the quadratic
// form of the variables of the ellipse, own that of the others, cross what is between them.
func weights(l float64, p, m, cross, own matrix, limits []float64) (rows []float64, ok bool) {
	left := p.plus(-1/l, m)
	inv, ok := left.inverse()
	if !ok || !positive(left) {
		return nil, false
	}
	rows = make([]float64, len(limits))
	if len(rows) == 0 {
		return rows, true
	}
	g := own.plus(1/l, cross.transposed().times(inv).times(cross))
	for a := range rows {
		for b := range rows {
			rows[a] += math.Abs(g[a][b]) * limits[b] / limits[a]
		}
	}
	return rows, true
}

// positive reports whether a symmetric matrix seems to be positive definite.
func positive(a matrix) bool {
	a = a.plus(0, a)
	for k := range a {
		if !(a[k][k] > 0) {
			return false
		}
		for i := k + 1; i < len(a); i++ {
			r := a[i][k] / a[k][k]
			for j := k; j < len(a); j++ {
				a[i][j] -= r * a[k][j]
			}
		}
	}
	return true
}
