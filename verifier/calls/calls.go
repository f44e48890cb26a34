// Package calls asks about claims once more that rest on what is in memory at first: in runs of an entry that calls
// functions of the program in any order.
package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/bmc"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/graphterm"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Name is the name of decideCalls among the techniques.
const Name = "calls"

// Decide looks at claims that rest on what is in variables and structures at first, and that nobody says. First
// whatever numbers variables hold; then in runs of the entry of calls (problem.Calls), which bring it about. A claim
// that fails in one is violated by these calls. One that holds in all of them rests on what the calls rest on.
func Decide(ctx context.Context, m *ir.Module, plan problem.Plan, res *verdict.Result) {
	calls := plan.Calls
	if calls == nil || plan.Off[Name] || plan.FirstOnly || plan.StopAfter != "" || len(plan.Dumps) > 0 {
		return
	}
	c := &byCalls{module: m, plan: plan, calls: calls, res: res}
	if c.find(); calls.AnyState != "" && (len(c.open) > 0 || res.Vacuous != nil) && ctx.Err() == nil {
		if found := c.run(ctx, calls.AnyState, calls.AnyStateAssumptions, plan.Open, callsEngines, policy.CallsTime); found != nil {
			c.takeProofs(found)
			c.startAnywhere(found)
		}
	}
	c.findForCalls()
	switch {
	case calls.Entry == "":
	case c.readsStored():
		c.ask(ctx, callsSearch, policy.CallsSearch, ofFailures)
		if c.findForCalls(); c.wouldProve() {
			c.ask(ctx, callsEngines, policy.CallsTime, ofProofs)
		}
	case c.wouldProve():
		c.ask(ctx, callsEngines, policy.CallsTime, ofBoth)
	default:
		c.ask(ctx, callsSearch, policy.CallsSearch, ofBoth)
	}
}

// answers are those of an entry that are taken over.
type answers int

const (
	ofBoth     answers = iota
	ofFailures         // volatile numbers that the program stores are memory: the calls bring about what they read
	ofProofs           // such numbers are any in the range that the program keeps them in
)

// ask asks about the claims that wait in runs of the entry of calls, and takes over what fails, or holds.
func (c *byCalls) ask(ctx context.Context, engines []race.Entrant, limit time.Duration, taken answers) {
	if len(c.open) == 0 || ctx.Err() != nil {
		return
	}
	c.holdsStored = taken == ofFailures
	found := c.run(ctx, c.calls.Entry, c.calls.Assumptions, c.calls.Open, engines, limit)
	if found == nil {
		return
	}
	found.Claims = slices.DeleteFunc(found.Claims, func(f verdict.Claim) bool {
		return taken == ofProofs && f.Status == verdict.Violated || taken == ofFailures && f.Status != verdict.Violated
	})
	c.take(found)
}

// readsStored reports whether calls read volatile numbers that the program stores.
func (c *byCalls) readsStored() bool {
	entry := c.module.Func(c.calls.Entry)
	if entry == nil || c.plan.VolatileMemory {
		return false
	}
	for _, f := range c.module.Slice(entry, true).Funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
				return in.Flags.Has(ir.Stored) && !in.Flags.Has(ir.Sole)
			}) {
				return true
			}
		}
	}
	return false
}

// byCalls takes over what runs of other entries show.
type byCalls struct {
	module *ir.Module
	plan   problem.Plan
	calls  *problem.Calls
	res    *verdict.Result
	open   map[string]*verdict.Claim // of res, by ID
	past   map[string]*verdict.Claim // likewise those that hold, where executions end that go past blocks of guessed sizes
	shown  map[string]bool           // claims of the last entry that hold in all its runs
	hold   bool                      // nothing fails in these
	// where something may fail in these, and all of it is modelled: that no call before does; nil: else
	unless *verdict.Assumption

	holdsStored bool // problem.Plan.HoldsStored of the next entry
}

// find finds the claims that wait.
func (c *byCalls) find() {
	c.open, c.past = map[string]*verdict.Claim{}, map[string]*verdict.Claim{}
	ends := slices.ContainsFunc(c.res.Claims, c.endsAtGuess) || slices.ContainsFunc(c.res.Left, c.endsAtGuess)
	for i := range c.res.Claims {
		switch claim := &c.res.Claims[i]; {
		case c.waits(claim):
			c.open[claim.ID] = claim
		case ends && claim.Status.Holds():
			c.past[claim.ID] = claim
		}
	}
}

// findForCalls finds those that calls may settle: no leaks.
func (c *byCalls) findForCalls() {
	c.find()
	maps.DeleteFunc(c.open, func(_ string, claim *verdict.Claim) bool { return claim.Check == verdict.Leak })
}

// endsAtGuess reports a violation past the end of a block of a guessed size: what holds behind it does so of the executions
// that stay within.
func (c *byCalls) endsAtGuess(end verdict.Claim) bool {
	return end.Failure.Is(verdict.OutOfBounds) && leads(&end, c.plan.Guesses)
}

// wouldProve reports whether a proof by calls says more of a claim that waits than is known: it is unknown, or rests on
// what a variable holds at first. What rests on contents of structures goes on to do so.
func (c *byCalls) wouldProve() bool {
	for _, claim := range c.open {
		if rank(claim.Status) < 0 || slices.ContainsFunc(c.res.RestsOn(claim), func(a verdict.Assumption) bool {
			return a.Relation == verdict.Start && slices.ContainsFunc(c.calls.Assumptions, func(now verdict.Assumption) bool {
				return now.Relation == verdict.Start && now.Subject == a.Subject && !now.Guessed()
			})
		}) {
			return true
		}
	}
	return false
}

// run asks about the paths of another entry; nil: it came to no answer.
func (c *byCalls) run(ctx context.Context, entry string, assumptions, open []verdict.Assumption, engines []race.Entrant,
	limit time.Duration) *verdict.Result {
	q := c.plan.Beside(entry, assumptions, open)
	q.HoldsStored = c.holdsStored
	for _, a := range c.plan.Assumptions {
		if a.Relation != verdict.Start && a.Relation != verdict.Quiet {
			q.Assumptions = verdict.AddAssumptions(q.Assumptions, a)
		}
	}
	q.Checks = maps.Clone(c.plan.Checks)
	for check := range q.Checks {
		if check.Of().Decided != verdict.ByPaths || check == verdict.Stack ||
			check == verdict.Leak && entry == c.calls.Entry { // what one call gives back, nobody frees before the next
			delete(q.Checks, check)
		}
	}
	found := &verdict.Result{Assumptions: slices.Clone(q.Assumptions)}
	p := race.Prepare(c.module, q, found)
	if p == nil {
		return nil
	}
	p = p.Aside()
	ctx, end := budget.WithTimeout(ctx, limit)
	defer end()
	a := problem.NewAnswers()
	a.Announce(c.stopSoon(ctx, end))
	race.Run(ctx, p, a, engines)
	c.res.Stages = append(c.res.Stages, a.Stages()...)
	if race.NothingFound(a) {
		return nil
	}
	found.Claims = nil // what the compiler found is told already
	claims.ReportPaths(p, a, found)
	claims.LeaveBehind(p, race.DecideBehind(ctx, p, a, found), found)
	c.shown = map[string]bool{}
	c.hold, c.unless = found.Reason == nil && found.Vacuous == nil, nil
	if c.hold {
		c.unless = unlessFails(found)
	}
	for i := range found.Claims {
		f := &found.Claims[i]
		c.shown[f.ID] = f.Status == verdict.Proved && found.Vacuous == nil
		c.hold = c.hold && (f.Status == verdict.Proved || f.Check == verdict.Unwinding)
	}
	claims.JudgeAll(ctx, p, found)
	return found
}

// takeProofs gives the claims that wait their proofs.
func (c *byCalls) takeProofs(found *verdict.Result) {
	for i := range found.Claims {
		f := &found.Claims[i]
		if claim := c.open[f.ID]; claim != nil && c.shown[f.ID] && c.saysMore(f, claim, found) {
			*claim = *f
			claim.Evidence = nil // of another program
			c.res.Assumptions = verdict.AddAssumptions(c.res.Assumptions, found.RestsOn(claim)...)
			if !claim.Unreachable {
				c.res.Vacuous = nil
			}
		}
	}
}

// startAnywhere takes over all claims of an entry in which variables hold any numbers, where the initial ones lead nowhere,
// as in a function that begins with assert(started). What fails there is open: which numbers there may be only calls show.
func (c *byCalls) startAnywhere(found *verdict.Result) {
	if c.res.Vacuous == nil || found.Vacuous != nil {
		return
	}
	c.res.Vacuous = nil
	known := map[string]*verdict.Claim{}
	for i := range c.res.Claims {
		known[c.res.Claims[i].ID] = &c.res.Claims[i]
	}
	for i := range found.Claims {
		f := &found.Claims[i]
		if f.Status == verdict.Violated {
			found.Withdraw(f, &verdict.Reason{Kind: verdict.Incomplete,
				Detail: "it fails for some values of variables, and no call before is known that leaves them so",
				Remedy: "a harness that calls what sets them, and then this function"})
		}
		if f.Evidence = nil; known[f.ID] != nil { // of another program
			*known[f.ID] = *f
		} else {
			c.res.Claims = append(c.res.Claims, *f)
		}
	}
	c.res.Assumptions = slices.DeleteFunc(c.res.Assumptions, func(a verdict.Assumption) bool { return a.Relation == verdict.Start })
	c.res.Assumptions = verdict.AddAssumptions(c.res.Assumptions, found.Assumptions...)
}

// saysMore reports whether what was found of a claim rests on less than what is known of it.
func (c *byCalls) saysMore(f, claim *verdict.Claim, found *verdict.Result) bool {
	if f.Status != verdict.Conditional || claim.Status != verdict.Conditional {
		return rank(f.Status) > rank(claim.Status)
	}
	declared := func(a verdict.Assumption) bool { return !a.Guessed() }
	return len(slices.DeleteFunc(found.RestsOn(f), declared)) < len(slices.DeleteFunc(c.res.RestsOn(claim), declared)) &&
		!found.Adds(f, claim)
}

// callsSearch look for runs of an entry of calls that violate a claim: few calls, and many.
var callsSearch = []race.Entrant{
	{Name: "unwinding", Engine: bmc.Engine{}},
	{Name: "states", Engine: replay.States{}, After: "unwinding", Or: policy.CallsStates},
}

// callsEngines look at runs of an entry of calls.
var callsEngines = slices.Concat(callsSearch, []race.Entrant{
	{Name: "graph", Engine: graphterm.Safety{}, After: "unwinding", Or: policy.CallsInduction,
		Share: policy.SafetyGraphPercent},
	{Name: "induction", Engine: invariant.Engine{}, After: "unwinding", Or: policy.CallsInduction},
})

// stopSoon returns a function that is told of violations, and ends ctx a while after the first that is asked for: then
// what else there is does not hold in all runs.
func (c *byCalls) stopSoon(ctx context.Context, end func()) func(verdict.Claim) {
	var once sync.Once
	return func(f verdict.Claim) {
		if c.open[f.ID] == nil {
			return
		}
		once.Do(func() {
			late, stop := budget.After(ctx, policy.CallsMore)
			go func() {
				defer stop()
				select {
				case <-late:
					end()
				case <-ctx.Done():
				}
			}()
		})
	}
}

// waits reports a claim that rests on what is in variables or structures at first.
func (c *byCalls) waits(claim *verdict.Claim) bool {
	if claim.Check.Of().Decided != verdict.ByPaths || claim.Check == verdict.Unwinding ||
		strings.Contains(claim.ID, "@firmproof.") {
		return false
	}
	switch claim.Status {
	case verdict.Violated:
		return leads(claim, c.plan.Guesses)
	case verdict.Unknown:
		return claim.Reason != nil && claim.Reason.Kind == verdict.Incomplete
	case verdict.Conditional, verdict.Bounded:
		return slices.ContainsFunc(c.res.RestsOn(claim), func(a verdict.Assumption) bool {
			switch a.Relation {
			case verdict.Start:
				return c.decides(a)
			case verdict.Interval, verdict.Contents, verdict.Nullness:
				return a.Guessed() && !a.MayBeNull() && !a.ReadsStored() // calls read what others store, too
			}
			return false
		})
	}
	return false
}

// decides reports whether one of the entries does without an assumption about what a variable holds at first.
func (c *byCalls) decides(a verdict.Assumption) bool {
	return c.calls.AnyState != "" && !slices.ContainsFunc(c.calls.AnyStateAssumptions, func(b verdict.Assumption) bool {
		return b.ID == a.ID
	}) || slices.ContainsFunc(c.calls.Assumptions, func(b verdict.Assumption) bool {
		return b.Relation == verdict.Start && b.Subject == a.Subject && b.ID != a.ID
	})
}

// take gives the claims that wait what was found about them.
func (c *byCalls) take(found *verdict.Result) {
	for i := range found.Claims {
		f := &found.Claims[i]
		claim := c.open[f.ID]
		switch {
		// what holds since a harness makes a pointer that is not null goes on to do so: that is no size
		case c.past[f.ID] != nil && f.Status == verdict.Violated && !f.Failure.Is(verdict.NullAccess):
			c.violated(c.past[f.ID], f)
		case claim == nil || f.Check == verdict.Unwinding:
		case f.Status == verdict.Violated:
			c.violated(claim, f)
		case rank(claim.Status) < 0 && slices.ContainsFunc(f.Assumptions, func(id string) bool {
			return slices.Contains(c.calls.Elsewhere, id)
		}):
		case c.hold && rank(f.Status) >= rank(claim.Status):
			c.proved(claim, f, found)
			if !claim.Unreachable {
				c.res.Vacuous = nil // calls before it lead there
			}
		case c.unless != nil && c.shown[f.ID] && !f.Unreachable && rank(claim.Status) < 0:
			c.proved(claim, f, found)
			claim.Assumptions = append(claim.Assumptions, c.unless.ID)
			claim.Learn(verdict.Guessed)
			c.res.Assumptions = verdict.AddAssumptions(c.res.Assumptions, *c.unless)
		}
	}
}

// unlessFails is the assumption that no call fails where it may; nil: none may.
func unlessFails(found *verdict.Result) *verdict.Assumption {
	var where []string
	for i := range found.Claims {
		f := &found.Claims[i]
		if at := fmt.Sprintf("%s:%d", f.Pos.File, f.Pos.Line); f.Status != verdict.Proved && f.Check != verdict.Unwinding &&
			!slices.Contains(where, at) {
			where = append(where, at)
		}
	}
	if len(where) == 0 {
		return nil
	}
	const most = 3
	list := strings.Join(where[:min(len(where), most)], ", ")
	if len(where) > most {
		list += fmt.Sprintf(" and %d more places", len(where)-most)
	}
	a := verdict.Assume("", verdict.Calls, verdict.Chosen, "no call before it fails at "+list+", which is not proved")
	return &a
}

// rank orders statuses by how much they say that a claim holds.
func rank(s verdict.Status) int {
	return slices.Index([]verdict.Status{verdict.Conditional, verdict.Bounded, verdict.Proved}, s)
}

// violated gives a claim a violation by calls, unless that is none of a finding.
func (c *byCalls) violated(claim, f *verdict.Claim) {
	if !Finds(c.calls, f) {
		return
	}
	f.Assumptions = nil
	*claim = *f
}

// Finds reports whether a violation by calls rests on nothing that the entry of calls made up, and says then which calls
// these are. What a call of another function shows is said of that function, by its own entry.
func Finds(calls *problem.Calls, f *verdict.Claim) bool {
	list := made(f.Trace, calls.Entry)
	if len(list) == 0 || calls.Alone && len(list) == 1 || list[len(list)-1].Callee != calls.Of || f.Replay != verdict.Confirmed || len(f.Undefined) > 0 ||
		f.Behind != "" || f.Check == verdict.Bool || f.Check == verdict.Uninitialised || leads(f, calls.Guesses) ||
		f.Failure.Is(verdict.OtherType) && len(f.Failure.Names(verdict.ByHarness)) > 0 {
		return false
	}
	f.Message += " (calls: " + inWords(sequence(list)) + ")"
	return true
}

// proved gives a claim the proof of all runs of the entry of calls.
func (c *byCalls) proved(claim, f *verdict.Claim, found *verdict.Result) {
	old := c.res.RestsOn(claim)
	*claim = *f
	claim.Evidence = nil // of another program
	for _, a := range old {
		if a.Relation != verdict.Start {
			continue
		}
		for _, now := range c.calls.Assumptions {
			if now.Relation == verdict.Start && now.Subject == a.Subject && !slices.Contains(claim.Assumptions, now.ID) {
				claim.Assumptions = append(claim.Assumptions, now.ID)
			}
		}
	}
	c.res.Assumptions = verdict.AddAssumptions(c.res.Assumptions, found.RestsOn(claim)...)
}

// leads reports whether a claim speaks of what one of the pointers leads to.
func leads(claim *verdict.Claim, pointers []string) bool {
	return slices.ContainsFunc(claim.Failure.Names(verdict.ByHarness), func(name string) bool {
		return slices.Contains(pointers, name)
	})
}
