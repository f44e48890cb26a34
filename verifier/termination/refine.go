package termination

import (
	"context"
	"strconv"

	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// refined splits each cut location by the edge that a run came over, leaving out
// successions of edges that cannot happen (control-flow refinement). It returns
// the refined system, whose transition i is edge origin[i] of p, or false when
// that would have more than limit transitions.
func (p *problem) refined(ctx context.Context, limit int) (*its.System, []*edge, bool) {
	if len(p.edges) > limit {
		return nil, nil, false
	}
	follows, pairs := p.successions(ctx)
	if pairs > limit || ctx.Err() != nil {
		return nil, nil, false
	}
	s := &its.System{Name: p.sys.Name, Vars: p.sys.Vars, Goal: p.sys.Goal, Start: 0,
		Locs: []string{p.sys.Locs[p.sys.Start]}}
	at := make([]its.Loc, len(p.edges))
	for i, e := range p.edges {
		at[i] = its.Loc(len(s.Locs))
		s.Locs = append(s.Locs, p.sys.Locs[e.to]+"/"+strconv.Itoa(i))
	}
	var origin []*edge
	add := func(from its.Loc, e *edge) {
		t := e.full
		t.From, t.To = from, at[e.id]
		s.Trans = append(s.Trans, t)
		origin = append(origin, e)
	}
	for _, e := range p.edges {
		if e.from == p.sys.Start {
			add(0, e)
		}
	}
	for i := range p.edges {
		for _, f := range follows[i] {
			add(at[i], f)
		}
	}
	return s, origin, true
}

// successions lists which edges can follow each edge, and counts the pairs.
func (p *problem) successions(ctx context.Context) ([][]*edge, int) {
	follows := make([][]*edge, len(p.edges))
	pairs := 0
	for _, e := range p.edges {
		for _, f := range p.edges {
			if f.from != e.to || ctx.Err() != nil {
				continue
			}
			if p.canFollow(ctx, e, f) {
				follows[e.id] = append(follows[e.id], f)
				pairs++
			}
		}
	}
	return follows, pairs
}

func (p *problem) canFollow(ctx context.Context, e, f *edge) bool {
	t, ok := p.sys.Chain(&e.full, &f.full)
	if !ok {
		return false
	}
	chain := &edge{from: e.from, to: f.to, full: t}
	chain.linearise(p.n)
	tb := linear.NewTableau(true)
	for _, r := range p.hyp(chain) {
		tb.Add(r)
	}
	for _, l := range p.inv[f.from] {
		tb.Add(linear.AtLeast(e.after(l)))
	}
	return tb.Check(ctx) != linear.Unsat
}
