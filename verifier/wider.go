package verifier

import (
	"context"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Where a generated harness guesses how much a pointer leads to, an access past that is no finding; and what comes behind
// it would not be looked at. So the entry is verified once more, with as much there as the access needs: what holds
// then is conditional ("holds if p leads to 64 bytes"). So is what holds with contents in a range that does no harm, where
// the harness made up others ("holds if r.head is 0..15").

// wider is what a form of the program has in the place of guesses that violations rest on.
type wider struct {
	short, late map[string]int64 // bytes that blocks need, and in front of where their pointers lead to
	narrow      claims.Harmless
}

// tooShort returns the blocks of guessed sizes that violations of res go past, and how many bytes these need.
func tooShort(plan *Plan, res *verdict.Result) map[string]int64 {
	out := map[string]int64{}
	for i := range res.Claims {
		c := &res.Claims[i]
		if o := c.Object; c.Status == verdict.Violated && c.Failure.Is(verdict.OutOfBounds) && o != nil && !o.Wrapped() &&
			o.Offset >= o.Size-o.Width {
			need := o.Offset + o.Width
			if o.Offset >= policy.WiderMost { // only a range of contents makes any size enough
				if need = policy.WiderFirst; o.Size >= need || len(plan.Open) == 0 {
					continue
				}
			}
			for _, name := range guessed(plan, c) {
				out[name] = max(out[name], need)
			}
		}
	}
	return out
}

// tooLate returns the blocks of guessed sizes that violations of res go before, and how many bytes these need in front.
func tooLate(plan *Plan, res *verdict.Result) map[string]int64 {
	out := map[string]int64{}
	for i := range res.Claims {
		c := &res.Claims[i]
		if o := c.Object; c.Status == verdict.Violated && c.Failure.Is(verdict.OutOfBounds) && o != nil && !o.Wrapped() &&
			o.Offset < 0 && -o.Offset < policy.WiderMost {
			for _, name := range guessed(plan, c) {
				out[name] = max(out[name], policy.WiderFirst, -o.Offset)
			}
		}
	}
	return out
}

// guessed lists the blocks of guessed sizes that a failure is about; not one that many pointers lead to, of which more
// than its size is made up.
func guessed(plan *Plan, c *verdict.Claim) []string {
	return slices.DeleteFunc(c.Failure.Names(verdict.ByHarness), func(name string) bool {
		return !slices.Contains(plan.Guesses, name) || harness.IsFurther(name)
	})
}

// widen verifies the entry again with larger blocks and contents in harmless ranges, in a part of the time that there was,
// and adds to res what is known then. Violations of res stay: what is known of them in its place is in res.Wider.
func widen(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result, w wider, round int) {
	if plan.Off[narrowName] {
		w.narrow = nil
	}
	if len(w.short)+len(w.late)+len(w.narrow) == 0 || round >= policy.WiderRounds || plan.FirstOnly || plan.Alone ||
		plan.StopAfter != "" || !slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
		return leftOut(&c) || len(guessed(&plan, &c)) > 0
	}) {
		return
	}
	checks := checksOf(res, func(c *verdict.Claim) bool { return leftOut(c) || len(guessed(&plan, c)) > 0 })
	wide, changed := widened(m, &plan, w)
	if len(changed) == 0 || ctx.Err() != nil {
		return
	}
	plan.Calls, plan.Checks = nil, checks
	if more := again(ctx, wide, plan, res, round+1); more != nil && more.Vacuous == nil {
		takeOver(&plan, res, more, changed)
	}
}

// again verifies another entry, or another form of the program, in half of the time that the entry took; nil: it did not
// come to its end.
func again(ctx context.Context, m *ir.Module, plan Plan, res *verdict.Result, round int) *verdict.Result {
	left, limited := budget.Left(ctx)
	limit := max(budget.Processor(ctx)/2, policy.WiderLeast)
	if limited && left/2 < limit { // what is known is to be put together in time, too
		limit = left / 2
	}
	within, cancel := budget.WithTimeout(ctx, limit)
	defer cancel()
	plan = (&problem.Problem{Plan: plan}).Aside().Plan
	plan.Answers, plan.Wide, plan.Overlap, plan.EndsUnasked = nil, nil, nil, false
	more := &verdict.Result{Target: res.Target, Entry: res.Entry, Bounds: res.Bounds,
		Assumptions: slices.Clone(plan.Assumptions)}
	faults := problem.NewAnswers()
	defer budget.Idle(ctx)()
	select {
	case <-race.Start(faults, "again", func() {
		defer budget.Work(within)()
		verifyRound(within, m, plan, more, round)
	}):
		if faults.Reason() == nil {
			return more
		}
	case <-ctx.Done(): // more is not ours to read
	}
	return nil
}

// takeOver adds to res what more knows under assumptions of larger blocks, and of contents.
func takeOver(plan *Plan, res, more *verdict.Result, changed []verdict.Assumption) {
	known := map[string]*verdict.Claim{}
	for _, list := range [][]verdict.Claim{more.Claims, more.Wider} {
		for i := range list {
			switch c := &list[i]; c.Status {
			case verdict.Proved, verdict.Bounded, verdict.Conditional:
				if c.Known()&verdict.Always != 0 { // within the turns of one round, any size is enough
					known[c.ID] = c
				}
			}
		}
	}
	for i := range res.Claims {
		c := &res.Claims[i]
		k := known[verdict.Site(c.ID)]
		past := c.Status == verdict.Violated && len(guessed(plan, c)) > 0
		if k == nil || !past && !leftOut(c) || k.Unreachable && slices.ContainsFunc(changed, func(a verdict.Assumption) bool {
			return a.Relation == verdict.Interval // nothing comes there with such contents
		}) {
			continue
		}
		k.Assumptions = slices.Clone(k.Assumptions)
		for _, a := range changed {
			again := func(b verdict.Assumption) bool { // the block was made larger once more
				return b.Relation == a.Relation && b.Subject == a.Subject &&
					!slices.ContainsFunc(plan.Assumptions, func(c verdict.Assumption) bool { return c.ID == b.ID })
			}
			if !slices.Contains(k.Assumptions, a.ID) && !slices.ContainsFunc(more.RestsOn(k), again) {
				k.Assumptions = append(k.Assumptions, a.ID)
			}
		}
		k.Certificate, k.Evidence = nil, nil // of another program
		k.Learn(verdict.Guessed)
		res.Assumptions = verdict.AddAssumptions(res.Assumptions, more.RestsOn(k)...)
		switch {
		case !past:
			*c = *k
		case !slices.ContainsFunc(res.Wider, func(w verdict.Claim) bool { return w.ID == k.ID }):
			res.Wider = append(res.Wider, *k)
		}
	}
}

// leftOut reports a claim that is open because a violation is no finding, or because executions come to it only past one.
func leftOut(c *verdict.Claim) bool {
	return c.Status == verdict.Unknown && c.Reason != nil &&
		(c.Reason.Kind == verdict.Incomplete || c.Reason.Kind == verdict.Shadowed)
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

// widened returns the part of m that plan is about, with larger blocks and narrower contents, and what is assumed of
// both; plan has these assumptions then.
func widened(m *ir.Module, plan *Plan, w wider) (*ir.Module, []verdict.Assumption) {
	part := plan.Part(m)
	if part == nil {
		return nil, nil
	}
	wide, _ := ir.Copy(part)
	if wide == nil {
		return nil, nil
	}
	var changed []verdict.Assumption
	for _, name := range slices.Sorted(maps.Keys(w.short)) {
		var made []verdict.Assumption
		plan.Assumptions, made = harness.Enlarge(wide, name, w.short[name], plan.Assumptions)
		changed = verdict.AddAssumptions(changed, made...)
	}
	for _, name := range slices.Sorted(maps.Keys(w.late)) {
		var made []verdict.Assumption
		plan.Assumptions, made = harness.Front(wide, name, w.late[name], plan.Assumptions)
		changed = verdict.AddAssumptions(changed, made...)
	}
	for _, of := range plan.Open {
		if r, is := w.narrow[of.ID]; is {
			var made []verdict.Assumption
			plan.Assumptions, made = harness.Narrow(wide, of, r.Low, r.High, plan.Assumptions)
			changed = verdict.AddAssumptions(changed, made...)
		}
	}
	return wide, changed
}
