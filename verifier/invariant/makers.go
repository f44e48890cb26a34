package invariant

import (
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
)

// The makers of lemmas, by name: each can be left out (problem.Plan.Off), and each lemma knows its own.
const (
	MakeTwins      = "twins"      // that two numbers are equal, or differ as on entry
	MakeCells      = "elements"   // of an array, at the ghost index
	MakeBounds     = "intervals"  // residues and orders of one number, also in floating point
	MakePairs      = "pairs"      // orders and differences of two numbers
	MakeLimits     = "limits"     // comparisons that the program makes
	MakeOnEntry    = "on entry"   // conditions in front of a loop that may hold in it
	MakeSums       = "suggested"  // equations and sums that executions suggest
	MakeProducts   = "products"   // equations between products, and their order
	MakeNeighbours = "neighbours" // orders of neighbouring elements
	MakeAsserted   = "asserted"   // what claims say of elements
	MakeControl    = "control"    // lemmas under a value of a control variable
	MakeEllipses   = "ellipse"    // of linear filters
	MakeTables     = "tables"     // what recursive calls give back for single arguments
	MakeClauses    = "clauses"    // learned from the states that lead to a violation
)

// Makers lists them in the order in which they are asked.
var Makers = []string{MakeTwins, MakeCells, MakeBounds, MakePairs, MakeLimits, MakeOnEntry, MakeSums, MakeProducts,
	MakeNeighbours, MakeAsserted, MakeControl, MakeEllipses, MakeTables, MakeClauses}

// maker is a row of the table of those that look at one header.
type maker struct {
	name    string
	propose func(p *proposer, x *comparisons)
}

var templates = []maker{
	{MakeTwins, func(p *proposer, _ *comparisons) { p.twins() }}, // first: there is no end of the others
	{MakeCells, func(p *proposer, _ *comparisons) { p.cells() }},
	{MakeBounds, func(p *proposer, x *comparisons) { p.bounds(x) }},
	{MakePairs, func(p *proposer, _ *comparisons) { p.pairs() }},
	{MakeLimits, func(p *proposer, x *comparisons) { p.limits(x) }},
	{MakeOnEntry, func(p *proposer, _ *comparisons) { p.onEntry() }},
	{MakeSums, func(p *proposer, _ *comparisons) { p.suggestions() }},
	{MakeProducts, func(p *proposer, x *comparisons) {
		switch {
		case p.h.Calls:
			p.callProducts()
		case x.products:
			p.products(x)
		}
	}},
}

// bounds proposes what holds of each number that turns change.
func (p *proposer) bounds(x *comparisons) {
	for v := range p.h.Vars {
		switch {
		case !p.h.Vars[v].Moves:
		case x.floats[[2]int{p.index, v}]:
			p.floatBounds(v, x.magnitudes[p.width(v)])
		default:
			p.single(v)
		}
	}
}

// makersOf lists those whose lemmas are among keep.
func makersOf(keep []*lemma.Lemma) []string {
	found := map[string]bool{}
	for _, l := range keep {
		found[l.Maker] = true
	}
	var out []string
	for _, m := range Makers {
		if found[m] {
			out = append(out, m)
		}
	}
	return out
}
