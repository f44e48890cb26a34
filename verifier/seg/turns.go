package seg

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// A bound of a loop's turns that is known from elsewhere is a variable of the system: it says how many back edges are
// left, and is that bound where the loop is entered.

// counted returns the loop head that c is, if the back edges to it are counted.
func (x *extractor) counted(c *cutPoint) (most int64, ok bool) {
	if f := c.st.top(); x.g.Modular || c == x.g.start || f.idx != firstNonPhi(f.blk) {
		return 0, false
	}
	most, ok = x.opts.Turns[c.st.top().blk]
	return most, ok
}

// turnsLeft is the variable for the loop of c: all cut points of one loop in one context share it.
func (x *extractor) turnsLeft(c *cutPoint) exact.Var {
	f := c.st.top()
	return x.b.Var(fmt.Sprintf("turns left of %s%s.%d", f.ctx, f.fn.Name, f.blk.Index))
}

// count has path e take a turn of the loop that it comes to, or enter it. Every loop head that a path meets is a cut
// point, so one from inside of a loop to its head has not left it: only through the head of a loop around it would it
// come back.
func (x *extractor) count(e *edge, w *pathWriter) {
	if e.to == nil || e.overflow {
		return
	}
	most, ok := x.counted(e.to)
	if !ok {
		return
	}
	left := x.turnsLeft(e.to)
	if x.inside(e) {
		w.t.GE(exact.V(left).AddInt(-1)).Set(left, exact.V(left).AddInt(-1))
	} else {
		w.t.Set(left, exact.C(most))
	}
}

// inside reports whether e begins in the loop that it leads to the head of, perhaps in what that calls.
func (x *extractor) inside(e *edge) bool {
	from, to := e.from.st.frames, e.to.st.frames
	n := len(to) - 1
	if e.from == x.g.start || len(from) <= n || from[n].fn != to[n].fn || from[n].ctx != to[n].ctx {
		return false
	}
	g := x.loopsOf(to[n].fn)
	l := g.Inner(to[n].blk)
	return l != nil && l.Header == to[n].blk && g.In(from[n].blk, l) &&
		!slices.ContainsFunc(g.Loops, func(l *unwind.Loop) bool { return l.Irreducible })
}

// loopsOf returns the loops of fn.
func (x *extractor) loopsOf(fn *ir.Func) *unwind.Graph {
	if x.loops == nil {
		x.loops = map[*ir.Func]*unwind.Graph{}
	}
	if x.loops[fn] == nil {
		x.loops[fn] = unwind.Analyse(fn)
	}
	return x.loops[fn]
}
