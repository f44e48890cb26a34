package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
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

// Weights of the program that chooses local bounds: a constant is better than a
// variable up to about weightUnit, so that the bounds of machine types lose.
const (
	weightUnit   = 10000
	weightSteady = 10 // a variable that the component does not change
	weightOwn    = 12 // the variable itself
	weightOther  = 15
)

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
			cost = append(cost, exact.Term{Var: k, Coef: exact.I(-w * weightUnit)})
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
				return weightSteady
			}
			return weightOther
		}
	}
	first := z.b.r.linearUpper(ctx, e, target, weight(weightOwn))
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

// node is a signed variable after an edge.
type node struct {
	e *edge
	s signed
}

// component computes the sizes after a component's edges from those that enter
// it and from how often its edges run.
func (z *sizes) component(comp []*edge) {
	choices := []map[*edge][]local{z.local, z.mixed(comp)}
	var results []map[*edge][]*Bound
	for _, c := range choices {
		for _, e := range comp {
			z.after[e] = make([]*Bound, 2*z.b.p.n)
		}
		z.solve(comp, c)
		got := map[*edge][]*Bound{}
		for _, e := range comp {
			got[e] = z.after[e]
		}
		results = append(results, got)
	}
	for _, e := range comp {
		out := make([]*Bound, 2*z.b.p.n)
		for s := range out {
			out[s] = better(results[0][e][s], results[1][e][s])
		}
		z.after[e] = out
	}
}

// mixed prefers the second choices.
func (z *sizes) mixed(comp []*edge) map[*edge][]local {
	out := map[*edge][]local{}
	for _, e := range comp {
		out[e] = append([]local(nil), z.local[e]...)
		for s, l := range z.other[e] {
			if l.ok {
				out[e][s] = l
			}
		}
	}
	return out
}

// solve walks the components of "the size of this depends on that".
func (z *sizes) solve(comp []*edge, loc map[*edge][]local) {
	var nodes []node
	index := map[node]int{}
	for _, e := range comp {
		for _, v := range z.b.r.vars {
			for _, s := range []signed{pos(v), neg(v)} {
				index[node{e, s}] = len(nodes)
				nodes = append(nodes, node{e, s})
			}
		}
	}
	g := &its.System{Locs: make([]string, len(nodes)+1)}
	root := its.Loc(len(nodes))
	self := map[int]bool{}
	for i, n := range nodes {
		g.Trans = append(g.Trans, its.Transition{From: root, To: its.Loc(i)})
		z.depends(n, loc[n.e][n.s], func(d node) {
			if j, ok := index[d]; ok {
				g.Trans = append(g.Trans, its.Transition{From: its.Loc(j), To: its.Loc(i)})
				if i == j {
					self[i] = true
				}
			}
		})
	}
	for _, c := range g.SCCs(root, nil)[1:] {
		if n := nodes[c[0]]; len(c) == 1 && !self[int(c[0])] {
			z.after[n.e][n.s] = z.value(n.e, loc[n.e][n.s])
			continue
		}
		z.cycle(nodes, c, loc)
	}
}

// depends visits what a local bound reads.
func (z *sizes) depends(n node, l local, visit func(node)) {
	read := func(s signed) {
		for _, g := range z.b.into[n.e.from] {
			visit(node{g, s})
		}
	}
	for _, t := range l.terms {
		read(t.s)
	}
	for _, m := range l.monos {
		for _, v := range m.Vars {
			if int(v) < z.b.p.n {
				read(pos(v))
				read(neg(v))
			}
		}
	}
}

// cycle bounds signed variables that depend on each other: each run of an edge
// multiplies their maximum by its factor and adds its addend.
func (z *sizes) cycle(nodes []node, members []its.Loc, loc map[*edge][]local) {
	in := map[node]bool{}
	for _, i := range members {
		in[nodes[i]] = true
	}
	start := Zero()
	factor := map[*edge]exact.Int{}
	addend := map[*edge]*Bound{}
	var order []*edge
	for _, i := range members {
		n := nodes[i]
		l := loc[n.e][n.s]
		k, add := exact.Int{}, constBound(l.c)
		for _, t := range l.terms {
			cyclic := false
			outside := Zero()
			for _, g := range z.b.into[n.e.from] {
				if in[node{g, t.s}] {
					cyclic = true
				} else {
					outside = outside.upperOf(z.after[g][t.s])
				}
			}
			if n.e.from == z.b.p.sys.Start {
				outside = posBound(t.s.lin())
			}
			if cyclic {
				k = k.Add(t.k)
				start = start.upperOf(outside)
			} else {
				add = add.add(outside.scale(t.k))
			}
		}
		z.depends(n, local{monos: l.monos}, func(d node) {
			if in[d] {
				add = nil
			}
		})
		add = add.add(z.polyValue(n.e, l.monos))
		if old, ok := addend[n.e]; ok {
			addend[n.e] = old.upperOf(add)
			if k.Cmp(factor[n.e]) > 0 {
				factor[n.e] = k
			}
		} else {
			addend[n.e], factor[n.e] = add, k
			order = append(order, n.e)
		}
	}
	total := start
	for _, e := range order {
		total = total.add(z.b.time[e].mul(addend[e]))
	}
	for _, e := range order {
		if factor[e].Cmp(exact.I(1)) > 0 && total != nil && len(total.monos) > 0 {
			total = total.mul(powBound(factor[e], z.b.time[e]))
		}
	}
	for _, i := range members {
		z.after[nodes[i].e][nodes[i].s] = total
	}
}
