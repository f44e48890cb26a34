package verifier

import (
	"context"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// What a guess of a generated harness leaves open is asked once more in another form of the program, in which the guess
// is made otherwise, or not needed. What holds there becomes known of the claim, under what the form assumes.

// Names of techniques: contents in ranges that do no harm (wider.go), stubs for functions without a body, arguments
// that the program makes (withMade), and longer inputs (withLonger).
const (
	narrowName = "narrow"
	stubsName  = "stubs"
	madeName   = "made"
	longerName = "longer"
)

// form is another form of the program.
type form struct {
	open  func(*Plan, *verdict.Result) func(*verdict.Claim) bool // reports the claims of a result that it may settle
	build func(m *ir.Module, plan *Plan) *built                  // nil: it does not differ; it may change plan
	take  func(res, more *verdict.Result, b *built)              // adds to res what more, the answer of the form, knows
	all   bool                                                   // it gets half of the time that is left, however long the entry took
}

// built is a program in some form, and what that assumes beyond the plan's assumptions so far.
type built struct {
	module  *ir.Module
	assumed []verdict.Assumption
	plan    *Plan // of the form
	round   int   // how often blocks were made larger, for what is asked within
}

// asksAgain reports whether a plan wants all that can be known.
func asksAgain(plan *Plan) bool {
	return !plan.FirstOnly && !plan.Alone && plan.StopAfter == "" && len(plan.Dumps) == 0
}

// ask verifies the entry in a form, where that may settle something, and adds to res what is known then.
func (f form) ask(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result) {
	if plan.Checks = checksOf(res, f.open(&plan, res)); len(plan.Checks) == 0 || ctx.Err() != nil {
		return
	}
	b := f.build(m, &plan)
	if b == nil || ctx.Err() != nil {
		return
	}
	b.plan = &plan
	limit := formTime(ctx)
	if f.all {
		limit = policy.NoDeadline
	}
	if more := again(ctx, limit, b, res); more != nil && more.Vacuous == nil {
		f.take(res, more, b)
	}
}

// ownPart returns the part of m that plan is about, to be changed; nil: there is none, or it cannot be copied.
func ownPart(m *ir.Module, plan *Plan) *ir.Module {
	part := plan.Part(m)
	if part == nil {
		return nil
	}
	out, _ := ir.Copy(part)
	return out
}

// again verifies a form in a time, and no more than half of what is left; nil: it did not come to its end.
func again(ctx context.Context, limit time.Duration, b *built, res *verdict.Result) *verdict.Result {
	within, cancel := atMost(ctx, limit)
	defer cancel()
	plan := (&problem.Problem{Plan: *b.plan}).Aside().Plan
	plan.LeaveOthers()
	plan.Answers, plan.EndsUnasked = nil, false
	more := &verdict.Result{Target: res.Target, Entry: res.Entry, Bounds: res.Bounds,
		Assumptions: slices.Clone(plan.Assumptions)}
	faults := problem.NewAnswers()
	defer budget.Idle(ctx)()
	select {
	case <-race.Start(faults, "again", func() {
		defer budget.Work(within)()
		verifyRound(within, b.module, plan, more, b.round)
	}):
		if faults.Reason() == nil {
			return more
		}
	case <-ctx.Done(): // more is not ours to read
	}
	return nil
}

// formTime is the time of a form: half of what the entry took.
func formTime(ctx context.Context) time.Duration {
	return max(budget.Processor(ctx)/2, policy.WiderLeast)
}

// atMost gives a time, and no more than half of what is left: what is known is to be put together in time, too.
func atMost(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if left, limited := budget.Left(ctx); limited && left/2 < limit {
		limit = left / 2
	}
	return budget.WithTimeout(ctx, limit)
}

// adopt makes k, a claim of more, one of res that holds under some assumptions of a form beside its own.
func adopt(res, more *verdict.Result, k *verdict.Claim, assumed []verdict.Assumption) {
	k.Assumptions = slices.Clone(k.Assumptions)
	for _, a := range assumed {
		if !slices.Contains(k.Assumptions, a.ID) {
			k.Assumptions = append(k.Assumptions, a.ID)
		}
	}
	k.Certificate, k.Evidence = nil, nil // of another program
	if len(assumed) > 0 {
		k.Learn(verdict.Guessed)
	}
	res.Assumptions = verdict.AddAssumptions(res.Assumptions, more.RestsOn(k)...)
	res.Assumptions = verdict.AddAssumptions(res.Assumptions, assumed...)
}

// checksOf returns the checks that some claims are of.
func checksOf(res *verdict.Result, of func(*verdict.Claim) bool) verdict.CheckSet {
	out := verdict.CheckSet{}
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Check.Of().Decided == verdict.ByPaths && of(c) {
			out[c.Check] = true
		}
	}
	return out
}

// leftOut reports a claim that is open because a violation is no finding, or because executions come to it only past one.
func leftOut(c *verdict.Claim) bool {
	return c.Status == verdict.Unknown && c.Reason != nil &&
		(c.Reason.Kind == verdict.Incomplete || c.Reason.Kind == verdict.Shadowed)
}

// waiting returns what reports a claim that is left out, or of which the violation is no finding.
func waiting(plan *Plan) func(*verdict.Claim) bool {
	return func(c *verdict.Claim) bool { return leftOut(c) || len(guessed(plan, c)) > 0 }
}

// withMade asks once more about what is open because of what a harness made up, in runs in which the program's own
// functions make the arguments (harness.Program.Made). What holds then is conditional ("holds if s is as a call of sdsnew
// leaves it"); what fails is no finding of this. No other claim is asked about: runs go on past it. What these functions
// lose is theirs.
func withMade(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result) {
	if plan.Made == nil || plan.Off[madeName] || ctx.Err() != nil {
		return
	}
	waits := waiting(&plan)
	more := beside(ctx, m, plan, plan.Made, func(c *verdict.Claim) bool { return c.Check != verdict.Leak && waits(c) }, res)
	if more == nil {
		return
	}
	takeOver(res, more, &built{plan: &plan, assumed: slices.DeleteFunc(slices.Clone(plan.Made.Assumptions), func(a verdict.Assumption) bool {
		return a.Relation != verdict.Contents || slices.ContainsFunc(plan.Assumptions, func(b verdict.Assumption) bool {
			return a.ID == b.ID
		})
	})})
}

// withLonger looks for violations with longer strings and lengths (harness.Program.Longer), of what holds up to a limit
// that the harness chose. Nothing is proved.
func withLonger(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result) {
	for _, w := range plan.Longer {
		if !plan.Off[longerName] && ctx.Err() == nil {
			longer(ctx, m, plan, w, res)
		}
	}
}

// longer looks for violations in one of these entries.
func longer(ctx context.Context, m *ir.Module, plan Plan, w *problem.Wide, res *verdict.Result) {
	limits := func(list, than []verdict.Assumption) []verdict.Assumption {
		return slices.DeleteFunc(slices.Clone(list), func(a verdict.Assumption) bool {
			return !a.Guessed() || a.Relation != verdict.Limit && a.Relation != verdict.Extent ||
				slices.ContainsFunc(than, func(b verdict.Assumption) bool { return a.ID == b.ID })
		})
	}
	limited := func(c *verdict.Claim) bool {
		return (c.Status == verdict.Bounded || c.Status == verdict.Conditional) && len(limits(res.RestsOn(c), w.Assumptions)) > 0
	}
	more := beside(ctx, m, plan, w, limited, res)
	if more == nil {
		return
	}
	found := map[string]*verdict.Claim{}
	for i := range more.Claims {
		if k := &more.Claims[i]; k.Status == verdict.Violated && len(guessed(&plan, k)) == 0 {
			found[verdict.Site(k.ID)] = k
		}
	}
	under := limits(w.Assumptions, plan.Assumptions)
	for i := range res.Claims {
		c := &res.Claims[i]
		k := found[verdict.Site(c.ID)]
		if k == nil || !limited(c) {
			continue
		}
		*c = *k
		c.Certificate, c.Evidence, c.Assumptions = nil, nil, nil // of another program
		for _, a := range under {
			c.Assumptions = append(c.Assumptions, a.ID)
		}
		res.Assumptions = verdict.AddAssumptions(res.Assumptions, under...)
		if plan.Found != nil {
			plan.Found(*c)
		}
	}
}

// beside asks the claims of res that waits reports of another entry of the same program; runs go on past all others. nil:
// there are none.
func beside(ctx context.Context, m *ir.Module, plan Plan, w *problem.Wide, waits func(*verdict.Claim) bool,
	res *verdict.Result) *verdict.Result {
	q := plan.Beside(w.Entry, w.Assumptions, w.Open)
	if q.Checks = checksOf(res, waits); len(q.Checks) == 0 {
		return nil
	}
	more := &verdict.Result{Assumptions: slices.Clone(q.Assumptions)}
	p := race.Prepare(m, q, more)
	if p == nil {
		return nil
	}
	past := ir.Past{}
	for at, id := range claims.ClaimIDs(p) {
		if !slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return verdict.Site(c.ID) == id && waits(&c) }) {
			past[at] = true
		}
	}
	within, end := atMost(ctx, formTime(ctx))
	defer end()
	p = p.Without(past).Aside()
	a := problem.NewAnswers()
	race.Run(within, p, a, race.SafetyEngines)
	more.Claims = nil // what the compiler found is told already
	claims.ReportPaths(p, a, more)
	if claims.JudgeAll(ctx, p, more); more.Vacuous != nil {
		return nil
	}
	return more
}
