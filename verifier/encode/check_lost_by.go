package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// asksLost reports whether lost memory is claimed where a function that a driver calls returns.
func (e *encoder) asksLost() bool {
	return e.opts.Leaks == ir.LeakCalled && e.opts.Checks.Has(verdict.Leak)
}

// ownBlock reports a heap block that the program's own code allocated.
func ownBlock(o *memory.Object) bool {
	return o.Kind == memory.ObjHeap && o.Instr != nil && o.Instr.MakesOwn()
}

// driven returns the activation in which the program's own code began: fr, or one that led to it; nil where fr is the
// driver's.
func driven(fr *frame) *frame {
	var out *frame
	for ; fr != nil; fr = fr.up {
		if !fr.fn.Made && !fr.fn.Driven() {
			out = fr
		}
	}
	return out
}

// checkLostBy is ir.LeakCalled: where a function that the driver called returns, each live heap block that the program's
// own code allocated is led to by pointers in what is still there then, in what the function gives back, or in what was
// handed to code that is not known. A pointer counts wherever in the block it points. A block whose address is known as a
// number may be tracked by that: a gap.
func (e *encoder) checkLostBy(fr *frame, st *memory.State, in *ir.Instr) {
	if st.PC == nil || !e.asksLost() || driven(fr) != fr || fr.up == nil {
		return
	}
	bad, maybe, cases := e.lostOf(e.graphAfter(fr, st, in))
	if e.cutter != nil { // it holds, or nothing is known
		bad = maybe
	}
	e.claimNot(fr, st, in, verdict.Leak, bad, false, "heap memory is lost: no pointer leads to it any more", cases...)
	if st.PC != nil && e.cutter == nil && !e.s.IsFalse(maybe) {
		e.gapWhen(st, in, maybe, "heap memory that only a number may lead to")
	}
}

// graphAfter is the graph of the heap where fr has returned at in. Of blocks that are not the program's it says that they
// are reached.
func (e *encoder) graphAfter(fr *frame, st *memory.State, in *ir.Instr) *heapGraph {
	h := e.liveBlocks(st)
	if !slices.ContainsFunc(h.nodes, func(n *heapNode) bool { return ownBlock(n.obj) }) {
		return &heapGraph{}
	}
	for _, n := range h.nodes {
		n.number, n.when = false, n.obj.Numbered
		if n.root = e.wasHanded(st, n.obj); !ownBlock(n.obj) {
			n.root = e.s.True()
		}
	}
	for _, o := range e.Objects {
		c := st.Get(o)
		_, heap := h.index[o]
		if c == nil || o.Kind == memory.ObjFunc || o.Kind == memory.ObjLabel || !heap && o.Kind == memory.ObjHeap ||
			slices.Contains(fr.objs, o) {
			continue
		}
		h.look(e, st, o, c)
	}
	if len(in.Args) > 0 {
		e.eachRegister(e.arg(fr, st, in, 0), func(x memory.Val) {
			if x.Ptr != nil {
				h.root(e, st, x.Ptr)
			}
		})
	}
	h.sure(e)
	return h
}

// handOver notes what a call of f, by way of model m, hands to code that is not known.
func (e *encoder) handOver(st *memory.State, in *ir.Instr, f *ir.Func, m ir.Model, args ...memory.Val) {
	if e.asksLost() && in.HandsOver(f, m) {
		e.handOut(st, in, args...)
	}
}

// handOut notes that code that is not known gets vals, and with that all that they, and what it got before, lead to now.
func (e *encoder) handOut(st *memory.State, in *ir.Instr, vals ...memory.Val) {
	if st.PC == nil || !e.asksLost() || !in.OfProgram() ||
		!slices.ContainsFunc(e.Objects, func(o *memory.Object) bool { return ownBlock(o) || o.Kind == memory.ObjStack }) {
		return
	}
	h := &heapGraph{index: map[*memory.Object]int{}}
	for _, o := range e.Objects {
		if c := st.Get(o); c != nil && o.Kind != memory.ObjFunc && o.Kind != memory.ObjLabel {
			h.add(e, o, e.Decide(st.PC, c.Live))
			h.nodes[len(h.nodes)-1].root = e.wasHanded(st, o)
		}
	}
	for _, n := range h.nodes {
		h.look(e, st, n.obj, st.Get(n.obj))
	}
	for _, v := range vals {
		e.eachRegister(v, func(x memory.Val) {
			if x.Ptr != nil {
				h.root(e, st, x.Ptr)
			}
		})
	}
	for i, t := range h.reached(e, false) {
		if t = e.s.And(st.PC.All, t); !e.s.IsFalse(t) {
			o := h.nodes[i].obj
			if old, ok := e.handed[o]; ok {
				t = e.s.Or(old, t)
			}
			e.handed[o] = t
		}
	}
}

// wasHanded returns the condition that code that is not known got a pointer to o before st.
func (e *encoder) wasHanded(st *memory.State, o *memory.Object) ilr.Term {
	if t, ok := e.handed[o]; ok {
		return e.Decide(st.PC, t)
	}
	return e.s.False()
}

// doubtLost has what a function leaves behind be open where a turn of a loop, or a call, leaves memory behind that later
// ones do not know: it is claimed there that it does not.
func (e *encoder) doubtLost(a *arrival, st *memory.State, o *memory.Object, c *memory.Content) {
	top := driven(a.fr)
	if top == nil || !ownBlock(o) {
		return
	}
	one := e.fork(st, e.s.And(o.Born, c.Live))
	if one == nil {
		return
	}
	for _, b := range top.fn.Blocks {
		if in := b.Term(); in.Op == ir.OpRet {
			left := *one
			e.claimNot(top, &left, in, verdict.Leak, e.s.True(), false, a.what+" allocates memory that outlives a turn")
		}
	}
}
