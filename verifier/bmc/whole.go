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
	if r.complete || r.unplaced {
		return
	}
	behind := slices.Clone(r.behind)
	for _, g := range r.groups {
		if g.First.Check != verdict.Unwinding || g.status == verdict.Proved {
			continue
		}
		seen := map[*ir.Instr]bool{}
		for _, c := range g.Instances {
			if !seen[c.Instr] {
				seen[c.Instr] = true
				behind = append(behind, ir.AfterOf(b.p.Module, b.p.Entry, c.Instr))
			}
		}
	}
	open := func(c *encode.Claim) bool {
		return slices.ContainsFunc(behind, func(a *ir.After) bool { return a.Has(c.Instr) })
	}
	for _, g := range r.groups {
		if g.status == verdict.Bounded && !g.First.Check.Of().Driver && g.First.Check != verdict.Unwinding &&
			b.whole[g.ID] == 0 && b.a.Settled(g.ID) == nil && !slices.ContainsFunc(g.Instances, open) &&
			!open(g.First) {
			b.whole[g.ID] = r.limit
		}
	}
}
