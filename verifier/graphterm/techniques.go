package graphterm

import "github.com/firmproof/firmproof/verifier/certificate"

// Graphs and systems beside the first ones, by name: each can be left out (problem.Plan.Off).
const (
	byModularGraph  = "modular graph"  // functions called from many places have one graph
	byNullsApart    = "nulls apart"    // a graph that tells null pointers apart
	byWrapping      = "wrap-around"    // a graph in which signed overflow wraps around
	byNoOverflow    = "no overflow"    // a system whose runs end only if none overflows
	byBitTurns      = "turns by bits"  // turns of loops bounded by the bits of words
	byMachineRanges = "machine ranges" // a system with the ranges of types, for bounds
)

// Techniques lists them.
var Techniques = []string{byModularGraph, byNullsApart, byWrapping, byNoOverflow, byBitTurns, byMachineRanges}

// techniques lists those of a graph that an answer is about, behind those that had a part in the answer itself.
func techniques(by []string, k certificate.Graph) []string {
	for _, of := range []struct {
		name string
		is   bool
	}{{byModularGraph, k.Modular}, {byNullsApart, k.ByNull}, {byWrapping, k.Wrap}} {
		if of.is {
			by = append(by, of.name)
		}
	}
	return by
}
