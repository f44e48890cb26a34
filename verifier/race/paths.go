package race

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
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
// on the program as its host starts it. main is the entry before startup was woven in. It returns how every path was
// followed to its end and violates nothing, or nil; and to which claims no execution comes.
func decidePaths(ctx context.Context, p *problem.Problem, main *ir.Func, res *verdict.Result) (*certificate.Ended,
	func(id string) bool) {
	q := *p
	PassArguments(&q, main, res)
	a := problem.NewAnswers()
	a.Announce(p.Found)
	Run(ctx, &q, a, SafetyEngines)
	if NothingFound(a) {
		a.Fail(problem.EarlyEnd(ctx, errors.New("no engine came to an answer")))
	}
	claims.ReportPaths(&q, a, res)
	if p.Coverage {
		res.Coverage = a.Coverage().Report(q.Spots())
	}
	claims.LeaveBehind(&q, DecideBehind(ctx, &q, a, res), res)
	claims.ForgetBounds(&q, a, res)
	claims.JoinIndexes(a, res)
	NameEnd(ctx, res)
	followed := followedAll(&q, a, res)
	u := a.Unwinding()
	res.Followed = followed != nil || u != nil && u.Complete && !u.Repeats && u.Cut == nil && u.Gap == nil && res.Reason == nil
	decideOutside(ctx, &q, main, res)
	res.Stages = append(res.Stages, a.Stages()...)
	claims.LeaveToCallers(&q, res)
	if p.Checks.Has(verdict.Stack) {
		claims.CheckFrames(p, res) // what weaves in the arguments has no frame
	}
	return followed, neverReached(a)
}

// PassArguments makes what the host passes to main a part of p, where there is a host.
func PassArguments(p *problem.Problem, main *ir.Func, res *verdict.Result) {
	if !p.Hosted {
		return
	}
	var made bool
	if p.Module, p.Entry, made = weave.Arguments(p.Module, p.Entry, main); !made {
		return
	}
	res.Assumptions = append(res.Assumptions, weave.ArgumentsAssumption)
	if p.Depth > 0 {
		p.Depth++ // the entry is called
	}
}

// NameEnd warns that the time is over where nothing else in res says so. Bounded claims do: more time is more turns.
func NameEnd(ctx context.Context, res *verdict.Result) {
	open := slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return c.Status != verdict.Proved })
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !open || res.Reason.OutOfTime() || slices.ContainsFunc(res.Claims,
		func(c verdict.Claim) bool { return c.Status == verdict.Bounded || c.Reason.OutOfTime() }) {
		return
	}
	res.Warnings, res.CutShort = append(res.Warnings, verdict.TimeOver), true
}

// NothingFound reports that no engine said anything about the claims about paths, not even that there are none: each
// was stopped early, or did not begin because the time was over.
func NothingFound(a *problem.Answers) bool {
	_, executed := a.Executed()
	return !executed && a.Unwinding() == nil && !a.AnySettled() && !a.Proofs().All()
}

// DecideBehind decides the claims behind violations on their own (LL-145, LL-146; Merz
// 6.2.2): the engines race once more with the violated claims left out, where a run can
// go on past them, until nothing new is found. A claim that was shadowed gets its
// answer from there; another one is violated if a run shows it that only wrapped
// around before (an assertion also if others failed). Where the run that was found did
// more, it is asked whether one does that did not. It returns all violations that it knows of.
func DecideBehind(ctx context.Context, p *problem.Problem, a *problem.Answers, res *verdict.Result) claims.Violations {
	if p.FirstOnly || p.Alone || p.StopAfter != "" {
		return claims.ViolationsOf(a)
	}
	b := &behind{p: p, a: a, res: res, all: claims.ViolationsOf(a), doubtful: map[string]bool{}, unseen: unseenIn(a)}
	left, last := ir.Past{}, next{res: res, found: b.all}
	for range policy.MaxPassed {
		if !leaveOut(left, last.res, last.found) {
			break
		}
		if ctx.Err() == nil {
			last = b.without(ctx, left)
			b.merge(last)
		}
		if ctx.Err() != nil {
			b.leaveOpen(left, problem.EarlyEnd(ctx, nil))
			break
		}
	}
	for _, asserts := range []bool{false, true} {
		left := ir.Past{}
		for range policy.MaxPassed {
			if ctx.Err() != nil || !b.anyDoubtful(asserts) || !b.leavePassable(left, asserts) {
				break
			}
			b.merge(b.without(ctx, left))
		}
	}
	return b.all
}

// leaveOut adds the violated claims that a run can go on past; false if there is none.
func leaveOut(left ir.Past, res *verdict.Result, found claims.Violations) bool {
	n := len(left)
	for i := range res.Claims {
		c := &res.Claims[i]
		if v := found[c.ID]; c.Status == verdict.Violated && v != nil && goesOnPast(v.At) {
			left[v.At] = true
		}
	}
	return len(left) > n
}

// leavePassable adds those violated claims that another one may be told behind; false if there is none.
func (b *behind) leavePassable(left ir.Past, assert bool) bool {
	passable := maps.Clone(b.all)
	maps.DeleteFunc(passable, func(_ string, v *problem.Settled) bool { return !isPassable(v.At.Check, assert) })
	return leaveOut(left, b.res, passable)
}

// goesOnPast reports whether a run can go on behind a violation of the claim at.
func goesOnPast(at ir.At) bool {
	past := at.Check.Of().Past
	switch {
	case at.Instr.Op == ir.OpTrap:
		return past != verdict.PastNone && ir.HasWayBeside(at.Instr)
	case at.Check == verdict.Assert:
		return at.Instr.Model == ir.ModelAssert
	}
	return past == verdict.PastWraps || past == verdict.PastUses
}
