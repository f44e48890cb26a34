package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// template is an affine expression over the program's variables whose
// coefficients are expressions over unknowns of a linear program.
type template struct {
	coef map[exact.Var]exact.Lin
	c    exact.Lin
}

func (t template) add(k int64, u template) template {
	out := template{map[exact.Var]exact.Lin{}, t.c.AddScaled(exact.I(k), u.c)}
	for v, l := range t.coef {
		out.coef[v] = l
	}
	for v, l := range u.coef {
		out.coef[v] = out.coef[v].AddScaled(exact.I(k), l)
	}
	return out
}

// after composes the template with a linear update.
func (t template) after(e *edge) template {
	out := template{map[exact.Var]exact.Lin{}, t.c}
	for _, v := range sortedVars(t.coef) {
		l := t.coef[v]
		u := e.upd[v]
		out.c = out.c.AddScaled(u.Const, l)
		for _, term := range u.Terms {
			out.coef[term.Var] = out.coef[term.Var].AddScaled(term.Coef, l)
		}
	}
	return out
}

// sortedVars lists the variables in ascending order.
func sortedVars(m map[exact.Var]exact.Lin) []exact.Var {
	out := make([]exact.Var, 0, len(m))
	for v := range m {
		out = append(out, v)
	}
	for i := 1; i < len(out); i++ {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// program is a linear program over unknowns: template coefficients, Farkas
// multipliers, and how much each edge decreases.
type program struct {
	tb   *linear.Tableau
	next exact.Var
}

func newProgram() *program { return &program{tb: linear.NewTableau(false)} }

func (g *program) unknown() exact.Var {
	g.next++
	return g.next - 1
}

// affine is a template with fresh unknowns for the given variables.
func (g *program) affine(vars []exact.Var) template {
	t := template{map[exact.Var]exact.Lin{}, exact.V(g.unknown())}
	for _, v := range vars {
		t.coef[v] = exact.V(g.unknown())
	}
	return t
}

// implies demands that the rows imply goal >= 0, by Farkas' lemma: goal is a sum
// of weights times rows, plus something not negative.
func (g *program) implies(rows []linear.Row, goal template) {
	sum := map[exact.Var][]exact.Term{}
	constant := append([]exact.Term(nil), goal.c.Terms...)
	for _, r := range rows {
		w := g.unknown()
		if !r.EQ {
			g.tb.Add(linear.AtLeast(exact.V(w)))
		}
		for _, t := range r.Lin.Terms {
			sum[t.Var] = append(sum[t.Var], exact.Term{Var: w, Coef: t.Coef})
		}
		if !r.Lin.Const.IsZero() {
			constant = append(constant, exact.Term{Var: w, Coef: r.Lin.Const.Neg()})
		}
	}
	all := map[exact.Var]exact.Lin{}
	for v := range sum {
		all[v] = exact.Lin{}
	}
	for v, l := range goal.coef {
		all[v] = l
	}
	for _, v := range sortedVars(all) {
		e := exact.LinOf(exact.Int{}, sum[v]...).Sub(all[v])
		if !e.IsConst() || !e.Const.IsZero() {
			g.tb.Add(linear.Equals(e))
		}
	}
	g.tb.Add(linear.AtLeast(exact.LinOf(goal.c.Const, constant...)))
}

// solution scales the values of templates to integers, by a common factor that
// is at least 1.
func (g *program) solution(ts []map[its.Loc]template) []map[its.Loc]exact.Lin {
	scale := exact.I(1)
	see := func(l exact.Lin) {
		for _, t := range l.Terms {
			d := g.tb.Value(t.Var).Den()
			scale = scale.Mul(d.Quo(scale.GCD(d)))
		}
	}
	for _, m := range ts {
		for _, t := range m {
			see(t.c)
			for _, l := range t.coef {
				see(l)
			}
		}
	}
	value := func(l exact.Lin) exact.Int {
		return l.Eval(func(v exact.Var) exact.Int {
			return g.tb.Value(v).Mul(exact.RatOf(scale)).Num()
		})
	}
	out := make([]map[its.Loc]exact.Lin, len(ts))
	for i, m := range ts {
		out[i] = map[its.Loc]exact.Lin{}
		for loc, t := range m {
			terms := make([]exact.Term, 0, len(t.coef))
			for v, l := range t.coef {
				terms = append(terms, exact.Term{Var: v, Coef: value(l)})
			}
			out[i][loc] = exact.LinOf(value(t.c), terms...)
		}
	}
	return out
}

// leanOf returns the rows without redundant ones.
func (p *problem) leanOf(ctx context.Context, rows []linear.Row) []linear.Row {
	tb := linear.NewTableau(true)
	var kept []linear.Row
	// keep a row only if those kept so far do not imply it, bounds of single
	// variables first
	for _, single := range []bool{true, false} {
		for _, r := range rows {
			r.Lin = tighten(r)
			if (len(r.Lin.Terms) <= 1) != single {
				continue
			}
			if !r.EQ {
				if m, kind := tb.Maximise(ctx, r.Lin.Neg()); kind == linear.Attained && m.Sign() <= 0 {
					continue
				}
			}
			tb.Add(r)
			kept = append(kept, r)
		}
	}
	return linear.Irredundant(ctx, kept)
}

func tighten(r linear.Row) exact.Lin {
	if r.EQ {
		return r.Lin
	}
	return r.Lin.Tighten()
}
