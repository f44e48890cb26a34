package seg

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Holds returns the IDs of those of the claims of a program, as far as the graph entered it, that hold in every run
// because the graph is complete and has no fault there. Behind a fault, a graph stands for the runs that are defined
// there, which is what claims are asked of only if the fault is a claim itself; else nothing holds.
func (g *Graph) Holds(listed []encode.Claim) (map[string]bool, error) {
	if !g.Complete {
		return nil, errors.New(g.GaveUp[0].Detail)
	}
	claimed := map[ir.At]bool{}
	for i := range listed {
		claimed[ir.At{Instr: listed[i].Instr, Check: listed[i].Check}] = true
	}
	fails := map[ir.At]bool{}
	for _, f := range g.Faults {
		at := ir.At{Instr: f.In, Check: f.Check}
		if f.Cuts() && !claimed[at] {
			return nil, fmt.Errorf("%s: not shown: %s (%s)", f.In.Pos, f.What, f.Check)
		}
		fails[at] = true
	}
	frees, valued := g.Frees(), g.Valued()
	out := map[string]bool{}
	for i := range listed {
		c := &listed[i]
		switch {
		case fails[ir.At{Instr: c.Instr, Check: c.Check}], !g.follows(c), c.Check == verdict.Leak && !frees,
			c.Check == verdict.Uninitialised && !valued:
		default:
			out[c.ID] = true
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no claim was proved")
	}
	return out, nil
}

// follows reports whether the graph has a fault wherever the claim may fail.
func (g *Graph) follows(c *encode.Claim) bool {
	opts := &g.b.opts
	switch in := c.Instr; {
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
	}
	return false
}
