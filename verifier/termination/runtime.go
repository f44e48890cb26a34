package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
)

// bounder alternates runtime and size bounds, component by component.
type bounder struct {
	p     *problem
	r     *ranker
	into  map[its.Loc][]*edge
	time  map[*edge]*Bound // how often an edge runs; nil: no bound yet
	sizes *sizes

	forks map[*edge][]*edge // the edges of a transition with several successors, by each of them
	trunk map[its.Loc]bool  // where a run has one path only

	mode   mode
	outer  *bounder // the bounder whose system this one refines, if any
	origin []*edge  // per transition of the refined system its edge there
}

func newBounder(p *problem) *bounder {
	b := &bounder{p: p, r: newRanker(p), into: map[its.Loc][]*edge{}, time: map[*edge]*Bound{}}
	reached := map[its.Loc]bool{}
	for _, comp := range p.components(nil) {
		for _, l := range comp {
			reached[l] = true
		}
	}
	for _, e := range p.edges {
		if reached[e.from] { // run visits no others, and no run takes them
			b.into[e.to] = append(b.into[e.to], e)
		}
	}
	b.sizes = &sizes{b: b, after: map[*edge][]*Bound{}, local: map[*edge][]local{}, other: map[*edge][]local{}}
	return b
}

// run bounds every edge it can.
func (b *bounder) run(ctx context.Context) {
	for _, comp := range b.p.components(nil) {
		inside := map[its.Loc]bool{}
		for _, l := range comp {
			inside[l] = true
		}
		var inner, leaving []*edge
		for _, e := range b.p.edges {
			switch {
			case inside[e.from] && inside[e.to]:
				inner = append(inner, e)
			case inside[e.from]:
				leaving = append(leaving, e)
			}
		}
		if len(inner) > 0 {
			b.component(ctx, inner)
			if b.mode.hasty && len(b.unknown(inner)) > 0 {
				return
			}
		}
		for _, e := range leaving {
			b.learn([]*edge{e}, b.leave(e, inner))
			b.single(ctx, e)
		}
	}
}

// single computes the sizes after an edge that is on no cycle.
func (b *bounder) single(ctx context.Context, e *edge) {
	one := []*edge{e}
	b.sizes.locals(ctx, one)
	b.sizes.component(one)
	if e.from != b.p.sys.Start {
		return
	}
	// from the start, values are expressions over the inputs
	for _, v := range b.r.vars {
		for _, s := range []signed{pos(v), neg(v)} {
			l := e.after(s.lin())
			if b.overState(l) {
				b.sizes.after[e][s] = atStart(b.sizes.after[e][s], l)
			}
		}
	}
}

func (b *bounder) overState(l exact.Lin) bool {
	return len(l.Terms) == 0 || int(l.Terms[len(l.Terms)-1].Var) < b.p.n
}

// component alternates until every edge has a bound or nothing moves.
func (b *bounder) component(ctx context.Context, comp []*edge) {
	b.sizes.locals(ctx, comp)
	b.sizes.component(comp)
	for ctx.Err() == nil {
		b.acyclic(comp)
		progress := false
		for _, s := range b.r.split(b.unknown(comp)) {
			progress = b.rankBound(ctx, comp, s) || progress
		}
		b.acyclic(comp)
		b.sizes.component(comp)
		if !progress || len(b.unknown(comp)) == 0 {
			break
		}
	}
	b.improve(ctx, comp)
	b.sizes.component(comp)
}

func (b *bounder) unknown(comp []*edge) []*edge {
	var out []*edge
	for _, e := range comp {
		if b.time[e] == nil {
			out = append(out, e)
		}
	}
	return out
}

// acyclic bounds edges that are on no cycle of unbounded edges: between two
// bounded steps each runs at most once.
func (b *bounder) acyclic(comp []*edge) {
	open := b.unknown(comp)
	if b.branches(open) > 1 {
		return
	}
	cyclic := map[*edge]bool{}
	for _, s := range b.r.split(open) {
		for _, e := range s {
			cyclic[e] = true
		}
	}
	if len(cyclic) == len(open) {
		return
	}
	isOpen := map[*edge]bool{}
	for _, e := range open {
		isOpen[e] = true
	}
	for _, e := range open {
		if cyclic[e] {
			continue
		}
		// the open edges from which e.from is reached
		back := map[its.Loc]bool{e.from: true}
		for changed := true; changed; {
			changed = false
			for _, f := range open {
				if back[f.to] && !back[f.from] {
					back[f.from], changed = true, true
				}
			}
		}
		sum := Zero()
		for _, f := range b.p.edges {
			if back[f.to] && !isOpen[f] {
				sum = sum.add(b.time[f])
			}
		}
		b.time[e] = sum
	}
}

// entry bounds max(0, f) after an edge.
func (b *bounder) entry(ctx context.Context, e *edge, f exact.Lin) *Bound {
	target := e.after(f)
	if target.IsConst() {
		return constBound(target.Const)
	}
	cache := map[signed]int64{}
	weight := func(s signed) int64 {
		w, ok := cache[s]
		if !ok {
			g := b.sizes.before(e.from, s).growth()
			switch {
			case g.infinite:
			case g.exponential:
				w = 1000000
			default:
				w = 1
				for i := 0; i < min(g.degree, 6); i++ {
					w *= 10
				}
			}
			cache[s] = w
		}
		return w
	}
	best := b.sizes.value(e, b.r.linearUpper(ctx, e, target, weight))
	p := exact.PolyOf(f).Subst(func(v exact.Var) exact.Poly { return e.full.Update[v] })
	if p.Degree() > 1 {
		best = better(best, b.sizes.value(e, b.p.polyLocal(p)))
	}
	if e.from == b.p.sys.Start && b.overState(target) {
		best = atStart(best, target)
	}
	return best
}

// rankBound looks for ranking functions that bound some edge of part, a
// component of the unbounded edges of comp.
func (b *bounder) rankBound(ctx context.Context, comp, part []*edge) bool {
	if b.branches(part) > 1 {
		return b.try(byForks, func() bool { return b.forkRank(ctx, part) }) ||
			b.try(byWidths, func() bool { return b.widthBound(ctx, part) })
	}
	if b.try(byFewTurns, func() bool { return b.fewTurns(ctx, part) }) ||
		b.try(byLogarithms, func() bool { return b.logarithmic(ctx, part) }) {
		return true
	}
	found := b.branches(comp) == 1 && b.try(byAmortised, func() bool { return b.amortised(ctx, comp, part) })
	if b.p.on(byResets) {
		if strict, fs := b.r.linearAll(ctx, part); len(strict) > 0 {
			found = b.p.did(byResets, b.reset(ctx, part, strict, fs)) || found
		}
	}
	if found {
		return true
	}
	size := 0
	for _, e := range part {
		if b.r.standsStill(ctx, e) {
			return false
		}
		size += len(b.r.lean(ctx, e)) + 2*len(b.r.vars)
	}
	most := policy.BoundPhases
	if !b.p.on(byPhaseBound) {
		most = 0
	}
	for depth := 1; depth <= most && size*depth*depth <= policy.BoundPhaseSize; depth++ {
		for _, e := range part {
			if ctx.Err() != nil {
				return false
			}
			fs := b.r.multiphase(ctx, part, e, depth)
			if fs == nil {
				continue
			}
			found = b.p.did(byPhaseBound, b.reset(ctx, part, b.r.extend(ctx, part, e, fs), fs)) || found
		}
		if found {
			return true
		}
	}
	return b.try(byClosed, func() bool { return b.twn(ctx, part) })
}

// try tries a technique, if it is not left out.
func (b *bounder) try(name string, find func() bool) bool {
	return b.p.on(name) && b.p.did(name, find())
}

// learn keeps a bound where it is better.
func (b *bounder) learn(strict []*edge, total *Bound) bool {
	if total == nil {
		return false
	}
	for _, e := range strict {
		b.time[e] = better(b.time[e], total)
		for _, f := range b.forks[e] { // runs as often
			b.time[f] = better(b.time[f], total)
		}
	}
	return true
}

// improve tries to pay for edges of high order with edges of lower order.
func (b *bounder) improve(ctx context.Context, comp []*edge) {
	if b.branches(comp) > 1 || !b.p.on(byAmortised) {
		return
	}
	for _, e := range comp {
		g := b.time[e].growth()
		if g.infinite || !g.exponential && g.degree < 2 || ctx.Err() != nil {
			continue
		}
		b.p.did(byAmortised, b.payFor(ctx, comp, []*edge{e}, e))
	}
}
