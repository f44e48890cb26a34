package bmc

import (
	"context"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// publisher hands on what the first round has settled while the rest is decided: an end in the middle of a long
// question loses little of it. Nothing is known of bounds and gaps then, so that executions may come to each.
type publisher struct {
	b            *unwinder
	r            *round
	gaps, bounds *ir.After       // what may be executed behind them
	ctx          context.Context // whose budget tells the time
	last         time.Duration
	told         bool
}

// publisher returns nil where an earlier round says more.
func (b *unwinder) publisher(ctx context.Context, r *round) *publisher {
	if b.last != nil || r.facts || ctx.Err() != nil {
		return nil
	}
	p := &publisher{b: b, r: r, ctx: ctx, bounds: ir.AfterOf(b.p.Module, b.p.Entry, r.openBounds()...)}
	var gaps []*ir.Instr
	for i := range r.f.Gaps {
		if gaps = append(gaps, r.f.Gaps[i].Instr); r.f.Gaps[i].Instr == nil {
			return nil
		}
	}
	p.gaps = ir.AfterOf(b.p.Module, b.p.Entry, gaps...)
	return p
}

// publish hands on what is settled when todo is what is left to decide, if it is time to.
func (p *publisher) publish(todo ...*encode.Claim) {
	if p == nil || p.told && budget.Spent(p.ctx)-p.last < policy.PublishEvery {
		return
	}
	open := map[string]bool{}
	for _, c := range todo {
		open[c.ID] = true
	}
	part, whole := *p.r, map[string]int{}
	part.groups = nil
	for _, g := range p.r.groups {
		now := &group{Group: g.Group, status: verdict.Bounded}
		switch {
		case g.First.Check == verdict.Unwinding:
		case open[g.ID] || g.anyIn(p.gaps):
			now.status = verdict.Unknown
		case g.mayBeWhole() && !g.anyIn(p.bounds):
			whole[g.ID] = part.limit
		}
		part.groups = append(part.groups, now)
	}
	u := p.b.outcome(&part, whole)
	u.Loops, u.Partial = slices.Clone(u.Loops), true
	p.b.a.SetUnwinding(u)
	p.last, p.told = budget.Spent(p.ctx), true
}
