package termination

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// rate is a factor over/under by which an edge changes a function, and how many times it must for a factor of 2.
type rate struct{ over, under, times int64 }

// rates are tried in this order.
var rates = []rate{{2, 1, 1}, {3, 2, 2}}

// logarithmic bounds edges of part that divide a function, which no edge raises and which is at least 1 before them; or
// that multiply one, which is at least 1 and at most another one, which no edge raises.
func (b *bounder) logarithmic(ctx context.Context, part []*edge) bool {
	if !b.scales(ctx, part) {
		return false
	}
	found := false
	for _, r := range rates {
		for _, find := range []func(context.Context, []*edge, []*edge, rate) map[its.Loc]exact.Lin{b.divided,
			b.multiplied} {
			tries := [][]*edge{part}
			if len(part) > 1 && len(part) <= policy.LogarithmEdges {
				for _, e := range part {
					tries = append(tries, []*edge{e})
				}
			}
			for n, strict := range tries {
				f := find(ctx, part, strict, r)
				if f == nil {
					continue
				}
				found = b.learn(strict, b.entered(part, f, func(e *edge, l exact.Lin) *Bound {
					return digitsBound(b.entry(ctx, e, l)).scale(exact.I(r.times))
				})) || found
				if n == 0 {
					return found
				}
			}
			if found {
				return true
			}
		}
	}
	return false
}

// scales reports whether an edge of part relates variables with factors beyond 1: no other divides or multiplies.
func (b *bounder) scales(ctx context.Context, part []*edge) bool {
	scaled := func(l exact.Lin) bool {
		return len(l.Terms) > 0 && slices.ContainsFunc(l.Terms,
			func(t exact.Term) bool { return !t.Coef.Abs().IsOne() })
	}
	for _, e := range part {
		if slices.ContainsFunc(e.upd, scaled) || slices.ContainsFunc(b.r.lean(ctx, e), func(r linear.Row) bool {
			return scaled(r.Lin)
		}) {
			return true
		}
	}
	return false
}

// divided returns a function for logarithmic that the edges of strict divide.
func (b *bounder) divided(ctx context.Context, part, strict []*edge, r rate) map[its.Loc]exact.Lin {
	g := newProgram()
	f := b.r.unknowns(g, part)
	for _, e := range part {
		rows, before, after := b.r.lean(ctx, e), f[e.from], f[e.to].after(e)
		if !slices.Contains(strict, e) {
			g.implies(rows, before.add(-1, after))
			continue
		}
		g.implies(rows, atLeastOne(before))
		g.implies(rows, before.times(r.under).add(-r.over, after))
	}
	if g.tb.Check(ctx) != linear.Sat {
		return nil
	}
	return g.solution([]map[its.Loc]template{f})[0]
}

// multiplied returns the upper function for logarithmic of one that the edges of strict multiply.
func (b *bounder) multiplied(ctx context.Context, part, strict []*edge, r rate) map[its.Loc]exact.Lin {
	g := newProgram()
	f, upper := b.r.unknowns(g, part), b.r.unknowns(g, part)
	for _, e := range part {
		rows, before, after := b.r.lean(ctx, e), f[e.from], f[e.to].after(e)
		g.implies(rows, upper[e.from].add(-1, upper[e.to].after(e)))
		if !slices.Contains(strict, e) {
			g.implies(rows, after.add(-1, before))
			continue
		}
		g.implies(rows, atLeastOne(before))
		g.implies(rows, after.times(r.under).add(-r.over, before))
		g.implies(rows, upper[e.from].add(-1, before))
	}
	if g.tb.Check(ctx) != linear.Sat {
		return nil
	}
	return g.solution([]map[its.Loc]template{f, upper})[1]
}

// atLeastOne is t-1.
func atLeastOne(t template) template {
	t.c = t.c.AddInt(-1)
	return t
}

// times is k*t.
func (t template) times(k int64) template {
	return template{map[exact.Var]exact.Lin{}, exact.Lin{}}.add(k, t)
}
