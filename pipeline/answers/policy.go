package answers

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// keepable reports whether an answer is worth storing: it would come out the same
// again. steady reports that more time would not change it either.
func keepable(res *verdict.Result) (keep, steady bool) {
	if res.Reason != nil && !lasting(res.Reason) || res.CutShort {
		return false, false
	}
	steady = !res.EndsOpen
	for i := range res.Claims {
		c := &res.Claims[i]
		switch c.Status {
		case verdict.Proved, verdict.Violated, verdict.Conditional:
			steady = steady && (c.Status != verdict.Conditional || c.Certificate != nil)
		case verdict.Bounded:
			steady = steady && c.Certificate != nil
		default:
			if c.Reason == nil || !lasting(c.Reason) {
				return false, false
			}
			steady = steady && c.Reason.Kind != verdict.BoundReached
		}
	}
	return true, steady
}

// lasting reports whether an unknown of this kind does not depend on the machine and its load.
func lasting(r *verdict.Reason) bool {
	switch r.Kind {
	case verdict.Unsupported, verdict.Undefined, verdict.Shadowed, verdict.BoundReached:
		return true
	}
	return false
}

// allProved reports whether every claim holds without bounds on loops.
func allProved(res *verdict.Result) bool {
	return res.Reason == nil && len(res.Claims) > 0 && !slices.ContainsFunc(res.Claims,
		func(c verdict.Claim) bool { return !c.Always() })
}

// movable reports whether the lines of an answer can be changed after the event:
// they stand in positions only, not in texts.
func movable(res *verdict.Result) bool {
	if res.Reason != nil || res.Complexity != nil {
		return false
	}
	texts := append(verdict.TextsOf(res.Assumptions), res.Warnings...)
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status == verdict.Violated || c.Reason != nil && namesPlace(c.Reason.Detail) {
			return false
		}
		texts = append(texts, c.Message)
		if c.Certificate != nil {
			texts = append(append(texts, c.Certificate.Detail...), c.Certificate.Method)
		}
	}
	return !slices.ContainsFunc(texts, namesPlace)
}

// namesPlace reports whether a text may name a line: "file:12" or "line 12".
func namesPlace(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == ':' && s[i+1] >= '0' && s[i+1] <= '9' {
			return true
		}
	}
	return strings.Contains(s, "line ")
}

// unbounded is a plan without the bounds and the budget that a proof does not rest on.
func unbounded(p verifier.Plan) verifier.Plan {
	p.Unwind, p.UnwindSet, p.Depth, p.Memory, p.Solver = 0, nil, 0, 0, ""
	return p
}
