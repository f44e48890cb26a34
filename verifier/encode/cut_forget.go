package encode

import (
	"fmt"
	"sort"

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
	st := in.st
	entry := &state{pc: st.pc, mem: st.mem, loc: st.loc}
	before := append([]val(nil), in.vals...)
	var vars []*cutVar
	for _, key := range sortedKeys(a.hav.objs) {
		o := e.keyed(key)
		if o == nil || st.get(o) == nil {
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
	a.mark, a.regs = len(e.objs), regs
	a.head = &state{pc: st.pc, mem: st.mem, loc: st.loc}
	a.vals = append([]val(nil), in.vals...)
	vars = append(vars, e.cellVars(a, entry, st)...)
	// A path may end at the header: what is assumed of its state must not speak
	// about the ways to it.
	st.pc = e.and(st.pc, e.bit(e.s.Fresh("go on", ilr.BV(1))))
	e.addHeader(fr, a, entry, st, vars)
}

// keyed finds the object of a key; what exists from the beginning is made when it is first needed.
func (e *encoder) keyed(key string) *object {
	if o := e.cutter.byKey[key]; o != nil {
		return o
	}
	for _, g := range e.m.Globals {
		if key == "global "+g.Name {
			return e.globalObject(g)
		}
	}
	for _, f := range e.m.Funcs {
		if key == "func "+f.Name {
			return e.funcObject(f)
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
func (e *encoder) forgetObject(st *state, o *object, h, done *objHavoc) []*cutVar {
	c := *st.get(o)
	done.whole, done.live = h.whole, h.live
	var vars []*cutVar
	if h.live {
		entry := e.liveOf(st, o)
		c.live = e.bit(e.s.Fresh("live!"+o.name, ilr.BV(1)))
		vars = append(vars, &cutVar{name: liveName(o), entry: entry, head: e.s.BoolToBV(c.live, 1), moves: true,
			at: func(in edge) ilr.Term { return e.liveOf(in.st, o) }})
	}
	if h.whole {
		done.u = h.u || e.shadow && e.maybeIndeterminate(&c)
		c.base = &base{kind: baseUnknown, obj: o, uninit: done.u, anyMask: true, silent: true}
		c.cells, c.arr = trie[cell]{}, nil
		if n := e.elementSize(o); n > 0 { // lemmas speak of elements as those of an array, however few they are
			c.arr = e.baseArray(c.base, o, n)
		}
		st.put(o, &c)
		return vars
	}
	d := &c
	for _, p := range h.places {
		if o.csize < 0 || p.off+p.n > o.csize {
			continue // back edges notice if that matters
		}
		done.places = append(done.places, p)
		old := e.readRaw(o, d, p.off, p.n)
		v := e.unknown(old, p, nil, o.name)
		d = e.writeRaw(d, p.off, p.n, v)
		vars = append(vars, e.memoryVar(o, p, old, v)...)
	}
	st.put(o, d)
	return vars
}

// liveOf is one bit: o is alive.
func (e *encoder) liveOf(st *state, o *object) ilr.Term {
	return e.s.BoolToBV(st.get(o).live, 1)
}

func liveName(o *object) string {
	if o.name == "" {
		return "life of the heap block"
	}
	return "life of " + o.name
}

// unknown is any value of the kind that p describes, or old was. t is nil for raw bytes.
func (e *encoder) unknown(old val, p *place, t *ir.Type, name string) val {
	if old.el != nil || t != nil && (t.IsAggregate() || t.Kind == ir.KindVector) {
		out := val{el: make([]val, len(old.el))}
		for i := range old.el {
			out.el[i] = e.unknown(old.el[i], p, t.ElemAt(i), name)
		}
		return out
	}
	u := p.u || old.u != 0
	var out val
	switch {
	case e.isPointer(old, p, t):
		out = val{p: e.unknownPtr(old, p, name)}
	case t != nil:
		out.t = e.s.Fresh("turn!"+name, ilr.BV(e.bitsOf(t)))
		if t.Kind == ir.KindInt {
			out = e.scalar(out.t)
		}
	default:
		out.t = e.s.Fresh("turn!"+name, ilr.BV(int(8*p.n)))
	}
	if u {
		w := int(8 * p.n)
		if t != nil {
			w = e.bitsOf(t)
		}
		out.u = e.s.Sext(e.s.Fresh("mask!"+name, ilr.BV(1)), w)
	}
	return out
}

func (e *encoder) isPointer(old val, p *place, t *ir.Type) bool {
	if t != nil {
		return t.IsPtr() || t.Kind == ir.KindInt && t.Width == e.w && (p.ptr || old.p != nil)
	}
	return int(8*p.n) == e.w && (p.ptr || old.p != nil)
}

// unknownPtr points to any of the objects that p or old lists.
func (e *encoder) unknownPtr(old val, p *place, name string) *ptr {
	spots := map[string]spot{}
	for k, s := range p.spots {
		if k != "" && e.keyed(k) == nil {
			k, s = "", spot{any: true}
		}
		addSpot(spots, k, s)
	}
	if old.p != nil || old.t != 0 {
		for k, s := range e.spotsOf(old, len(e.objs)) {
			addSpot(spots, k, s)
		}
	}
	rest := e.s.True()
	var alts []alt
	ks := sortedKeys(spots)
	for i, k := range ks {
		s := spots[k]
		a := alt{g: rest, off: e.s.Const(constant(e.w, s.c))}
		if k != "" {
			a.obj = e.keyed(k)
		}
		if s.any {
			a.off = e.multipleOf(name, s.zeros)
		}
		if i < len(ks)-1 {
			b := e.bit(e.s.Fresh("to!"+name, ilr.BV(1)))
			a.g = e.s.And(rest, b)
			rest = e.s.And(rest, e.s.Not(b))
		}
		alts = append(alts, a)
	}
	return e.gather(alts)
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
func (e *encoder) spotsOf(v val, mark int) map[string]spot {
	out := map[string]spot{}
	for _, a := range e.asPtr(v).alts {
		if e.s.IsFalse(a.g) {
			continue
		}
		k, s := "", spot{any: true}
		if a.obj == nil || a.obj.id < mark || a.obj.kind != objStack && a.obj.kind != objHeap {
			if c, ok := e.constOf(a.off); ok {
				s = spot{c: c}
			} else {
				s.zeros = min(16, e.lowZeros(a.off))
			}
			if a.obj != nil {
				k = e.cutter.keys[a.obj]
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
