package claims

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// BoundByHandlers makes bounded what is proved where interrupt handlers may have run: it was looked at for as many runs
// of them as the manifest says, and no more.
func BoundByHandlers(p *problem.Problem, res *verdict.Result) {
	called := map[string]bool{} // what runs at points
	var points []*ir.Instr
	for _, f := range p.Module.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch g := ir.CalledFunc(in); {
				case g == nil:
				case f.Name == irbuild.Point:
					called[g.Name] = true
				case g.Name == irbuild.Point || g.Name == interrupt.Tears:
					points = append(points, in)
				}
			}
		}
	}
	var limits []string
	for _, a := range p.Assumptions {
		if a.Relation == verdict.Limit && (called[a.Subject] || a.Subject == interrupt.AllHandlers) {
			limits = append(limits, a.ID)
			res.Bounds.Handlers = append(res.Bounds.Handlers, a)
		}
	}
	if len(points) == 0 {
		res.Bounds.Handlers = nil
		return
	}
	if len(limits) == 0 {
		dropMoments(res)
		return
	}
	places, after := ClaimPlaces(p), ir.AfterOf(p.Module, p.Entry, points...)
	for i := range res.Claims {
		c := &res.Claims[i]
		if in := places[c.ID]; c.Check == verdict.Unwinding || in != nil && !after.Has(in) {
			continue
		}
		switch c.Status {
		case verdict.Proved, verdict.Bounded, verdict.Conditional:
			c.Learn(verdict.Limited)
			c.Assumptions = append(c.Assumptions, limits...)
		}
	}
	dropMoments(res)
}

// atOneMoment is the bound of a round in which handlers that may run any number of times ran n times in a row.
func atOneMoment(n int) verdict.Assumption {
	return verdict.Assume("", verdict.Limit, verdict.Chosen, fmt.Sprintf(
		"interrupt handlers run at most %d times in a row", n))
}

// dropMoments leaves such a bound out where nothing is bounded.
func dropMoments(res *verdict.Result) {
	if slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return c.Status == verdict.Bounded }) {
		return
	}
	res.Bounds.Handlers = slices.DeleteFunc(res.Bounds.Handlers, func(a verdict.Assumption) bool {
		return a.Subject == ""
	})
}
