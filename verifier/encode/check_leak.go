package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkLeak claims that the program may end at in with the heap as it is.
func (e *encoder) checkLeak(fr *frame, st *memory.State, in *ir.Instr, how ir.Ending) {
	rule := e.opts.Leaks
	if st.PC == nil || !e.opts.Checks.Has(verdict.Leak) || !rule.Asks(how) {
		return
	}
	if rule == ir.LeakTracked {
		e.checkLost(fr, st, in, how)
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, o := range e.Objects {
		live := e.heapLive(st, o)
		if e.s.IsFalse(live) {
			continue
		}
		bad = e.s.Or(bad, live)
		cases = append(cases, failure{when: live, text: o.What() + " is never freed"})
	}
	if rule == ir.LeakCleanup && how == ir.EndAbort {
		e.gapWhen(st, in, bad, "heap memory where the program aborts")
		return
	}
	e.claimNot(fr, st, in, verdict.Leak, bad, false, "heap memory is never freed", cases...)
}

// leaksWhen is checkLeak where a condition ends the program because an assertion
// fails, and nobody asks whether it does.
func (c *modelCall) leaksWhen(when ilr.Term) {
	if c.opts.Leaks == ir.LeakFreed || c.opts.Checks.Has(verdict.Assert) {
		return
	}
	if st := c.fork(c.st, when); st != nil {
		c.checkLeak(c.fr, st, c.in, ir.EndFailed)
	}
}

// heapLive returns the condition: o is a heap block that was made and not freed.
func (e *encoder) heapLive(st *memory.State, o *memory.Object) ilr.Term {
	if o.Kind != memory.ObjHeap {
		return e.s.False()
	}
	c := st.Get(o)
	if c == nil {
		return e.s.False()
	}
	return e.Decide(st.PC, e.s.And(e.Decide(st.PC, o.Born), e.Decide(st.PC, c.Live)))
}

// checkLost is ir.LeakTracked: each heap block that is alive is led to by
// pointers of the program's variables. A pointer counts wherever in the block it
// points. What can be reached only through a block whose address is known as a
// number may be tracked or not: a gap. Where the entry returns, its own variables
// are gone.
func (e *encoder) checkLost(fr *frame, st *memory.State, in *ir.Instr, how ir.Ending) {
	locals := fr
	if how == ir.EndReturn {
		locals = nil
	}
	bad, maybe, cases := e.lost(locals, st)
	e.claimNot(fr, st, in, verdict.Leak, bad, false, "heap memory is lost: no pointer leads to it any more", cases...)
	if st.PC != nil && !e.s.IsFalse(maybe) {
		e.gapWhen(st, in, maybe, "heap memory that only a number may lead to")
	}
}

// lostForever records as a gap that memory is lost where a loop may go on for
// ever: no end of the program would tell.
func (e *encoder) lostForever(fr *frame, st *memory.State, in *ir.Instr) {
	if e.opts.Leaks != ir.LeakTracked || !e.opts.Checks.Has(verdict.Leak) || st.PC == nil {
		return
	}
	if _, maybe, _ := e.lost(fr, st); !e.s.IsFalse(maybe) {
		if one := e.fork(st, maybe); one != nil {
			e.gap(one, in, verdict.Incomplete, "a loop may go on for ever after memory was lost")
			e.f.Gaps[len(e.f.Gaps)-1].Instr = nil
		}
	}
}

// lost returns two conditions: nothing leads to some live heap block, and this cannot be ruled out.
// Local variables are those of fr and its callers.
func (e *encoder) lost(fr *frame, st *memory.State) (bad, maybe ilr.Term, cases []failure) {
	return e.lostOf(e.heapGraph(fr, st))
}

// lostOf is lost of a graph.
func (e *encoder) lostOf(h *heapGraph) (bad, maybe ilr.Term, cases []failure) {
	bad, maybe = e.s.False(), e.s.False()
	for _, n := range h.nodes {
		if !n.found {
			maybe = e.s.Or(maybe, n.live)
		}
	}
	if e.s.IsFalse(maybe) {
		return bad, maybe, nil
	}
	plain := h.reached(e, false)
	maybe = e.s.False()
	for i, n := range h.nodes {
		maybe = e.s.Or(maybe, e.s.And(n.live, e.s.Not(plain[i])))
	}
	sure := plain
	if slices.ContainsFunc(h.nodes, func(n *heapNode) bool { return n.number || n.when != 0 }) {
		sure = h.reached(e, true)
	}
	for i, n := range h.nodes {
		gone := e.s.And(n.live, e.s.Not(sure[i]))
		if e.s.IsFalse(gone) {
			continue
		}
		bad = e.s.Or(bad, gone)
		cases = append(cases, failure{when: gone, text: n.obj.What() + " is lost: no pointer leads to it any more"})
	}
	return bad, maybe, cases
}
