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

// byEntry copies each strongly connected component once per edge that enters it, or with all once per sequence of such
// edges since the start: what a run brings along stays apart. It returns what refined does, or false also where no
// component that has edges is entered over several.
func (p *problem) byEntry(ctx context.Context, limit int, all bool) (*its.System, []*edge, bool) {
	comp, inner := map[its.Loc]int{}, map[int]bool{}
	for i, ls := range p.components(nil) {
		for _, l := range ls {
			comp[l] = i + 1
		}
	}
	entries := map[int]int{}
	var possible []*edge
	for _, e := range p.edges {
		if !p.possible(ctx, e) {
			continue
		}
		possible = append(possible, e)
		if comp[e.from] == comp[e.to] {
			inner[comp[e.to]] = true
		} else {
			entries[comp[e.to]]++
		}
	}
	several := false
	for c := range inner {
		several = several || entries[c] > 1
	}
	if !several {
		return nil, nil, false
	}
	s := &its.System{Name: p.sys.Name, Vars: p.sys.Vars, Goal: p.sys.Goal}
	type copied struct {
		l  its.Loc
		by string // the edges, or the edge, that led into its component; empty at the start
	}
	known := map[copied]its.Loc{}
	work := []copied{{l: p.sys.Start}}
	var origin []*edge
	place := func(c copied) its.Loc {
		l, ok := known[c]
		if !ok {
			l = its.Loc(len(s.Locs))
			known[c] = l
			s.Locs = append(s.Locs, p.sys.Locs[c.l]+c.by)
			if c.by != "" {
				work = append(work, c)
			}
		}
		return l
	}
	for place(work[0]); len(work) > 0; work = work[1:] {
		from := work[0]
		for _, e := range possible {
			if e.from != from.l {
				continue
			}
			to := copied{e.to, from.by}
			if comp[e.from] != comp[e.to] || from.by == "" {
				to.by = "/" + strconv.Itoa(e.id)
				if all {
					to.by = from.by + to.by
				}
			}
			t := e.full
			t.From, t.To = known[from], place(to)
			s.Trans = append(s.Trans, t)
			if origin = append(origin, e); len(origin) > limit {
				return nil, nil, false
			}
		}
	}
	return s, origin, true
}

// possible reports whether e can be taken where the invariants hold, as far as is seen.
func (p *problem) possible(ctx context.Context, e *edge) bool {
	tb := linear.NewTableau(true)
	for _, r := range p.hyp(e) {
		tb.Add(r)
	}
	return tb.Check(ctx) != linear.Unsat
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
