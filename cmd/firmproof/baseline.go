package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// readBaseline reads the fingerprints of the violations in an earlier JSON report.
func readBaseline(path string) (map[string]bool, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	var old verdict.Report
	if err := json.Unmarshal(data, &old); err != nil {
		return nil, fmt.Errorf("--baseline %s: not a JSON report of firmproof: %w", path, err)
	}
	if old.Results == nil {
		return nil, fmt.Errorf("--baseline %s: not a JSON report of firmproof: it has no results", path)
	}
	known := map[string]bool{}
	for i := range old.Results {
		for j := range old.Results[i].Claims {
			if c := &old.Results[i].Claims[j]; c.Status == verdict.Violated {
				known[reports.Fingerprint(&old.Results[i], c)] = true
				if o := c.Object; o != nil && o.Offset < o.From { // versions before had no name of its own for it
					early := *c
					early.ID = verdict.WayID(c.ID, &verdict.Object{Before: true})
					known[reports.Fingerprint(&old.Results[i], &early)] = true
				}
			}
		}
	}
	return known, nil
}

// holdTo marks the violations of a report as known, where the baseline has them, or new; what was proved of the
// executions without a known one alone stands behind it. nil: there is no baseline.
func holdTo(r *verdict.Report, known map[string]bool) {
	if known == nil {
		return
	}
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status != verdict.Violated {
				continue
			}
			if c.Baseline = verdict.New; known[reports.Fingerprint(res, c)] {
				c.Baseline = verdict.Known
			}
		}
		res.StandBehind(func(c *verdict.Claim) bool { return c.Baseline == verdict.Known })
	}
}

// standing is the report's status without what is known or was accepted, and what stands behind violations.
func standing(r *verdict.Report) verdict.Status {
	s := verdict.Invalid
	for i := range r.Results {
		res := &r.Results[i]
		if res.Reason != nil {
			s = verdict.Worse(s, verdict.Unknown)
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Accepted != nil || c.Baseline == verdict.Known || c.IsShadowed() {
				continue
			}
			s = verdict.Worse(s, c.Status)
		}
	}
	return s
}
