package verifier

import (
	"github.com/firmproof/firmproof/verifier/flow"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// judge returns the status of a claim that the engines answered with found, and that rests on some assumptions: nothing
// that was guessed carries a proof.
func judge(found verdict.Status, rests []verdict.Assumption) verdict.Status {
	if found != verdict.Proved && found != verdict.Bounded {
		return found // a violation is one execution; what that rests on, its trace says
	}
	for i := range rests {
		switch a := &rests[i]; {
		case !a.Guessed():
		case a.Relation != verdict.Limit:
			return verdict.Conditional
		default:
			found = verdict.Bounded
		}
	}
	return found
}

// judgeAll gives each claim of res that holds the guesses that it rests on, and the status that this leaves it.
func judgeAll(p *problem.Problem, res *verdict.Result) {
	var ids []string
	starts := map[*ir.Global]string{}
	for _, a := range p.Assumptions {
		if !a.Guessed() {
			continue
		}
		ids = append(ids, a.ID)
		if a.Relation == verdict.Start {
			for _, g := range p.Module.Globals {
				if g.Name == a.Subject {
					starts[g] = a.ID
				}
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	places := claimPlaces(p)
	holds := map[*ir.Instr]bool{}
	for i := range res.Claims {
		if c := &res.Claims[i]; places[c.ID] != nil && judge(c.Status, nil) != verdict.Unknown {
			holds[places[c.ID]] = c.Status != verdict.Violated
		}
	}
	r := flow.Follow(p.Module, p.Entry, ids, starts, func(trap *ir.Instr) bool { return holds[trap] })
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status != verdict.Proved && c.Status != verdict.Bounded || c.Check == verdict.Unwinding {
			continue
		}
		in := places[c.ID]
		if c.Check.Of().Decided == verdict.ByPaths && in != nil {
			c.Assumptions = r.At(in, c.Check == verdict.Uninitialised)
		} else {
			c.Assumptions = r.Whole()
		}
		c.Status = judge(c.Status, restsOf(p, c))
	}
}

// restsOf lists the assumptions of the plan that c names.
func restsOf(p *problem.Problem, c *verdict.Claim) []verdict.Assumption {
	res := verdict.Result{Assumptions: p.Assumptions}
	return res.RestsOn(c)
}
