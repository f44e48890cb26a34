package encode

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func constant(w int, c uint64) bits.Vec { return bits.New(w, c) }

// backEdge treats the end of a turn.
func (e *encoder) backEdge(fr *frame, a *arrival, in edge) {
	e.widenHeader(fr, a, in)
	e.addArrival(a, in)
}

// widenHeader compares the state at the end of a turn with the unknown state at its
// header: whatever is not one of the states that the header stands for widens
// the header.
func (e *encoder) widenHeader(fr *frame, a *arrival, in edge) {
	e.lostForever(fr, in.st, a.in)
	e.widenMemory(a, in.st)
	for i := range in.vals {
		e.widenRegister(a, i, a.vals[i], in.vals[i])
	}
}

// widenMemory compares the memory of st with that at the header.
func (e *encoder) widenMemory(a *arrival, st *memory.State) {
	memory.Diff(a.head.Mem.Contents, st.Mem.Contents, func(k int64, x, y *memory.Content) {
		o := e.Objects[k]
		if o.ID >= a.mark && (o.Kind == memory.ObjStack || o.Kind == memory.ObjHeap) {
			e.leftOver(a, st, o, y)
			return
		}
		if x == nil {
			x = o.Init
		}
		if y == nil {
			y = o.Init
		}
		switch {
		case x == nil && y == nil:
		case x == nil || y == nil:
			one := *st
			e.gap(&one, a.in, verdict.Incomplete, "%s ends the life of %s", a.what, o.What())
		default:
			e.widenObject(a, o, x, y)
		}
	})
}

// leftOver deals with an object that the turn made and that is still there at
// its end: later turns do not know it. Pointers to it became addresses, whose use
// is a gap; whether it is lost cannot be told.
func (e *encoder) leftOver(a *arrival, st *memory.State, o *memory.Object, c *memory.Content) {
	if c == nil || o.Kind != memory.ObjHeap || e.s.IsFalse(c.Live) || !e.opts.Checks.Has(verdict.Leak) {
		return
	}
	if e.opts.Leaks == ir.LeakCalled {
		e.doubtLost(a, st, o, c)
		return
	}
	if one := e.fork(st, e.s.And(o.Born, c.Live)); one != nil {
		e.gap(one, o.Instr, verdict.Incomplete, "%s allocates memory that outlives a turn", a.what)
	}
}

func (e *encoder) widenObject(a *arrival, o *memory.Object, x, y *memory.Content) {
	key := e.cutter.keys[o]
	h := a.hav.objs[key]
	if h == nil {
		h = &objHavoc{}
	}
	done := a.done[o]
	if done == nil {
		done = &objHavoc{}
	}
	changed := x.Live != y.Live && !done.live
	if changed && h.live || h.whole && !done.whole {
		e.notForgotten(a, o)
		return
	}
	h.live = h.live || changed
	if h.whole && !done.u && e.Shadow && e.maybeIndeterminate(y) {
		h.u, changed = true, true
	}
	if !h.whole {
		if x.Base != y.Base || x.Array != y.Array || o.CSize < 0 && x.Cells.Root != y.Cells.Root {
			h.whole, h.places, changed = true, nil, true
		} else {
			changed = e.widenCells(a, o, h, done, x, y) || changed
			if changed && e.elementSize(o) > 0 && h.tooMany() { // one array tells more
				h.whole, h.places = true, nil
			}
		}
	}
	if changed {
		a.hav.objs[key] = h
		e.cutter.grown = true
	}
}

// widenCells notes the ranges whose bytes differ; it reports whether h grew.
func (e *encoder) widenCells(a *arrival, o *memory.Object, h, done *objHavoc, x, y *memory.Content) bool {
	grew := false
	next := int64(0)
	memory.Diff(x.Cells, y.Cells, func(k int64, _, q *memory.Cell) {
		if h.whole || k < next {
			return
		}
		if q == nil {
			h.whole, h.places, grew = true, nil, true
			return
		}
		off, n := q.Off, q.N
		if memory.Covered(y.Cells, q, q.Off, q.N) != q.N {
			off, n = k, memory.Covered(y.Cells, q, k, q.Off+q.N-k)
		}
		next = off + n
		if n > policy.CutPlace {
			h.whole, h.places, grew = true, nil, true
			return
		}
		old, now := e.ReadRaw(o, x, off, n), e.ReadRaw(o, y, off, n)
		if e.sameVal(old, now) {
			return
		}
		p := h.find(off, n)
		switch {
		case p == nil && h.overlaps(off, n):
			h.whole, h.places, grew = true, nil, true
			return
		case p == nil:
			p = &place{off: off, n: n}
			h.places = append(h.places, p)
			sort.Slice(h.places, func(i, j int) bool { return h.places[i].off < h.places[j].off })
			e.widen(a, p, old, now, nil)
			p.u, grew = p.u || old.Undef != 0, true
		case done.find(off, n) == nil:
			e.notForgotten(a, o)
		default:
			grew = e.widen(a, p, old, now, nil) || grew
		}
	})
	return grew
}

// notForgotten gives up on a loop that changes an object which could not be made
// unknown at its header.
func (e *encoder) notForgotten(a *arrival, o *memory.Object) {
	one := *a.head
	e.gap(&one, a.in, verdict.Incomplete, "%s changes %s, which is not known before", a.what, o.What())
}

func (e *encoder) widenRegister(a *arrival, i int, old, now memory.Val) {
	if e.sameDeep(old, now) {
		return
	}
	p := a.hav.phis[i]
	if p == nil {
		p = &place{}
		a.hav.phis[i] = p
		e.cutter.grown = true
	}
	if e.widen(a, p, old, now, a.regs[i].t) {
		e.cutter.grown = true
	}
}

func (e *encoder) sameDeep(a, b memory.Val) bool {
	if a.Elems == nil && b.Elems == nil {
		return e.sameVal(a, b)
	}
	if len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		if !e.sameDeep(a.Elems[i], b.Elems[i]) {
			return false
		}
	}
	return true
}

// widen makes p, whose value at the header is old, include now; it reports
// whether p grew. It is only exact for a value that p made unknown at the header.
func (e *encoder) widen(a *arrival, p *place, old, now memory.Val, t *ir.Type) bool {
	if now.Elems != nil {
		grew := false
		for i := range now.Elems {
			grew = e.widen(a, p, old.Elems[i], now.Elems[i], t.ElemAt(i)) || grew
		}
		return grew
	}
	grew := false
	if now.Undef != 0 && old.Undef == 0 && !p.u {
		p.u, grew = true, true
	}
	if !e.isPointer(old, p, t) && !e.isPointer(now, p, t) {
		return grew
	}
	if !p.ptr {
		p.ptr, grew = true, true
	}
	if p.spots == nil {
		p.spots = map[string]spot{}
	}
	spots := e.spotsOf(now, a.mark)
	for _, k := range sortedKeys(spots) {
		s, had := p.spots[k]
		n := spots[k]
		if had {
			n = s.join(n)
		}
		if !had || n != s {
			p.spots[k], grew = n, true
		}
	}
	return grew
}

// lostPointers records a gap where in uses a pointer of which only the address
// is known: an earlier turn made it of objects that are not represented.
func (e *encoder) lostPointers(fr *frame, st *memory.State, in *ir.Instr) {
	e.cutter.pc, e.cutter.at = st.PC, in
	look := func(v ir.Value) {
		if v == nil || !v.Type().IsPtr() {
			return
		}
		if _, ok := v.(*ir.Const); ok {
			return
		}
		if p := e.value(fr, st, in, v).Ptr; p != nil {
			for _, a := range p.Alts {
				e.lostAlt(a)
			}
		}
	}
	switch in.Op {
	case ir.OpLoad, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg, ir.OpPtrToInt, ir.OpIcmp, ir.OpGep, ir.OpIndirectBr,
		ir.OpAsm:
		for _, v := range in.Args {
			look(v)
		}
	case ir.OpStore:
		look(in.Args[1])
	case ir.OpSub:
		if in.Flags.Has(ir.PtrDiff) {
			for _, v := range in.Args {
				if x := e.value(fr, st, in, v); x.Ptr == nil && x.Term != 0 {
					e.lostAlt(memory.Alt{Guard: e.s.True(), Off: e.Num(x)})
				}
			}
		}
	case ir.OpCall:
		if k, ok := in.Callee.(*ir.Const); ok && in.Model == ir.ModelNone && k.Func != nil && !k.Func.IsDecl() {
			return
		}
		if in.Model == ir.ModelStubHavoc || in.Model == ir.ModelHavocRest {
			one := *st
			e.gap(&one, in, verdict.Incomplete, "a havoc stub is called where loops are cut")
		}
		look(in.Callee)
		for _, v := range in.Args {
			look(v)
		}
	}
}

// lostAlt records the gap for one target of a pointer that the instruction at hand uses.
func (e *encoder) lostAlt(a memory.Alt) {
	if e.cutter == nil || a.Object != nil || e.cutter.pc == nil {
		return
	}
	if _, known := e.s.ConstVal(a.Off); known {
		return
	}
	g := e.s.And(e.cutter.pc.All, a.Guard, e.s.NonZero(a.Off))
	if e.s.IsFalse(g) {
		return
	}
	r := verdict.Reason{Kind: verdict.Incomplete,
		Detail: "a pointer of an earlier turn of a loop, or of another call, is not known"}
	r.Pos = e.cutter.at.Pos
	e.f.Gaps = append(e.f.Gaps, Gap{Guard: g, Reason: r, Instr: e.cutter.at})
}
