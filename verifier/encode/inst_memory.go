package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memory evaluates LangRef's Memory Access and Addressing Operations.
func (e *encoder) memory(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	switch in.Op {
	case ir.OpAlloca:
		return e.alloca(fr, st, in)
	case ir.OpLoad:
		v := e.load(fr, st, in, e.arg(fr, st, in, 0), in.Access, int64(in.Align), e.volatile(in))
		if v.Ptr != nil && st.PC != nil {
			v.Ptr = e.pruned(st, v.Ptr)
		}
		return v
	case ir.OpStore:
		v := e.arg(fr, st, in, 0)
		e.checkShown(fr, st, in, []memory.Val{v})
		e.checkResult(fr, st, in, v)
		if in.Flags.Has(ir.Volatile) {
			e.handOut(st, in, v)
		}
		e.store(fr, st, in, e.arg(fr, st, in, 1), v, in.Access, int64(in.Align))
	case ir.OpGep:
		return e.gep(fr, st, in)
	case ir.OpCmpXchg:
		return e.cmpxchg(fr, st, in)
	case ir.OpAtomicRMW:
		return e.atomicRMW(fr, st, in)
	}
	return memory.Val{} // fence: one thread
}

func (e *encoder) alloca(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	count := e.s.Int(e.w, 1)
	if len(in.Args) > 0 {
		n := e.arg(fr, st, in, 0)
		if hasVariableLength(in) {
			e.checkDefined(fr, st, in, n, "array length")
		}
		count = e.Num(e.Resize(n, e.w))
		e.checkLength(fr, st, in, count)
		if st.PC == nil {
			return memory.Val{}
		}
	}
	size := e.s.Mul(count, e.s.Int(e.w, e.lay.SizeOf(in.Access)))
	t := in.Access
	if c, ok := e.ConstOf(count); ok && c != 1 {
		t = &ir.Type{Kind: ir.KindArray, Len: int64(c), Elem: in.Access}
	} else if !ok {
		t = nil
	}
	return memory.Val{Ptr: e.newLocal(fr, st, in, localName(in), size, t, int64(in.Align))}
}

// newLocal makes an automatic object that dies with fr.
func (e *encoder) newLocal(fr *frame, st *memory.State, in *ir.Instr, name string, size ilr.Term, t *ir.Type,
	align int64) *memory.Ptr {
	o := e.NewObject(memory.Object{Kind: memory.ObjStack, Name: name, Align: align, Elem: t, Instr: in, Born: st.PC.All},
		size)
	o.First = e.UnknownBase(o)
	fr.objs = append(fr.objs, o)
	if fr.info.scoped[in] { // it comes to life where its scope begins
		st.Put(o, &memory.Content{Live: e.s.False(), Base: o.First})
	} else {
		e.Begin(st, o, &memory.Content{Live: e.s.True(), Base: o.First})
	}
	return e.To(o, 0)
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

func (e *encoder) gep(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	if in.T.Kind == ir.KindVector {
		e.gap(st, in, "unsupported", "getelementptr on vectors")
		return memory.Val{}
	}
	p := e.arg(fr, st, in, 0)
	d := e.s.Int(e.w, in.Off)
	u := p.Undef
	for i, scale := range in.Scales {
		x := e.arg(fr, st, in, i+1)
		d = e.s.Add(d, e.s.Mul(e.signed(x, e.w), e.s.Int(e.w, scale)))
		if x.Undef != 0 {
			u = e.s.BvOr(e.orNone(u, e.w), e.signed(memory.Val{Term: x.Undef}, e.w))
		}
	}
	if u != 0 {
		u = e.Tidy(e.carried(u))
	}
	out := memory.Val{Ptr: e.offNull(p.Ptr, d), Undef: u}
	e.checkPointerOverflow(fr, st, in, p.Ptr, out.Ptr, d)
	return out
}

// offNull returns p moved by d bytes. Where null matters (ir.Semantics.TellsNull), what leaves it points behind the null
// object until it comes back.
func (e *encoder) offNull(p *memory.Ptr, d ilr.Term) *memory.Ptr {
	to := e.Shift(p, d)
	if to == p || !e.opts.TellsNull(e.opts.Checks) {
		return to
	}
	var alts []memory.Alt
	for i, a := range to.Alts {
		from := e.s.True()
		switch {
		case a.Object == nil:
			from = e.Eq(p.Alts[i].Off, e.s.Int(e.w, 0))
		case a.Object.Kind != memory.ObjNull:
			alts = append(alts, a)
			continue
		}
		behind := e.s.And(from, e.s.NonZero(a.Off))
		alts = append(alts, memory.Alt{Guard: e.s.And(a.Guard, behind), Object: e.NullObject(), Off: a.Off},
			memory.Alt{Guard: e.s.And(a.Guard, e.s.Not(behind)), Off: a.Off})
	}
	q := e.Gather(alts)
	q.Moved = to.Moved
	return q
}

// signed is v sign-extended or truncated to w bits.
func (e *encoder) signed(v memory.Val, w int) ilr.Term {
	t := e.Num(v)
	if e.s.Width(t) > w {
		return e.s.Trunc(t, w)
	}
	return e.s.Sext(t, w)
}

// load reads a value of type t at p.
func (e *encoder) load(fr *frame, st *memory.State, in *ir.Instr, p memory.Val, t *ir.Type, align int64,
	volatile bool) memory.Val {
	w := e.wantConst(e.lay.StoreSize(t), align, false)
	ts := e.checkAccess(fr, st, in, p, w, e.s.True())
	e.checkRegister(fr, st, in, ts, e.lay.StoreSize(t), nil)
	if st.PC == nil {
		return memory.Val{}
	}
	if len(ts) == 0 {
		st.PC = nil
		return memory.Val{}
	}
	e.noteRead(st, ts, e.lay.StoreSize(t))
	unknown := func(x target) bool { return x.vol != nil || volatile && e.volatileFresh(x.obj) }
	when := e.s.False()
	for _, x := range ts {
		if unknown(x) {
			when = e.s.Or(when, x.g)
		}
	}
	var fresh memory.Val
	if asks := e.fork(st, when); asks != nil {
		fresh = e.Fresh(asks, input.VolatileRead, in, t, in.Name)
	} else { // no execution that gets here reads there
		ts = slices.DeleteFunc(ts, unknown)
	}
	if len(ts) == 0 {
		st.PC = nil
		return memory.Val{}
	}
	guards, vs := make([]ilr.Term, len(ts)), make([]memory.Val, len(ts))
	for i, x := range ts {
		guards[i], vs[i] = x.g, fresh
		if !unknown(x) {
			vs[i] = e.loadType(x.obj, st.Get(x.obj), x.off, t)
		}
	}
	if e.opts.Past[ir.At{Instr: in, Check: verdict.Memory}] { // executions go on where none of them holds
		guards[len(ts)-1] = e.s.Not(e.s.Or(guards[:len(ts)-1]...))
	}
	return e.Among(guards, vs)
}

// loadType reads a value of type t, member by member.
func (e *encoder) loadType(o *memory.Object, c *memory.Content, off ilr.Term, t *ir.Type) memory.Val {
	switch {
	case t.IsAggregate() || t.Kind == ir.KindVector && e.BitsOf(t.Elem)%8 == 0:
		out := memory.Val{Elems: make([]memory.Val, t.NumElems())}
		for i := range out.Elems {
			at := e.s.Add(off, e.s.Int(e.w, e.lay.FieldOffset(t, i)))
			out.Elems[i] = e.loadType(o, c, at, t.ElemAt(i))
		}
		return out
	case t.Kind == ir.KindVector:
		raw := e.ReadAt(o, c, off, e.lay.StoreSize(t))
		n := int(t.Len) * e.BitsOf(t.Elem)
		var u ilr.Term
		if raw.Undef != 0 {
			u = e.s.Trunc(raw.Undef, n)
		}
		return e.unflat(e.s.Trunc(e.Num(raw), n), u, t)
	}
	return e.FromRaw(e.ReadAt(o, c, off, e.lay.StoreSize(t)), t)
}

// store writes v of type t at p.
func (e *encoder) store(fr *frame, st *memory.State, in *ir.Instr, p, v memory.Val, t *ir.Type, align int64) {
	w := e.wantConst(e.lay.StoreSize(t), align, true)
	ts := e.checkAccess(fr, st, in, p, w, e.s.True())
	e.checkRegister(fr, st, in, ts, e.lay.StoreSize(t), &v)
	if st.PC == nil {
		return
	}
	e.noteStride(ts, e.lay.StoreSize(t))
	for _, x := range ts {
		if x.vol != nil {
			continue
		}
		c := st.Get(x.obj)
		d := e.storeType(x.obj, c, x.off, v, t)
		st.Put(x.obj, e.MergeContents(x.obj, x.g, d, c))
	}
}

func (e *encoder) storeType(o *memory.Object, c *memory.Content, off ilr.Term, v memory.Val,
	t *ir.Type) *memory.Content {
	switch {
	case t.IsAggregate() || t.Kind == ir.KindVector && e.BitsOf(t.Elem)%8 == 0:
		for i := range v.Elems {
			at := e.s.Add(off, e.s.Int(e.w, e.lay.FieldOffset(t, i)))
			c = e.storeType(o, c, at, v.Elems[i], t.ElemAt(i))
		}
		return c
	case t.Kind == ir.KindVector:
		bv, u := e.flat(v, t)
		n := e.lay.StoreSize(t)
		raw := memory.Val{Term: e.s.Zext(bv, int(8*n))}
		if u != 0 {
			raw.Undef = e.s.Zext(u, int(8*n))
		}
		return e.WriteAt(o, c, off, n, raw)
	}
	return e.WriteAt(o, c, off, e.lay.StoreSize(t), e.ToRaw(v, t))
}

// volatile reports whether a load is one of what the environment may change.
func (e *encoder) volatile(in *ir.Instr) bool {
	return in.Flags.Has(ir.Volatile) && (e.opts.VolatileMemory || e.opts.Fresh(in))
}

// volatileFresh: a volatile read of o is a new unknown value each time (LL-122).
func (e *encoder) volatileFresh(o *memory.Object) bool {
	if e.opts.VolatileMemory {
		e.note("volatile objects outside volatile regions behave like memory")
		return false
	}
	return o.Kind != memory.ObjStack || e.escapes(o)
}

// escapes reports whether the address of local object o may leave its function.
func (e *encoder) escapes(o *memory.Object) bool {
	if o.Instr == nil || o.Instr.Op != ir.OpAlloca {
		return true
	}
	f := o.Instr.Block.Func
	if e.escaping[f] == nil {
		e.escaping[f] = ir.Escapes(f)
	}
	return e.escaping[f][o.Instr]
}
