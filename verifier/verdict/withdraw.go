package verdict

import "slices"

// Withdraw makes a violation of r unknown, and what is behind it: why says what the violation rests on.
func (r *Result) Withdraw(c *Claim, why *Reason) {
	if len(c.Inputs) > 0 {
		left := *c
		left.Trace = nil
		r.Left = append(r.Left, left)
	}
	c.Learn(Withdrawn)
	c.Trace, c.Inputs, c.Replay, c.Failure, c.Reason = nil, nil, "", nil, why
	for i := range r.Claims {
		b := &r.Claims[i]
		if b.Behind != c.ID {
			continue
		}
		behind := *why
		if !why.Past {
			behind.Detail, behind.Past = PastUnknown+why.Detail, true
		}
		if b.Behind = ""; b.Status == Violated {
			r.Withdraw(b, &behind)
		}
		if !b.Reason.OutOfTime() {
			b.Reason = &behind
		}
	}
	if r.Coverage != nil && !slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Status == Violated }) {
		r.Coverage.Replace(BehindViolation, NotModelled)
	}
}

// WithdrawPast is Withdraw of a violation past the end of blocks that a harness guessed, named. With larger ones executions go
// on there: what holds of those alone that do not come to it (Claim.After) holds if the blocks are as large as they were.
func (r *Result) WithdrawPast(c *Claim, why *Reason, named []string) {
	id := Site(c.ID)
	r.Withdraw(c, why)
	r.RestOnExtents(named, func(b *Claim) bool { return b.mayFollow(id) })
}

// RestOnExtents has the claims that hold, and that past tells, rest on how much the pointers of some names lead to.
func (r *Result) RestOnExtents(named []string, past func(*Claim) bool) {
	for _, a := range slices.Clone(r.Assumptions) {
		if a.Relation != Extent || !slices.Contains(named, a.Subject) {
			continue
		}
		if !a.Guessed() {
			a = a.NoMore()
		}
		for k := range r.Claims {
			if b := &r.Claims[k]; b.Status.Holds() && past(b) && !r.restsOnExtent(b, a.Subject) {
				b.Assumptions = append(slices.Clone(b.Assumptions), a.ID)
				b.Learn(Guessed)
				r.Assumptions = AddAssumptions(r.Assumptions, a)
			}
		}
	}
}

// NoMore is the assumption that a block is no larger than a, an extent, says.
func (a *Assumption) NoMore() Assumption {
	return Assume(a.Subject, Extent, Chosen, a.Text+", and no more")
}

// mayFollow reports whether an execution may come to c past a violation at a site.
func (c *Claim) mayFollow(site string) bool {
	return slices.ContainsFunc(c.After, func(id string) bool { return id == AnyBefore || Site(id) == site })
}

// restsOnExtent reports whether c rests on how much a pointer leads to.
func (r *Result) restsOnExtent(c *Claim, pointer string) bool {
	return slices.ContainsFunc(r.RestsOn(c), func(a Assumption) bool { return a.Relation == Extent && a.Subject == pointer })
}

// TakeWider gives claims that were withdrawn the answers that they have where blocks of guessed sizes are larger. One that
// fails on two ways is withdrawn twice, and answered once.
func (r *Result) TakeWider() {
	for i := range r.Wider {
		w := &r.Wider[i]
		open := func(c Claim) bool { return Site(c.ID) == w.ID && c.Status == Unknown }
		first := slices.IndexFunc(r.Claims, open)
		if first < 0 || slices.ContainsFunc(r.Claims, func(c Claim) bool { return Site(c.ID) == w.ID && !open(c) }) {
			continue
		}
		r.Claims[first] = *w
		r.Claims = slices.DeleteFunc(r.Claims, open)
	}
	r.Wider = nil
}
