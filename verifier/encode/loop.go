package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// loopState follows one loop of an activation through its turns.
type loopState struct {
	forked bool // in this turn, whether the loop is left depends on inputs
	moves  bool // in this turn, a branch with a known outcome compared new values
	last   headState
	mark   headState // of the last turn whose number is a power of two: repetition of any period meets one (Brent)
}

// headState holds what a turn of a loop begins with.
type headState struct {
	mem  memory.Memory
	loc  memory.Trie[memory.Val]
	vals []memory.Val // of the header's phis
}

// admit decides whether a block instance runs: it does unless it is the next
// turn of a loop that has reached its bound, that the Prober knows to have
// ended, or that would only repeat itself (LL-56, LL-61).
func (e *encoder) admit(fr *frame, inst *instance, in edge) bool {
	l := fr.g.Inner(inst.block)
	if l == nil || l.Header != inst.block {
		return true
	}
	ls := &fr.loops[l.Index]
	turn := int(inst.turns[l.Depth-1])
	if run, handled := e.admitCut(fr, l, inst, in); handled {
		return run
	}
	forked := ls.forked || l.Irreducible || !l.Exits || !ls.moves
	now := headState{mem: in.st.Mem, loc: in.st.Regs, vals: in.vals}
	repeats := turn > 0 && (e.sameHead(&ls.last, &now) || !isPowerOf2(turn-1) && e.sameHead(&ls.mark, &now))
	*ls = loopState{last: now, mark: ls.mark}
	if isPowerOf2(turn) {
		ls.mark = now
	}
	if turn == 0 {
		e.loopInfo(l, 0)
		return true
	}
	if repeats {
		e.lostForever(fr, in.st, l.Header.Instrs[0])
		e.f.Endless = append(e.f.Endless, in.st.PC.All)
		return false // the same state again: nothing new can happen
	}
	if !forked {
		if turn <= policy.ConstantTurns && (e.cutter == nil || turn <= policy.CutTurns) {
			e.loopInfo(l, turn)
			return true
		}
		e.boundReached(fr, l, in.st)
		return false
	}
	if n := e.bound(l); n > 0 {
		if turn <= n {
			e.loopInfo(l, turn)
			return true
		}
		e.boundReached(fr, l, in.st)
		return false
	}
	if !e.feasible(in.st.PC.All) {
		return false
	}
	if turn <= max(e.opts.MaxUnwind, e.opts.More[l.Name]) {
		e.loopInfo(l, turn)
		return true
	}
	e.boundReached(fr, l, in.st)
	return false
}

// isPowerOf2 reports whether turn is 0, 1, 2, 4, ...
func isPowerOf2(turn int) bool { return turn&(turn-1) == 0 }

// sameHead reports that a header is met with exactly the memory and registers of
// an earlier turn. Its path condition can only be narrower, so every failure of
// this turn is one of that turn.
func (e *encoder) sameHead(was, now *headState) bool {
	if len(was.vals) != len(now.vals) {
		return false
	}
	for i := range was.vals {
		if was.vals[i].Elems != nil || !e.sameVal(was.vals[i], now.vals[i]) {
			return false
		}
	}
	return memory.Alike(was.loc, now.loc, func(_ int64, x, y *memory.Val) bool {
		return x != nil && y != nil &&
			e.sameVal(*x, *y)
	}) &&
		memory.Alike(was.mem.Contents, now.mem.Contents, func(_ int64, x, y *memory.Content) bool {
			return x != nil && y != nil && e.sameContent(x, y)
		})
}

func (e *encoder) sameVal(a, b memory.Val) bool {
	return a.Term == b.Term && a.Undef == b.Undef && a.Elems == nil && b.Elems == nil &&
		(a.Ptr == b.Ptr || a.Ptr != nil && b.Ptr != nil &&
			e.SamePtr(a.Ptr, b.Ptr))
}

func (e *encoder) sameContent(x, y *memory.Content) bool {
	return x.Live == y.Live && x.Base == y.Base && x.Array == y.Array && memory.Alike(x.Cells, y.Cells, func(_ int64, p,
		q *memory.Cell) bool {
		return p != nil && q != nil && p.Off == q.Off && p.N == q.N && p.Fill == q.Fill && e.sameVal(p.V, q.V)
	})
}

// feasible asks the Prober whether t can be true, with the facts so far.
func (e *encoder) feasible(t ilr.Term) bool {
	if e.s.IsFalse(t) {
		return false
	}
	if e.prober == nil || e.s.IsTrue(t) {
		return true
	}
	e.f.Stats.Probes++
	if t = e.s.And(t, e.Facts); e.cutter != nil && e.floats { // most such loops go on, and an answer may take minutes
		return e.prober.Possible(e.ctx, t)
	}
	return e.prober.Feasible(e.ctx, t)
}

// bound is the number of turns asked for, or 0.
func (e *encoder) bound(l *unwind.Loop) int {
	if n, ok := e.opts.UnwindSet[l.Name]; ok {
		return n
	}
	if n, ok := e.opts.UnwindSet[fmt.Sprintf("%s:%d", l.Pos.File, l.Pos.Line)]; ok {
		return n
	}
	return e.opts.Unwind
}

// loopInfo notes that l was entered or took one more turn.
func (e *encoder) loopInfo(l *unwind.Loop, turn int) *LoopInfo {
	i, ok := e.loops[l.Name]
	if !ok {
		i = len(e.f.Loops)
		e.loops[l.Name] = i
		e.f.Loops = append(e.f.Loops, LoopInfo{Name: l.Name, Pos: l.Pos, Latch: l.Latches[0].Term(), Complete: true})
	}
	li := &e.f.Loops[i]
	li.Turns = max(li.Turns, turn)
	return li
}

// boundReached ends st's paths with the claim that there are none.
func (e *encoder) boundReached(fr *frame, l *unwind.Loop, st *memory.State) {
	if e.mustCut(l, st) {
		return
	}
	li := e.loopInfo(l, 0)
	li.Complete = false
	li.Claim = fmt.Sprintf("%s@%s#%d", verdict.Unwinding, fr.fn.Name, l.Index+1)
	in := l.Latches[0].Term()
	e.addClaim(Claim{ID: li.Claim, Check: verdict.Unwinding, Pos: l.Pos,
		Message: fmt.Sprintf("loop %s may take more than %d turns", l.Name, li.Turns),
		Holds:   fmt.Sprintf("loop %s takes at most %d turns", l.Name, li.Turns),
		Instr:   in, Context: fr.context, Guard: st.PC.All, Violated: st.PC.All, Unguarded: st.PC.Unguarded})
}

// mayCall applies the bounds on calls (LL-62): recursion that depends on inputs
// goes on while the Prober finds it possible. When it answers false st's paths
// have ended.
func (e *encoder) mayCall(fr *frame, in *ir.Instr, f *ir.Func, st *memory.State) bool {
	active, forked := 0, false
	for q := fr; q != nil; q = q.up {
		if q.fn == f {
			active++
		}
		forked = forked || q.forked
	}
	ok := true
	switch {
	case active > 0 && e.mustCutCalls(f, active, forked):
		st.PC = nil
		return false
	case active > 0 && forked && !e.feasible(st.PC.All):
		st.PC = nil
		return false
	case e.opts.Depth > 0:
		ok = fr.depth < e.opts.Depth
	case active == 0:
	case !forked:
		ok = active < 4*policy.CallNesting
	default:
		ok = active <= e.opts.MaxUnwind
	}
	if ok && fr.depth >= 8*policy.CallNesting {
		ok = false
	}
	if ok {
		return true
	}
	id := fmt.Sprintf("%s@%s#%d", verdict.Unwinding, fr.fn.Name, len(fr.g.Loops)+fr.info.callOrdinal(in))
	e.addClaim(Claim{ID: id, Check: verdict.Unwinding, Pos: *in.Pos,
		Message: fmt.Sprintf("calls of %s may nest deeper than %d", f.Name, fr.depth),
		Holds:   fmt.Sprintf("calls of %s nest at most %d deep", f.Name, fr.depth),
		Instr:   in, Context: fr.context, Guard: st.PC.All, Violated: st.PC.All, Unguarded: st.PC.Unguarded})
	st.PC = nil
	return false
}

// beyond ends the paths on which c holds: they touch g, which stands for what is
// beyond a bound that does not grow.
func (e *encoder) beyond(fr *frame, st *memory.State, in *ir.Instr, g *ir.Global, c ilr.Term) {
	if one := e.fork(st, c); one != nil {
		e.addClaim(Claim{ID: fmt.Sprintf("%s@%s", verdict.Unwinding, g.Name), Check: verdict.Unwinding, Pos: *in.Pos,
			Message: g.Beyond,
			Instr:   in, Context: fr.context, Guard: one.PC.All, Violated: one.PC.All, Unguarded: one.PC.Unguarded,
			Fixed: true})
	}
	st.PC = e.And(st.PC, e.s.Not(c))
}
