package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Disjunctively well-founded relations (Podelski and Rybalchenko): what any number of edges of a component does to its
// variables is in one of finitely many relations, each of which some function ranks. The relations here compare
// variables before and after, and with each other, up to small constants, as in size-change termination with
// differences.

// difference is a bound of each direction of a closure: unset, or at most v.
type difference struct {
	from, to its.Loc
	bounds   []upper
}

// closure collects relations for a component.
type closure struct {
	r    *ranker
	comp []*edge
	dirs []exact.Lin // over variables before, and those after, which come p.n behind them
	all  []difference
	cert []certify.Relation
}

// ghostBase keeps the values before a relation apart from those between it and an edge.
const ghostBase exact.Var = 1 << 20

// byClosure looks for disjunctively well-founded relations of comp, which takes out all edges.
func (r *ranker) byClosure(ctx context.Context, comp []*edge) (strict []*edge, rank certify.Rank) {
	c := &closure{r: r, comp: comp}
	if len(comp) > policy.RelationEdges || !c.directions() {
		return nil, rank
	}
	for _, e := range comp {
		if !c.add(ctx, difference{e.from, e.to, c.abstract(ctx, r.lean(ctx, e), e, 0)}) {
			return nil, rank
		}
	}
	for i := 0; i < len(c.all); i++ {
		for _, e := range comp {
			if d := c.all[i]; d.to == e.from {
				rows := append(c.rows(d, ghostBase, 0), r.lean(ctx, e)...)
				if !c.add(ctx, difference{d.from, e.to, c.abstract(ctx, rows, e, ghostBase)}) {
					return nil, rank
				}
			}
		}
	}
	at := map[its.Loc]exact.Lin{}
	for _, e := range comp {
		at[e.from] = exact.Lin{}
	}
	return comp, certify.Rank{Funcs: []map[its.Loc]exact.Lin{at}, Relations: c.cert}
}

// directions lists what is bounded: variables after less variables before, variables less each other at either time,
// and variables before from below. It reports whether the component has few enough variables.
func (c *closure) directions() bool {
	n := exact.Var(c.r.p.n)
	var vars []exact.Var
	guarded := c.guarded()
	for _, v := range c.r.vars {
		if guarded[v] {
			vars = append(vars, v)
		}
	}
	if len(vars) > policy.RelationVars {
		return false
	}
	for _, v := range vars {
		c.dirs = append(c.dirs, exact.V(v).Neg())
		for _, w := range vars {
			c.dirs = append(c.dirs, exact.V(v+n).Sub(exact.V(w)))
			if v != w {
				c.dirs = append(c.dirs, exact.V(v).Sub(exact.V(w)), exact.V(v+n).Sub(exact.V(w+n)))
			}
		}
	}
	return len(vars) > 0
}

// guarded are the variables that rows of the component's edges speak of.
func (c *closure) guarded() map[exact.Var]bool {
	out := map[exact.Var]bool{}
	for _, e := range c.comp {
		for _, row := range e.rows {
			for _, t := range row.Lin.Terms {
				out[t.Var] = true
			}
		}
	}
	return out
}

// abstract bounds the directions from before, whose variables are base behind their own, to after e.
func (c *closure) abstract(ctx context.Context, rows []linear.Row, e *edge, base exact.Var) []upper {
	tb := linear.NewTableau(true)
	for _, row := range rows {
		tb.Add(row)
	}
	if tb.Check(ctx) == linear.Unsat {
		return nil
	}
	n := exact.Var(c.r.p.n)
	out := make([]upper, len(c.dirs))
	for i, d := range c.dirs {
		m, kind := tb.Maximise(ctx, d.Subst(func(v exact.Var) exact.Lin {
			if v < n {
				return exact.V(v + base)
			}
			return e.upd[v-n]
		}))
		if kind == linear.Empty {
			return nil
		}
		if kind == linear.Attained && m.Cmp(exact.R(policy.RelationDifference)) <= 0 {
			out[i] = upper{true, m.Floor()}
			if low := exact.I(-policy.RelationDifference); out[i].v.Cmp(low) < 0 {
				out[i].v = low
			}
		}
	}
	return out
}

// rows lists what d says, with the variables before and after so far behind their own.
func (c *closure) rows(d difference, before, after exact.Var) []linear.Row {
	n := exact.Var(c.r.p.n)
	var out []linear.Row
	for i, b := range d.bounds {
		if b.set {
			l := c.dirs[i].Subst(func(v exact.Var) exact.Lin {
				if v < n {
					return exact.V(v + before)
				}
				return exact.V(v - n + after)
			}).Neg()
			l.Const = l.Const.Add(b.v)
			out = append(out, linear.AtLeast(l))
		}
	}
	return out
}

// add has d covered by a relation; false where that needs one that nothing ranks, or too many.
func (c *closure) add(ctx context.Context, d difference) bool {
	if d.bounds == nil {
		return true // no run does that
	}
	for i := range c.all {
		if c.all[i].covers(d) {
			return true
		}
	}
	if len(c.all) == policy.Relations || ctx.Err() != nil {
		return false
	}
	rel := certify.Relation{From: d.from, To: d.to}
	rows := c.rows(d, 0, exact.Var(c.r.p.n))
	for _, row := range rows {
		rel.Rows = append(rel.Rows, row.Lin)
	}
	if d.from == d.to {
		f, ok := c.ranked(ctx, rows)
		if !ok {
			return false
		}
		rel.Falls = f
	}
	c.all, c.cert = append(c.all, d), append(c.cert, rel)
	return true
}

// covers reports whether d is part of x.
func (x *difference) covers(d difference) bool {
	if x.from != d.from || x.to != d.to {
		return false
	}
	for i, b := range x.bounds {
		if b.set && (!d.bounds[i].set || d.bounds[i].v.Cmp(b.v) > 0) {
			return false
		}
	}
	return true
}

// ranked returns a function that is at least 0 before, and less after, wherever the rows hold.
func (c *closure) ranked(ctx context.Context, rows []linear.Row) (f exact.Lin, ok bool) {
	g := newProgram()
	before := g.affine(c.r.vars)
	drop := template{map[exact.Var]exact.Lin{}, exact.C(-1)}
	for _, v := range c.r.vars {
		drop.coef[v] = before.coef[v]
		drop.coef[v+exact.Var(c.r.p.n)] = before.coef[v].Neg()
	}
	g.implies(rows, drop)
	g.implies(rows, before)
	if g.tb.Check(ctx) != linear.Sat {
		return f, false
	}
	return g.solution([]map[its.Loc]template{{0: before}})[0][0], true
}
