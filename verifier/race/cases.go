package race

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/bmc"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// inputCases proves a program by the values of an input that it lets go on with few values only: each makes a
// program of its own, often one without inputs, and all others another. All of them have to be proved.
type inputCases struct{}

// caseEngines prove one of them.
var caseEngines = []Entrant{
	{Name: "only execution", Engine: replay.OnlyExecution{}, Share: policy.OnlyExecutionPercent},
	{Name: "unwinding", Engine: bmc.Engine{}, After: "only execution"},
	{Name: "induction", Engine: invariant.Engine{}, After: "unwinding", Or: policy.CaseInduction},
}

// Run implements problem.Engine.
func (inputCases) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	v := weave.FewValuesOf(p.Module, p.Entry)
	if v == nil || !p.Unbounded() || len(p.Past) > 0 {
		return problem.ErrOpen
	}
	defer a.Stage("cases")(nil)
	c := &cases{p: p, ids: claims.ClaimIDs(p), listed: map[string]bool{}}
	if m, same := v.Beyond(p.Module); m == nil || !c.proved(ctx, m, same) {
		return problem.ErrOpen
	}
	for n := v.Low; n <= v.High; n++ {
		if m, same := v.Is(p.Module, n); m == nil || !c.proved(ctx, m, same) {
			return problem.ErrOpen
		}
	}
	proofs := problem.NewProofs(c.claims, p.ListClaims())
	for id := range c.listed {
		proofs.Holds[id] = true
	}
	proofs.Certificate = &verdict.Certificate{Method: "cases of an input", Detail: []string{
		fmt.Sprintf("each value from %d to %d of the input at %s, and all others, was looked at by itself", v.Low, v.High,
			v.Read.Pos)}}
	a.AddProofs(proofs)
	return nil
}

// cases collects what holds in each of them.
type cases struct {
	p      *problem.Problem
	ids    map[ir.At]string // of the claims of p
	claims []verdict.Claim  // of p, that executions come to
	listed map[string]bool
}

// proved reports whether everything is proved in the case that the module m is, whose instructions are as those of p,
// and notes its claims.
func (c *cases) proved(ctx context.Context, m *ir.Module, same map[*ir.Instr]*ir.Instr) bool {
	ctx, end := budget.WithTimeout(ctx, policy.CaseTime)
	defer end()
	q := *c.p.Aside()
	q.Module, q.Entry = m, m.Func(c.p.Entry.Name)
	a := problem.NewAnswers()
	Run(ctx, &q, a, caseEngines)
	res := &verdict.Result{}
	if NothingFound(a) {
		return false
	}
	claims.ReportPaths(&q, a, res)
	if res.Summarise(); res.Status != verdict.Proved || res.Reason != nil || len(res.Assumptions) > 0 {
		return false
	}
	at := claims.ClaimPlaces(&q)
	for _, claim := range res.Claims {
		if claim.Check == verdict.Unwinding {
			continue
		}
		of := same[at[claim.ID]]
		id := c.ids[ir.At{Instr: of, Check: claim.Check}]
		switch {
		case at[claim.ID] != nil && of == nil: // of the assumption that makes the case
		case id == "":
			return false
		case !c.listed[id]:
			c.listed[id] = true
			c.claims = append(c.claims, verdict.Claim{ID: id, Check: claim.Check, Message: claim.Check.Of().Holds,
				Pos: claim.Pos})
		}
	}
	return true
}
