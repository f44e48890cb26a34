package pipeline

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// classes sorts the claims of a report against a baseline.
type classes struct {
	states   map[string]reports.State // by reports.Key
	violated map[string]string        // fingerprint to reports.Key
	settled  map[string]bool          // fingerprints that are proved or bounded now
	entries  map[string]bool          // entries with a full answer
	fixed    []string                 // keys of known findings that are gone, sorted
	counts   map[string]int
}

// classify compares a report with the violations `known` of the base branch.
// Only an answer fixes a finding: one that cannot be decided now is neither new nor fixed.
func classify(report *verdict.Report, known map[string]string, haveBase bool, accepted map[string]string) classes {
	c := classes{states: map[string]reports.State{}, violated: map[string]string{}, settled: map[string]bool{},
		entries: map[string]bool{}, counts: map[string]int{}}
	for i := range report.Results {
		r := &report.Results[i]
		c.entries[r.Entry] = r.Reason == nil
		if r.Reused != "" {
			c.counts["reused"]++
		}
		if r.Reason != nil {
			c.counts["unknown"]++
		}
		for j := range r.Claims {
			c.claim(r, &r.Claims[j], known, haveBase, accepted)
		}
	}
	for fp, key := range known {
		if c.gone(fp, key) {
			c.fixed = append(c.fixed, key)
		}
	}
	slices.Sort(c.fixed)
	if len(c.fixed) > 0 {
		c.counts["fixed"] = len(c.fixed)
	}
	return c
}

func (c *classes) claim(r *verdict.Result, cl *verdict.Claim, known map[string]string, haveBase bool,
	accepted map[string]string) {
	fp, key := reports.Fingerprint(r, cl), reports.Key(r, cl)
	_, old := known[fp]
	_, ok := accepted[cl.ID]
	if cl.IsShadowed() {
		return
	}
	c.counts[cl.Status.String()]++
	switch {
	case cl.Status == verdict.Proved || cl.Status == verdict.Bounded:
		c.settled[fp] = true
		return
	case ok:
		c.states[key] = reports.Suppressed
	case old:
		c.states[key] = reports.Preexisting
	case haveBase:
		c.states[key] = reports.Introduced
	}
	if cl.Status == verdict.Violated {
		c.violated[fp] = key
		if s := c.states[key]; s != "" {
			c.counts[string(s)]++
		}
	} else if cl.Status == verdict.Unknown {
		c.entries[r.Entry] = c.entries[r.Entry] && cl.Check != verdict.Unwinding
	}
}

// gone reports whether a finding of the base is answered well now: its claim is
// settled, or its entry has a full answer in which the claim does not occur.
func (c *classes) gone(fp, key string) bool {
	if c.settled[fp] {
		return true
	}
	if _, still := c.violated[fp]; still {
		return false
	}
	entry, _, _ := strings.Cut(key, "|")
	if _, undecided := c.states[key]; undecided {
		return false
	}
	return c.entries[entry]
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
