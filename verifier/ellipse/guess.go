package ellipse

import (
	"math"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// ellipses guesses those of part: W, the sum of (A/r)^k B B' (A/r)'^k for all k, is the inverse of the form of an
// ellipse that the inputs reach, whatever r below 1 is above the growth of A.
func (y *system) ellipses(part []int) []*Ellipse {
	a := y.matrix(part, part)
	b, limits := y.inputs(part)
	growth := a.growth()
	n := len(part)
	force := newMatrix(n, n)
	for i := range n {
		for j := range n {
			for k, u := range limits {
				force[i][j] += b[i][k] * b[j][k] * u * u
			}
		}
	}
	for i := range n {
		force[i][i] += policy.EllipseMargin*force[i][i] + math.SmallestNonzeroFloat32
	}
	for i := range n { // a delay is forced as what it delays
		for j := range n {
			force[i][i] = math.Max(force[i][i], policy.EllipseMargin*force[j][j])
		}
	}
	var form, reach matrix
	scale, least := 0.0, math.Inf(1)
	for step := 1; step < policy.EllipseRates; step++ {
		r := growth + (1-growth)*float64(step)/policy.EllipseRates
		w, ok := newMatrix(n, n).plus(1/r, a).gathered(force)
		if !ok {
			continue
		}
		p, ok := w.inverse()
		if !ok || !positive(p) {
			continue
		}
		k := y.size(p, a, b, limits)
		cost := 0.0
		for i := range n {
			cost += math.Log(k * w[i][i])
		}
		if cost < least {
			form, reach, scale, least = p, w, k, cost
		}
	}
	if form == nil {
		return nil
	}
	var out []*Ellipse
	for _, margin := range policy.EllipseMargins {
		if e := y.ellipse(part, form, reach, scale*(1+margin)); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// size returns what the form p may be at most in an ellipse that turns keep.
func (y *system) size(p, a, b matrix, limits []float64) float64 {
	least := math.Inf(1)
	m := a.transposed().times(p).times(a)
	var cross, own matrix
	if len(limits) > 0 {
		cross, own = a.transposed().times(p).times(b), b.transposed().times(p).times(b)
	}
	for i := range policy.EllipseMultipliers {
		l := (float64(i) + 0.5) / policy.EllipseMultipliers
		rows, ok := weights(l, p, m, cross, own, limits)
		if !ok {
			continue
		}
		k := math.SmallestNonzeroFloat32
		for j, r := range rows {
			k += r * limits[j] * limits[j]
		}
		least = math.Min(least, k/(1-l))
	}
	return least
}

// ellipse returns the ellipse of part in which the form p, the inverse of w, is at most k; more if it is on entry.
func (y *system) ellipse(part []int, p, w matrix, k float64) *Ellipse {
	first := make(matrix, 1)
	for _, i := range part {
		v, _ := y.x.s.ConstVal(y.l.First[i])
		r := exact.Rat{}
		if v.Width() > 0 {
			r, _ = valueOf(v) // what is no number is guessed as 0
		}
		f, _ := r.Big().Float64()
		first[0] = append(first[0], f)
	}
	k = math.Max(k, first.times(p).times(first.transposed())[0][0]*(1+policy.EllipseMargin))
	e := &Ellipse{}
	limit := func(i int, most exact.Rat) bool {
		v, ok := above(y.x.s.Width(y.l.Vars[i]), most)
		e.Limits = append(e.Limits, Limit{Var: i, Most: v})
		return ok
	}
	for a, i := range part {
		most, ok := ratOf(math.Sqrt(k*w[a][a]) * (1 + policy.EllipseMargin))
		if !ok || !limit(i, most) {
			return nil
		}
		for b := range a + 1 {
			c := p[a][b] / k
			if a != b {
				c *= 2
			}
			e.Products = append(e.Products, Product{A: part[b], B: i, Coef: c})
		}
	}
	for _, i := range y.read(part) {
		if !limit(i, y.limits[i]) {
			return nil
		}
	}
	return e
}

// read lists the variables with a limit that turns read to make those of part, or of such ones.
func (y *system) read(part []int) []int {
	var out []int
	todo := slices.Clone(part)
	for n := 0; n < len(todo); n++ {
		for j := range y.l.Vars {
			if _, ok := y.limits[j]; ok && y.uses(todo[n], j) && !slices.Contains(out, j) {
				out, todo = append(out, j), append(todo, j)
			}
		}
	}
	return out
}
