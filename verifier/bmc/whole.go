package bmc

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// keepWhole notes the claims that hold in r, and that no execution comes to by way of a bound that is reached or of a
// gap: r looked at all executions that come to them. They need not wait for the loops behind them.
func (b *unwinder) keepWhole(r *round) {
	if r.complete && !r.facts || r.unplaced {
		return
	}
	behind := ir.AfterOf(b.p.Module, b.p.Entry, append(r.openBounds(), r.gaps...)...)
	for _, g := range r.groups {
		if g.status == verdict.Bounded && g.mayBeWhole() && b.whole[g.ID] == 0 && b.a.Settled(g.ID) == nil &&
			!g.anyIn(behind) {
			b.whole[g.ID] = r.limit
		}
	}
}

// openBounds lists the places where an execution may pass a bound, as far as is known.
func (r *round) openBounds() (list []*ir.Instr) {
	for _, g := range r.groups {
		if g.First.Check != verdict.Unwinding || g.status == verdict.Proved {
			continue
		}
		for _, c := range g.Instances {
			list = append(list, c.Instr)
		}
	}
	return list
}

// mayBeWhole reports a claim of one place: a round may look at all executions that come there.
func (g *group) mayBeWhole() bool {
	return !g.First.Check.Of().Driver && g.First.Check != verdict.Unwinding
}

// anyIn reports whether an instance of g may be executed behind what a follows.
func (g *group) anyIn(a *ir.After) bool {
	return a.Has(g.First.Instr) || slices.ContainsFunc(g.Instances,
		func(c *encode.Claim) bool { return a.Has(c.Instr) })
}
