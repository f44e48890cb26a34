package termination

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

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
