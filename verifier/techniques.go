package verifier

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/termination"
)

// Techniques lists the names of all that Plan.Off can leave out: the rows of the races, the makers of lemmas, and the
// ways to decide termination of a transition system; and calls in any order. Claim.By and Certificate.Makers are among them.
func Techniques() []string {
	r := &runsQuestion{}
	var names []string
	add := func(list ...string) {
		for _, n := range list {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	for _, table := range [][]entrant{safetyEngines, graphEngines(r), bitEngines, {allPathsRow(r)}, complexityEngines} {
		for _, e := range table {
			add(e.name)
		}
	}
	add(callsName)
	add(invariant.Makers...)
	add(termination.Techniques...)
	return names
}
