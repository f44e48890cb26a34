package encode

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// ptr is a pointer: a guarded set of targets. The guards exclude each other and
// one of them holds; they are ordered by object, integers first.
type ptr struct {
	alts  []alt
	moved bool // by arithmetic on the address as an integer: it may have left its objects
}

// alt is one target: an offset into an object, or without object an integer.
type alt struct {
	g   ilr.Term // Bool
	obj *object  // nil: off is an address
	off ilr.Term // width of a pointer
}

// toObject reports whether a is an offset into an object of the program.
func (a alt) toObject() bool { return a.obj != nil && a.obj.kind != objNull }

func (e *encoder) null() *ptr { return e.intPtr(e.s.Int(e.w, 0)) }

// intPtr is the address a without object.
func (e *encoder) intPtr(a ilr.Term) *ptr {
	return &ptr{alts: []alt{{g: e.s.True(), off: a}}}
}

// to is the pointer to offset off of o.
func (e *encoder) to(o *object, off int64) *ptr {
	return &ptr{alts: []alt{{g: e.s.True(), obj: o, off: e.s.Int(e.w, off)}}}
}

func (a alt) order() int {
	if a.obj == nil {
		return -1
	}
	return a.obj.id
}

// gather makes a pointer of alternatives: impossible ones go, those of one object are merged.
func (e *encoder) gather(alts []alt) *ptr {
	sort.SliceStable(alts, func(i, j int) bool { return alts[i].order() < alts[j].order() })
	var out []alt
	for _, a := range alts {
		if e.s.IsFalse(a.g) {
			continue
		}
		if n := len(out); n > 0 && out[n-1].obj == a.obj {
			out[n-1].off = e.s.Ite(a.g, a.off, out[n-1].off)
			out[n-1].g = e.s.Or(out[n-1].g, a.g)
			continue
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return e.null() // only where nothing goes
	}
	if len(out) == 1 {
		out[0].g = e.s.True()
	}
	return &ptr{alts: out}
}

// pickPtr is a where c holds and b elsewhere.
func (e *encoder) pickPtr(c ilr.Term, a, b *ptr) *ptr {
	if a == b || e.samePtr(a, b) {
		return a
	}
	if len(a.alts) == 1 && len(b.alts) == 1 && a.alts[0].obj == b.alts[0].obj {
		off := e.s.Ite(c, a.alts[0].off, b.alts[0].off)
		return &ptr{alts: []alt{{g: e.s.True(), obj: a.alts[0].obj, off: off}}, moved: a.moved || b.moved}
	}
	var alts []alt
	i, j := 0, 0
	for i < len(a.alts) || j < len(b.alts) {
		switch {
		case j == len(b.alts) || i < len(a.alts) && a.alts[i].order() < b.alts[j].order():
			x := a.alts[i]
			alts = append(alts, alt{g: e.s.And(c, x.g), obj: x.obj, off: x.off})
			i++
		case i == len(a.alts) || b.alts[j].order() < a.alts[i].order():
			y := b.alts[j]
			alts = append(alts, alt{g: e.s.And(e.s.Not(c), y.g), obj: y.obj, off: y.off})
			j++
		default:
			x, y := a.alts[i], b.alts[j]
			alts = append(alts, alt{g: e.s.Ite(c, x.g, y.g), obj: x.obj, off: e.s.Ite(c, x.off, y.off)})
			i, j = i+1, j+1
		}
	}
	p := e.gather(alts)
	p.moved = a.moved || b.moved
	return p
}

func (e *encoder) samePtr(a, b *ptr) bool {
	if len(a.alts) != len(b.alts) {
		return false
	}
	for i := range a.alts {
		if a.alts[i] != b.alts[i] {
			return false
		}
	}
	return true
}

// shift moves p by d bytes, modulo the pointer's width.
func (e *encoder) shift(p *ptr, d ilr.Term) *ptr {
	if c, ok := e.constOf(d); ok && c == 0 {
		return p
	}
	out := &ptr{alts: make([]alt, len(p.alts)), moved: p.moved}
	for i, a := range p.alts {
		out.alts[i] = alt{g: a.g, obj: a.obj, off: e.s.Add(a.off, d)}
	}
	return out
}

// choose is the value f gives for the target that p has.
func (e *encoder) choose(p *ptr, f func(alt) ilr.Term) ilr.Term {
	n := len(p.alts)
	r := f(p.alts[n-1])
	for i := n - 2; i >= 0; i-- {
		r = e.s.Ite(p.alts[i].g, f(p.alts[i]), r)
	}
	return r
}

// address is p as an integer: base + offset. It makes the bases observed.
func (e *encoder) address(p *ptr) ilr.Term {
	t := e.choose(p, func(a alt) ilr.Term {
		if a.obj == nil {
			return a.off
		}
		return e.s.Add(e.base(a.obj), a.off)
	})
	if _, known := e.origin[t]; !known && p.hasObject() {
		e.origin[t] = p
	}
	return t
}

func (p *ptr) hasObject() bool { return p.alts[len(p.alts)-1].obj != nil }

// asPtr is a scalar as a pointer: what it was made from, or what the integer designates.
func (e *encoder) asPtr(v val) *ptr {
	if v.p != nil {
		return v.p
	}
	return e.fromInt(e.num(v))
}

// fromInt is inttoptr of a pointer-wide integer: the pair back when t is exactly
// the address of one, else the integer.
func (e *encoder) fromInt(t ilr.Term) *ptr {
	if p := e.origin[t]; p != nil {
		return p
	}
	if e.s.Kind(t) == ilr.KIte {
		c, a, b := e.s.Arg(t, 0), e.s.Arg(t, 1), e.s.Arg(t, 2)
		if e.origin[a] != nil || e.origin[b] != nil {
			return e.pickPtr(c, e.fromInt(a), e.fromInt(b))
		}
	}
	return e.intPtr(t)
}

// alivePlaces is the pointer that inttoptr makes of p in st: the address of an object that is dead, or behind null,
// designates whatever is there now.
func (e *encoder) alivePlaces(st *state, p *ptr) *ptr {
	var alts []alt
	changed := false
	for _, a := range p.alts {
		live := e.s.True()
		if a.obj != nil && a.obj.kind == objNull {
			live = e.s.False()
		} else if a.obj != nil && !a.obj.static() {
			if live = e.s.False(); st.get(a.obj) != nil {
				live = st.get(a.obj).live
			}
		}
		if e.s.IsTrue(live) {
			alts = append(alts, a)
			continue
		}
		changed = true
		at := e.s.Add(e.base(a.obj), a.off)
		alts = append(alts, alt{g: e.s.And(a.g, live), obj: a.obj, off: a.off},
			alt{g: e.s.And(a.g, e.s.Not(live)), off: at})
	}
	if !changed {
		return p
	}
	q := e.gather(alts)
	q.moved = p.moved
	return q
}

// staying returns the pointer that inttoptr makes of p in st: an address that arithmetic on integers moved out of its
// object designates whatever is there.
func (e *encoder) staying(st *state, p *ptr) *ptr {
	if !p.moved || st.pc == nil {
		return p
	}
	var alts []alt
	changed := false
	for _, a := range p.alts {
		in := e.s.True()
		if a.obj != nil {
			in = e.s.Ult(a.off, a.obj.size)
		}
		if e.s.IsTrue(in) || !e.feasible(e.s.And(st.pc.all, a.g, e.s.Not(in))) {
			alts = append(alts, a)
			continue
		}
		changed = true
		alts = append(alts, alt{g: e.s.And(a.g, in), obj: a.obj, off: a.off},
			alt{g: e.s.And(a.g, e.s.Not(in)), off: e.s.Add(e.base(a.obj), a.off)})
	}
	if !changed {
		return p
	}
	return e.gather(alts)
}

// symbol is the address of a global, function or label plus an offset.
func (e *encoder) symbol(c *ir.Const) *ptr {
	switch {
	case c.Global != nil:
		return e.maybeAbsent(e.globalObject(c.Global), c.Global.Weak && c.Global.Extern, c.Off)
	case c.Func != nil && c.Label == nil:
		return e.maybeAbsent(e.funcObject(c.Func), c.Func.Weak && c.Func.IsDecl(), c.Off)
	case c.Label != nil:
		return e.to(e.labelObject(c.Label), c.Off)
	}
	return e.intPtr(e.s.Int(e.w, c.Off))
}

// maybeAbsent is offset off of o, or null when o is a weak symbol that nothing defines.
func (e *encoder) maybeAbsent(o *object, weak bool, off int64) *ptr {
	if !weak {
		return e.to(o, off)
	}
	if e.s.IsTrue(o.born) {
		o.born = e.bit(e.s.Fresh("present!"+o.name, ilr.BV(1)))
		e.base(o)
	}
	return e.pickPtr(o.born, e.to(o, off), e.intPtr(e.s.Int(e.w, off)))
}

// only is the single target of p, if it has just one.
func (p *ptr) only() (alt, bool) {
	if len(p.alts) == 1 {
		return p.alts[0], true
	}
	return alt{}, false
}

// comparePtr is the truth of a pointer comparison: offsets inside one object,
// addresses across objects.
func (e *encoder) comparePtr(st *state, pred ir.Pred, p, q *ptr) ilr.Term {
	r := e.s.False()
	for _, a := range p.alts {
		for _, b := range q.alts {
			g := e.s.And(a.g, b.g)
			if e.s.IsFalse(g) {
				continue
			}
			r = e.s.Or(r, e.s.And(g, e.compareAlt(st, pred, a, b)))
		}
	}
	return r
}

func (e *encoder) compareAlt(st *state, pred ir.Pred, a, b alt) ilr.Term {
	if a.obj == b.obj {
		return e.compare(pred, a.off, b.off)
	}
	if pred == ir.EQ || pred == ir.NE {
		if e.apart(st, a, b) {
			return e.s.BoolConst(pred == ir.NE)
		}
	}
	one := func(x alt) ilr.Term { return e.address(&ptr{alts: []alt{{g: e.s.True(), obj: x.obj, off: x.off}}}) }
	return e.compare(pred, one(a), one(b))
}

// apart reports that two targets surely have different addresses, from the facts
// that hold of every placement: objects that are alive at one moment do not overlap, and none contains 0.
func (e *encoder) apart(st *state, a, b alt) bool {
	if a.obj == nil {
		a, b = b, a
	}
	off, ok := e.constOf(a.off)
	if !ok || a.obj.csize < 0 {
		return false
	}
	if b.obj == nil {
		c, ok := e.constOf(b.off)
		return ok && c == 0 && off <= uint64(a.obj.csize)
	}
	boff, ok := e.constOf(b.off)
	return ok && b.obj.csize >= 0 && off < uint64(a.obj.csize) && boff < uint64(b.obj.csize) &&
		e.surelyTogether(st, a.obj, b.obj)
}
