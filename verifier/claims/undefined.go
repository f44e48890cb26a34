package claims

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// LeaveBehind takes back the proofs of claims that executions come to past a violation which depends on variables that
// nothing defines: the other values of these, with which executions go on there, are not known. A claim that only
// arithmetic which wraps around is before keeps its answer, since what is behind is looked at then.
func LeaveBehind(p *problem.Problem, found Violations, res *verdict.Result) {
	var at map[string]*ir.Instr
	for i := range res.Claims {
		c := &res.Claims[i]
		v := found[c.ID]
		if c.Status != verdict.Violated || len(c.Undefined) == 0 || v == nil ||
			c.Check.Of().Past == verdict.PastWraps {
			continue
		}
		if at == nil {
			at = ClaimPlaces(p)
		}
		after := ir.AfterOf(p.Module, p.Entry, v.At.Instr)
		for k := range res.Claims {
			d := &res.Claims[k]
			if in := at[d.ID]; d.Check != verdict.Unwinding && in != v.At.Instr && (d.Status == verdict.Proved || d.Status == verdict.Bounded) &&
				(in == nil || after.Has(in)) {
				*d = behindViolation(*d, v)
			}
		}
	}
}
