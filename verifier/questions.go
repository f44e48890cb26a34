package verifier

import (
	"context"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// asksPaths reports whether a check asks what some path does, as opposed to whole runs.
func asksPaths(checks verdict.CheckSet) bool {
	for c := range checks {
		if c.Of().Decided == verdict.ByPaths {
			return true
		}
	}
	return false
}

// decidePaths settles the claims about paths, then those that stand behind violations,
// on the program as its host starts it. main is the entry before startup was woven in.
func decidePaths(ctx context.Context, p *problem.Problem, main *ir.Func, res *verdict.Result) {
	q := *p
	if p.Hosted {
		var made bool
		if q.Module, q.Entry, made = weave.Arguments(p.Module, p.Entry, main); made {
			res.Assumptions = append(res.Assumptions, weave.ArgumentsAssumption)
			if q.Depth > 0 {
				q.Depth++ // the entry is called
			}
		}
	}
	a := problem.NewAnswers()
	race(ctx, &q, a, safetyEngines)
	reportPaths(&q, a, res)
	decideBehind(ctx, &q, a, res)
	res.Stages = append(res.Stages, a.Stages()...)
	if p.Checks.Has(verdict.Stack) {
		checkFrames(p, res) // what weaves in the arguments has no frame
	}
}

// runsQuestion is what is asked about whole runs: whether they end, and when.
type runsQuestion struct {
	p         *problem.Problem
	answers   *problem.Answers
	paths     *verdict.Result
	pathsDone chan struct{} // closed when paths says what is known about paths
}

func (r *runsQuestion) decide(ctx context.Context) {
	if r.p.Checks.Has(verdict.Termination) {
		race(ctx, r.p, r.answers, terminationEngines(r.p, r.proves))
	}
	if r.p.Checks.Has(verdict.ComplexityBound) {
		race(ctx, r.p, r.answers, complexityEngines)
	}
}

// proves waits for the claims about paths, and reports whether all those of check c
// were proved in this run.
func (r *runsQuestion) proves(ctx context.Context, c verdict.Check) bool {
	if !r.p.Checks.Has(c) {
		return false
	}
	select {
	case <-r.pathsDone:
	case <-ctx.Done():
		return false
	}
	if r.paths.Reason != nil {
		return false
	}
	for i := range r.paths.Claims {
		if cl := &r.paths.Claims[i]; cl.Status != verdict.Proved && (cl.Check == c || cl.Check == verdict.Unwinding) {
			return false
		}
	}
	return true
}
