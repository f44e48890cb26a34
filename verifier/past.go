package verifier

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// maxPast is how often the program is looked at again.
const maxPast = 8

// wraps reports a check behind whose violation a machine goes on in a known way.
func wraps(c verdict.Check) bool { return c.Of().Past == verdict.PastWraps }

// past decides the claims behind violations on their own (LL-145, LL-146; Merz
// 6.2.2): the lane runs once more with the violated claims left out, where a run can
// go on past them, until nothing new is found. A claim that was shadowed gets its
// answer from there; another one is violated if a run shows it that only wrapped
// around before (an assertion also if others failed).
func (b *bounded) past(ctx context.Context) {
	if b.plan.FirstOnly || b.plan.StopAfter != "" {
		return
	}
	left := ir.Past{}
	last := b
	for range maxPast {
		if ctx.Err() != nil || !last.passable(left) {
			return
		}
		again := &bounded{m: b.m, entry: b.entry, plan: b.plan, res: &verdict.Result{}, started: b.started}
		again.plan.Past, again.plan.Dumps, again.plan.Tried = maps.Clone(left), nil, nil
		again.main(ctx)
		for _, s := range again.res.Stages {
			addStage(b.res, s)
		}
		b.merge(again)
		last = again
	}
}

// passable adds the violated claims that a run can go on past; false if there is none.
func (b *bounded) passable(left ir.Past) bool {
	n := len(left)
	for i := range b.res.Claims {
		c := &b.res.Claims[i]
		f, known := b.findings[c.ID]
		at := f.at
		if c.Status != verdict.Violated || !known {
			continue
		}
		if goesOnPast(at) {
			left[at] = true
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

// merge takes from again what b could not see behind the violations left out.
func (b *bounded) merge(again *bounded) {
	for id, f := range again.findings {
		if _, known := b.findings[id]; !known {
			b.findings[id] = f
		}
	}
	for i := range b.res.Claims {
		c := &b.res.Claims[i]
		k := slices.IndexFunc(again.res.Claims, func(d verdict.Claim) bool { return d.ID == c.ID })
		if k < 0 || c.Status == verdict.Violated {
			continue
		}
		d := again.res.Claims[k]
		passed := again.findings[d.ID].passed
		foreign := func(a ir.At) bool {
			return !wraps(a.Check) && (a.Check != verdict.Assert || d.Check != verdict.Assert)
		}
		switch {
		case d.Status == verdict.Violated && (c.IsShadowed() || len(passed) > 0 && !slices.ContainsFunc(passed,
			foreign)):
			if len(passed) > 0 {
				p := passed[len(passed)-1]
				d.Behind = b.idOf(p)
				d.Message += fmt.Sprintf(" (in a run past the violation of %s in line %d)", p.Check, p.Instr.Pos.Line)
			}
			*c = d
		case c.IsShadowed() && d.Status != verdict.Violated && d.Check != verdict.Unwinding:
			*c = d
		}
	}
}

// idOf is the claim that was found violated at a.
func (b *bounded) idOf(a ir.At) string {
	for _, id := range sortedIDs(b.findings) {
		if b.findings[id].at == a {
			return id
		}
	}
	return ""
}
