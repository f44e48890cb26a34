package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// Loops cut for k turns (Cuts.Turns; k-induction: Sheeran, Singh and Stålmarck, Checking safety properties using
// induction and a SAT-solver, 2000). A loop without a cut loop inside is walked twice: the base, its first k-1
// turns from the state on entry, and the stretch, k turns from an unknown state, of which only the last one has
// claims and ways out of the loop. What fails in turn n fails in the base, if n < k, or else in the last turn of
// a stretch that begins k-1 turns before; that the turns between hold is the assumption of the induction. The
// unknown states are compared with the end of each turn of a stretch, so that they cover every turn, as where
// loops are cut for one. Lemmas are assumed at the beginning of each turn of the stretch, and to be shown at its
// end and at the beginning of each turn of the base, and behind its last.
//
// Worked example, k = 2: turns are numbered through both parts.
//
//	turn   0      1                2                    3           4
//	       base   arrival, ends    stretch, site        last, site  arrival, ends
//	              of the base      without claims       claims

// stretches reports whether l, which is cut, is cut for several turns.
func (e *encoder) stretches(fr *frame, l *unwind.Loop) bool {
	return e.cutter.Turns > 1 && !slices.ContainsFunc(fr.g.Loops, func(m *unwind.Loop) bool {
		return m.Parent == l && e.cutter.loops[m.Name]
	})
}

// split lets the base go on from the entry of the loop, and makes inst the first turn of the stretch.
func (e *encoder) split(fr *frame, a *arrival, inst *instance, in edge, forget func(in edge)) {
	base := e.Bit(e.s.Fresh("base", ilr.BV(1)))
	stretch := edge{st: e.fork(in.st, e.s.Not(base)), vals: slices.Clone(in.vals)}
	if stretch.st != nil {
		forget(stretch)
		turns := slices.Clone(inst.turns)
		turns[a.loop.Depth-1] = int32(a.turns)
		fr.enqueue(&instance{block: inst.block, turns: turns, key: fr.g.KeyOf(inst.block, turns)}, stretch)
	}
	in.st.PC = e.And(in.st.PC, base)
}

// nextTurn treats an arrival at the header of a, which is cut for several turns, behind a turn before turn. It
// reports whether turn is walked.
func (e *encoder) nextTurn(fr *frame, a *arrival, turn int, in edge) bool {
	switch {
	case e.s.IsFalse(in.st.PC.All):
		return false
	case turn < a.turns: // of the base
		e.addArrival(a, in)
		return turn < a.turns-1
	case turn == a.turns: // made by split
		return true
	case turn == 2*a.turns:
		e.backEdge(fr, a, in)
		return false
	}
	e.widenHeader(fr, a, in)
	site := Site{Guard: in.st.PC.All, Entry: e.f.Headers[a.index].Sites[0].Entry}
	for _, v := range a.vars {
		site.Values = append(site.Values, v.at(in))
	}
	e.addSite(a.index, site)
	return true
}

// assumes returns the loop of which inst is in a turn that is assumed to hold; nil without one.
func (fr *frame) assumes(inst *instance) *unwind.Loop {
	for l := fr.g.Inner(inst.block); l != nil; l = l.Parent {
		if a := fr.cuts[l]; a != nil && a.turns > 1 {
			if n := int(inst.turns[l.Depth-1]); n >= a.turns && n < 2*a.turns-1 {
				return l
			}
		}
	}
	return nil
}
