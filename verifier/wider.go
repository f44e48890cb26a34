package verifier

import (
	"maps"
	"regexp"
	"slices"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
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
			for _, name := range alike(plan, guessed(plan, c)) {
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
			for _, name := range alike(plan, guessed(plan, c)) {
				out[name] = max(out[name], policy.WiderFirst, -o.Offset)
			}
		}
	}
	return out
}

// guessed lists the blocks of guessed sizes that a failure is about; not one that many pointers lead to, of which more
// than its size is made up.
func guessed(plan *Plan, c *verdict.Claim) []string {
	return slices.DeleteFunc(plan.GuessedIn(c), harness.IsFurther)
}

var element = regexp.MustCompile(`\[\d+\]`)

// alike adds to pointers the other guesses that are elements of the same arrays: what one needs, all do.
func alike(plan *Plan, names []string) []string {
	out := slices.Clone(names)
	for _, name := range names {
		of := element.ReplaceAllString(name, "[]")
		for _, g := range plan.Guesses {
			if of != name && !slices.Contains(out, g) && element.ReplaceAllString(g, "[]") == of {
				out = append(out, g)
			}
		}
	}
	return out
}

// form is the entry with larger blocks and contents in harmless ranges. Violations stay: what is known of them in its place
// is in Result.Wider.
func (w wider) form(round int) form {
	return form{
		open: func(plan *Plan, _ *verdict.Result) func(*verdict.Claim) bool { return waiting(plan) },
		build: func(m *ir.Module, plan *Plan) *built {
			if round >= policy.WiderRounds || len(w.short)+len(w.late)+len(w.narrow) == 0 {
				return nil
			}
			plan.Calls = nil
			wide, changed := w.widened(m, plan)
			if len(changed) == 0 {
				return nil
			}
			return &built{module: wide, assumed: changed, round: round + 1}
		},
		take: takeOver,
	}
}

// takeOver adds to res what more knows under assumptions of larger blocks, and of contents.
func takeOver(res, more *verdict.Result, b *built) {
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
		past := c.Status == verdict.Violated && len(guessed(b.plan, c)) > 0
		if k == nil || !past && !leftOut(c) || k.Unreachable && slices.ContainsFunc(b.assumed, func(a verdict.Assumption) bool {
			return a.Relation == verdict.Interval || a.Relation == verdict.Contents // nothing comes there with these
		}) {
			continue
		}
		k.Learn(verdict.Guessed)
		adopt(res, more, k, slices.DeleteFunc(slices.Clone(b.assumed), func(a verdict.Assumption) bool {
			return slices.ContainsFunc(more.RestsOn(k), func(later verdict.Assumption) bool { // made larger once more
				return later.Relation == a.Relation && later.Subject == a.Subject && !slices.ContainsFunc(b.plan.Assumptions,
					func(c verdict.Assumption) bool { return c.ID == later.ID })
			})
		}))
		switch {
		case !past:
			*c = *k
		case !slices.ContainsFunc(res.Wider, func(w verdict.Claim) bool { return w.ID == k.ID }):
			res.Wider = append(res.Wider, *k)
		}
	}
}

// widened returns the part of m that plan is about, with larger blocks and narrower contents, and what is assumed of
// both; plan has these assumptions then.
func (w wider) widened(m *ir.Module, plan *Plan) (*ir.Module, []verdict.Assumption) {
	wide := ownPart(m, plan)
	if wide == nil {
		return nil, nil
	}
	var changed []verdict.Assumption
	for _, name := range slices.Sorted(maps.Keys(w.short)) {
		var made []verdict.Assumption
		plan.Assumptions, made = harness.Enlarge(wide, name, w.short[name], slices.Contains(plan.Texts, name), plan.Assumptions)
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
