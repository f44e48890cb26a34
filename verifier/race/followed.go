package race

import (
	"context"

	"github.com/firmproof/firmproof/verifier/bmc"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Every run ends where every path was followed to its end and does nothing undefined. That costs nothing where the
// claims about paths are asked, too, and is tried last where they are not.

// allPaths is the engine that looks whether all paths were followed to their end, and follows them if nobody else does.
type allPaths struct{ r *runsQuestion }

func (e allPaths) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !asksDefined(p.Checks) {
		return followPaths(ctx, p, e.r.main, a)
	}
	resume := budget.Idle(ctx)
	select {
	case <-e.r.pathsDone:
	case <-ctx.Done():
	}
	resume()
	if e.r.endsByPaths(a) {
		return nil
	}
	return problem.ErrOpen
}

// asksDefined reports whether the checks ask of each path that it does nothing undefined, as the default ones do.
func asksDefined(checks verdict.CheckSet) bool {
	for c := range verdict.DefinedChecks() {
		if c.Of().Decided == verdict.ByPaths && !checks.Has(c) {
			return false
		}
	}
	return true
}

// followPaths settles that every run of p ends where all paths can be followed to their end, under the default checks.
func followPaths(ctx context.Context, p *problem.Problem, main *ir.Func, a *problem.Answers) error {
	q := *p.Aside()
	q.Checks, q.FirstOnly, q.StopAfter = verdict.DefinedChecks(), true, ""
	delete(q.Checks, verdict.Termination)
	found, res := problem.NewAnswers(), &verdict.Result{}
	PassArguments(&q, main, res)
	Run(ctx, &q, found, followEngines)
	claims.ReportPaths(&q, found, res)
	if followedAll(&q, found, res) == nil {
		return problem.ErrOpen
	}
	c := endsFollowed(p)
	c.Certificate.Detail = []string{"under the default checks, none of which is violated"}
	a.Settle(&problem.Settled{Claim: c, Assumptions: res.Assumptions})
	return nil
}

// followEngines are those that follow paths.
var followEngines = []Entrant{
	{Name: "only execution", Engine: replay.OnlyExecution{}},
	{Name: "unwinding", Engine: bmc.Engine{}, After: "only execution"},
}

// endsByPaths settles that every run ends where the paths say so: all were followed to their end. They are followed
// with words of the machine, which says nothing about mathematical integers.
func (r *runsQuestion) endsByPaths(a *problem.Answers) bool {
	select {
	case <-r.pathsDone:
	default:
		return false
	}
	if r.followed == nil || r.p.MathInts() {
		return false
	}
	c := endsFollowed(r.p)
	c.Evidence = *r.followed
	return a.Settle(&problem.Settled{Claim: c})
}

// endsFollowed returns the claim that every run of p ends, proved by following all paths.
func endsFollowed(p *problem.Problem) verdict.Claim {
	c := p.TerminationClaim()
	c.Replay, c.By = verdict.NotRun, "all paths"
	c.Learn(verdict.Always)
	c.Certificate = &verdict.Certificate{Method: "complete unwinding"}
	return c
}

// followedAll returns how every path was followed to its end, and violates nothing: then every run ends. Else, nil.
func followedAll(p *problem.Problem, a *problem.Answers, res *verdict.Result) *certificate.Ended {
	u := a.Unwinding()
	_, executed := a.Executed()
	complete := u != nil && u.Complete && !u.Repeats && u.Cut == nil && u.Gap == nil
	if !executed && !complete || res.Reason != nil {
		return nil
	}
	for i := range res.Claims {
		if res.Claims[i].Status != verdict.Proved {
			return nil
		}
	}
	if executed {
		return &certificate.Ended{Past: p.Past}
	}
	return &certificate.Ended{Turns: u.Limit, Loops: u.Counted(), Ordered: u.Ordered, Past: p.Past}
}
