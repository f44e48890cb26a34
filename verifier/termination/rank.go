package termination

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// ranker proves termination component by component.
type ranker struct {
	p     *problem
	rows  map[*edge][]linear.Row
	vars  []exact.Var // variables that can matter
	ranks []certify.Rank
	stuck [][]*edge // components where no function was found

	effort int64 // spent on linear programs for single edges

	narrow bool // leave out rows that speak of the range of a machine type

	phased bool         // look for phases that are not nested
	known  surroundings // beside the invariants
	phases int          // that are over
}

func newRanker(p *problem) *ranker {
	r := &ranker{p: p, rows: map[*edge][]linear.Row{}}
	for v, live := range p.liveVars() {
		if live {
			r.vars = append(r.vars, exact.Var(v))
		}
	}
	return r
}

func (r *ranker) lean(ctx context.Context, e *edge) []linear.Row {
	rows, ok := r.rows[e]
	if !ok {
		for _, row := range r.p.leanOf(ctx, append(r.p.hyp(e), r.known.rows(e)...)) {
			if !r.narrow || !typeLike(row.Lin.Const) {
				rows = append(rows, row)
			}
		}
		r.rows[e] = rows
	}
	return rows
}

// typeLike reports whether a constant looks like the end of a machine type's
// range: beyond 31 bits, or next to a power of two for 16-bit types.
func typeLike(c exact.Int) bool {
	c = c.Abs()
	if c.Cmp(exact.I(1<<31-2)) >= 0 {
		return true
	}
	for _, k := range []int64{1 << 15, 1 << 16} {
		if c.Sub(exact.I(k)).Abs().Cmp(exact.I(1)) <= 0 {
			return true
		}
	}
	return false
}

// run removes edges until no component has any, or none can be removed. It
// reports whether nothing is left.
func (r *ranker) run(ctx context.Context) bool {
	return r.removeAll(ctx, r.p.edges)
}

// removeAll does what run does for the given edges.
func (r *ranker) removeAll(ctx context.Context, edges []*edge) bool {
	work := [][]*edge{edges}
	for len(work) > 0 {
		edges := work[len(work)-1]
		work = work[:len(work)-1]
		for _, comp := range r.split(edges) {
			strict, rank := r.step(ctx, comp)
			if len(strict) == 0 {
				r.stuck = append(r.stuck, comp)
				continue
			}
			for _, e := range strict {
				rank.Strict = append(rank.Strict, e.path)
			}
			r.ranks = append(r.ranks, rank)
			gone := map[*edge]bool{}
			for _, e := range strict {
				gone[e] = true
			}
			var rest []*edge
			for _, e := range comp {
				if !gone[e] {
					rest = append(rest, e)
				}
			}
			work = append(work, rest)
		}
	}
	return len(r.stuck) == 0
}

// split groups edges by strongly connected component; edges between components
// are left out.
func (r *ranker) split(edges []*edge) [][]*edge {
	in := map[*edge]bool{}
	for _, e := range edges {
		in[e] = true
	}
	var out [][]*edge
	for _, comp := range r.p.components(func(e *edge) bool { return in[e] }) {
		inside := map[its.Loc]bool{}
		for _, l := range comp {
			inside[l] = true
		}
		var es []*edge
		for _, e := range edges {
			if inside[e.from] && inside[e.to] {
				es = append(es, e)
			}
		}
		if len(es) > 0 {
			out = append(out, es)
		}
	}
	return out
}

// step looks for a ranking step that takes out at least one edge.
func (r *ranker) step(ctx context.Context, comp []*edge) ([]*edge, certify.Rank) {
	if strict, funcs := r.find(ctx, comp); len(strict) > 0 {
		return strict, certify.Rank{Funcs: funcs}
	}
	if !r.phased || ctx.Err() != nil || slices.ContainsFunc(comp, func(e *edge) bool { return r.standsStill(ctx, e) }) {
		return nil, certify.Rank{}
	}
	if strict, rank := r.byPhase(ctx, comp); len(strict) > 0 {
		return strict, rank
	}
	if !r.p.on(byRelations) {
		return nil, certify.Rank{}
	}
	return r.byClosure(ctx, comp)
}

// find looks for a ranking function that takes out at least one edge.
func (r *ranker) find(ctx context.Context, comp []*edge) ([]*edge, []map[its.Loc]exact.Lin) {
	if r.p.on(byAffine) {
		if strict, funcs := r.linearAll(ctx, comp); len(strict) > 0 {
			return strict, funcs
		}
	}
	size := int64(0)
	for _, e := range comp {
		size += int64(len(r.lean(ctx, e)) + 2*len(r.vars))
	}
	for depth := 1; depth <= policy.NestedPhases && (depth == 1 || r.phases == 0); depth++ {
		if depth == 1 && !r.p.on(byAffine) || depth > 1 && !r.p.on(byNested) {
			continue
		}
		for _, e := range comp {
			if ctx.Err() != nil || r.effort > policy.RankEffort {
				return nil, nil
			}
			if r.standsStill(ctx, e) {
				continue
			}
			r.effort += size * int64(depth) * size * int64(depth)
			if funcs := r.multiphase(ctx, comp, e, depth); funcs != nil {
				return r.extend(ctx, comp, e, funcs), funcs
			}
		}
	}
	return nil, nil
}

func (r *ranker) unknowns(g *program, comp []*edge) map[its.Loc]template {
	f := map[its.Loc]template{}
	for _, e := range comp {
		for _, l := range []its.Loc{e.from, e.to} {
			if _, ok := f[l]; !ok {
				f[l] = g.affine(r.vars)
			}
		}
	}
	return f
}

// linearAll wants a function bounded on every edge, and as many strict edges as
// possible.
func (r *ranker) linearAll(ctx context.Context, comp []*edge) ([]*edge, []map[its.Loc]exact.Lin) {
	g := newProgram()
	f := r.unknowns(g, comp)
	var goal exact.Lin
	deltas := make([]exact.Var, len(comp))
	for i, e := range comp {
		rows := r.lean(ctx, e)
		d := g.unknown()
		deltas[i] = d
		g.tb.Add(linear.AtLeast(exact.V(d)))
		g.tb.Add(linear.AtLeast(exact.C(1).Sub(exact.V(d))))
		goal = goal.Add(exact.V(d))
		drop := f[e.from].add(-1, f[e.to].after(e))
		drop.c = drop.c.Sub(exact.V(d))
		g.implies(rows, drop)
		g.implies(rows, f[e.from])
	}
	if v, kind := g.tb.Maximise(ctx, goal); kind != linear.Attained || v.Sign() <= 0 {
		return nil, nil
	}
	var strict []*edge
	for i, e := range comp {
		if g.tb.Value(deltas[i]).Cmp(exact.R(1)) == 0 {
			strict = append(strict, e)
		}
	}
	return strict, g.solution([]map[its.Loc]template{f})
}

// multiphase wants functions f1..fd that do not rise on the component, and
// whose phases all fall on the one edge.
func (r *ranker) multiphase(ctx context.Context, comp []*edge, strict *edge, depth int) []map[its.Loc]exact.Lin {
	g := newProgram()
	fs := make([]map[its.Loc]template, depth)
	for i := range fs {
		fs[i] = r.unknowns(g, comp)
	}
	for _, e := range comp {
		rows := r.lean(ctx, e)
		for i, f := range fs {
			drop := f[e.from].add(-1, f[e.to].after(e))
			if e == strict {
				drop.c = drop.c.AddInt(-1)
				if i > 0 {
					drop = drop.add(1, fs[i-1][e.from])
				}
			}
			g.implies(rows, drop)
		}
		if e == strict {
			g.implies(rows, fs[depth-1][e.from])
		}
	}
	if g.tb.Check(ctx) != linear.Sat {
		return nil
	}
	return g.solution(fs)
}

// standsStill reports that an edge can leave all variables that matter as they
// are: no ranking function falls on it.
func (r *ranker) standsStill(ctx context.Context, e *edge) bool {
	if e.from != e.to {
		return false
	}
	tb := linear.NewTableau(true)
	for _, row := range r.lean(ctx, e) {
		tb.Add(row)
	}
	for _, v := range r.vars {
		tb.Add(linear.Equals(e.upd[v].Sub(exact.V(v))))
	}
	return tb.Check(ctx) == linear.Sat
}

// extend finds which other edges the functions take out as well.
func (r *ranker) extend(ctx context.Context, comp []*edge, strict *edge, fs []map[its.Loc]exact.Lin) []*edge {
	out := []*edge{strict}
	for _, e := range comp {
		if e != strict && r.falls(ctx, e, fs) {
			out = append(out, e)
		}
	}
	return out
}

func (r *ranker) falls(ctx context.Context, e *edge, fs []map[its.Loc]exact.Lin) bool {
	var goals []exact.Lin
	var previous exact.Lin
	for _, f := range fs {
		goals = append(goals, f[e.from].Add(previous).Sub(e.after(f[e.to])).AddInt(-1))
		previous = f[e.from]
	}
	goals = append(goals, previous)
	tb := linear.NewTableau(false)
	for _, row := range r.lean(ctx, e) {
		tb.Add(row)
	}
	for _, g := range goals {
		if m, kind := tb.Maximise(ctx, g.Neg()); kind != linear.Attained || m.Sign() > 0 {
			return false
		}
	}
	return true
}
