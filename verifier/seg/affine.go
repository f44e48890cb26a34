package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// affine adds the equations between slots that both states have (Karr's join: the smallest affine space around two). A
// merge never gains one that the older state did not have, so that this needs no widening: len = i + length of a list
// that i blocks were taken from, where i was 0 and then any number.
func (b *builder) affine(m *matcher, old, now []linear.Row) {
	was := equations(old, m, func(p *place) ival { return m.old.know.interval(p.was) })
	is := equations(now, m, func(p *place) ival { return m.s.know.interval(p.other) })
	if len(was) == 0 || len(is) == 0 || len(was)+len(is) > policy.MergeEquations {
		return
	}
	for _, e := range inBoth(was, is) {
		if !b.ask.provesEq(m.j.know, e) {
			m.j.know.eq(e)
		}
	}
}

// equations lists the expressions over slots that are 0 in a state: rows of it, and slots that have one value.
func equations(rows []linear.Row, m *matcher, interval func(*place) ival) []exact.Lin {
	var out []exact.Lin
	for _, r := range rows {
		if r.EQ {
			out = append(out, r.Lin)
		}
	}
	for _, p := range m.places {
		if i := interval(p); i.constant() {
			out = append(out, exact.V(p.v).Add(constInt(i.lo.Neg())))
		}
	}
	return out
}

// inBoth returns a basis of the linear combinations that two lists of expressions both have (Zassenhaus: the rows (a, a)
// and (b, 0), reduced on the left; where that is 0, the right side is in both).
func inBoth(as, bs []exact.Lin) []exact.Lin {
	columns := map[exact.Var]exact.Var{}
	var names []exact.Var
	for _, e := range slices.Concat(as, bs) {
		for _, t := range e.Terms {
			if _, known := columns[t.Var]; !known {
				columns[t.Var] = exact.Var(len(names))
				names = append(names, t.Var)
			}
		}
	}
	one := exact.Var(len(names)) // the column of the constant
	right := one + 1
	shifted := func(e exact.Lin, by exact.Var) exact.Lin {
		var ts []exact.Term
		for _, t := range e.Terms {
			ts = append(ts, exact.Term{Var: columns[t.Var] + by, Coef: t.Coef})
		}
		if !e.Const.IsZero() {
			ts = append(ts, exact.Term{Var: one + by, Coef: e.Const})
		}
		return exact.LinOf(exact.I(0), ts...)
	}
	var rows []exact.Lin
	for _, a := range as {
		rows = append(rows, shifted(a, 0).Add(shifted(a, right)))
	}
	for _, c := range bs {
		rows = append(rows, shifted(c, 0))
	}
	for v := exact.Var(0); v < right; v++ {
		at := slices.IndexFunc(rows, func(r exact.Lin) bool { return !r.Coef(v).IsZero() })
		if at < 0 {
			continue
		}
		pivot := rows[at]
		rows = slices.Delete(rows, at, at+1)
		for i, r := range rows {
			if c := r.Coef(v); !c.IsZero() {
				rows[i] = r.Scale(pivot.Coef(v)).AddScaled(c.Neg(), pivot).Tighten()
			}
		}
	}
	var out []exact.Lin
	for _, r := range rows {
		e := exact.Lin{Const: r.Coef(one + right)}
		for _, t := range r.Terms {
			if t.Var != one+right {
				e = e.AddScaled(t.Coef, exact.V(names[t.Var-right]))
			}
		}
		if len(e.Terms) > 0 {
			out = append(out, e)
		}
	}
	return out
}
