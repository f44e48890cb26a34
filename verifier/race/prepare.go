package race

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Decide answers the questions about paths and about runs side by side, each of which may use all the time there is.
// Where stages are dumped one follows the other, so that they come in a fixed order. main is the entry in the program
// as it was given.
func Decide(ctx context.Context, p *problem.Problem, main *ir.Func, res *verdict.Result) {
	plan := &p.Plan
	ctx, end := context.WithCancel(ctx)
	runs := &runsQuestion{p: p, main: main, answers: problem.NewAnswers(), paths: res,
		pathsDone: make(chan struct{})}
	runs.answers.Announce(plan.Found)
	aboutRuns := plan.Checks.Has(verdict.Termination) || plan.Checks.Has(verdict.ComplexityBound)
	if plan.EndsUnasked && (len(plan.Dumps) > 0 || plan.StopAfter != "" || !asksPaths(plan.Checks)) {
		aboutRuns = plan.Checks.Has(verdict.ComplexityBound)
	}
	beside := aboutRuns && asksPaths(plan.Checks) && len(plan.Dumps) == 0
	var runsDone <-chan struct{}
	if beside {
		runsDone = Start(runs.answers, "runs", func() {
			defer budget.Work(ctx)()
			runs.decide(ctx)
		})
		defer func() {
			defer budget.Idle(ctx)()
			<-runsDone
		}()
	}
	defer end()
	if asksPaths(plan.Checks) {
		runs.followed, runs.never = decidePaths(ctx, p, runs.main, res)
	}
	close(runs.pathsDone)
	switch {
	case beside:
		resume := budget.Idle(ctx)
		<-runsDone
		resume()
	case aboutRuns:
		runs.decide(ctx)
	default:
		return
	}
	claims.ReportRuns(ctx, p, runs.answers, res)
	res.EndsOpen = runs.leftOpen(res)
}

// Prepare weaves in what runs before the entry, and reports what the compiler found.
// It returns nil, and the reason in res, if there is no such entry.
func Prepare(m *ir.Module, plan problem.Plan, res *verdict.Result) *problem.Problem {
	entry := m.Func(plan.Entry)
	if entry == nil || entry.IsDecl() {
		res.Reason = missingEntry(m, plan.Entry)
		return nil
	}
	if entry.Pos.File != "" {
		at := entry.Pos
		res.At = &at
	}
	m, entry, made := weave.Startup(m, entry)
	if made && plan.Depth > 0 {
		plan.Depth++ // the entry is called
	}
	declared := false
	if m, entry, declared = weave.Declared(m, entry, plan.Undefined); declared && plan.Depth > 0 {
		plan.Depth++
	}
	if plan.Dumps["ir"] {
		plan.Dump("ir", m.String())
	}
	res.Claims = append(res.Claims, claims.FoldedClaims(m, entry, plan.Checks)...)
	assumed := claims.AssumedOf(m, entry)
	res.Assumptions = append(res.Assumptions, assumed...)
	plan.Assumptions = slices.Concat(plan.Assumptions, assumed)
	return &problem.Problem{Plan: plan, Module: m.Part(entry), Entry: entry} // no other entry of m changes the answer
}

func missingEntry(m *ir.Module, name string) *verdict.Reason {
	var names []string
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			names = append(names, f.Name)
		}
	}
	d := fmt.Sprintf("there is no function %q", name)
	if near := verdict.Nearest(name, names); near != "" {
		d += fmt.Sprintf(", did you mean %q?", near)
	}
	return &verdict.Reason{Kind: verdict.Undefined, Detail: d}
}
