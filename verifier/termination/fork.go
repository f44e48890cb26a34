package termination

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// A transition with several successors (Com_k: behind a call, and in the callee) makes a run a tree, and bounds count
// over the whole tree. It is one edge per successor; the edges of one transition run equally often. Arguments about a
// run in a component hold there while no transition has two successors in the component: then each time that a run
// enters it, one path goes on inside. Elsewhere a function must pay for all successors together (forkRank), or the
// depth of the tree bounds its breadth (widthBound).

// forkEnds are the locations at both ends of transitions with several successors. They are never removed, so that each
// successor is an edge of its own.
func forkEnds(sys *its.System) map[its.Loc]bool {
	out := map[its.Loc]bool{}
	for i := range sys.Trans {
		if t := &sys.Trans[i]; len(t.Also) > 0 {
			out[t.From] = true
			for _, target := range t.Targets() {
				out[target.To] = true
			}
		}
	}
	return out
}

// forks are the edges of each transition with several successors, by any of them.
func (p *problem) forks() map[*edge][]*edge {
	byTrans := map[int][]*edge{}
	for _, e := range p.edges {
		if s := e.path[0]; len(p.sys.Trans[s.Trans].Also) > 0 {
			byTrans[s.Trans] = append(byTrans[s.Trans], e)
		}
	}
	out := map[*edge][]*edge{}
	for _, es := range byTrans {
		for _, e := range es {
			out[e] = es
		}
	}
	return out
}

// forkWith are the edges of part that are of the same transition as e, which is one of them.
func (b *bounder) forkWith(e *edge, part []*edge) []*edge {
	if b.forks[e] == nil {
		return []*edge{e}
	}
	var out []*edge
	for _, f := range part {
		if f.path[0].Trans == e.path[0].Trans && b.forks[f] != nil {
			out = append(out, f)
		}
	}
	return out
}

// branches returns how many edges of part a run takes at once at most.
func (b *bounder) branches(part []*edge) int {
	most := 0
	for _, e := range part {
		most = max(most, len(b.forkWith(e, part)))
	}
	return most
}

// visits bounds how often a run comes to a location.
func (b *bounder) visits(l its.Loc) *Bound {
	if l == b.p.sys.Start {
		return constBound(exact.I(1))
	}
	out := Zero()
	for _, e := range b.into[l] {
		out = out.add(b.time[e])
	}
	return out
}

// leave bounds how often e runs, which leads out of the component with the edges inner.
func (b *bounder) leave(e *edge, inner []*edge) *Bound {
	if len(b.forks) == 0 {
		return constBound(exact.I(1))
	}
	out := better(b.time[e], b.visits(e.from))
	if b.forksInto(e, inner) {
		return out // the run goes on inside as well
	}
	if b.trunk[e.from] {
		return constBound(exact.I(1))
	}
	if b.branches(inner) > 1 {
		return out
	}
	inside := map[*edge]bool{}
	at := map[its.Loc]bool{e.from: true}
	for _, f := range inner {
		inside[f], at[f.from] = true, true
	}
	entries := Zero()
	for _, f := range b.p.edges {
		if at[f.to] && !inside[f] {
			entries = entries.add(b.time[f])
		}
	}
	return better(out, entries)
}

// forksInto reports whether the transition of e leads to inner edges as well.
func (b *bounder) forksInto(e *edge, inner []*edge) bool {
	for _, f := range b.forks[e] {
		if slices.Contains(inner, f) {
			return true
		}
	}
	return false
}

// stands reports whether e is the edge that stands for its transition.
func (b *bounder) stands(e *edge) bool { return b.forks[e] == nil || b.forks[e][0] == e }

// trunkOf are the locations that no successor but the first of any transition leads to: a run has one path there.
func (p *problem) trunkOf() map[its.Loc]bool {
	off := map[its.Loc]bool{}
	for _, e := range p.edges {
		if e.path[0].Target > 0 {
			off[e.to] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range p.edges {
			if off[e.from] && !off[e.to] {
				off[e.to], changed = true, true
			}
		}
	}
	out := map[its.Loc]bool{}
	for _, l := range p.cuts {
		out[l] = !off[l]
	}
	return out
}

// forkRank bounds edges of part by a function that pays, at each of its transitions, for all successors in part
// together: it is at least the sum over the successors where it is positive, that is over any set of them.
func (b *bounder) forkRank(ctx context.Context, part []*edge) bool {
	g := newProgram()
	f := b.r.unknowns(g, part)
	falls := map[*edge]exact.Var{}
	var goal exact.Lin
	for _, e := range part {
		with := b.forkWith(e, part)
		if e != with[0] {
			continue
		}
		if 1<<len(with) > policy.ForkGoals {
			return false
		}
		d := g.unknown()
		g.tb.Add(linear.AtLeast(exact.V(d)))
		g.tb.Add(linear.AtLeast(exact.C(1).Sub(exact.V(d))))
		goal = goal.Add(exact.V(d))
		rows, after := b.together(ctx, with, f)
		for set := 0; set < 1<<len(with); set++ {
			left := f[e.from]
			left.c = left.c.Sub(exact.V(d))
			for i := range with {
				if set>>i&1 == 1 {
					left = left.add(-1, after[i])
				}
			}
			g.implies(rows, left)
		}
		for _, w := range with {
			falls[w] = d
		}
	}
	if v, kind := g.tb.Maximise(ctx, goal); kind != linear.Attained || v.Sign() <= 0 {
		return false
	}
	var strict []*edge
	for _, e := range part {
		if g.tb.Value(falls[e]).Cmp(exact.R(1)) == 0 {
			strict = append(strict, e)
		}
	}
	if len(strict) == 0 {
		return false
	}
	fs := g.solution([]map[its.Loc]template{f})[0]
	return b.learn(strict, b.entered(part, fs, func(e *edge, f exact.Lin) *Bound { return b.entry(ctx, e, f) }))
}

// together returns what is known when the edges of one transition are taken, and f behind each of them. The temporaries
// that stand for nonlinear terms are each edge's own.
func (b *bounder) together(ctx context.Context, es []*edge, f map[its.Loc]template) ([]linear.Row, []template) {
	var rows []linear.Row
	var after []template
	own := exact.Var(b.p.n + es[0].full.Temps)
	shift := exact.Var(0)
	for _, e := range es {
		rename := func(v exact.Var) exact.Var {
			if v >= own {
				return v + shift
			}
			return v
		}
		for _, r := range b.r.lean(ctx, e) {
			rows = append(rows, linear.Row{Lin: r.Lin.Subst(func(v exact.Var) exact.Lin { return exact.V(rename(v)) }),
				EQ: r.EQ})
		}
		t := f[e.to].after(e)
		moved := template{map[exact.Var]exact.Lin{}, t.c}
		for v, l := range t.coef {
			moved.coef[rename(v)] = l
		}
		after = append(after, moved)
		shift += exact.Var(e.nv) - own
	}
	return rows, after
}

// entered sums, over the edges that enter part, how often each runs times what f is worth after it.
func (b *bounder) entered(part []*edge, f map[its.Loc]exact.Lin, worth func(*edge, exact.Lin) *Bound) *Bound {
	total := Zero()
	for l := range f {
		for _, e := range b.into[l] {
			if !slices.Contains(part, e) {
				total = total.add(b.time[e].mul(worth(e, f[l])))
			}
		}
	}
	return total
}

// widthBound bounds a part with forks by a function that falls on each of its edges: a path has at most as many edges
// as it is worth, and a tree of k branches and that depth at most k to the power of one more.
func (b *bounder) widthBound(ctx context.Context, part []*edge) bool {
	strict, fs := b.r.linearAll(ctx, part)
	if len(strict) < len(part) {
		return false
	}
	k := exact.I(int64(b.branches(part)))
	return b.learn(part, b.entered(part, fs[0], func(e *edge, f exact.Lin) *Bound {
		return powBound(k, b.entry(ctx, e, f.AddInt(1)).add(constBound(exact.I(1))))
	}))
}

// lastPaths bounds the cost of the paths at the ends of a run that do not reach a cut location any more, and how many
// they are: of a tree, each visit of a location may have as many as a transition has successors.
func (b *bounder) lastPaths(dearest map[its.Loc]exact.Int) (cost, number *Bound) {
	wide := 1
	for i := range b.p.sys.Trans {
		wide = max(wide, len(b.p.sys.Trans[i].Targets()))
	}
	cost, number = Zero(), Zero()
	for _, l := range b.p.cuts {
		n := b.visits(l).scale(exact.I(int64(wide)))
		number = number.add(n)
		cost = cost.add(n.mul(constBound(dearest[l])))
	}
	return cost, number
}
