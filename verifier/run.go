// Package verifier answers what is asked of one entry of a module, one verdict per
// claim: Run weaves in what surrounds the program, has engines race for each question,
// and words what they found.
//
//	paths  module -> unwind+encode -> rewrite -> solve -> (if sat) interp replay -> verdict
//	runs   module -> seg -> ITS -> termination -> check certificate -> verdict
package verifier

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Plan says what to verify and within which limits. The context given to Run carries the time limit (package budget).
type Plan = problem.Plan

// Progress is a snapshot for a progress line.
type Progress = problem.Progress

// PeakRSS is the largest resident size of this process so far, in bytes.
func PeakRSS() int64 { return problem.PeakRSS() }

// Run verifies one entry of m. It never returns nil; whatever goes wrong inside
// is an unknown with its reason.
func Run(ctx context.Context, m *ir.Module, plan Plan) *verdict.Result {
	began := time.Now()
	ctx, finish := budget.Ensure(ctx)
	defer finish()
	res := &verdict.Result{Target: plan.Target, Entry: plan.Entry, Claims: []verdict.Claim{},
		Bounds: verdict.Bounds{Unwind: plan.Unwind, Depth: plan.Depth}, Assumptions: slices.Clone(plan.Assumptions)}
	faults := problem.NewAnswers()
	late, cancel := budget.Longer(ctx, policy.AnswerGrace)
	defer cancel()
	inside, found := *res, &foundClaims{told: plan.Found}
	plan.Found = found.add
	resume := budget.Idle(ctx)
	select {
	case <-start(faults, "run", func() {
		defer budget.Work(ctx)()
		verify(ctx, m, plan, &inside)
	}):
		*res = inside
	case <-late.Done(): // inside is not ours to read
		res.Reason, res.Claims = problem.EarlyEnd(ctx, nil), found.all()
	}
	resume()
	if r := faults.Reason(); r != nil {
		res.Reason = r
	}
	res.DurationMS = time.Since(began).Milliseconds()
	res.ProcessorMS = budget.Processor(ctx).Milliseconds()
	res.PeakRSS = PeakRSS()
	res.NameWays()
	sortClaims(res.Claims, nil) // what verify left unsorted when it ended early
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Unknown {
			c.By = ""
		}
	}
	res.Summarise()
	if res.Status == verdict.Violated || res.Status == verdict.Unknown {
		res.Vacuous = nil
	}
	return res
}

// foundClaims keeps the violations that are announced, which are findings even where no answer is put together in time.
type foundClaims struct {
	mu     sync.Mutex
	claims []verdict.Claim
	told   func(verdict.Claim) // who is told of each, too; may be nil
}

func (f *foundClaims) add(c verdict.Claim) {
	f.mu.Lock()
	f.claims = append(f.claims, c)
	f.mu.Unlock()
	if f.told != nil {
		f.told(c)
	}
}

// all returns the violations so far.
func (f *foundClaims) all() []verdict.Claim {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]verdict.Claim{}, f.claims...)
}

// verify answers the questions about paths and about runs side by side, each of which
// may use all the time there is. Where stages are dumped one follows the other, so
// that they come in a fixed order.
func verify(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result) {
	p := prepare(m, plan, res)
	if p == nil || plan.FirstOnly && len(res.Claims) > 0 {
		return
	}
	whole := ctx
	defer func() {
		judgeAll(p, res)
		decideCalls(whole, m, plan, res)
		boundByHandlers(p, res)
		markAfter(p, res)
		res.NameWays()
		sortClaims(res.Claims, claimOrder(p, res.Claims))
	}()
	ctx, end := context.WithCancel(ctx)
	runs := &runsQuestion{p: p, main: m.Func(plan.Entry), answers: problem.NewAnswers(), paths: res,
		pathsDone: make(chan struct{})}
	runs.answers.Announce(plan.Found)
	aboutRuns := plan.Checks.Has(verdict.Termination) || plan.Checks.Has(verdict.ComplexityBound)
	if plan.EndsUnasked && (len(plan.Dumps) > 0 || plan.StopAfter != "" || !asksPaths(plan.Checks)) {
		aboutRuns = plan.Checks.Has(verdict.ComplexityBound)
	}
	beside := aboutRuns && asksPaths(plan.Checks) && len(plan.Dumps) == 0
	var runsDone <-chan struct{}
	if beside {
		runsDone = start(runs.answers, "runs", func() {
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
	reportRuns(ctx, p, runs.answers, res)
	res.EndsOpen = runs.leftOpen(res)
}

// prepare weaves in what runs before the entry, and reports what the compiler found.
// It returns nil, and the reason in res, if there is no such entry.
func prepare(m *ir.Module, plan Plan, res *verdict.Result) *problem.Problem {
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
	res.Claims = append(res.Claims, foldedClaims(m, entry, plan.Checks)...)
	assumed := assumedOf(m, entry)
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
