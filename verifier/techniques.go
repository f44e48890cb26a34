package verifier

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/calls"
	"github.com/firmproof/firmproof/verifier/graphterm"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/termination"
)

// Names of techniques: contents in ranges that do no harm (wider.go), and stubs for functions without a body.
const (
	narrowName = "narrow"
	stubsName  = "stubs"
)

// Techniques lists the names of all that Plan.Off can leave out: the rows of the races, calls in any order, lines that
// are tried, the makers
// of lemmas, the kinds of graphs, and the ways to decide a transition system. Claim.By and Certificate.Makers are among
// them.
func Techniques() []string {
	var names []string
	for _, list := range [][]string{race.RowNames(), {calls.Name, narrowName, stubsName}, invariant.Makers,
		graphterm.Techniques, termination.Techniques} {
		for _, n := range list {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
