package termination

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Geometric arguments (Leike and Heizmann, TACAS 2018): a state x that a run reaches, and directions y1, ..., yk along
// which a turn stretches: it makes x + y1 + ... + yk of x, and of yi what is l*yi, or l*yi + y(i-1), l a whole number
// that is not negative. If the guard holds of x and, without its constants, of each direction, no turn leaves the cone
// of states x + a1*y1 + ... + ak*yk, ai >= 0: a set like others, for the checker too.

// cone is the question for one.
type cone struct {
	r       *relation
	c       choice
	rows    []linear.Row // the guard
	vars    []exact.Var  // that the guard depends on; temporaries keep their value
	upd     []exact.Lin  // of vars
	stretch []int64      // of the directions, in order; equal ones follow each other
	scale   int64        // directions are multiples of 1/scale
}

// geometric looks for an infinite run through one of the cycles that diverges along a few directions.
func (z *lassos) geometric(ctx context.Context, comps [][]*edge) *certify.Recurrence {
	budget := policy.ConeQuestions
	for length := 1; length <= policy.WalkEdges; length++ {
		for _, comp := range comps {
			for _, cycle := range cyclesOf(comp, length, false) {
				if r := z.p.turn(cycle); r != nil {
					if cert := z.diverging(ctx, r, &budget); cert != nil {
						return cert
					}
				}
			}
		}
	}
	return nil
}

// diverging looks for such a run through the cycle r, with as many questions as budget has left.
func (z *lassos) diverging(ctx context.Context, r *relation, budget *int) *certify.Recurrence {
	for _, c := range z.p.choices(ctx, r) {
		g := z.p.newCone(r, c)
		for i := 0; g != nil && i < policy.ConeStems && z.reaches(ctx, r, i); i++ {
			if *budget--; *budget < 0 || ctx.Err() != nil {
				return nil
			}
			set := g.from(ctx, z.p, z.stems[r.from][i])
			if set == nil {
				continue
			}
			if cert := z.found(ctx, r, c, set); cert != nil {
				return cert
			}
		}
	}
	return nil
}

// reaches reports whether there are more than i runs to where r begins.
func (z *lassos) reaches(ctx context.Context, r *relation, i int) bool {
	for i >= len(z.stems[r.from]) {
		if !z.grow(ctx) {
			return false
		}
	}
	return true
}

// newCone returns the question for the cycle r with temporaries chosen by c, nil if it has no directions.
func (p *problem) newCone(r *relation, c choice) *cone {
	g := &cone{r: r, c: c}
	for _, row := range r.rows {
		row.Lin = row.Lin.Subst(c.value)
		g.rows = append(g.rows, row)
		g.depends(p, row.Lin)
	}
	if len(g.vars) == 0 || len(g.vars) > policy.ConeVars {
		return nil
	}
	g.scale = 1
	for _, l := range stretches(g.matrix()) {
		if len(g.stretch) == policy.ConeDirections {
			return nil
		}
		for _, k := range g.stretch {
			if l != k {
				g.scale *= l - k
			}
		}
		g.stretch = append(g.stretch, l)
	}
	if g.scale < 0 {
		g.scale = -g.scale
	}
	if len(g.stretch) == 0 || g.scale > 1<<20 {
		return nil
	}
	return g
}

// depends adds the variables of l, and those that turns make them of.
func (g *cone) depends(p *problem, l exact.Lin) {
	for _, t := range l.Terms {
		if slices.Contains(g.vars, t.Var) || len(g.vars) > policy.ConeVars {
			continue
		}
		next := exact.V(t.Var)
		if int(t.Var) < p.n {
			next = g.r.upd[t.Var].Subst(g.c.value)
		}
		g.vars, g.upd = append(g.vars, t.Var), append(g.upd, next)
		g.depends(p, next)
	}
}

// matrix returns the coefficients of the variables in what a turn makes of them.
func (g *cone) matrix() [][]exact.Int {
	out := make([][]exact.Int, len(g.vars))
	for i, l := range g.upd {
		for _, v := range g.vars {
			out[i] = append(out[i], l.Coef(v))
		}
	}
	return out
}

// direction is the variable of the question that is number i of direction k.
func (g *cone) direction(k, i int) exact.Var {
	return 2*paramBase + exact.Var(k*len(g.vars)+i)
}

// along returns l without its constant, of direction k.
func (g *cone) along(k int, l exact.Lin) exact.Lin {
	l.Const = exact.Int{}
	return l.Subst(func(v exact.Var) exact.Lin { return exact.V(g.direction(k, slices.Index(g.vars, v))) })
}

// from returns a set that the cycle never leaves and that the run s ends in; nil if there is none of the kind.
func (g *cone) from(ctx context.Context, p *problem, s *relation) []exact.Lin {
	rows := slices.Clone(s.rows)
	for _, row := range g.rows {
		rows = append(rows, linear.Row{Lin: s.after(row.Lin), EQ: row.EQ})
		for k := range g.stretch {
			rows = append(rows, linear.Row{Lin: g.along(k, row.Lin), EQ: row.EQ})
		}
	}
	for i, next := range g.upd {
		sum := s.after(next.Sub(exact.V(g.vars[i]))).Scale(exact.I(g.scale))
		for k, l := range g.stretch {
			own := exact.V(g.direction(k, i))
			sum = sum.Sub(own)
			to := own.Scale(exact.I(l))
			if k > 0 && g.stretch[k-1] == l {
				to = to.Add(exact.V(g.direction(k-1, i)))
			}
			rows = append(rows, linear.Equals(g.along(k, next).Sub(to)))
		}
		rows = append(rows, linear.Equals(sum))
	}
	m := p.model(ctx, rows)
	if m == nil {
		return nil
	}
	x := make([]exact.Int, len(g.vars))
	for i, v := range g.vars {
		x[i] = s.after(exact.V(v)).Eval(func(v exact.Var) exact.Int { return m[v] })
	}
	var ys [][]exact.Int
	for k := range g.stretch {
		y := make([]exact.Int, len(g.vars))
		for i := range y {
			y[i] = m[g.direction(k, i)]
		}
		if slices.ContainsFunc(y, func(c exact.Int) bool { return !c.IsZero() }) {
			ys = append(ys, y)
		}
	}
	return g.set(x, ys)
}

// set returns the cone of the directions ys, which do not depend on each other, from x on.
func (g *cone) set(x []exact.Int, ys [][]exact.Int) []exact.Lin {
	n := len(x)
	basis := make([][]exact.Rat, n) // the directions as columns, then unit vectors; beside it the unit matrix
	for i := range basis {
		for _, y := range ys {
			basis[i] = append(basis[i], exact.RatOf(y[i]))
		}
		for j := range 2 * n {
			unit := exact.R(0)
			if j%n == i {
				unit = exact.R(1)
			}
			basis[i] = append(basis[i], unit)
		}
	}
	pivots := eliminate(basis, len(ys)+n)
	if k := len(ys); k > n || k > 0 && pivots[k-1] != k-1 { // they do depend on each other
		return nil
	}
	var out []exact.Lin
	for i := range basis { // row i: the part of a state along the i-th vector of the basis
		inverse := basis[i][len(ys)+n:]
		by := exact.I(1)
		for _, c := range inverse {
			by = by.Mul(c.Den()).Quo(by.GCD(c.Den()))
		}
		var l exact.Lin
		for j, c := range inverse {
			k := c.Mul(exact.RatOf(by)).Num()
			l = l.Add(exact.V(g.vars[j]).Scale(k)).Sub(exact.LinOf(k.Mul(x[j])))
		}
		if out = append(out, l); i >= len(ys) {
			out = append(out, l.Neg())
		}
	}
	return out
}
