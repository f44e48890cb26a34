package seg

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Holds returns the claims of the functions that the graph entered, and the IDs of those that hold in every run because
// the graph is complete and has no fault there. Behind a fault, a graph stands for the runs that are defined there,
// which is what claims are asked of only if the fault is a claim itself; else nothing holds.
func (g *Graph) Holds(checks verdict.CheckSet) (listed []encode.Claim, holds map[string]bool, err error) {
	if !g.Complete {
		return nil, nil, errors.New(g.GaveUp[0].Detail)
	}
	listed = encode.ListClaims(g.b.m, checks, g.b.opts.Leaks, func(b *ir.Block) bool { return g.b.entered[b.Func] })
	claimed := map[ir.At]bool{}
	for i := range listed {
		claimed[ir.At{Instr: listed[i].Instr, Check: listed[i].Check}] = true
	}
	fails := map[ir.At]bool{}
	for _, f := range g.Faults {
		at := ir.At{Instr: f.In, Check: f.Check}
		if f.Cuts() && !claimed[at] {
			return nil, nil, fmt.Errorf("%s: not shown: %s (%s)", f.In.Pos, f.What, f.Check)
		}
		fails[at] = true
	}
	frees, valued := g.Frees(), g.Valued()
	holds = map[string]bool{}
	for i := range listed {
		c := &listed[i]
		switch {
		case fails[ir.At{Instr: c.Instr, Check: c.Check}], !g.follows(c), c.Check == verdict.Leak && (!frees || g.b.opts.Leaks == ir.LeakCalled),
			c.Check == verdict.Uninitialised && !valued:
		default:
			holds[c.ID] = true
		}
	}
	if len(holds) == 0 {
		return nil, nil, errors.New("no claim was proved")
	}
	return listed, holds, nil
}

// follows reports whether the graph has a fault wherever the claim may fail.
func (g *Graph) follows(c *encode.Claim) bool {
	opts := &g.b.opts
	switch in := c.Instr; {
	case passedBy(c.Check): // the graph goes on beside it
		return false
	case in.Op == ir.OpTrap:
		return !opts.Wrap || c.Check != verdict.SignedOverflow && c.Check != verdict.Shift
	case c.Check == verdict.Uninitialised:
		return true // wherever such a value comes from
	case in.Op == ir.OpCall && in.Model == ir.ModelNone:
		return false
	}
	switch c.Check {
	case verdict.Memory, verdict.Free, verdict.Leak, verdict.Assert, verdict.Unreachable:
		return true
	case verdict.PointerOverflow:
		return !opts.Leave
	case verdict.SignedOverflow: // a fault that ends the run, unless the graph is of runs that go on with what wraps around
		return !opts.Wrap && !opts.MathInts && ringWithin(c.Instr)
	}
	return false
}
