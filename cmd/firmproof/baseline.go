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
			}
		}
	}
	return known, nil
}

// statusAgainst is the report's status without the violations of the baseline
// and the suppressed ones.
func statusAgainst(r *verdict.Report, known map[string]bool) verdict.Status {
	s := verdict.Invalid
	for i := range r.Results {
		res := &r.Results[i]
		if res.Reason != nil {
			s = verdict.Worse(s, verdict.Unknown)
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status == verdict.Violated && (known[reports.Fingerprint(res, c)] || c.Suppressed != "") {
				continue
			}
			s = verdict.Worse(s, c.Status)
		}
	}
	return s
}
