package verifier

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/certificate"
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
// followed to its end and violates nothing, or nil.
func decidePaths(ctx context.Context, p *problem.Problem, main *ir.Func, res *verdict.Result) *certificate.Ended {
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
	a.Announce(p.Found)
	race(ctx, &q, a, safetyEngines)
	if nothingFound(a) {
		a.Fail(problem.EarlyEnd(ctx, errors.New("no engine came to an answer")))
	}
	reportPaths(&q, a, res)
	if p.Coverage {
		res.Coverage = a.Coverage().Report(q.Spots())
	}
	decideBehind(ctx, &q, a, res)
	forgetBounds(&q, a, res)
	joinIndexes(a, res)
	followed := followedAll(&q, a, res)
	res.Stages = append(res.Stages, a.Stages()...)
	if p.Checks.Has(verdict.Stack) {
		checkFrames(p, res) // what weaves in the arguments has no frame
	}
	return followed
}

// nothingFound reports that no engine said anything about the claims about paths, not even that there are none: each
// was stopped early, or did not begin because the time was over.
func nothingFound(a *problem.Answers) bool {
	_, executed := a.Executed()
	return !executed && a.Unwinding() == nil && !a.AnySettled() && !a.Proofs().All()
}

// wraps reports a check behind whose violation a machine goes on in a known way.
func wraps(c verdict.Check) bool { return c.Of().Past == verdict.PastWraps }

// violations are those that executions confirmed, by claim ID.
type violations map[string]*problem.Settled

func violationsOf(a *problem.Answers) violations {
	out := violations{}
	for _, s := range a.AllSettled() {
		if s.At.Instr != nil {
			out[s.ID] = s
		}
	}
	return out
}

// decideBehind decides the claims behind violations on their own (LL-145, LL-146; Merz
// 6.2.2): the engines race once more with the violated claims left out, where a run can
// go on past them, until nothing new is found. A claim that was shadowed gets its
// answer from there; another one is violated if a run shows it that only wrapped
// around before (an assertion also if others failed).
func decideBehind(ctx context.Context, p *problem.Problem, a *problem.Answers, res *verdict.Result) {
	if p.FirstOnly || p.StopAfter != "" {
		return
	}
	left := ir.Past{}
	all, last, lastFound := violationsOf(a), res, violationsOf(a)
	for range policy.MaxPassed {
		if ctx.Err() != nil || !leaveOut(left, last, lastFound) {
			return
		}
		q := p.Without(maps.Clone(left))
		b := problem.NewAnswers()
		race(ctx, q, b, safetyEngines)
		for _, s := range b.Stages() {
			a.AddStage(s)
		}
		last, lastFound = &verdict.Result{}, violationsOf(b)
		reportPaths(q, b, last)
		for id, v := range lastFound {
			if all[id] == nil {
				all[id] = v
			}
		}
		merge(res, last, all, lastFound)
		if r := b.Reason(); r != nil && r.Kind == verdict.Internal {
			res.Reason = r
		}
	}
}

// leaveOut adds the violated claims that a run can go on past; false if there is none.
func leaveOut(left ir.Past, res *verdict.Result, found violations) bool {
	n := len(left)
	for i := range res.Claims {
		c := &res.Claims[i]
		if v := found[c.ID]; c.Status == verdict.Violated && v != nil && goesOnPast(v.At) {
			left[v.At] = true
		}
	}
	return len(left) > n
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

// merge takes into res what it could not see behind the violations left out in next.
// all are the violations of every race, found those of next.
func merge(res, next *verdict.Result, all, found violations) {
	for i := range res.Claims {
		c := &res.Claims[i]
		k := slices.IndexFunc(next.Claims, func(d verdict.Claim) bool { return d.ID == c.ID })
		if k < 0 || c.Status == verdict.Violated {
			continue
		}
		d := next.Claims[k]
		var passed []ir.At
		if v := found[d.ID]; v != nil {
			passed = v.Passed
		}
		foreign := func(a ir.At) bool {
			return !wraps(a.Check) && (a.Check != verdict.Assert || d.Check != verdict.Assert)
		}
		switch {
		case d.Status == verdict.Violated && followsUp(&d, all, passed):
			// the same expression failed before: one bug
		case d.Status == verdict.Violated && (c.IsShadowed() || failsBehind(found[d.ID]) ||
			len(passed) > 0 && !slices.ContainsFunc(passed, foreign)):
			if len(passed) > 0 {
				at := passed[len(passed)-1]
				d.Behind = all.idOf(at)
				d.Message += fmt.Sprintf(" (in a run past the violation of %s in line %d)", at.Check, at.Instr.Pos.Line)
			}
			*c = d
		case c.IsShadowed() && d.Status != verdict.Violated && d.Check != verdict.Unwinding:
			*c = d
		}
	}
}

// followsUp reports whether a violation by an execution that passed others repeats one of them: the same check of
// the same expression in the same function, which the IDs of claims name, or at the same place: an index, and the
// access with it.
func followsUp(c *verdict.Claim, all violations, passed []ir.At) bool {
	return slices.ContainsFunc(passed, func(at ir.At) bool {
		return expression(all.idOf(at)) == expression(c.ID) ||
			at.Check == c.Check && c.Check == verdict.Memory && at.Instr.Pos != nil && *at.Instr.Pos == c.Pos
	})
}

// expression returns an ID without the number that tells equal expressions of a function apart.
func expression(id string) string {
	if n := strings.LastIndex(id, "."); n > strings.LastIndex(id, "#") {
		return id[:n]
	}
	return id
}

// failsBehind reports a violation by coming to a place that always fails: no run came there before.
func failsBehind(v *problem.Settled) bool { return v != nil && v.At.Instr.AlwaysFails() }

// idOf returns the claim that was found violated at a.
func (v violations) idOf(a ir.At) string {
	for _, id := range slices.Sorted(maps.Keys(v)) {
		if v[id].At == a {
			return id
		}
	}
	return ""
}
