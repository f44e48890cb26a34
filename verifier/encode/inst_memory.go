package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// memory evaluates LangRef's Memory Access and Addressing Operations.
func (e *encoder) memory(fr *frame, st *state, in *ir.Instr) val {
	switch in.Op {
	case ir.OpAlloca:
		return e.alloca(fr, st, in)
	case ir.OpLoad:
		v := e.load(fr, st, in, e.arg(fr, st, in, 0), in.Access, int64(in.Align), e.volatile(in))
		if v.p != nil && st.pc != nil {
			v.p = e.pruned(st, v.p)
		}
		return v
	case ir.OpStore:
		v := e.arg(fr, st, in, 0)
		e.checkShown(fr, st, in, []val{v})
		e.checkResult(fr, st, in, v)
		e.store(fr, st, in, e.arg(fr, st, in, 1), v, in.Access, int64(in.Align))
	case ir.OpGep:
		return e.gep(fr, st, in)
	case ir.OpCmpXchg:
		return e.cmpxchg(fr, st, in)
	case ir.OpAtomicRMW:
		return e.atomicRMW(fr, st, in)
	}
	return val{} // fence: one thread
}

func (e *encoder) alloca(fr *frame, st *state, in *ir.Instr) val {
	count := e.s.Int(e.w, 1)
	if len(in.Args) > 0 {
		n := e.arg(fr, st, in, 0)
		if hasVariableLength(in) {
			e.checkDefined(fr, st, in, n, "array length")
		}
		count = e.num(e.resize(n, e.w))
		e.checkLength(fr, st, in, count)
		if st.pc == nil {
			return val{}
		}
	}
	size := e.s.Mul(count, e.s.Int(e.w, e.lay.SizeOf(in.Access)))
	t := in.Access
	if c, ok := e.constOf(count); ok && c != 1 {
		t = &ir.Type{Kind: ir.KindArray, Len: int64(c), Elem: in.Access}
	} else if !ok {
		t = nil
	}
	return val{p: e.newLocal(fr, st, in, localName(in), size, t, int64(in.Align))}
}

// newLocal makes an automatic object that dies with fr.
func (e *encoder) newLocal(fr *frame, st *state, in *ir.Instr, name string, size ilr.Term, t *ir.Type,
	align int64) *ptr {
	o := e.newObject(object{kind: objStack, name: name, align: align, elem: t, in: in, born: st.pc.all}, size)
	o.first = e.unknownBase(o)
	fr.objs = append(fr.objs, o)
	if fr.info.scoped[in] { // it comes to life where its scope begins
		st.put(o, &content{live: e.s.False(), base: o.first})
	} else {
		e.begin(st, o, &content{live: e.s.True(), base: o.first})
	}
	return e.to(o, 0)
}

// localName is the C name of what an alloca holds, else its register's.
func localName(in *ir.Instr) string {
	for _, v := range in.Block.Func.Vars {
		if v.Slot == ir.Value(in) {
			return v.Name
		}
	}
	return in.Name
}

func (e *encoder) gep(fr *frame, st *state, in *ir.Instr) val {
	if in.T.Kind == ir.KindVector {
		e.gap(st, in, "unsupported", "getelementptr on vectors")
		return val{}
	}
	p := e.arg(fr, st, in, 0)
	d := e.s.Int(e.w, in.Off)
	u := p.u
	for i, scale := range in.Scales {
		x := e.arg(fr, st, in, i+1)
		d = e.s.Add(d, e.s.Mul(e.signed(x, e.w), e.s.Int(e.w, scale)))
		u = e.spreadOver(e.w, u, x.u)
	}
	out := val{p: e.offNull(p.p, d), u: u}
	e.checkPointerOverflow(fr, st, in, p.p, out.p, d)
	return out
}

// offNull returns p moved by d bytes. Where null matters (ir.Semantics.TellsNull), what leaves it points behind the null
// object until it comes back.
func (e *encoder) offNull(p *ptr, d ilr.Term) *ptr {
	to := e.shift(p, d)
	if to == p || !e.opts.TellsNull(e.opts.Checks) {
		return to
	}
	var alts []alt
	for i, a := range to.alts {
		from := e.s.True()
		switch {
		case a.obj == nil:
			from = e.eq(p.alts[i].off, e.s.Int(e.w, 0))
		case a.obj.kind != objNull:
			alts = append(alts, a)
			continue
		}
		behind := e.s.And(from, e.s.NonZero(a.off))
		alts = append(alts, alt{g: e.s.And(a.g, behind), obj: e.nullObject(), off: a.off},
			alt{g: e.s.And(a.g, e.s.Not(behind)), off: a.off})
	}
	q := e.gather(alts)
	q.moved = to.moved
	return q
}

// signed is v sign-extended or truncated to w bits.
func (e *encoder) signed(v val, w int) ilr.Term {
	t := e.num(v)
	if e.s.Width(t) > w {
		return e.s.Trunc(t, w)
	}
	return e.s.Sext(t, w)
}

// load reads a value of type t at p.
func (e *encoder) load(fr *frame, st *state, in *ir.Instr, p val, t *ir.Type, align int64, volatile bool) val {
	w := e.wantConst(e.lay.StoreSize(t), align, false)
	ts := e.checkAccess(fr, st, in, p, w, e.s.True())
	if st.pc == nil {
		return val{}
	}
	if len(ts) == 0 {
		st.pc = nil
		return val{}
	}
	e.noteRead(st, ts, e.lay.StoreSize(t))
	unknown := func(x target) bool { return x.vol != nil || volatile && e.volatileFresh(x.obj) }
	when := e.s.False()
	for _, x := range ts {
		if unknown(x) {
			when = e.s.Or(when, x.g)
		}
	}
	var fresh val
	if asks := e.fork(st, when); asks != nil {
		fresh = e.fresh(asks, input.VolatileRead, in, t, in.Name)
	} else { // no execution that gets here reads there
		ts = slices.DeleteFunc(ts, unknown)
	}
	if len(ts) == 0 {
		st.pc = nil
		return val{}
	}
	var out val
	for i := len(ts) - 1; i >= 0; i-- {
		v := fresh
		if !unknown(ts[i]) {
			v = e.loadType(ts[i].obj, st.get(ts[i].obj), ts[i].off, t)
		}
		if i == len(ts)-1 {
			out = v
		} else {
			out = e.pick(ts[i].g, v, out)
		}
	}
	return out
}

// loadType reads a value of type t, member by member.
func (e *encoder) loadType(o *object, c *content, off ilr.Term, t *ir.Type) val {
	switch {
	case t.IsAggregate() || t.Kind == ir.KindVector && e.bitsOf(t.Elem)%8 == 0:
		out := val{el: make([]val, t.NumElems())}
		for i := range out.el {
			at := e.s.Add(off, e.s.Int(e.w, e.lay.FieldOffset(t, i)))
			out.el[i] = e.loadType(o, c, at, t.ElemAt(i))
		}
		return out
	case t.Kind == ir.KindVector:
		raw := e.readAt(o, c, off, e.lay.StoreSize(t))
		n := int(t.Len) * e.bitsOf(t.Elem)
		var u ilr.Term
		if raw.u != 0 {
			u = e.s.Trunc(raw.u, n)
		}
		return e.unflat(e.s.Trunc(e.num(raw), n), u, t)
	}
	return e.fromRaw(e.readAt(o, c, off, e.lay.StoreSize(t)), t)
}

// store writes v of type t at p.
func (e *encoder) store(fr *frame, st *state, in *ir.Instr, p, v val, t *ir.Type, align int64) {
	w := e.wantConst(e.lay.StoreSize(t), align, true)
	ts := e.checkAccess(fr, st, in, p, w, e.s.True())
	if st.pc == nil {
		return
	}
	e.noteStride(ts, e.lay.StoreSize(t))
	for _, x := range ts {
		if x.vol != nil {
			continue
		}
		c := st.get(x.obj)
		d := e.storeType(x.obj, c, x.off, v, t)
		st.put(x.obj, e.mergeContents(x.obj, x.g, d, c))
	}
}

func (e *encoder) storeType(o *object, c *content, off ilr.Term, v val, t *ir.Type) *content {
	switch {
	case t.IsAggregate() || t.Kind == ir.KindVector && e.bitsOf(t.Elem)%8 == 0:
		for i := range v.el {
			at := e.s.Add(off, e.s.Int(e.w, e.lay.FieldOffset(t, i)))
			c = e.storeType(o, c, at, v.el[i], t.ElemAt(i))
		}
		return c
	case t.Kind == ir.KindVector:
		bv, u := e.flat(v, t)
		n := e.lay.StoreSize(t)
		raw := val{t: e.s.Zext(bv, int(8*n))}
		if u != 0 {
			raw.u = e.s.Zext(u, int(8*n))
		}
		return e.writeAt(o, c, off, n, raw)
	}
	return e.writeAt(o, c, off, e.lay.StoreSize(t), e.toRaw(v, t))
}

// volatile reports whether a load is one of what the environment may change.
func (e *encoder) volatile(in *ir.Instr) bool {
	return in.Flags.Has(ir.Volatile) && (e.opts.VolatileMemory || e.opts.Fresh(in))
}

// volatileFresh: a volatile read of o is a new unknown value each time (LL-122).
func (e *encoder) volatileFresh(o *object) bool {
	if e.opts.VolatileMemory {
		e.note("volatile objects outside volatile regions behave like memory")
		return false
	}
	return o.kind != objStack || e.escapes(o)
}

// escapes reports whether the address of local object o may leave its function.
func (e *encoder) escapes(o *object) bool {
	if o.in == nil || o.in.Op != ir.OpAlloca {
		return true
	}
	f := o.in.Block.Func
	if e.escaping[f] == nil {
		e.escaping[f] = ir.Escapes(f)
	}
	return e.escaping[f][o.in]
}
