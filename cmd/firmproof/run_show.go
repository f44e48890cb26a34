package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// show prints a check run per target, as GitHub would.
func (s *simulation) show(pr *verified) error {
	code, o := exitOK, pr.options
	for i, target := range pr.targets() {
		head := only(pr.now, target)
		base := pr.before
		if base != nil {
			base = only(base, target)
		}
		gaps := pr.gaps[target]
		if pr.ended {
			gaps.Ended = cutOff(head, base)
		}
		c := pipeline.Compare(head, base, gaps)
		o.States, o.FixedCount, o.FixedKeys, o.Gaps = c.States, c.Fixed, c.FixedKeys, c.Gaps
		o.Behaviour = pr.behaviour[target]
		p := reports.CheckRun(head.Results, o)
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "firmproof / %s: %s\n%s\n\n%s\n", target, p.Conclusion, p.Title,
			strings.TrimSpace(p.Summary))
		for _, a := range p.Annotations {
			fmt.Fprintf(s.out, "\n%s:%d: %s: %s\n%s\n", a.Path, a.StartLine, a.Level, a.Title,
				strings.TrimSpace(a.Message+"\n"+a.RawDetails))
		}
		switch {
		case p.Conclusion == "failure", p.Conclusion == "action_required":
			code = exitViolated
		case p.Conclusion == "neutral" && code == exitOK && !onlyViolations(o.FailOn) &&
			(hasUnknowns(head) || o.Gaps.All || pr.ended):
			code = exitUnknown
		}
	}
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// weaken notes for all targets what is asked less.
func (v *verified) weaken(less []reports.Less) {
	if len(less) == 0 {
		return
	}
	for _, t := range v.targets() {
		g := v.gaps[t]
		g.Less = append(less, g.Less...)
		v.gaps[t] = g
	}
}

// targets are those that results or gaps are about.
func (v *verified) targets() []string {
	out := targetsOf(v.now)
	for _, t := range slices.Sorted(maps.Keys(v.gaps)) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// targetsOf are the targets in the order of the report.
func targetsOf(r *verdict.Report) []string {
	var out []string
	seen := map[string]bool{}
	for i := range r.Results {
		if t := r.Results[i].Target; !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// only is the part of a report about one target.
func only(r *verdict.Report, target string) *verdict.Report {
	out := &verdict.Report{Version: r.Version, Tool: r.Tool}
	for i := range r.Results {
		if r.Results[i].Target == target {
			out.Results = append(out.Results, r.Results[i])
		}
	}
	return out
}

// hasUnknowns reports whether something in r is unknown.
func hasUnknowns(r *verdict.Report) bool {
	for i := range r.Results {
		if r.Results[i].Undecided() {
			return true
		}
	}
	return false
}
