package encode

import (
	"slices"

	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// target is where one access may go under guard g.
type target struct {
	g   ilr.Term
	obj *object // nil: no object
	off ilr.Term
	vol *ir.Region // a volatile region
}

// targets expands p: integers become the regions and the observed objects that
// contain them, and a rest that is nowhere.
func (e *encoder) targets(p *ptr) []target {
	var out []target
	for _, a := range p.alts {
		if a.obj != nil {
			out = append(out, target{g: a.g, obj: a.obj, off: a.off})
			continue
		}
		out = append(out, e.designated(a)...)
	}
	return out
}

// pruned is p without what it cannot be in st, if the Prober says so. It asks where
// one of the alternatives is an address that is no constant: that can be any object's.
func (e *encoder) pruned(st *state, p *ptr) *ptr {
	if e.prober == nil || e.cutter != nil || p == nil || len(p.alts) < 2 || e.opts.AddressZero {
		return p
	}
	open := func(a alt) bool {
		_, known := e.s.ConstVal(a.off)
		return a.obj == nil && !known
	}
	if !slices.ContainsFunc(p.alts, open) {
		return p
	}
	out := &ptr{}
	for _, a := range p.alts {
		switch {
		case open(a) && !e.possible(st, e.s.And(a.g, e.s.NonZero(a.off))):
			a.off = e.s.Int(e.w, 0)
			if e.possible(st, a.g) {
				out.alts = append(out.alts, a)
			}
		case open(a) || e.possible(st, a.g):
			out.alts = append(out.alts, a)
		}
	}
	if len(out.alts) == 1 {
		out.alts[0].g = e.s.True()
	}
	if len(out.alts) == 0 { // nothing gets here
		return p
	}
	return out
}

// possible asks the Prober once whether t can be true in st.
func (e *encoder) possible(st *state, t ilr.Term) bool {
	t = e.s.And(st.pc.free, t, e.facts)
	if e.s.IsFalse(t) {
		return false
	}
	answer, asked := e.asked[t]
	if !asked {
		e.f.Stats.Probes++
		answer = e.prober.Possible(e.ctx, t)
		e.asked[t] = answer
	}
	return answer
}

// designated lists what the integer address of a can be.
func (e *encoder) designated(a alt) []target {
	var out []target
	rest := a.g
	add := func(t target, base, size ilr.Term) {
		t.off = e.s.Sub(a.off, base)
		in := e.s.Ult(t.off, size)
		if t.obj != nil { // one that was not made has an address that says nothing
			in = e.s.And(t.obj.born, in)
		}
		if !e.opts.AddressZero { // null designates nothing, wherever the memory map begins
			in = e.s.And(in, e.s.NonZero(a.off))
		}
		t.g = e.s.And(rest, in)
		rest = e.s.And(rest, e.s.Not(in))
		if !e.s.IsFalse(t.g) {
			out = append(out, t)
		}
	}
	for i := range e.opts.Regions {
		r := &e.opts.Regions[i]
		t := target{vol: r}
		if r.Access != ir.AccessVolatile {
			t = target{obj: e.regionObject(i)}
		}
		add(t, e.s.Int(e.w, int64(r.Base)), e.s.Int(e.w, int64(r.Size)))
	}
	if _, known := e.s.ConstVal(a.off); !known {
		for _, o := range e.observed {
			add(target{obj: o}, o.addr, e.extent(o))
		}
	}
	if !e.s.IsFalse(rest) {
		e.lostAlt(alt{g: rest, off: a.off}, nil)
		out = append(out, target{g: rest, off: a.off})
	}
	return out
}

// regionObject is a region that behaves like memory, as an object at a known place.
func (e *encoder) regionObject(i int) *object {
	r := &e.opts.Regions[i]
	for _, o := range e.objs {
		if o.kind == objRegion && o.region == i {
			return o
		}
	}
	o := e.newObject(object{kind: objRegion, name: r.Name, region: i, align: 1, ro: r.Access == ir.AccessRead},
		e.s.Int(e.w, int64(r.Size)))
	o.addr = e.s.Int(e.w, int64(r.Base))
	o.init = &content{live: e.s.True(), base: e.unknownBase(o)}
	return o
}

// want is what an access needs.
type want struct {
	n     ilr.Term // bytes, pointer's width
	align int64
	write bool
	what  string // "read", "write", ...
}

func (e *encoder) wantConst(n, align int64, write bool) want {
	w := want{n: e.s.Int(e.w, n), align: align, write: write, what: "read"}
	if write {
		w.what = "write"
	}
	return w
}

// checkAccess claims that an access through p is valid (LL-107 to LL-109, LL-112)
// and gives the targets that remain. when is a condition under which the access
// happens at all.
func (e *encoder) checkAccess(fr *frame, st *state, in *ir.Instr, p val, w want, when ilr.Term) []target {
	e.checkAddress(fr, st, in, p)
	if st.pc == nil {
		return nil
	}
	ts := e.targets(e.pruned(st, p.p))
	bad := e.s.False()
	var cases []failure
	var good []target
	msg := ""
	for _, t := range ts {
		fs, wrong := e.wrong(st, t, w)
		bad = e.s.Or(bad, e.s.And(t.g, wrong))
		for _, f := range fs {
			if e.s.IsFalse(f.when) {
				continue
			}
			if msg == "" {
				msg = f.plain()
			}
			f.when = e.s.And(t.g, f.when)
			cases = append(cases, f)
		}
		if !e.s.IsTrue(wrong) {
			good = append(good, t)
		}
	}
	if msg == "" {
		msg = w.what + " is valid"
	}
	e.claim(fr, st, in, verdict.Memory, e.s.And(when, bad), true, msg, cases...)
	for _, t := range good {
		if st.pc != nil && t.obj != nil && t.obj.glob != nil && t.obj.glob.Beyond != "" {
			e.beyond(fr, st, in, t.obj.glob, e.s.And(when, t.g))
		}
		if st.pc != nil && t.obj != nil && t.obj.glob != nil && t.obj.glob.Unsupported != "" {
			e.gapWhen(st, in, e.s.And(when, t.g), "initialiser of %s: %s", t.obj.glob.Name, t.obj.glob.Unsupported)
		}
	}
	if st.pc == nil {
		return nil
	}
	return good
}

// plain is f's text without a model.
func (f failure) plain() string {
	if f.value == 0 {
		return f.text
	}
	return fmt.Sprintf(f.text, symbolic{})
}

// symbolic prints as a question mark for any verb.
type symbolic struct{}

// Format implements fmt.Formatter.
func (symbolic) Format(s fmt.State, _ rune) { fmt.Fprint(s, "?") }

// wrong is the condition under which an access at t is invalid, and its reasons.
func (e *encoder) wrong(st *state, t target, w want) ([]failure, ilr.Term) {
	all := e.s.True()
	switch {
	case t.vol != nil:
		over := e.s.Not(e.within(t.off, w.n, e.s.Int(e.w, int64(t.vol.Size))))
		return []failure{{when: over, text: fmt.Sprintf("%s leaves region %s", w.what, t.vol.Name)}}, over
	case t.obj == nil:
		if c, ok := e.constOf(t.off); ok && c < 4096 {
			return []failure{{when: all, text: "null pointer dereference"}}, all
		}
		null := e.eq(t.off, e.s.Int(e.w, 0))
		return []failure{{when: null, text: "null pointer dereference"},
			{when: all, text: w.what + " at address %#x, which is no object and in no region", value: t.off}}, all
	case t.obj.kind == objFunc || t.obj.kind == objLabel:
		return []failure{{when: all, text: fmt.Sprintf("%s of %s as data", w.what, t.obj.what())}}, all
	}
	var fs []failure
	o := t.obj
	c := st.get(o)
	dead := all
	if c != nil {
		dead = e.s.Not(c.live)
	}
	gone := "out of scope"
	if o.kind == objHeap {
		gone = "freed"
	}
	if !e.s.IsFalse(dead) {
		fs = append(fs, failure{when: dead, text: fmt.Sprintf("%s of %s, which is %s", w.what, o.what(), gone)})
	}
	over := e.s.Not(e.within(t.off, w.n, o.size))
	if !e.s.IsFalse(over) {
		fs = append(fs, e.outside(o, t.off, over))
	}
	bad := e.s.Or(dead, over)
	if w.write && o.ro {
		fs = append(fs, failure{when: all, text: "write to constant " + o.what()})
		bad = all
	}
	if mis := e.misaligned(o, t.off, w.align); !e.s.IsFalse(mis) {
		fs = append(fs, failure{when: mis, text: fmt.Sprintf("misaligned %s of %s, alignment %d needed", w.what,
			o.what(), w.align)})
		bad = e.s.Or(bad, mis)
	}
	return fs, bad
}

// outside says that an access at off leaves o.
func (e *encoder) outside(o *object, off, over ilr.Term) failure {
	if k, ok := e.s.ConstVal(off); ok {
		i, _ := k.Int64()
		return failure{when: over, text: fmt.Sprintf("index out of bounds: offset %d of object %s", i, o.what())}
	}
	return failure{when: over, text: fmt.Sprintf("index out of bounds: offset %%d of object %s", o.what()), value: off}
}

// within: n bytes at off lie in size bytes, without wrap-around.
func (e *encoder) within(off, n, size ilr.Term) ilr.Term {
	c, cok := e.constOf(n)
	z, zok := e.constOf(size)
	if cok && zok && c > z {
		return e.s.False()
	}
	fits := e.s.Ule(off, e.s.Sub(size, n))
	if cok && zok {
		return fits
	}
	return e.s.And(e.s.Ule(n, size), fits)
}

// misaligned: the address of off in o is not a multiple of align.
func (e *encoder) misaligned(o *object, off ilr.Term, align int64) ilr.Term {
	k := log2(max(align, 1))
	if k == 0 || e.opts.AnyAlignment {
		return e.s.False()
	}
	at := off
	if o.align < align {
		at = e.s.Add(e.base(o), off)
	} else if e.lowZeros(off) >= k {
		return e.s.False()
	}
	return e.s.Not(e.eq(e.low(at, k), e.s.Int(k, 0)))
}

// load reads a value of type t at p.
func (e *encoder) load(fr *frame, st *state, in *ir.Instr, p val, t *ir.Type, align int64, volatile bool) val {
	ts := e.checkAccess(fr, st, in, p, e.wantConst(e.lay.StoreSize(t), align, false), e.s.True())
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
	ts := e.checkAccess(fr, st, in, p, e.wantConst(e.lay.StoreSize(t), align, true), e.s.True())
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
