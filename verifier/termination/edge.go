package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// edge is a path between two cut locations as one linear relation: rows over
// the variables and temporaries, and a linear update. What is not linear became
// a fresh temporary or was dropped, and then the edge is not exact.
type edge struct {
	id       int
	path     []certify.Step
	from, to its.Loc
	nv       int // variables plus temporaries
	rows     []linear.Row
	upd      []exact.Lin
	products []product // of which upd and rows speak
	cost     exact.Poly
	exact    bool // every step of the relation is a run of the program
	full     its.Transition
}

// problem is a system between its cut locations.
type problem struct {
	*tally
	sys    *its.System
	n      int
	cuts   []its.Loc // ascending; the start is one
	edges  []*edge
	inv    map[its.Loc][]exact.Lin // each >= 0; absent means no knowledge
	ladder *linear.Ladder
	leaf   bool // runs may leave the edges, and end there within tail steps
	// no cycle of the system is without a cut location, whether or not it can be taken: the checker proves less of
	// that than the search finds
	everyCycle bool
	removed    map[its.Loc]bool // by chaining
	kept       map[its.Loc]bool // never removed
}

// linearise fills the linear view of an edge.
func (e *edge) linearise(n int) {
	t := &e.full
	e.nv = n + t.Temps
	e.exact = t.Exact
	e.rows, e.upd = nil, make([]exact.Lin, n)
	e.products = nil
	monomials := map[string]exact.Var{}
	relax := func(p exact.Poly) exact.Lin {
		var l exact.Lin
		for _, m := range p.Monos {
			switch {
			case len(m.Vars) == 0:
				l.Const = l.Const.Add(m.Coef)
			case len(m.Vars) == 1:
				l = l.AddScaled(m.Coef, exact.V(m.Vars[0]))
			default:
				e.exact = false
				before := e.nv
				v := e.opaque(m.Vars, monomials)
				if l = l.AddScaled(m.Coef, exact.V(v)); e.nv > before && len(m.Vars) == 2 {
					e.products = append(e.products, product{v, m.Vars[0], m.Vars[1]})
				}
			}
		}
		return l
	}
	for _, a := range t.Guard {
		e.rows = append(e.rows, linear.Row{Lin: relax(a.Poly), EQ: a.Rel == its.EQ})
	}
	for v := range t.Update {
		e.upd[v] = relax(t.Update[v])
	}
	e.cost = t.Cost
	e.rows = append(e.rows, productFacts(e.rows, e.products)...)
}

// opaque is the temporary that stands for a nonlinear monomial, with the facts
// about its sign that hold for every power.
func (e *edge) opaque(vars []exact.Var, known map[string]exact.Var) exact.Var {
	key := exact.Poly{Monos: []exact.Mono{{Coef: exact.I(1), Vars: vars}}}.String()
	if v, ok := known[key]; ok {
		return v
	}
	v := exact.Var(e.nv)
	e.nv++
	known[key] = v
	even := len(vars)%2 == 0
	for i := 0; i+1 < len(vars); i += 2 {
		even = even && vars[i] == vars[i+1]
	}
	if even {
		e.rows = append(e.rows, linear.AtLeast(exact.V(v)))
		if len(vars) == 2 { // x*x >= x and x*x >= -x over the integers
			e.rows = append(e.rows, linear.AtLeast(exact.V(v).Sub(exact.V(vars[0]))),
				linear.AtLeast(exact.V(v).Add(exact.V(vars[0]))))
		}
	}
	return v
}

// after is an expression over the state after the edge, in terms of before.
func (e *edge) after(l exact.Lin) exact.Lin {
	return l.Subst(func(v exact.Var) exact.Lin { return e.upd[v] })
}

// hyp returns the hypotheses of the edge: invariant and guard.
func (p *problem) hyp(e *edge) []linear.Row {
	inv := p.inv[e.from]
	rows := make([]linear.Row, 0, len(inv)+len(e.rows))
	rows = append(rows, e.rows...)
	for _, l := range inv {
		rows = append(rows, linear.AtLeast(l))
	}
	return append(rows, productFacts(rows, e.products)...)
}

// newProblem cuts the system: locations are removed by chaining while that does
// not make the system larger, but those of kept, and edges that cannot be taken are dropped.
func newProblem(ctx context.Context, sys *its.System, ladder *linear.Ladder, everyCycle bool,
	kept map[its.Loc]bool) *problem {
	p := &problem{tally: newTally(nil), sys: sys, n: len(sys.Vars), inv: map[its.Loc][]exact.Lin{}, ladder: ladder,
		everyCycle: everyCycle,
		removed:    map[its.Loc]bool{}, kept: kept}
	for i := range sys.Trans {
		for k, target := range sys.Trans[i].Targets() {
			t := sys.Trans[i]
			t.To, t.Update, t.Also = target.To, target.Update, nil
			p.addEdge(ctx, t, []certify.Step{{Trans: i, Target: k}})
		}
	}
	p.dropUnreachable()
	for p.eliminateOne(ctx) {
	}
	p.renumber()
	return p
}

func (p *problem) addEdge(ctx context.Context, t its.Transition, path []certify.Step) {
	e := &edge{path: path, from: t.From, to: t.To, full: t}
	e.linearise(p.n)
	tb := linear.NewTableau(true)
	for _, r := range e.rows {
		tb.Add(r)
	}
	if tb.Check(ctx) == linear.Unsat {
		return
	}
	p.edges = append(p.edges, e)
}

func (p *problem) dropUnreachable() {
	seen := map[its.Loc]bool{p.sys.Start: true}
	for changed := true; changed; {
		changed = false
		for _, e := range p.edges {
			if seen[e.from] && !seen[e.to] {
				seen[e.to], changed = true, true
			}
		}
	}
	kept := p.edges[:0]
	for _, e := range p.edges {
		if seen[e.from] {
			kept = append(kept, e)
		}
	}
	p.edges = kept
}

// eliminateOne removes the location that is cheapest to remove, if any is cheap.
func (p *problem) eliminateOne(ctx context.Context) bool {
	in, out := map[its.Loc]int{}, map[its.Loc]int{}
	loop := map[its.Loc]bool{}
	for _, e := range p.edges {
		out[e.from]++
		in[e.to]++
		if e.from == e.to {
			loop[e.from] = true
		}
	}
	best, cost := its.Loc(-1), 0
	for l := its.Loc(0); int(l) < len(p.sys.Locs); l++ {
		if l == p.sys.Start || loop[l] || in[l] == 0 || p.kept[l] {
			continue
		}
		if c := in[l]*out[l] - in[l] - out[l]; (best < 0 || c < cost) && !(p.everyCycle && p.closesCycle(l)) {
			best, cost = l, c
		}
	}
	if best < 0 || cost > policy.SystemChainGrowth || ctx.Err() != nil {
		return false
	}
	p.eliminate(ctx, best)
	return true
}

// closesCycle reports whether the system has a cycle through l whose other locations are removed.
func (p *problem) closesCycle(l its.Loc) bool {
	seen := map[its.Loc]bool{}
	work := []its.Loc{l}
	for len(work) > 0 {
		from := work[len(work)-1]
		work = work[:len(work)-1]
		for i := range p.sys.Trans {
			if p.sys.Trans[i].From != from {
				continue
			}
			for _, t := range p.sys.Trans[i].Targets() {
				if t.To == l {
					return true
				}
				if p.removed[t.To] && !seen[t.To] {
					seen[t.To] = true
					work = append(work, t.To)
				}
			}
		}
	}
	return false
}

func (p *problem) eliminate(ctx context.Context, l its.Loc) {
	p.removed[l] = true
	var ins, outs, rest []*edge
	for _, e := range p.edges {
		switch l {
		case e.to:
			ins = append(ins, e)
		case e.from:
			outs = append(outs, e)
		default:
			rest = append(rest, e)
		}
	}
	p.edges = rest
	if len(outs) == 0 {
		p.leaf = true
	}
	for _, a := range ins {
		for _, b := range outs {
			t, ok := p.sys.Chain(&a.full, &b.full)
			if !ok {
				continue
			}
			path := append(append([]certify.Step(nil), a.path...), b.path...)
			p.addEdge(ctx, t, path)
		}
	}
}

// renumber orders edges and cut locations.
func (p *problem) renumber() {
	cut := map[its.Loc]bool{p.sys.Start: true}
	for i, e := range p.edges {
		e.id = i
		cut[e.from], cut[e.to] = true, true
	}
	p.cuts = nil
	for l := its.Loc(0); int(l) < len(p.sys.Locs); l++ {
		if cut[l] {
			p.cuts = append(p.cuts, l)
		}
	}
}

// isCut is the set of cut locations.
func (p *problem) isCut() map[its.Loc]bool {
	out := map[its.Loc]bool{}
	for _, l := range p.cuts {
		out[l] = true
	}
	return out
}
