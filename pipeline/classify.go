package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// classes sorts the claims of a report against a baseline.
type classes struct {
	states   map[string]reports.State // by reports.Key
	violated map[string]string        // fingerprint to reports.Key
	settled  map[string]bool          // fingerprints that hold now, if only up to a bound or under an assumption
	entries  map[string]bool          // entries with a full answer
	proved   map[string]bool          // those of settled that are proved
	fixed    []string                 // keys of known findings that are gone, sorted
	unasked  []string                 // likewise, but less is asked
	doubtful []string                 // likewise, but nothing shows that they are mended
	passing  []string                 // likewise, but whether other inputs bring them about was not decided
	unknown  map[string]bool          // fingerprints of what is unknown
	claims   map[string]place         // of settled
	results  map[string]*verdict.Result
	sides    *sides // nil: nothing but the findings of the base is known
	counts   map[string]int
}

// place is a claim in its result.
type place struct {
	result *verdict.Result
	claim  *verdict.Claim
}

// classify compares a report with the violations `known` of the base branch.
// Only an answer fixes a finding: one that cannot be decided now is neither new nor fixed, and one that may be gone
// because of less that is asked is not fixed either.
func classify(report *verdict.Report, known map[string]string, haveBase bool,
	less []reports.Less, base *sides) classes {
	c := classes{states: map[string]reports.State{}, violated: map[string]string{}, settled: map[string]bool{},
		proved: map[string]bool{}, entries: map[string]bool{}, counts: map[string]int{}, unknown: map[string]bool{},
		claims: map[string]place{}, results: map[string]*verdict.Result{}, sides: base}
	for i := range report.Results {
		r := &report.Results[i]
		c.entries[r.Entry], c.results[r.Entry] = r.Reason == nil, r
		if r.Reused != "" {
			c.counts["reused"]++
		}
		if r.Reason != nil {
			c.counts["unknown"]++
		}
		for j := range r.Claims {
			c.claim(r, &r.Claims[j], known, haveBase)
		}
	}
	for fp, key := range known {
		entry, _, _ := strings.Cut(key, "|")
		switch {
		case c.isPassing(fp, key):
			c.passing = append(c.passing, key)
		case !c.gone(fp, key) && !c.isDoubtful(fp, key):
		case slices.ContainsFunc(less, func(l reports.Less) bool { return l.Counts(entry, c.proved[fp]) }):
			c.unasked = append(c.unasked, key)
		case !c.gone(fp, key):
			c.doubtful = append(c.doubtful, key)
		default:
			c.fixed = append(c.fixed, key)
		}
	}
	slices.Sort(c.fixed)
	slices.Sort(c.doubtful)
	slices.Sort(c.unasked)
	slices.Sort(c.passing)
	if len(c.fixed) > 0 {
		c.counts["fixed"] = len(c.fixed)
	}
	return c
}

func (c *classes) claim(r *verdict.Result, cl *verdict.Claim, known map[string]string, haveBase bool) {
	fp, key := reports.Fingerprint(r, cl), reports.Key(r, cl)
	_, old := known[fp]
	if cl.IsShadowed() {
		c.open(r, cl)
		return
	}
	c.counts[cl.Status.String()]++
	switch {
	case cl.Status == verdict.Proved || cl.Status == verdict.Bounded || cl.Status == verdict.Conditional:
		for _, fp := range keysOf(r, cl) {
			c.settled[fp], c.proved[fp], c.claims[fp] = true, cl.Status == verdict.Proved, place{r, cl}
		}
		return
	case cl.Accepted != nil:
		c.states[key] = reports.Accepted
	case old && (cl.Status != verdict.Violated || !c.sides.fresh(r, cl)):
		c.states[key] = reports.Preexisting
	case haveBase:
		c.states[key] = reports.Introduced
		if cl.Status == verdict.Violated {
			c.sides.ahead(r, cl)
		}
	}
	if cl.Status == verdict.Violated {
		c.violated[fp] = key
		if s := c.states[key]; s != "" {
			c.counts[string(s)]++
		}
	} else if cl.Status == verdict.Unknown {
		c.open(r, cl)
		c.entries[r.Entry] = c.entries[r.Entry] && cl.Check != verdict.Unwinding
	}
}

// open notes a claim of which nothing is known.
func (c *classes) open(r *verdict.Result, cl *verdict.Claim) {
	for _, fp := range keysOf(r, cl) {
		c.unknown[fp] = true
	}
}

// elsewhere reports whether some entry violates the claim of a key.
func (c *classes) elsewhere(key string) bool {
	_, id, _ := strings.Cut(key, "|")
	for _, other := range c.violated {
		if _, is, _ := strings.Cut(other, "|"); is == id {
			return true
		}
	}
	return false
}

// gone reports whether a finding of the base is answered well now: its claim is
// settled, or its entry has a full answer in which the claim does not occur; and what is known of the base's inputs, its
// bounds and assumptions does not speak against it.
func (c *classes) gone(fp, key string) bool {
	_, still := c.violated[fp]
	if !still && c.sides.relative(key) && !c.elsewhere(key) {
		return true
	}
	if still || c.unknown[fp] {
		return false
	}
	entry, id, _ := strings.Cut(key, "|")
	whole := c.entries[entry]
	if r := c.results[entry]; r != nil && slices.ContainsFunc(r.Claims, func(o verdict.Claim) bool {
		return o.Status == verdict.Violated && o.ID != id && verdict.Site(o.ID) == verdict.Site(id)
	}) {
		whole = whole && c.sides.passes(key) // it fails in another way: whether in this one, too, was not decided
	}
	at := c.claims[fp]
	return c.sides.mended(key, cmp.Or(at.result, c.results[entry]), at.claim, whole)
}

// undecided are the known findings that this run neither confirms nor refutes.
func (c *classes) undecided(known map[string]string) map[string]string {
	out := map[string]string{}
	for fp, key := range known {
		if _, still := c.violated[fp]; !still && !c.gone(fp, key) {
			out[fp] = key
		}
	}
	return out
}
