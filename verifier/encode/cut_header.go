package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// addHeader publishes the unknown state st at the loop or function of a, entry
// being the state before.
func (e *encoder) addHeader(fr *frame, a *arrival, entry, st *memory.State, vars []*cutVar) {
	a.vars = append(vars, e.companions(fr, a, st, vars)...)
	if e.f.Ghost != 0 {
		g := e.f.Ghost
		a.vars = append(a.vars, &cutVar{name: e.ghostName(), entry: g, head: g, ghost: true,
			at: func(edge) ilr.Term { return g }})
		a.vars = append(a.vars, e.nexts(fr, a, entry, st)...)
	}
	h := Header{Key: a.key, Consts: map[int][]bits.Vec{}}
	fs := []*ir.Func{fr.fn}
	if h.Pos = fr.fn.Pos; a.loop != nil {
		h.Pos, h.Loop = a.loop.Pos, a.loop
	} else {
		h.What, h.Func, h.Call = "on entry of "+fr.fn.Name, fr.fn, fr.call
		fs = append(fs, fr.up.fn)
	}
	first := Arrival{Guard: entry.PC.All, After: len(e.f.Sites)}
	site := Site{Guard: st.PC.All}
	for _, v := range a.vars {
		first.Values = append(first.Values, v.entry)
		site.Values = append(site.Values, v.head)
	}
	first.Entry, site.Entry = first.Values, first.Values
	for _, v := range a.vars {
		w := e.s.Width(v.head)
		h.Vars = append(h.Vars, Var{Name: v.name, Width: w, Moves: v.moves, Offset: v.offset, Cell: v.cell,
			Count: v.count, Ghost: v.ghost, Next: v.next, Outer: v.outer, Mask: v.mask, From: v.from,
			Array: originOf(v.of, 0)})
		if h.Consts[w] == nil {
			h.Consts[w] = e.constantsOf(fs, w, e.ofWidth(first.Values, w)...)
		}
	}
	h.Arrivals = []Arrival{first}
	a.index = len(e.f.Headers)
	e.f.Headers = append(e.f.Headers, h)
	e.addSite(a.index, site)
}

func (e *encoder) addSite(header int, s Site) {
	h := &e.f.Headers[header]
	e.f.Sites = append(e.f.Sites, Passage{header, len(h.Sites)})
	h.Sites = append(h.Sites, s)
}

func (e *encoder) ofWidth(ts []ilr.Term, w int) []ilr.Term {
	var out []ilr.Term
	for _, t := range ts {
		if e.s.Width(t) == w {
			out = append(out, t)
		}
	}
	return out
}

// addArrival publishes a back edge to the header of a.
func (e *encoder) addArrival(a *arrival, in edge) {
	h := &e.f.Headers[a.index]
	r := Arrival{Guard: in.st.PC.All, Entry: h.Sites[0].Entry, After: len(e.f.Sites)}
	for _, v := range a.vars {
		r.Values = append(r.Values, v.at(in))
	}
	h.Arrivals = append(h.Arrivals, r)
}

// cellVars are the elements that the ghost index names of arrays that became
// unknown as a whole, or that are read at unknown places: what holds of them for
// any index holds of all elements.
func (e *encoder) cellVars(a *arrival, entry, st *memory.State) []*cutVar {
	var out []*cutVar
	for i, key := range append(sortedKeys(a.hav.objs), sortedKeys(e.cutter.arrays)...) {
		o := e.cutter.byKey[key]
		known := i < len(a.hav.objs)
		switch {
		case o == nil || st.Get(o) == nil || len(out) == policy.CutCells:
			continue
		case known && (a.done[o] == nil || !a.done[o].whole) || !known && a.hav.objs[key] != nil:
			continue
		}
		n := e.ghostOf(o)
		if n == 0 {
			continue
		}
		read := func(st *memory.State) ilr.Term { return e.ghostCell(o, st, n) }
		v := &cutVar{name: e.cellName(o), entry: read(entry), head: read(st), moves: known, cell: true, of: o,
			at: func(in edge) ilr.Term { return read(in.st) }}
		if o.CSize > 0 {
			v.count = o.CSize / n
		}
		out = append(out, v)
		if known && a.done[o].u {
			out = append(out, e.maskVar(o, n, v.count, entry, st))
		}
	}
	return out
}

// ghostOf gives o a ghost cell, if it is an array of numbers, and answers the
// size of its elements.
func (e *encoder) ghostOf(o *memory.Object) int64 {
	n := e.elementSize(o)
	if n == 0 {
		return 0
	}
	if e.f.Ghost == 0 {
		e.f.Ghost = e.s.Fresh("k", ilr.BV(e.w))
		// no object is larger than half of the address space
		e.f.Assumptions = append(e.f.Assumptions, e.s.Sle(e.s.Int(e.w, 0), e.f.Ghost))
	}
	e.cutter.cells[o] = n
	return n
}

// elementSize is the size of o's elements when it is an array of numbers, else 0.
func (e *encoder) elementSize(o *memory.Object) int64 {
	t := o.Elem
	for t != nil && t.Kind == ir.KindArray {
		t = t.Elem
	}
	switch {
	case t != nil && t.IsInt() && o.Elem != t:
		return e.lay.SizeOf(t)
	case t == nil:
		return e.cutter.stride[o.Instr]
	}
	return 0
}

// ghostCell is the element of o that the ghost index names, 0 outside.
func (e *encoder) ghostCell(o *memory.Object, st *memory.State, n int64) ilr.Term {
	return e.ghostPart(o, st, e.f.Ghost, n, int(8*n), e.Num)
}

// ghostPart returns what part gives of element k of o, as wide as w; 0 outside.
func (e *encoder) ghostPart(o *memory.Object, st *memory.State, k ilr.Term, n int64, w int,
	part func(memory.Val) ilr.Term) ilr.Term {
	zero := e.s.Int(w, 0)
	c := st.Get(o)
	if c == nil {
		return zero
	}
	off := e.s.Mul(k, e.s.Int(e.w, n))
	v := e.ReadAt(o, c, off, n)
	if v.Elems != nil || v.Ptr != nil { // no number: nothing can be said of it
		return e.s.Fresh("cell", ilr.BV(w))
	}
	if o.CSize < 0 {
		return part(v)
	}
	return e.s.Ite(e.s.Ult(k, e.s.Int(e.w, o.CSize/n)), part(v), zero)
}

// noteStride remembers how far apart the elements are of memory without a
// declared type: the size of the first access.
func (e *encoder) noteStride(ts []target, n int64) {
	if e.cutter == nil {
		return
	}
	for _, t := range ts {
		if t.obj != nil && t.obj.Elem == nil && t.obj.Instr != nil && e.cutter.stride[t.obj.Instr] == 0 {
			e.cutter.stride[t.obj.Instr] = n
			e.cutter.grown = true
		}
	}
}

// noteRead records a read of arrays with ghost cells.
func (e *encoder) noteRead(st *memory.State, ts []target, n int64) {
	if e.cutter == nil || st.PC == nil {
		return
	}
	e.noteStride(ts, n)
	for _, t := range ts {
		if _, known := e.ConstOf(t.off); t.obj != nil && !known && !e.cutter.arrays[e.cutter.keys[t.obj]] {
			e.cutter.arrays[e.cutter.keys[t.obj]] = true
			e.cutter.grown = true
		}
		e.notePair(t)
		size := e.cutter.cells[t.obj]
		if t.obj == nil || size == 0 {
			continue
		}
		e.f.Reads = append(e.f.Reads, Read{Guard: e.s.And(st.PC.All, t.g), Index: e.s.Udiv(t.off, e.s.Int(e.w, size))})
	}
}
