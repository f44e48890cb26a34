package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// openBack publishes the way back from calls of the function of r: what one call
// gives back and changes, in terms of what it was given.
func (e *encoder) openBack(fr *frame, r *recursion) {
	x := r.back
	for _, key := range sortedKeys(x.hav.objs) {
		if o := e.keyed(key); o != nil && x.head.Get(o) != nil {
			h := *x.hav.objs[key]
			h.places = slices.Clone(h.places)
			x.done[o] = &h
		}
	}
	e.resultVar(r)
	before := e.argumentVars(fr, r)
	for _, key := range sortedKeys(x.hav.objs) {
		if o := e.keyed(key); o != nil && x.done[o] != nil {
			before = append(before, e.changedVars(r, o, x.done[o], len(before))...)
		}
	}
	e.joinBefore(r, append(before, e.readVars(fr, r)...))
	h := Header{Key: x.key, Pos: fr.fn.Pos, What: "result of " + fr.fn.Name, Func: fr.fn, Call: fr.call, Calls: true,
		Consts: map[int][]bits.Vec{}}
	for _, v := range r.vars {
		h.Vars = append(h.Vars, v.Var)
		if h.Consts[v.Width] == nil {
			h.Consts[v.Width] = e.constantsOf([]*ir.Func{fr.fn, fr.up.fn}, v.Width)
		}
	}
	x.index = len(e.f.Headers)
	e.f.Headers = append(e.f.Headers, h)
}

// joinBefore puts what was before the call behind what is after it. Until then
// Before counts in before.
func (e *encoder) joinBefore(r *recursion, before []*backVar) {
	n := len(r.vars)
	for _, v := range r.vars {
		if v.Before > 0 {
			v.Before += n
		}
	}
	r.vars = append(r.vars, before...)
	if g := e.f.Ghost; g != 0 {
		r.vars = append(r.vars, &backVar{Var: Var{Name: e.ghostName(), Width: e.w, Ghost: true},
			at: func(_, _ edge) ilr.Term { return g }})
	}
}

// resultVar is the number that a call gives back.
func (e *encoder) resultVar(r *recursion) {
	t, p := r.back.regs[0].t, r.back.hav.phis[0]
	if p == nil || p.u || !t.IsInt() && !t.IsPtr() || e.BitsOf(t) > 64 {
		return
	}
	v := &backVar{Var: Var{Name: "result", Width: e.BitsOf(t), Moves: true}}
	if t.IsInt() && !p.ptr {
		v.From.Result = true
		v.at = func(_, is edge) ilr.Term { return e.plainNumber(is.vals[0], v.Width) }
		r.vars = append(r.vars, v)
		return
	}
	if o := e.onlySpot(p.spots); o != nil {
		v.Name, v.Offset = "offset of result", true
		v.at = func(_, is edge) ilr.Term { return e.offsetIn(o, is.vals[0]) }
		r.vars = append(r.vars, v)
	}
}

// onlySpot is the one object that a pointer with these targets can point to.
func (e *encoder) onlySpot(spots map[string]spot) *memory.Object {
	var out *memory.Object
	for _, k := range sortedKeys(spots) {
		if k == "" {
			continue
		}
		if out != nil {
			return nil
		}
		out = e.keyed(k)
	}
	return out
}

// argumentVars are the numbers that a call is given.
func (e *encoder) argumentVars(fr *frame, r *recursion) []*backVar {
	var out []*backVar
	for i, p := range fr.fn.Params {
		head := r.entry.vals[i]
		if head.Undef != 0 || !p.T.IsInt() && !p.T.IsPtr() || e.BitsOf(p.T) > 64 {
			continue
		}
		v := &backVar{Var: Var{Name: p.Name, Width: e.BitsOf(p.T)}}
		if p.T.IsInt() && head.Ptr == nil {
			v.From.Param = i + 1
			v.at = func(was, _ edge) ilr.Term { return e.plainNumber(was.vals[i], v.Width) }
			out = append(out, v)
			continue
		}
		if o := e.onlySpot(e.spotsOf(head, len(e.Objects))); o != nil {
			v.Name, v.Offset = "offset of "+p.Name, true
			v.at = func(was, _ edge) ilr.Term { return e.offsetIn(o, was.vals[i]) }
			out = append(out, v)
		}
	}
	return out
}

// changedVars adds the numbers in what calls change of o, after the call, to r,
// and gives those before it; n others are before them.
func (e *encoder) changedVars(r *recursion, o *memory.Object, h *objHavoc, n int) []*backVar {
	var out []*backVar
	add := func(v Var, read func(*memory.State) ilr.Term) {
		was := v
		was.Name, was.Moves = v.Name+" before", false
		out = append(out, &backVar{Var: was, at: func(was, _ edge) ilr.Term { return read(was.st) }})
		v.Before, v.From.After = n+len(out), true
		r.vars = append(r.vars, &backVar{Var: v, at: func(_, is edge) ilr.Term { return read(is.st) }})
	}
	if h.live {
		add(Var{Name: liveName(o), Width: 1, Moves: true}, func(st *memory.State) ilr.Term { return e.liveOf(st, o) })
	}
	if h.whole {
		if size := e.ghostOf(o); size > 0 {
			v := Var{Name: e.cellName(o), Width: int(8 * size), Moves: true, Cell: true}
			if o.CSize > 0 {
				v.Count = o.CSize / size
			}
			add(v, func(st *memory.State) ilr.Term { return e.ghostCell(o, st, size) })
		}
		return out
	}
	for _, p := range h.places {
		w := int(8 * p.n)
		read := func(st *memory.State) memory.Val { return e.ReadRaw(o, st.Get(o), p.off, p.n) }
		head := read(r.back.head)
		if w > 64 || p.u || head.Undef != 0 {
			continue
		}
		v := Var{Name: e.placeName(o, p), Width: w, Moves: true}
		if !p.ptr && head.Ptr == nil {
			v.From = Origin{Global: o.Global, Off: p.off}
			add(v, func(st *memory.State) ilr.Term { return e.plainNumber(read(st), w) })
			continue
		}
		spots := e.spotsOf(head, len(e.Objects))
		for k, s := range p.spots {
			addSpot(spots, k, s)
		}
		if to := e.onlySpot(spots); to != nil {
			v.Name, v.Offset = "offset of "+v.Name, true
			add(v, func(st *memory.State) ilr.Term { return e.offsetIn(to, read(st)) })
		}
	}
	return out
}

// readVars are the globals that the function reads and calls of it do not change.
func (e *encoder) readVars(fr *frame, r *recursion) []*backVar {
	var out []*backVar
	seen := map[*memory.Object]bool{}
	for _, b := range fr.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpLoad || !in.Access.IsInt() {
				continue
			}
			c, ok := in.Args[0].(*ir.Const)
			if !ok || c.Global == nil || c.Off != 0 || c.Global.Const {
				continue
			}
			o, n := e.GlobalObject(c.Global), e.lay.StoreSize(in.Access)
			if seen[o] || r.back.done[o] != nil || o.CSize != n || n > 8 {
				continue
			}
			seen[o] = true
			read := func(st *memory.State) ilr.Term { return e.plainNumber(e.ReadRaw(o, st.Get(o), 0, n), int(8*n)) }
			if _, known := e.s.ConstVal(read(r.back.head)); !known {
				out = append(out, &backVar{Var: Var{Name: o.Name, Width: int(8 * n), From: Origin{Global: o.Global}},
					at: func(was, _ edge) ilr.Term { return read(was.st) }})
			}
		}
	}
	return out
}

// plainNumber is a number of width w, any where v is none: a lemma about it then
// holds for all.
func (e *encoder) plainNumber(v memory.Val, w int) ilr.Term {
	if v.Term == 0 || v.Undef != 0 {
		return e.s.Fresh("any", ilr.BV(w))
	}
	return e.Num(v)
}
