package verifier

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// What comes behind a call of a function without a body is unknown, unless it holds whatever that does (race). Under a
// generated harness, it is asked once more as if such functions were stubs: what holds then is conditional ("holds if
// bus_lock gives any result, changes nothing, and calls nothing of the program"). First they change what they are handed,
// then nothing.

// stubMeans is what a stub of each kind is said to do, in the order in which they are tried.
var stubMeans = []struct{ kind, text string }{
	{weave.StubHavoc, "%s, which has no body, gives any result, changes only what its arguments lead to, and calls " +
		"nothing of the program"},
	{weave.StubNondet, "%s, which has no body, gives any result, changes nothing, and calls nothing of the program"},
}

// stubForm is the entry with stubs of a kind for functions without a body.
func stubForm(kind, text string) form {
	return form{
		open: func(*Plan, *verdict.Result) func(*verdict.Claim) bool { return lacksBody },
		build: func(m *ir.Module, plan *Plan) *built {
			out := ownPart(m, plan)
			if !mayStub(plan) || out == nil {
				return nil
			}
			assumed := stubbed(out, kind, text)
			if len(assumed) == 0 {
				return nil
			}
			plan.Assumptions = verdict.AddAssumptions(slices.Clone(plan.Assumptions), assumed...)
			return &built{module: out, assumed: assumed, round: 1}
		},
		take: takeStubbed,
		all:  true,
	}
}

// mayStub reports whether stubs may stand for functions without a body: under a generated harness.
func mayStub(plan *Plan) bool { return plan.Generated && !plan.Off[stubsName] }

// lacksBody reports a claim that is unknown because a function without a body is called.
func lacksBody(c *verdict.Claim) bool {
	return c.Status == verdict.Unknown && c.Reason != nil && c.Reason.Kind == verdict.Undefined
}

// stubbed gives the functions of m without a body the stub of a kind, where that can stand for them, and returns what this
// assumes.
func stubbed(m *ir.Module, kind, text string) []verdict.Assumption {
	var out []verdict.Assumption
	for _, f := range weave.Bodiless(m) {
		if _, _, err := weave.Stubs(m, map[string]string{f.Name: kind}, nil); err != nil {
			continue // it stays open
		}
		a := verdict.Assume(f.Name, verdict.Calls, verdict.Chosen, fmt.Sprintf(text, f.CName))
		a.Other = kind
		out = append(out, a)
	}
	return out
}

// takeStubbed adds to res what more knows, which rests on what stubs assume.
func takeStubbed(res, more *verdict.Result, b *built) {
	listed := map[string]*verdict.Claim{}
	why := res.Reason
	for i := range res.Claims {
		c := &res.Claims[i]
		if listed[c.ID] = c; lacksBody(c) {
			why = c.Reason
		}
	}
	var added []verdict.Claim
	taken := false
	for i := range more.Claims {
		k := &more.Claims[i]
		c := listed[k.ID]
		if k.Check == verdict.Unwinding && c == nil && k.Status != verdict.Proved {
			added = append(added, *k) // what is known within bounds is known within these
		}
		if k.Check == verdict.Unwinding || k.Check.Of().Decided != verdict.ByPaths {
			continue
		}
		if c != nil && !lacksBody(c) {
			continue
		}
		switch {
		case k.Status.Holds():
			adopt(res, more, k, b.assumed)
			taken = true
		case c == nil:
			*k = verdict.Claim{ID: k.ID, Check: k.Check, Pos: k.Pos, Message: k.Check.Of().Holds, Reason: why}
			k.Learn(verdict.Undecided)
		default:
			continue
		}
		if c == nil {
			added = append(added, *k)
		} else {
			*c = *k
		}
	}
	res.Claims = append(res.Claims, added...)
	if taken && more.Reason == nil {
		settleBehind(res)
	}
}

// settleBehind leaves out what was said of a call without a body, and of bounds, where nothing is open any more.
func settleBehind(res *verdict.Result) {
	if slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
		return c.Check != verdict.Unwinding && (!c.Status.Holds() || c.Known()&verdict.Always == 0)
	}) {
		return
	}
	res.Claims = slices.DeleteFunc(res.Claims, func(c verdict.Claim) bool {
		return c.Check == verdict.Unwinding && c.Status != verdict.Proved
	})
	if res.Vacuous = nil; res.Reason != nil && res.Reason.Kind == verdict.Undefined {
		res.Reason = nil
	}
}
