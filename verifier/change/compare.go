package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// Compare decides what two versions of a function do on the same inputs, from the same memory: old, by its name in the
// program was, and now, in the program is. plan gives target, meaning and limits; ctx carries the time limit. known has
// what is known of other functions of both; nil: nothing.
func Compare(ctx context.Context, was, is *ir.Module, old, now string, plan problem.Plan, known *Known) *verdict.Comparison {
	out := &verdict.Comparison{Function: now, Target: plan.Target, Differences: []verdict.Difference{}}
	if f := is.Func(now); f != nil {
		out.Function, out.Pos = f.CName, f.Pos
	}
	if f := was.Func(old); f != nil && f.CName != out.Function {
		out.Old = f.CName
	}
	if known == nil {
		known = NewKnown(nil)
	}
	v := versions{was: was, is: is, old: old, now: now, plan: plan, known: known}
	return v.compare(ctx, out)
}

// compare completes out, which names the function.
func (v *versions) compare(ctx context.Context, out *verdict.Comparison) *verdict.Comparison {
	ctx, finish := budget.Ensure(ctx)
	defer finish()
	defer budget.Work(ctx)() // joining both, too
	before := budget.Processor(ctx)
	m, both, err := v.joined(form{args: pair.Careful})
	if err != nil {
		out.Status = verdict.SameOpen
		out.Reason = &verdict.Reason{Kind: verdict.Incomplete, Detail: err.Error()}
		out.ProcessorMS = (budget.Processor(ctx) - before).Milliseconds()
		return out
	}
	part, end := firstPart(ctx)
	first := v.oneAfterOther(part, m, both, *out)
	end()
	answer := first.out
	if answer.Status == verdict.Same {
		first.show()
	} else if answer.Status != verdict.Differs {
		answer = v.further(ctx, first, *out)
	}
	if answer == nil && !first.ends {
		answer = v.endless(ctx, *out)
	}
	if answer == nil && (ctx.Err() != nil || first.out.Status == verdict.SameBounded && !first.more) {
		answer = first.out // more time shows no more, or there is none
	}
	if answer == nil {
		m, both, _ = v.joined(form{args: pair.Careful}) // a run may change its program
		again := v.oneAfterOther(ctx, m, both, *out)
		if answer = again.out; answer.Status == verdict.Same {
			again.show()
		}
	}
	if answer.Status == verdict.Differs {
		answer = v.settled(ctx, answer, *out)
	}
	if answer.Status != verdict.Same {
		v.known.settle(pair.Callee{Name: v.now, Old: v.old}, false)
	}
	answer.ProcessorMS = (budget.Processor(ctx) - before).Milliseconds()
	return answer
}

// further completes out where both versions do the same by other ways than one after the other; nil: that is not shown.
// Where first, of careful arguments, is all but proved, it takes a part of the time.
func (v *versions) further(ctx context.Context, first *comparing, out verdict.Comparison) *verdict.Comparison {
	if first.out.Status == verdict.SameBounded && !first.more {
		part, end := budget.Share(ctx, policy.PairWiderPercent)
		defer end()
		ctx = part
	}
	v.findCallees(ctx)
	answer := v.wider(ctx, first, out)
	if answer != nil {
		answer.Excused = first.out.Excused // what any arguments at all bring about is none of the old version
		return answer
	}
	return v.same(ctx, out, form{args: pair.Careful, turns: true}, first.compared)
}

// wider completes out where both versions do the same with any arguments at all, or else with any to places that are
// apart; nil: neither is shown. first is what is known of careful ones.
func (v *versions) wider(ctx context.Context, first *comparing, out verdict.Comparison) *verdict.Comparison {
	if slices.ContainsFunc(first.out.Assumptions, func(a verdict.Assumption) bool { return a.MayBeNull() }) {
		return nil // pair.AnyApart takes for granted that nobody asks
	}
	var apart *verdict.Comparison
	for _, args := range []pair.Arguments{pair.AnyApart, pair.Any} {
		c := v.anyhow(ctx, out, form{args: args}, first.compared, !first.bounded)
		if c == nil || c.Status == verdict.Same {
			return cmp.Or(c, apart)
		}
		apart = cmp.Or(apart, c)
	}
	return apart
}

// versions is two versions of a function, and how they are asked about.
type versions struct {
	was, is  *ir.Module
	old, now string
	plan     problem.Plan
	known    *Known
	machines *pair.Machines  // two that one version is compiled for; nil: two versions for one
	callees  []pair.Callee   // that need not be followed; nil before other ways are tried
	ends     map[string]bool // of them: whether calls end, once it is asked
}

// form is a way to compare both versions: with which arguments, turn by turn or one after the other, and whether calls of
// functions that do the same in both are left out. callee: what is shown is for whoever calls them, whose pointers are
// aligned or not, and nothing is assumed of what is passed.
type form struct {
	args                pair.Arguments
	turns, take, callee bool
}

// joined returns a program of both versions, with a function that compares them. Calls through pointers are followed if
// that is possible.
func (v *versions) joined(by form) (m *ir.Module, both *pair.Paired, err error) {
	if m, both, err = v.joinedBy(by, false); errors.Is(err, pair.ErrPointers) {
		m, both, err = v.joinedBy(by, true)
	}
	return m, both, err
}

// joinedBy is joined, with calls through pointers not followed if through says so.
func (v *versions) joinedBy(by form, through bool) (*ir.Module, *pair.Paired, error) {
	j, err := pair.Join(v.was, v.is, v.known.alikeIn(v.was, v.is), v.machines)
	if err != nil {
		return nil, nil, err
	}
	j.ThroughPointers = through
	if j.Unaligned = by.callee; by.take {
		j.Take(v.callees)
	}
	pairing := j.Pair
	if by.turns {
		pairing = j.Turns
	}
	both, err := pairing(v.old, v.now, by.args)
	return j.Module, both, err
}

// oneAfterOther completes out by m, which calls both versions, one after the other, until ctx ends.
func (v *versions) oneAfterOther(ctx context.Context, m *ir.Module, both *pair.Paired, out verdict.Comparison) *comparing {
	c := &comparing{out: &out, pair: both}
	c.res, c.show = v.run(ctx, m, planOf(v.plan, both), form{}.words(v.now))
	c.decide()
	return c
}

// comparing turns the answer about a pair of calls into that about two versions.
type comparing struct {
	out  *verdict.Comparison
	pair *pair.Paired
	res  *verdict.Result
	show func() // keeps res as a proof

	open     *verdict.Reason // the first reason why something is not decided
	bounded  bool            // something is shown within bounds alone
	more     bool            // that is so of loops, and not only of what the comparison leaves out
	within   bool            // that, or under assumptions alone
	compared bool            // an execution comes to the end of the comparison
	ends     bool            // both calls end on all inputs
	limits   []string        // what is not compared, in words
	oldFails bool            // a check of the old version, other than of arithmetic, is not proved
}

func (c *comparing) decide() {
	out := c.out
	out.Bounds, out.Limits, out.Layouts = c.res.Bounds, c.pair.Limits, c.pair.Layouts
	out.Assumptions, c.ends = c.res.Assumptions, c.ends || c.res.Followed
	c.bounded = slices.ContainsFunc(c.res.Claims, func(l verdict.Claim) bool { return l.Check == verdict.Unwinding })
	for i := range c.res.Claims {
		c.claim(&c.res.Claims[i])
	}
	c.more = c.bounded
	out.Limits = append(out.Limits[:len(out.Limits):len(out.Limits)], c.limits...)
	c.bounded = c.bounded || len(out.Limits) > 0
	further := c.pair.Few && c.oldFails
	c.within = c.within || c.bounded || further || slices.ContainsFunc(out.Assumptions, c.guesses)
	switch {
	case len(out.Differences) > 0:
		out.Status = verdict.Differs
	case c.open != nil || c.res.Reason != nil:
		out.Status, out.Reason = verdict.SameOpen, cmp.Or(c.open, c.res.Reason)
	case !c.compared:
		out.Status = verdict.SameOpen
		out.Reason = &verdict.Reason{Kind: verdict.Vacuous,
			Detail: "no execution in which the old version violates no check comes to the end of both"}
	case c.within:
		out.Status = verdict.SameBounded
		if further {
			out.Limits = append(out.Limits, "how much of another layout a pointer leads to is a guess: accesses further on are not compared")
		}
		if !c.ends {
			out.Limits = append(out.Limits, "that both end is not proved: inputs with which one does not are not compared")
		}
	case !c.ends:
		out.Status = verdict.SameOpen
		out.Reason = &verdict.Reason{Kind: verdict.Incomplete,
			Detail: "what both come to is the same where both end, and that they end on all inputs is not proved"}
	default:
		out.Status = verdict.Same
	}
}

// claim takes one claim about the pair of calls into account.
func (c *comparing) claim(l *verdict.Claim) {
	fact := c.pair.Fact(l.Pos)
	switch {
	case l.Check == verdict.Termination:
		c.ends = c.ends || l.Status == verdict.Proved
		switch {
		case l.Status == verdict.Violated && !c.pair.Old(l.Pos) && returns(l.Trace):
			c.violated(l, nil) // the call of the old version ended
		case l.Status == verdict.Violated:
			c.leave(&verdict.Reason{Kind: verdict.Incomplete, Pos: &l.Pos,
				Detail: "with some input a version never ends, and whether the other one does is not compared"})
		}
		return
	case l.Check == verdict.Unwinding: // see decide
		return
	case fact != nil && fact.Kind == pair.FactEnd && l.Check == verdict.Assert:
		c.compared = c.compared || l.Status == verdict.Violated
		return
	case fact == nil && c.pair.Old(l.Pos):
		if l.Status == verdict.Violated {
			c.excuse(l)
		}
		c.oldFails = c.oldFails || l.Status != verdict.Proved && !ofNumbers(l.Check)
		return
	}
	if fact != nil && fact.Kind == pair.FactSeen && (l.Status == verdict.Violated || l.Status == verdict.Unknown) {
		c.bounded, c.within = true, true
		c.upTo("what functions without a body may read of " + fact.Name + " during a call is not compared: it may differ")
		return
	}
	if fact != nil && fact.Kind == pair.FactStart {
		c.bounded = c.bounded || l.Status != verdict.Proved
		return
	}
	switch l.Status {
	case verdict.Violated:
		c.violated(l, fact)
	case verdict.Unknown:
		if c.notCompared(l) { // as of a check that the new version has, and the old one lacks
			c.bounded, c.within = true, true
			return
		}
		c.leave(l.Reason)
	case verdict.Bounded, verdict.Conditional:
		c.bounded = c.bounded || len(l.Assumptions) == 0 // else what it rests on makes it so
		c.within = true
	}
}

// notCompared reports whether executions come to a claim only past what is not compared: a violation of the old version, which
// is excused, or more events than are noted.
func (c *comparing) notCompared(l *verdict.Claim) bool {
	return l.IsShadowed() && slices.ContainsFunc(c.res.Claims, func(o verdict.Claim) bool {
		fact := c.pair.Fact(o.Pos)
		return o.ID == l.Behind && o.Status == verdict.Violated &&
			(fact == nil && c.pair.Old(o.Pos) || fact != nil && fact.Kind == pair.FactCapacity)
	})
}

// upTo notes what is not compared.
func (c *comparing) upTo(text string) {
	if !slices.Contains(c.limits, text) {
		c.limits = append(c.limits, text)
	}
}

// leave notes why something is not decided: the first reason, but for that something else is violated before.
func (c *comparing) leave(r *verdict.Reason) {
	if c.open == nil || c.open.Kind == verdict.Shadowed {
		c.open = r
	}
}

// excuse notes a check that the old version violates. Where that rests on how much a pointer leads to, which is a guess,
// what lies further is not compared.
func (c *comparing) excuse(l *verdict.Claim) {
	c.within = c.within || c.guessed(l)
	e := verdict.Excused{Check: l.Check, Pos: l.Pos}
	e.Pos.Function = pair.InOld(e.Pos.Function)
	if !slices.Contains(c.out.Excused, e) {
		c.out.Excused = append(c.out.Excused, e)
	}
}

// guesses reports whether the calls are made under an assumption that nobody but the tool makes.
func (c *comparing) guesses(a verdict.Assumption) bool {
	return a.Guessed() && slices.ContainsFunc(c.pair.Assumptions, func(b verdict.Assumption) bool { return a.ID == b.ID })
}

func (c *comparing) guessed(l *verdict.Claim) bool {
	return slices.ContainsFunc(l.Failure.Names(verdict.ByHarness), func(name string) bool {
		return slices.Contains(c.pair.Guesses, name)
	})
}

// violated takes a claim into account that an execution violates in which the old version violates none.
func (c *comparing) violated(l *verdict.Claim, fact *pair.Fact) {
	d := verdict.Difference{Pos: l.Pos, Inputs: l.Inputs, Trace: l.Trace}
	switch {
	case fact == nil && c.guessed(l):
		c.leave(&verdict.Reason{Kind: verdict.Incomplete, Pos: &l.Pos,
			Detail: "the new version goes past what a pointer is taken to lead to, which is a guess"})
		return
	case fact == nil:
		d.Kind, d.Check, d.Name = verdict.DiffersCheck, l.Check, l.Message
	case l.Check != verdict.Assert:
		c.leave(&verdict.Reason{Kind: verdict.Incomplete, Pos: &fact.At,
			Detail: "a value that was never written is compared: " + fact.Name})
		return
	case fact.Kind == pair.FactCapacity:
		c.bounded = true
		c.upTo(fmt.Sprintf("calls of functions without a body and volatile accesses are compared up to %d", policy.PairEvents))
		return
	case fact.Kind == pair.FactTurn:
		c.leave(&verdict.Reason{Kind: verdict.Incomplete, Detail: "loops that are paired do not turn together"})
		return
	case fact.Kind == pair.FactSize:
		c.leave(&verdict.Reason{Kind: verdict.Incomplete, Pos: &fact.At,
			Detail: "a smaller variable is passed on than in the old version: " + fact.Name})
		return
	case fact.Kind == pair.FactPointer:
		c.leave(&verdict.Reason{Kind: verdict.Incomplete,
			Detail: "a pointer leads to what only one version has: " + fact.Name})
		return
	default:
		d.Name, d.Pos = fact.Name, fact.At
		d.Kind = map[pair.FactKind]verdict.DifferenceKind{pair.FactResult: verdict.DiffersResult,
			pair.FactMemory: verdict.DiffersMemory, pair.FactEvent: verdict.DiffersEvent,
			pair.FactEvents: verdict.DiffersEvent}[fact.Kind]
	}
	if d.Kind == verdict.DiffersResult {
		d.Old, d.New = results(l.Trace)
	}
	c.out.Differences = append(c.out.Differences, d)
}

// returns reports whether the call of the old version returns in a trace: that of the new one follows.
func returns(trace []verdict.Step) bool {
	calls := 0
	for _, s := range trace {
		if s.Kind == verdict.StepCall && s.Depth == 1 {
			calls++
		}
	}
	return calls == 2
}

// results returns what the calls of both versions give, as a trace shows it.
func results(trace []verdict.Step) (old, now string) {
	for _, s := range trace {
		switch {
		case s.Kind != verdict.StepReturn || s.Depth != 0:
		case old == "":
			old = s.Value
		case now == "":
			now = s.Value
		}
	}
	return old, now
}
