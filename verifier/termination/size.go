package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// signed is a variable or its negation; sizes bound max(0, signed).
type signed int

func pos(v exact.Var) signed { return signed(2 * v) }
func neg(v exact.Var) signed { return signed(2*v + 1) }

func (s signed) variable() exact.Var { return exact.Var(s / 2) }

func (s signed) lin() exact.Lin {
	l := exact.V(s.variable())
	if s%2 == 1 {
		return l.Neg()
	}
	return l
}

// local bounds an expression after an edge by signed variables before it:
// max(0, e) <= c + sum k*max(0, s), or by absolute values of nonlinear monomials.
type local struct {
	ok    bool
	c     exact.Int
	terms []localTerm
	monos []exact.Mono // in addition: |coef| times absolute values
}

type localTerm struct {
	s signed
	k exact.Int
}

// linearUpper bounds target (over the state before e and temporaries) by a
// natural combination of signed variables, of least weight; weight 0 rules a
// signed variable out.
func (r *ranker) linearUpper(ctx context.Context, e *edge, target exact.Lin, weight func(signed) int64) local {
	g := newProgram()
	goal := template{map[exact.Var]exact.Lin{}, exact.Lin{}}
	var cost []exact.Term
	var used []signed
	var unknowns []exact.Var
	rows, near := connected(r.lean(ctx, e), target)
	for _, v := range r.vars {
		if !near[v] {
			continue
		}
		for _, s := range []signed{pos(v), neg(v)} {
			w := weight(s)
			if w == 0 {
				continue
			}
			k := g.unknown()
			g.tb.Add(linear.AtLeast(exact.V(k)))
			cost = append(cost, exact.Term{Var: k, Coef: exact.I(-w * policy.BoundUnit)})
			sign := s.lin().Terms[0].Coef
			goal.coef[v] = goal.coef[v].AddScaled(sign, exact.V(k))
			used, unknowns = append(used, s), append(unknowns, k)
		}
	}
	up, down := g.unknown(), g.unknown()
	g.tb.Add(linear.AtLeast(exact.V(up)))
	g.tb.Add(linear.AtLeast(exact.V(down)))
	cost = append(cost, exact.Term{Var: up, Coef: exact.I(-1)})
	goal.c = exact.V(up).Sub(exact.V(down)).AddInt(0)
	goal.c.Const = goal.c.Const.Sub(target.Const)
	for _, t := range target.Terms {
		goal.coef[t.Var] = goal.coef[t.Var].Sub(exact.Lin{Const: t.Coef})
	}
	g.implies(rows, goal)
	if _, kind := g.tb.Maximise(ctx, exact.LinOf(exact.Int{}, cost...)); kind != linear.Attained {
		return local{}
	}
	out := local{ok: true, c: g.tb.Value(up).Ceil()}
	for i, s := range used {
		if k := g.tb.Value(unknowns[i]).Ceil(); k.Sign() > 0 {
			out.terms = append(out.terms, localTerm{s, k})
		}
	}
	return out
}

// connected are the rows that share variables with target, directly or through
// other rows, and those variables: nothing else can help to bound it.
func connected(rows []linear.Row, target exact.Lin) ([]linear.Row, map[exact.Var]bool) {
	near := map[exact.Var]bool{}
	for _, t := range target.Terms {
		near[t.Var] = true
	}
	taken := make([]bool, len(rows))
	for changed := true; changed; {
		changed = false
		for i, r := range rows {
			touches := false
			for _, t := range r.Lin.Terms {
				touches = touches || near[t.Var]
			}
			if taken[i] || !touches {
				continue
			}
			taken[i], changed = true, true
			for _, t := range r.Lin.Terms {
				near[t.Var] = true
			}
		}
	}
	var out []linear.Row
	for i, r := range rows {
		if taken[i] {
			out = append(out, r)
		}
	}
	return out, near
}

// sizes holds size bounds per edge: what max(0, signed) is at most after it.
type sizes struct {
	b     *bounder
	after map[*edge][]*Bound
	local map[*edge][]local // first choice per signed variable
	other map[*edge][]local // a choice that avoids growth, if there is one
}

// before is the size of a signed variable at a location.
func (z *sizes) before(l its.Loc, s signed) *Bound {
	if l == z.b.p.sys.Start {
		return posBound(s.lin())
	}
	out := Zero()
	for _, e := range z.b.into[l] {
		after, known := z.after[e]
		if !known {
			return nil
		}
		if out = out.upperOf(after[s]); out == nil {
			return nil
		}
	}
	return out
}

// absolute bounds |v| at a location.
func (z *sizes) absolute(l its.Loc, v exact.Var) *Bound {
	return z.before(l, pos(v)).upperOf(z.before(l, neg(v)))
}

// value is a local bound with the sizes at the edge's source filled in.
func (z *sizes) value(e *edge, l local) *Bound {
	if !l.ok {
		return nil
	}
	out := constBound(l.c)
	for _, t := range l.terms {
		out = out.add(z.before(e.from, t.s).scale(t.k))
	}
	return out.add(z.polyValue(e, l.monos))
}

func (z *sizes) polyValue(e *edge, monos []exact.Mono) *Bound {
	out := Zero()
	for _, m := range monos {
		f := constBound(m.Coef.Abs())
		for _, v := range m.Vars {
			if int(v) >= z.b.p.n {
				return nil
			}
			f = f.mul(z.absolute(e.from, v))
		}
		out = out.add(f)
	}
	return out
}

// locals computes the local bounds of a component's edges.
func (z *sizes) locals(ctx context.Context, comp []*edge) {
	steady := map[exact.Var]bool{}
	for _, v := range z.b.r.vars {
		steady[v] = true
		for _, e := range comp {
			steady[v] = steady[v] && e.upd[v].IsVar(v)
		}
	}
	for _, e := range comp {
		z.local[e] = make([]local, 2*z.b.p.n)
		z.other[e] = make([]local, 2*z.b.p.n)
		for _, v := range z.b.r.vars {
			for _, s := range []signed{pos(v), neg(v)} {
				z.local[e][s], z.other[e][s] = z.choose(ctx, e, s, steady)
			}
		}
	}
}

// choose picks a local bound, and a second one without the variable itself when
// the first lets it grow.
func (z *sizes) choose(ctx context.Context, e *edge, s signed, steady map[exact.Var]bool) (local, local) {
	target := e.after(s.lin())
	if target.Equal(s.lin()) {
		return local{ok: true, terms: []localTerm{{s, exact.I(1)}}}, local{}
	}
	weight := func(own int64) func(signed) int64 {
		return func(t signed) int64 {
			switch {
			case t == s:
				return own
			case steady[t.variable()]:
				return policy.BoundSteady
			}
			return policy.BoundOther
		}
	}
	first := z.b.r.linearUpper(ctx, e, target, weight(policy.BoundOwn))
	if !first.ok {
		return z.polynomial(e, s), local{}
	}
	grows := !first.c.IsZero() || len(first.terms) > 1
	own := false
	for _, t := range first.terms {
		own = own || t.s == s
		grows = grows || !t.k.IsOne()
	}
	if !own || !grows {
		return first, local{}
	}
	return first, z.b.r.linearUpper(ctx, e, target, weight(0))
}

// polynomial is the local bound of a nonlinear update: its linear part by signs,
// the rest by absolute values.
func (z *sizes) polynomial(e *edge, s signed) local {
	p := e.full.Update[s.variable()]
	if p.Degree() < 2 {
		return local{}
	}
	if s%2 == 1 {
		p = p.Neg()
	}
	return z.b.p.polyLocal(p)
}

func (q *problem) polyLocal(p exact.Poly) local {
	out := local{ok: true}
	for _, m := range p.Monos {
		switch {
		case len(m.Vars) == 0:
			if m.Coef.Sign() > 0 {
				out.c = m.Coef
			}
		case len(m.Vars) == 1 && int(m.Vars[0]) < q.n:
			t := pos(m.Vars[0])
			if m.Coef.Sign() < 0 {
				t = neg(m.Vars[0])
			}
			out.terms = append(out.terms, localTerm{t, m.Coef.Abs()})
		default:
			out.monos = append(out.monos, m)
		}
	}
	return out
}
