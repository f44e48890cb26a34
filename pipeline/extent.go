package pipeline

import (
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Counts of a run that say how much of the code its answers are about.
const (
	CountFunctions = "functions"        // of which something is asked
	CountProved    = "functions_proved" // of these, those of which all that is asked is proved
	CountLines     = "lines"            // with code, where coverage is asked for
	CountReached   = "lines_reached"
)

// extent counts functions and lines of a report into counts.
func extent(report *verdict.Report, counts map[string]int) {
	type function struct{ file, name string }
	proved := map[function]bool{}
	for i := range report.Results {
		r := &report.Results[i]
		for j := range r.Claims {
			c := &r.Claims[j]
			f := function{c.Pos.File, c.Pos.Function}
			if was, asked := proved[f]; f.name != "" && (was || !asked) {
				proved[f] = c.Status == verdict.Proved && r.Vacuous == nil
			}
		}
	}
	for _, all := range proved {
		if counts[CountFunctions]++; all {
			counts[CountProved]++
		}
	}
	for _, f := range reports.Coverage(report.Results) {
		reached, all := f.Reached()
		counts[CountReached] += reached
		counts[CountLines] += all
	}
}
