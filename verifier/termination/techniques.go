package termination

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Techniques of proofs, endless runs and bounds, by name. Each can be left out (Options.Off), and an answer says which
// of them had a part in it.
const (
	byInvariants = "invariants" // of templates, at each location
	byAffine     = "affine"     // one function for a component, or for an edge of it
	byNested     = "nested"     // several functions, each falls when the one before is negative
	byOnward     = "onward"     // what all edges that go on from a location say of the state there
	byPhases     = "phases"     // functions without bound, which fall below every number
	byRelations  = "relations"  // disjunctively well-founded ones
	byEntry      = "entries"    // components copied by the edges that led into them
	bySplits     = "splits"     // locations split by the edges that led there

	byCycles = "cycles"    // runs without end that repeat a cycle
	byWalks  = "walks"     // or one that passes a location several times
	bySeries = "geometric" // or that grow in a geometric series
	byOrbits = "orbits"    // or that come back to where they were

	byFewTurns   = "few turns"       // a loop whose edge cannot be taken often in a row
	byLogarithms = "logarithms"      // a function that is divided, or multiplied up to another
	byAmortised  = "amortised"       // a function that edges with a bound may raise
	byResets     = "resets"          // a function that edges with a bound may set anew
	byPhaseBound = "phase bounds"    // the same, of nested phases
	byClosed     = "closed forms"    // of what a turn does, solved
	byForks      = "forks"           // a function that pays for all successors together
	byWidths     = "widths"          // the depth of the tree of calls as an exponent
	byRefinement = "refinement"      // the system of which a location is a transition
	byTypeRanges = "ranges of types" // of machine words
)

// Techniques lists them in the order in which they are tried.
var Techniques = []string{byInvariants, byAffine, byNested, byOnward, byPhases, byRelations, byEntry, bySplits,
	byCycles, byWalks, bySeries, byOrbits,
	byFewTurns, byLogarithms, byAmortised, byResets, byPhaseBound, byClosed, byForks, byWidths, byRefinement, byTypeRanges}

// tally says which techniques are left out, and which found something.
type tally struct {
	off  map[string]bool
	used map[string]bool
}

func newTally(off map[string]bool) *tally { return &tally{off, map[string]bool{}} }

// on reports whether a technique may be tried.
func (t *tally) on(name string) bool { return !t.off[name] }

// phased reports whether any technique may be tried that belongs to phases that are not nested.
func (t *tally) phased() bool {
	return t.on(byOnward) || t.on(byPhases) || t.on(byRelations) || t.on(byEntry)
}

// did notes that a technique found something, if it did.
func (t *tally) did(name string, found bool) bool {
	if found {
		t.used[name] = true
	}
	return found
}

// list lists those that found something, in the order of Techniques.
func (t *tally) list() []string {
	return slices.DeleteFunc(slices.Clone(Techniques), func(n string) bool { return !t.used[n] })
}

// proof notes what had a part in a certificate.
func (t *tally) proof(cert *certify.Termination) {
	for _, inv := range cert.Inv {
		t.did(byInvariants, len(inv) > 0)
	}
	t.ranks(cert.Ranks)
	if cert.Split != nil {
		t.proof(cert.Split.Inner)
	}
}

func (t *tally) ranks(list []certify.Rank) {
	for i := range list {
		r := &list[i]
		t.did(byOnward, len(r.Kept) > 0)
		t.did(byPhases, len(r.Phase) > 0)
		t.did(byRelations, len(r.Relations) > 0)
		if len(r.Phase) == 0 && len(r.Relations) == 0 {
			t.did(byAffine, len(r.Funcs) == 1)
			t.did(byNested, len(r.Funcs) > 1)
		}
		t.ranks(r.Phase)
	}
}
