package termination

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// invariants computes bounds of the templates at each cut location: intervals,
// differences and sums of variables that occur together, and the guards' own
// directions (template polyhedra by linear programming).
type invariants struct {
	p         *problem
	templates []exact.Lin
	value     map[its.Loc][]upper // per template its upper bound; absent: not reached
}

// upper is an upper bound of a template; set is false for infinity.
type upper struct {
	set bool
	v   exact.Int
}

// computeInvariants fills p.inv.
func (p *problem) computeInvariants(ctx context.Context) {
	a := &invariants{p: p, templates: p.templates(), value: map[its.Loc][]upper{}}
	a.value[p.sys.Start] = make([]upper, len(a.templates))
	for _, comp := range p.components(nil) {
		a.component(ctx, comp)
		if ctx.Err() != nil {
			p.inv = map[its.Loc][]exact.Lin{}
			return
		}
	}
	for _, l := range p.cuts {
		p.inv[l] = a.rows(ctx, l)
	}
}

// components are the strongly connected components over the given edges.
func (p *problem) components(use func(*edge) bool) [][]its.Loc {
	s := &its.System{Locs: p.sys.Locs}
	for _, e := range p.edges {
		if use == nil || use(e) {
			s.Trans = append(s.Trans, its.Transition{From: e.from, To: e.to})
		}
	}
	if use == nil {
		return s.SCCs(p.sys.Start, nil)
	}
	// a search for inner components starts everywhere
	root := its.Loc(len(s.Locs))
	s.Locs = append(append([]string(nil), s.Locs...), "root")
	for _, l := range p.cuts {
		s.Trans = append(s.Trans, its.Transition{From: root, To: l})
	}
	out := s.SCCs(root, nil)
	return out[1:]
}

// component iterates one component to a fixpoint, then narrows.
func (a *invariants) component(ctx context.Context, comp []its.Loc) {
	inside := map[its.Loc]bool{}
	for _, l := range comp {
		inside[l] = true
	}
	if len(comp) == 1 && !a.p.hasLoop(comp[0]) {
		if comp[0] != a.p.sys.Start {
			a.value[comp[0]] = a.post(ctx, comp[0])
		}
		return
	}
	dirty := map[its.Loc]bool{}
	for _, l := range comp {
		dirty[l] = true
	}
	for round := 0; round < policy.InvariantRounds && len(dirty) > 0 && ctx.Err() == nil; round++ {
		next := map[its.Loc]bool{}
		for _, l := range comp {
			if !dirty[l] {
				continue
			}
			if a.grow(ctx, l, round) {
				for _, e := range a.p.edges {
					if e.from == l && inside[e.to] {
						next[e.to] = true
						if e.to > l {
							dirty[e.to] = true
						}
					}
				}
			}
		}
		dirty = next
		if round == policy.InvariantRounds-1 && len(next) > 0 {
			for _, l := range comp {
				a.value[l] = make([]upper, len(a.templates))
			}
		}
	}
	for k := 0; k < policy.NarrowRounds && ctx.Err() == nil; k++ {
		for _, l := range comp {
			if v := a.post(ctx, l); v != nil {
				a.value[l] = a.meet(a.value[l], v)
			}
		}
	}
}

func (p *problem) hasLoop(l its.Loc) bool {
	for _, e := range p.edges {
		if e.from == l && e.to == l {
			return true
		}
	}
	return false
}

// grow joins what the incoming edges give into l, widening in later rounds.
func (a *invariants) grow(ctx context.Context, l its.Loc, round int) bool {
	now := a.post(ctx, l)
	if now == nil {
		return false
	}
	old := a.value[l]
	if old == nil {
		a.value[l] = now
		return true
	}
	changed := false
	out := append(make([]upper, 0, len(old)), old...)
	for i := range out {
		if !out[i].set || now[i].set && now[i].v.Cmp(out[i].v) <= 0 {
			continue
		}
		changed = true
		if round >= policy.WidenAfter {
			out[i] = upper{}
		} else {
			out[i] = now[i]
		}
	}
	a.value[l] = out
	return changed
}

func (a *invariants) meet(x, y []upper) []upper {
	out := append(make([]upper, 0, len(x)), x...)
	for i := range out {
		if y[i].set && (!out[i].set || y[i].v.Cmp(out[i].v) < 0) {
			out[i] = y[i]
		}
	}
	return out
}

// post is the join over the edges into l; nil if none can be taken yet.
func (a *invariants) post(ctx context.Context, l its.Loc) []upper {
	var out []upper
	for _, e := range a.p.edges {
		if e.to != l || a.value[e.from] == nil {
			continue
		}
		v := a.through(ctx, e)
		if v == nil {
			continue
		}
		if out == nil {
			out = v
			continue
		}
		for i := range out {
			if !v[i].set || out[i].set && v[i].v.Cmp(out[i].v) > 0 {
				out[i] = v[i]
			}
		}
	}
	return out
}

// through bounds each template after the edge; nil if it cannot be taken.
func (a *invariants) through(ctx context.Context, e *edge) []upper {
	rows := slices.Clone(e.rows)
	for i, b := range a.value[e.from] {
		if b.set {
			rows = append(rows, linear.AtLeast(exact.Lin{Terms: a.templates[i].Neg().Terms, Const: b.v}))
		}
	}
	tb := linear.NewTableau(true)
	for _, r := range append(rows, productFacts(rows, e.products)...) {
		tb.Add(r)
	}
	if tb.Check(ctx) == linear.Unsat {
		return nil
	}
	out := make([]upper, len(a.templates))
	for i, d := range a.templates {
		if v, kind := tb.Maximise(ctx, e.after(d)); kind == linear.Attained {
			out[i] = upper{true, v.Floor()}
		} else if kind == linear.Empty {
			return nil
		}
	}
	return out
}

// rows are the bounds at a location as expressions >= 0, without those that
// bounds of single variables imply.
func (a *invariants) rows(ctx context.Context, l its.Loc) []exact.Lin {
	v := a.value[l]
	if v == nil {
		return []exact.Lin{exact.C(-1)}
	}
	var out []exact.Lin
	tb := linear.NewTableau(true)
	for i, b := range v {
		if !b.set {
			continue
		}
		row := exact.Lin{Terms: a.templates[i].Neg().Terms, Const: b.v}
		if len(row.Terms) > 1 {
			if m, kind := tb.Maximise(ctx, row.Neg()); kind == linear.Attained && m.Sign() <= 0 {
				continue
			}
		}
		tb.Add(linear.AtLeast(row))
		out = append(out, row)
	}
	return out
}
