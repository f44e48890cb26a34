package bmc

import (
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ring"
)

// order tells the solver the order of the products that c, which is hard to decide, is about. It reports whether that says
// anything new.
func (b *unwinder) order(r *round, c *encode.Claim) bool {
	if r.ordered == nil {
		r.ordered = map[ilr.Term]bool{}
	}
	told := false
	for _, t := range ring.Ordered(r.f.Store, []ilr.Term{c.Violated}) {
		if !r.ordered[t] {
			r.ordered[t], told, b.ordered = true, true, true
			r.solver.Assert(t)
		}
	}
	return told
}
