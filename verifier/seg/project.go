package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// project gives what k and the equations slot = value say about the slots alone:
// variables are eliminated by equations, then by combining few inequations.
func (b *builder) project(k *know, places []*place, val func(*place) exact.Lin) []linear.Row {
	keep := map[exact.Var]bool{}
	var rows []linear.Row
	for _, p := range places {
		keep[p.v] = true
		e := val(p)
		if e.IsConst() {
			continue // its interval says so
		}
		rows = append(rows, linear.Equals(exact.V(p.v).Sub(e)))
	}
	rows = append(rows, k.rows...)
	seen := map[exact.Var]bool{}
	for _, r := range rows[:len(rows):len(rows)] {
		for _, t := range r.Lin.Terms {
			if !keep[t.Var] {
				rows = k.unary(rows, seen, t.Var)
			}
		}
	}
	rows = eliminate(rows, keep)
	var out []linear.Row
	for _, r := range rows {
		ok := len(r.Lin.Terms) > 0
		for _, t := range r.Lin.Terms {
			ok = ok && keep[t.Var]
		}
		if ok {
			out = append(out, r)
		}
	}
	return out
}

// eliminate removes the variables that are not to be kept, as far as that is cheap.
func eliminate(rows []linear.Row, keep map[exact.Var]bool) []linear.Row {
	for {
		n, v, ok := solved(rows, keep)
		if !ok {
			break
		}
		rows = substitute(rows, n, v)
	}
	for {
		v, ok := cheapest(rows, keep)
		if !ok {
			return rows
		}
		rows = combine(rows, v)
	}
}

// solved finds a variable to eliminate and the equation for that: one with the least coefficient.
func solved(rows []linear.Row, keep map[exact.Var]bool) (row int, v exact.Var, ok bool) {
	var least exact.Int
	for n, r := range rows {
		for _, t := range r.Lin.Terms {
			if r.EQ && !keep[t.Var] && (!ok || t.Coef.Abs().Cmp(least) < 0) {
				row, v, ok, least = n, t.Var, true, t.Coef.Abs()
			}
		}
		if ok && least.IsOne() {
			break
		}
	}
	return row, v, ok
}

// substitute eliminates v by the equation n, over the rationals.
func substitute(rows []linear.Row, n int, v exact.Var) []linear.Row {
	a := rows[n].Lin.Coef(v)
	by := rows[n].Lin.Scale(exact.I(int64(a.Sign()))) // coefficient |a|
	rest := append(append([]linear.Row(nil), rows[:n]...), rows[n+1:]...)
	for i := range rest {
		if c := rest[i].Lin.Coef(v); !c.IsZero() {
			rest[i].Lin = rest[i].Lin.Scale(a.Abs()).AddScaled(c.Neg(), by).Tighten()
		}
	}
	return rest
}

// cheapest is a variable whose elimination makes few new rows.
func cheapest(rows []linear.Row, keep map[exact.Var]bool) (exact.Var, bool) {
	type count struct{ pos, neg, eq int }
	counts := map[exact.Var]*count{}
	var order []exact.Var
	for _, r := range rows {
		for _, t := range r.Lin.Terms {
			if keep[t.Var] {
				continue
			}
			c := counts[t.Var]
			if c == nil {
				c = &count{}
				counts[t.Var] = c
				order = append(order, t.Var)
			}
			switch {
			case r.EQ:
				c.eq++
			case t.Coef.Sign() > 0:
				c.pos++
			default:
				c.neg++
			}
		}
	}
	best, found := exact.Var(0), false
	cost := 13
	for _, v := range order {
		c := counts[v]
		if n := (c.pos + c.eq) * (c.neg + c.eq); n < cost && len(rows) < 200 {
			best, found, cost = v, true, n
		}
	}
	return best, found
}

// combine is one step of Fourier and Motzkin's elimination.
func combine(rows []linear.Row, v exact.Var) []linear.Row {
	var pos, neg []exact.Lin
	var out []linear.Row
	for _, r := range rows {
		c := r.Lin.Coef(v)
		switch {
		case c.IsZero():
			out = append(out, r)
		case c.Sign() > 0:
			pos = append(pos, r.Lin)
			if r.EQ {
				neg = append(neg, r.Lin.Neg())
			}
		default:
			neg = append(neg, r.Lin)
			if r.EQ {
				pos = append(pos, r.Lin.Neg())
			}
		}
	}
	for _, p := range pos {
		for _, n := range neg {
			e := p.Scale(n.Coef(v).Neg()).AddScaled(p.Coef(v), n).Tighten()
			if !e.IsConst() {
				out = append(out, linear.AtLeast(e))
			}
		}
	}
	return out
}
