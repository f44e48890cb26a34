package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// amortised bounds edges of part by one function on the whole component, which
// bounded edges may raise by a constant: all falls are paid by the start and by
// those rises.
func (b *bounder) amortised(ctx context.Context, comp, part []*edge) bool {
	return b.payFor(ctx, comp, part, nil)
}

// payFor is amortised for the edges of targets; if only is set, just that edge
// must fall, and edges that run at least as often as it may not raise.
func (b *bounder) payFor(ctx context.Context, comp, targets []*edge, only *edge) bool {
	g := newProgram()
	f := b.r.unknowns(g, comp)
	isTarget := map[*edge]bool{}
	for _, e := range targets {
		isTarget[e] = true
	}
	var goal exact.Lin
	falls, rises := map[*edge]exact.Var{}, map[*edge]exact.Var{}
	for _, e := range comp {
		rows := b.r.lean(ctx, e)
		drop := f[e.from].add(-1, f[e.to].after(e))
		switch {
		case isTarget[e]:
			d := g.unknown()
			falls[e] = d
			g.tb.Add(linear.AtLeast(exact.V(d)))
			g.tb.Add(linear.AtLeast(exact.C(1).Sub(exact.V(d))))
			if only != nil {
				g.tb.Add(linear.AtLeast(exact.V(d).AddInt(-1)))
			}
			goal = goal.AddScaled(exact.I(1000), exact.V(d))
			drop.c = drop.c.Sub(exact.V(d))
			g.implies(rows, f[e.from])
		case b.time[e] != nil && (only == nil || b.time[e].growth().less(b.time[only].growth())):
			c := g.unknown()
			rises[e] = c
			g.tb.Add(linear.AtLeast(exact.V(c)))
			w := int64(1)
			for i := 0; i < min(4, b.time[e].growth().degree); i++ {
				w *= 5
			}
			goal = goal.AddScaled(exact.I(-w), exact.V(c))
			drop.c = drop.c.Add(exact.V(c))
		}
		g.implies(rows, drop)
	}
	if v, kind := g.tb.Maximise(ctx, goal); kind != linear.Attained || v.Sign() <= 0 && only == nil {
		return false
	}
	var strict []*edge
	for _, e := range comp {
		if d, ok := falls[e]; ok && g.tb.Value(d).Cmp(exact.R(1)) == 0 {
			strict = append(strict, e)
		}
	}
	if len(strict) == 0 {
		return false
	}
	fs := g.solution([]map[its.Loc]template{f})[0]
	return b.learn(strict, b.paid(ctx, comp, fs, rises, b.least(ctx, strict, fs)))
}

// paid sums what the entries are worth, counted from least, and what raising
// edges add.
func (b *bounder) paid(ctx context.Context, comp []*edge, f map[its.Loc]exact.Lin, rises map[*edge]exact.Var,
	least exact.Int) *Bound {
	inComp := map[*edge]bool{}
	for _, e := range comp {
		inComp[e] = true
	}
	total := Zero()
	for l := range f {
		for _, e := range b.into[l] {
			if !inComp[e] {
				total = total.add(b.time[e].mul(b.entry(ctx, e, f[l].Sub(exact.Lin{Const: least}).AddInt(1))))
			}
		}
	}
	for _, e := range comp {
		if _, ok := rises[e]; !ok {
			continue
		}
		up := e.after(f[e.to]).Sub(f[e.from])
		l := b.r.linearUpper(ctx, e, up, func(signed) int64 { return 0 })
		if !l.ok {
			return nil
		}
		total = total.add(b.time[e].mul(constBound(l.c)))
	}
	return total
}
