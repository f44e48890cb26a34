package encode

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// companions are numbers that the loop reads and does not change.
func (e *encoder) companions(fr *frame, a *arrival, st *memory.State, vars []*cutVar) []*cutVar {
	var out []*cutVar
	members, seen := 0, map[ilr.Term]bool{}
	add := func(name string, v memory.Val, from Origin) {
		if v.Term == 0 || v.Ptr != nil || v.Undef != 0 || v.Elems != nil {
			return
		}
		t := e.Num(v)
		if _, known := e.s.ConstVal(t); known || seen[t] || e.s.Width(t) > 64 || e.s.Width(t) < 8 {
			return
		}
		seen[t] = true
		out = append(out, &cutVar{name: name, entry: t, head: t, from: from, at: func(edge) ilr.Term { return t }})
	}
	outside := func(v ir.Value) {
		switch v := v.(type) {
		case *ir.Param:
			if v.T.IsInt() && (a.loop != nil || a.hav.phis[v.Index] == nil) { // calls within may get another
				add(v.Name, fr.params[v.Index], Origin{Param: v.Index + 1})
			}
		case *ir.Instr:
			if a.loop != nil && v.T.IsInt() && !fr.g.In(v.Block, a.loop) {
				add(v.Name, e.value(fr, st, v, v), Origin{Reg: v})
			}
		}
	}
	for _, v := range vars {
		if v.obj != nil {
			add("size of what "+strings.TrimPrefix(v.name, "offset of ")+" points to", memory.Val{Term: v.obj.Size}, Origin{})
		}
	}
	for i, p := range fr.fn.Params {
		if a.loop == nil && p.T.IsInt() && a.hav.phis[i] == nil {
			add(p.Name, fr.params[i], Origin{Param: i + 1})
		}
	}
	for _, b := range fr.fn.Blocks {
		if fr.g.Pos[b.Index] < 0 || a.loop != nil && !fr.g.In(b, a.loop) {
			continue
		}
		for _, in := range b.Instrs {
			switch in.Op {
			case ir.OpIcmp:
				outside(in.Args[0])
				outside(in.Args[1])
			case ir.OpLoad:
				if !in.Access.IsInt() {
					continue
				}
				o, p := e.stillPlace(fr, a, st, in.Args[0], e.lay.StoreSize(in.Access))
				if p == nil || p.n != o.CSize && members == policy.StillMembers {
					continue
				}
				before := len(out)
				if add(e.placeName(o, p), e.ReadRaw(o, st.Get(o), p.off, p.n), originOf(o, p.off)); p.n != o.CSize {
					members += len(out) - before
				}
			}
		}
	}
	e.below(fr, a, st, add)
	return out
}

// below adds variables that functions called in the loop of a read, and its turns do not change.
func (e *encoder) below(fr *frame, a *arrival, st *memory.State, add func(name string, v memory.Val, from Origin)) {
	called := map[*ir.Func]bool{fr.fn: true}
	for _, b := range fr.fn.Blocks {
		if fr.g.Pos[b.Index] < 0 || a.loop != nil && !fr.g.In(b, a.loop) {
			continue
		}
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall {
				calledBy(in, called)
			}
		}
	}
	delete(called, fr.fn)
	most := policy.StillBelow
	for _, g := range e.readBy(called) {
		if o, p := e.stillPlace(fr, a, st, g, e.lay.SizeOf(g.Global.T)); p != nil && most > 0 {
			add(e.placeName(o, p), e.ReadRaw(o, st.Get(o), p.off, p.n), originOf(o, p.off))
			most--
		}
	}
}

// calledBy adds the functions that the call in leads to, as far as it names them.
func calledBy(in *ir.Instr, called map[*ir.Func]bool) {
	k, direct := in.Callee.(*ir.Const)
	if !direct || k.Func == nil || called[k.Func] {
		return
	}
	called[k.Func] = true
	for _, b := range k.Func.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall {
				calledBy(in, called)
			}
		}
	}
}

// readBy returns the addresses of the variables of the program, integers, that the functions read, each once.
func (e *encoder) readBy(fs map[*ir.Func]bool) []*ir.Const {
	var out []*ir.Const
	seen := map[*ir.Global]bool{}
	for _, f := range e.m.Funcs {
		if !fs[f] {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpLoad {
					continue
				}
				if k, ok := in.Args[0].(*ir.Const); ok && k.Global != nil && !k.Global.Const && !seen[k.Global] &&
					k.Global.T.IsInt() && in.Access == k.Global.T {
					seen[k.Global] = true
					out = append(out, k)
				}
			}
		}
	}
	return out
}

// stillPlace returns the n bytes of the object that an access at v goes to, wherever in the loop of a it happens, if
// its turns do not change them.
func (e *encoder) stillPlace(fr *frame, a *arrival, st *memory.State, v ir.Value, n int64) (*memory.Object, *place) {
	o, off := e.stillAddress(fr, a, st, v)
	if o == nil || st.Get(o) == nil || off < 0 || off+n > o.CSize {
		return nil, nil
	}
	if d := a.done[o]; d != nil && (d.whole || d.overlaps(off, n)) {
		return nil, nil
	}
	return o, &place{off: off, n: n}
}

// stillAddress returns the object, and the place in it, that v is the address of in every turn; nil if it is not plain
// that there is only one, beside null.
func (e *encoder) stillAddress(fr *frame, a *arrival, st *memory.State, v ir.Value) (*memory.Object, int64) {
	switch v := v.(type) {
	case *ir.Const:
		if v.Global != nil {
			return e.Globals[v.Global], v.Off
		}
	case *ir.Param:
		if a.loop != nil {
			return e.onlyTarget(fr.params[v.Index])
		}
	case *ir.Instr:
		switch {
		case v.Op == ir.OpAlloca || a.loop != nil && !fr.g.In(v.Block, a.loop):
			return e.onlyTarget(e.value(fr, st, v, v))
		case v.Op == ir.OpGep && len(v.Scales) == 0:
			o, off := e.stillAddress(fr, a, st, v.Args[0])
			return o, off + v.Off
		case v.Op == ir.OpBitcast:
			return e.stillAddress(fr, a, st, v.Args[0])
		case v.Op == ir.OpLoad && v.T.IsPtr():
			if o, p := e.stillPlace(fr, a, st, v.Args[0], e.lay.StoreSize(v.T)); p != nil {
				return e.onlyTarget(e.ReadRaw(o, st.Get(o), p.off, p.n))
			}
		}
	}
	return nil, 0
}

// onlyTarget returns the object, and the place in it, that v points to unless it is null.
func (e *encoder) onlyTarget(v memory.Val) (o *memory.Object, off int64) {
	if v.Ptr == nil || v.Undef != 0 {
		return nil, 0
	}
	for _, t := range v.Ptr.Alts {
		k, known := e.s.ConstVal(t.Off)
		n, fits := k.Int64()
		switch {
		case !t.ToObject():
		case o != nil || !known || !fits:
			return nil, 0
		default:
			o, off = t.Object, n
		}
	}
	return o, off
}
