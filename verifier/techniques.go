package verifier

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/calls"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/termination"
)

// Techniques lists the names of all that Plan.Off can leave out: the rows of the races, the makers of lemmas, and the
// ways to decide termination of a transition system; and calls in any order. Claim.By and Certificate.Makers are among them.
func Techniques() []string {
	var names []string
	for _, list := range [][]string{race.RowNames(), {calls.Name}, invariant.Makers, termination.Techniques} {
		for _, n := range list {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
