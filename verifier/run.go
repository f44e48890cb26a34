// Package verifier answers what is asked of one entry of a module, one verdict per
// claim: Run weaves in what surrounds the program, has engines race for each question,
// and words what they found.
//
//	paths  module -> unwind+encode -> rewrite -> solve -> (if sat) interp replay -> verdict
//	runs   module -> seg -> ITS -> termination -> check certificate -> verdict
package verifier

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/calls"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/graphterm"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/termination"
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
	case <-race.Start(faults, "run", func() {
		defer budget.Work(ctx)()
		verifyRound(ctx, m, plan, &inside, 0)
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
	claims.SortClaims(res.Claims, nil) // what verify left unsorted when it ended early
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

// verifyRound has the questions decided, and judges what is known. round counts how often blocks were made larger.
func verifyRound(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result, round int) {
	p := race.Prepare(m, plan, res)
	if p == nil || plan.FirstOnly && len(res.Claims) > 0 {
		return
	}
	defer judge(ctx, p, m, plan, res, round) // also where what decides them fails
	if round == 0 && asksAgain(&plan) && mayStub(&plan) && len(weave.Bodiless(p.Module)) > 0 {
		within, end := budget.Share(ctx, policy.BodilessPercent)
		defer end()
		ctx = within
	}
	race.Decide(ctx, p, m.Func(plan.Entry), res)
}

// judge judges the claims, by what engines know, other executions, and other forms of the program.
func judge(ctx context.Context, p *problem.Problem, m *ir.Module, plan Plan, res *verdict.Result, round int) {
	w := wider{short: tooShort(&plan, res), late: tooLate(&plan, res)}
	x := another{p: p, res: res, past: pastGuesses(&plan, res)}
	x.fixed, w.narrow = claims.JudgeAll(ctx, p, res)
	if plan.Off[narrowName] {
		w.narrow = nil
	}
	calls.Decide(ctx, m, plan, res)
	if asksAgain(&plan) {
		if round == 0 {
			x.find(ctx, m)
		}
		forms := []form{w.form(round)}
		for _, means := range stubMeans {
			forms = append(forms, stubForm(means.kind, means.text))
		}
		for _, f := range forms {
			f.ask(ctx, m, plan, res)
		}
		withMade(ctx, m, plan, res)
		withLonger(ctx, m, plan, res)
		anyReads().ask(ctx, m, plan, res)
		unguessed().ask(ctx, m, plan, res)
	}
	claims.BoundByHandlers(p, res)
	claims.MarkAfter(p, res)
	claims.RestPast(p, res)
	res.NameWays()
	claims.SortClaims(res.Claims, claims.ClaimOrder(p, res.Claims))
}

// Techniques lists the names of all that Plan.Off can leave out: the rows of the races, calls in any order, lines that
// are tried, the makers of lemmas, the kinds of graphs, and the ways to decide a transition system. Claim.By and
// Certificate.Makers are among them.
func Techniques() []string {
	var names []string
	for _, list := range [][]string{race.RowNames(), {calls.Name, narrowName, stubsName, madeName, longerName}, invariant.Makers,
		graphterm.Techniques, termination.Techniques} {
		for _, n := range list {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
