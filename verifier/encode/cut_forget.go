package encode

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// register is a phi or a parameter.
type register struct {
	name string
	t    *ir.Type
}

// forget makes what a turn may change unknown in the state of in, whose vals are
// of the registers regs.
func (e *encoder) forget(fr *frame, a *arrival, in edge, regs []register) {
	a.fr = fr
	st := in.st
	entry := &memory.State{PC: st.PC, Mem: st.Mem, Regs: st.Regs}
	before := append([]memory.Val(nil), in.vals...)
	var vars []*cutVar
	for _, key := range sortedKeys(a.hav.objs) {
		o := e.keyed(key)
		if o == nil || st.Get(o) == nil {
			continue
		}
		a.done[o] = &objHavoc{}
		vars = append(vars, e.forgetObject(st, o, a.hav.objs[key], a.done[o])...)
	}
	for i := range in.vals {
		p := a.hav.phis[i]
		if p == nil {
			continue
		}
		in.vals[i] = e.unknown(before[i], p, regs[i].t, regs[i].name)
		for _, v := range e.registerVar(regs[i], i, before[i], in.vals[i]) {
			switch {
			case v.offset, v.mask:
			case a.loop == nil:
				v.from = Origin{Param: i + 1}
			default:
				v.from = Origin{Reg: a.loop.Header.Instrs[i]}
			}
			vars = append(vars, v)
		}
	}
	a.mark, a.regs = len(e.Objects), regs
	a.head = &memory.State{PC: st.PC, Mem: st.Mem, Regs: st.Regs}
	a.vals = append([]memory.Val(nil), in.vals...)
	vars = append(vars, e.cellVars(a, entry, st)...)
	// A path may end at the header: what is assumed of its state must not speak
	// about the ways to it.
	st.PC = e.And(st.PC, e.Bit(e.s.Fresh("go on", ilr.BV(1))))
	e.addHeader(fr, a, entry, st, vars)
}

// keyed finds the object of a key; what exists from the beginning is made when it is first needed.
func (e *encoder) keyed(key string) *memory.Object {
	if o := e.cutter.byKey[key]; o != nil {
		return o
	}
	for _, g := range e.m.Globals {
		if key == "global "+g.Name {
			return e.GlobalObject(g)
		}
	}
	for _, f := range e.m.Funcs {
		if key == "func "+f.Name {
			return e.FuncObject(f)
		}
	}
	for i := range e.opts.Regions {
		if key == fmt.Sprintf("region %d", i) {
			return e.regionObject(i)
		}
	}
	return nil
}

// forgetObject makes o, or parts of it, unknown, and lists what became unknown.
func (e *encoder) forgetObject(st *memory.State, o *memory.Object, h, done *objHavoc) []*cutVar {
	c := *st.Get(o)
	done.whole, done.live = h.whole, h.live
	var vars []*cutVar
	if h.live {
		entry := e.liveOf(st, o)
		c.Live = e.Bit(e.s.Fresh("live!"+o.Name, ilr.BV(1)))
		vars = append(vars, &cutVar{name: liveName(o), entry: entry, head: e.s.BoolToBV(c.Live, 1), moves: true,
			at: func(in edge) ilr.Term { return e.liveOf(in.st, o) }})
	}
	if h.whole {
		done.u = h.u || e.Shadow && e.maybeIndeterminate(&c)
		c.Base = &memory.Base{Kind: memory.BaseUnknown, Object: o, Uninit: done.u, AnyMask: true, Silent: true}
		c.Cells, c.Array = memory.Trie[memory.Cell]{}, nil
		if n := e.elementSize(o); n > 0 { // lemmas speak of elements as those of an array, however few they are
			c.Array = e.BaseArray(c.Base, o, n)
		}
		st.Put(o, &c)
		return vars
	}
	d := &c
	for _, p := range h.places {
		if o.CSize < 0 || p.off+p.n > o.CSize {
			continue // back edges notice if that matters
		}
		done.places = append(done.places, p)
		old := e.ReadRaw(o, d, p.off, p.n)
		v := e.unknown(old, p, nil, o.Name)
		d = e.WriteRaw(d, p.off, p.n, v)
		vars = append(vars, e.memoryVar(o, p, old, v)...)
	}
	st.Put(o, d)
	return vars
}

// liveOf is one bit: o is alive.
func (e *encoder) liveOf(st *memory.State, o *memory.Object) ilr.Term {
	return e.s.BoolToBV(st.Get(o).Live, 1)
}

func liveName(o *memory.Object) string {
	if o.Name == "" {
		return "life of the heap block"
	}
	return "life of " + o.Name
}

// unknown is any value of the kind that p describes, or old was. t is nil for raw bytes.
func (e *encoder) unknown(old memory.Val, p *place, t *ir.Type, name string) memory.Val {
	if old.Elems != nil || t != nil && (t.IsAggregate() || t.Kind == ir.KindVector) {
		out := memory.Val{Elems: make([]memory.Val, len(old.Elems))}
		for i := range old.Elems {
			out.Elems[i] = e.unknown(old.Elems[i], p, t.ElemAt(i), name)
		}
		return out
	}
	u := p.u || old.Undef != 0
	var out memory.Val
	switch {
	case e.isPointer(old, p, t):
		out = memory.Val{Ptr: e.unknownPtr(old, p, name)}
	case t != nil:
		out.Term = e.s.Fresh("turn!"+name, ilr.BV(e.BitsOf(t)))
		if t.Kind == ir.KindInt {
			out = e.Scalar(out.Term)
		}
	default:
		out.Term = e.s.Fresh("turn!"+name, ilr.BV(int(8*p.n)))
	}
	if u {
		w := int(8 * p.n)
		if t != nil {
			w = e.BitsOf(t)
		}
		out.Undef = e.s.Sext(e.s.Fresh("mask!"+name, ilr.BV(1)), w)
	}
	return out
}

func (e *encoder) isPointer(old memory.Val, p *place, t *ir.Type) bool {
	if t != nil {
		return t.IsPtr() || t.Kind == ir.KindInt && t.Width == e.w && (p.ptr || old.Ptr != nil)
	}
	return int(8*p.n) == e.w && (p.ptr || old.Ptr != nil)
}

// unknownPtr points to any of the objects that p or old lists.
func (e *encoder) unknownPtr(old memory.Val, p *place, name string) *memory.Ptr {
	spots := map[string]spot{}
	for k, s := range p.spots {
		if k != "" && e.keyed(k) == nil {
			k, s = "", spot{any: true}
		}
		addSpot(spots, k, s)
	}
	if old.Ptr != nil || old.Term != 0 {
		for k, s := range e.spotsOf(old, len(e.Objects)) {
			addSpot(spots, k, s)
		}
	}
	rest := e.s.True()
	var alts []memory.Alt
	ks := sortedKeys(spots)
	for i, k := range ks {
		s := spots[k]
		a := memory.Alt{Guard: rest, Off: e.s.Const(constant(e.w, s.c))}
		if k != "" {
			a.Object = e.keyed(k)
		}
		if s.any {
			a.Off = e.multipleOf(name, s.zeros)
		}
		if i < len(ks)-1 {
			b := e.Bit(e.s.Fresh("to!"+name, ilr.BV(1)))
			a.Guard = e.s.And(rest, b)
			rest = e.s.And(rest, e.s.Not(b))
		}
		alts = append(alts, a)
	}
	return e.Gather(alts)
}

func (e *encoder) multipleOf(name string, zeros int) ilr.Term {
	zeros = min(zeros, e.w-1)
	v := e.s.Fresh("offset!"+name, ilr.BV(e.w-zeros))
	if zeros == 0 {
		return v
	}
	return e.s.Concat(v, e.s.Int(zeros, 0))
}

func addSpot(m map[string]spot, k string, s spot) {
	if old, ok := m[k]; ok {
		s = old.join(s)
	}
	m[k] = s
}

// spotsOf lists what v, taken as a pointer, can be. Objects made since mark in
// the turn at hand are addresses only: the next turn does not know them.
func (e *encoder) spotsOf(v memory.Val, mark int) map[string]spot {
	out := map[string]spot{}
	for _, a := range e.AsPtr(v).Alts {
		if e.s.IsFalse(a.Guard) {
			continue
		}
		k, s := "", spot{any: true}
		if a.Object == nil || a.Object.ID < mark || a.Object.Kind != memory.ObjStack && a.Object.Kind != memory.ObjHeap {
			if c, ok := e.ConstOf(a.Off); ok {
				s = spot{c: c}
			} else {
				s.zeros = min(16, e.LowZeros(a.Off))
			}
			if a.Object != nil {
				k = e.cutter.keys[a.Object]
			}
		}
		if k == "" && s.any {
			s.zeros = 0
		}
		addSpot(out, k, s)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
