package claims

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// LeaveToCallers takes back the claims of the check register, but for violations, about accesses at addresses that callers
// pass: another caller may pass the address of another register.
func LeaveToCallers(p *problem.Problem, res *verdict.Result) {
	if !p.Checks.Has(verdict.Register) {
		return
	}
	places := ClaimPlaces(p)
	res.Claims = slices.DeleteFunc(res.Claims, func(c verdict.Claim) bool {
		in := places[c.ID]
		return c.Check == verdict.Register && c.Status != verdict.Violated && in != nil && in.ByCaller()
	})
}
