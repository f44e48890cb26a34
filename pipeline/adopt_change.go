package pipeline

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// adopt makes the violations that executions of both commits show findings of the commit that fails: whatever its own
// verification came to.
func adopt(head, base *verdict.Report) {
	for i := range base.Results {
		was := &base.Results[i]
		if was.Change == nil {
			continue
		}
		k := slices.IndexFunc(head.Results, func(r verdict.Result) bool { return r.Entry == was.Entry })
		if k >= 0 {
			for _, c := range was.Change.New {
				if len(c.Trace) > 0 && !provedByAll(head, was.Change.Callers, c.ID) {
					take(&head.Results[k], c, was.Change, "before")
				}
			}
		}
		for _, c := range was.Change.Mended {
			take(was, c, was.Change, "after")
		}
	}
}

// provedByAll reports whether there are callers, and each of them proves a claim.
func provedByAll(r *verdict.Report, callers []string, id string) bool {
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(entry string) bool {
		k := slices.IndexFunc(r.Results, func(r verdict.Result) bool { return r.Entry == entry })
		return k < 0 || !prepare.ProvedIn(&r.Results[k], id)
	})
}

// take makes c, a violation, a claim of r, in the place of what r says of it now; other is when the commit is that
// does not fail. A violation that r has already is left alone.
func take(r *verdict.Result, c verdict.Claim, change *verdict.Change, other string) {
	at := -1
	for i := range r.Claims {
		switch o := &r.Claims[i]; {
		case o.ID == c.ID && (o.Status == verdict.Violated || o.Accepted != nil):
			return
		case o.ID == c.ID || o.Status != verdict.Violated && verdict.Site(o.ID) == verdict.Site(c.ID):
			at = i
		}
	}
	for _, a := range change.Assumptions {
		if slices.Contains(c.Assumptions, a.ID) {
			r.Assumptions = verdict.AddAssumptions(r.Assumptions, a)
		}
	}
	if slices.Contains(change.Relative, c.ID) {
		function := strings.TrimPrefix(r.Entry, prepare.AnyCall)
		a := verdict.Assume(function, verdict.Contents, verdict.Chosen,
			"the call that is shown may be made: the code "+other+
				" the change handles it, and does the same otherwise")
		r.Assumptions = verdict.AddAssumptions(r.Assumptions, a)
		c.Assumptions = append(slices.Clone(c.Assumptions), a.ID)
	}
	if at < 0 {
		r.Claims = append(r.Claims, c)
	} else {
		r.Claims[at] = c
	}
	r.Summarise()
}

// mapped lists what do makes of each of list.
func mapped(list []string, do func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = do(s)
	}
	return out
}
