package race

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// decideOutside proves claims that are unknown because functions without a body are called: those that hold whatever
// such functions do. It looks at the program in which they do anything (weave.OutsideOf). A violation there says
// nothing, since no function may do that; and it may hide what comes behind it, of which nothing is taken.
func decideOutside(ctx context.Context, p *problem.Problem, main *ir.Func, res *verdict.Result) {
	why := lacksBodies(p, res)
	if why == nil || ctx.Err() != nil {
		return
	}
	with := weave.OutsideOf(p.Module, p.Entry, main)
	if with == nil || len(with.Funcs) == 0 {
		return
	}
	q := *p.Aside()
	q.Module, q.Entry, q.Checks = with.Module, with.Entry, maps.Clone(p.Checks)
	q.Checks[verdict.Memory], q.Checks[verdict.Free] = true, true // an address of which nothing is known is no end
	delete(q.Checks, verdict.Stack)
	q.KeepsRanges = false
	if q.Depth > 0 {
		q.Depth++ // the entry is called
	}
	a := problem.NewAnswers()
	ctx, end := budget.Share(ctx, policy.OutsidePercent)
	defer end()
	Run(ctx, &q, a, SafetyEngines)
	found := &verdict.Result{}
	claims.ReportPaths(&q, a, found)
	res.Stages = append(res.Stages, a.Stages()...)
	o := &fromOutside{p: p, q: &q, with: with, res: res, found: found, why: why}
	if o.number() && o.take() {
		o.finish()
	}
}

// lacksBodies returns the reason that claims are unknown: a function without a body is called. nil where none is for
// that reason, or where what such a function may do is not modelled: code may write to memory that is no object.
func lacksBodies(p *problem.Problem, res *verdict.Result) *verdict.Reason {
	if p.StopAfter != "" || len(p.Dumps) > 0 || slices.ContainsFunc(p.Regions, func(r ir.Region) bool {
		return r.Access == ir.AccessReadWrite
	}) {
		return nil
	}
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status == verdict.Violated && p.FirstOnly {
			return nil
		}
		if waits(c) {
			return c.Reason
		}
	}
	return nil
}

// waits reports a claim that is unknown because a function without a body is called.
func waits(c *verdict.Claim) bool {
	return c.Status == verdict.Unknown && c.Reason != nil && c.Reason.Kind == verdict.Undefined
}

// fromOutside takes over what was proved of a program in which functions without a body do anything.
type fromOutside struct {
	p, q       *problem.Problem // the program, and that one
	with       *weave.Outside
	res, found *verdict.Result
	why        *verdict.Reason

	at  map[string]*ir.Instr // of q, by claim ID
	ids map[ir.At]string     // of p
}

// number finds the claims of both programs; false where it does not know where one of those found stands.
func (o *fromOutside) number() bool {
	o.at, o.ids = claims.ClaimPlaces(o.q), claims.ClaimIDs(o.p)
	return !slices.ContainsFunc(o.found.Claims, func(c verdict.Claim) bool {
		return c.Check != verdict.Unwinding && o.at[c.ID] == nil
	})
}

// take gives claims that wait their proofs, and adds claims that executions come to behind such calls alone. It is
// false if none is proved.
func (o *fromOutside) take() bool {
	var open []*ir.Instr
	for i := range o.found.Claims {
		if c := &o.found.Claims[i]; c.Status != verdict.Proved && c.Check != verdict.Unwinding {
			open = append(open, o.at[c.ID])
		}
	}
	var after *ir.After
	if len(open) > 0 {
		after = ir.AfterOf(o.q.Module, o.q.Entry, open...)
	}
	listed := map[string]*verdict.Claim{}
	for i := range o.res.Claims {
		listed[o.res.Claims[i].ID] = &o.res.Claims[i]
	}
	taken := false
	var more []verdict.Claim
	for _, c := range o.found.Claims {
		in := o.at[c.ID]
		id := o.ids[ir.At{Instr: o.with.Same[in], Check: c.Check}]
		if id == "" {
			continue
		}
		holds := c.Status == verdict.Proved && !after.Has(in)
		c = o.worded(c, id, holds)
		switch old := listed[id]; {
		case old == nil:
			more = append(more, c)
		case holds && waits(old):
			*old, taken = c, true
		}
	}
	o.res.Claims = append(o.res.Claims, more...)
	return taken
}

// worded returns the claim id of the program as c of the other one says it.
func (o *fromOutside) worded(c verdict.Claim, id string, holds bool) verdict.Claim {
	out := verdict.Claim{ID: id, Check: c.Check, Pos: c.Pos, Message: c.Message}
	if !holds {
		out.Learn(verdict.Undecided)
		out.Reason, out.Message = o.why, c.Check.Of().Holds
		return out
	}
	out.Learn(verdict.Always)
	out.Replay, out.Unreachable = c.Replay, c.Unreachable
	cert := verdict.Certificate{}
	if c.Certificate != nil {
		cert = *c.Certificate
	}
	cert.Detail = append(slices.Clone(cert.Detail), fmt.Sprintf("whatever %s may do, without a body",
		strings.Join(o.with.Funcs, ", ")))
	out.Certificate = &cert
	return out
}

// finish names what is assumed, and that nothing is left open where that is so.
func (o *fromOutside) finish() {
	o.res.Assumptions = append(o.res.Assumptions, verdict.Assume("", verdict.Calls, verdict.Read, fmt.Sprintf(
		"functions without a body run in the same thread, return once or end the program, call no %s, and release "+
			"what they allocate; what else they do was left open: %s", o.p.Entry.CName, strings.Join(o.with.Funcs, ", "))))
	for i := range o.res.Claims {
		if c := &o.res.Claims[i]; c.Status != verdict.Proved && c.Check != verdict.Unwinding {
			return
		}
	}
	if o.found.Reason != nil || !o.p.Unbounded() {
		return
	}
	o.res.Claims = slices.DeleteFunc(o.res.Claims, func(c verdict.Claim) bool {
		return c.Check == verdict.Unwinding && c.Status != verdict.Proved
	})
	if o.res.Vacuous = o.found.Vacuous; o.res.Reason != nil && o.res.Reason.Kind == verdict.Undefined {
		o.res.Reason = nil
	}
}
