package memory

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Ptr is a pointer: a guarded set of targets. The guards exclude each other and
// one of them holds; they are ordered by object, integers first.
type Ptr struct {
	Alts  []Alt
	Moved bool // by arithmetic on the address as an integer: it may have left its objects
}

// Alt is one target: an offset into an object, or without object an integer.
type Alt struct {
	Guard  ilr.Term // Bool
	Object *Object  // nil: off is an address
	Off    ilr.Term // width of a pointer
}

// ToObject reports whether a is an offset into an object of the program.
func (a Alt) ToObject() bool { return a.Object != nil && a.Object.Kind != ObjNull }

func (e *Space) Null() *Ptr { return e.IntPtr(e.s.Int(e.w, 0)) }

// IntPtr is the address a without object.
func (e *Space) IntPtr(a ilr.Term) *Ptr {
	return &Ptr{Alts: []Alt{{Guard: e.s.True(), Off: a}}}
}

// To is the pointer to offset off of o.
func (e *Space) To(o *Object, off int64) *Ptr {
	return &Ptr{Alts: []Alt{{Guard: e.s.True(), Object: o, Off: e.s.Int(e.w, off)}}}
}

func (a Alt) order() int {
	if a.Object == nil {
		return -1
	}
	return a.Object.ID
}

// Gather makes a pointer of alternatives: impossible ones go, those of one object are merged.
func (e *Space) Gather(alts []Alt) *Ptr {
	sort.SliceStable(alts, func(i, j int) bool { return alts[i].order() < alts[j].order() })
	var out []Alt
	for _, a := range alts {
		if e.s.IsFalse(a.Guard) {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Object == a.Object {
			out[n-1].Off = e.s.Ite(a.Guard, a.Off, out[n-1].Off)
			out[n-1].Guard = e.s.Or(out[n-1].Guard, a.Guard)
			continue
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return e.Null() // only where nothing goes
	}
	if len(out) == 1 {
		out[0].Guard = e.s.True()
	}
	p := &Ptr{Alts: out}
	e.exclusive(p)
	return p
}

// PickPtr is a where c holds and b elsewhere.
func (e *Space) PickPtr(c ilr.Term, a, b *Ptr) *Ptr {
	if a == b || e.SamePtr(a, b) {
		return a
	}
	no := e.s.Not(c)
	a, b = e.where(c).ptr(a), e.where(no).ptr(b)
	if len(a.Alts) == 1 && len(b.Alts) == 1 && a.Alts[0].Object == b.Alts[0].Object {
		off := e.s.Ite(c, a.Alts[0].Off, b.Alts[0].Off)
		return &Ptr{Alts: []Alt{{Guard: e.s.True(), Object: a.Alts[0].Object, Off: off}}, Moved: a.Moved || b.Moved}
	}
	var alts []Alt
	i, j := 0, 0
	for i < len(a.Alts) || j < len(b.Alts) {
		switch {
		case j == len(b.Alts) || i < len(a.Alts) && a.Alts[i].order() < b.Alts[j].order():
			x := a.Alts[i]
			alts = append(alts, Alt{Guard: e.s.And(c, x.Guard), Object: x.Object, Off: x.Off})
			i++
		case i == len(a.Alts) || b.Alts[j].order() < a.Alts[i].order():
			y := b.Alts[j]
			alts = append(alts, Alt{Guard: e.s.And(no, y.Guard), Object: y.Object, Off: y.Off})
			j++
		default:
			x, y := a.Alts[i], b.Alts[j]
			alts = append(alts, Alt{Guard: e.s.Ite(c, x.Guard, y.Guard), Object: x.Object, Off: e.s.Ite(c, x.Off, y.Off)})
			i, j = i+1, j+1
		}
	}
	p := e.Gather(alts)
	p.Moved = a.Moved || b.Moved
	return p
}

func (e *Space) SamePtr(a, b *Ptr) bool {
	if len(a.Alts) != len(b.Alts) {
		return false
	}
	for i := range a.Alts {
		if a.Alts[i] != b.Alts[i] {
			return false
		}
	}
	return true
}

// Shift moves p by d bytes, modulo the pointer's width.
func (e *Space) Shift(p *Ptr, d ilr.Term) *Ptr {
	if c, ok := e.ConstOf(d); ok && c == 0 {
		return p
	}
	out := &Ptr{Alts: make([]Alt, len(p.Alts)), Moved: p.Moved}
	for i, a := range p.Alts {
		out.Alts[i] = Alt{Guard: a.Guard, Object: a.Object, Off: e.s.Add(a.Off, d)}
	}
	return out
}

// Choose is the value f gives for the target that p has.
func (e *Space) Choose(p *Ptr, f func(Alt) ilr.Term) ilr.Term {
	n := len(p.Alts)
	r := f(p.Alts[n-1])
	for i := n - 2; i >= 0; i-- {
		r = e.s.Ite(p.Alts[i].Guard, f(p.Alts[i]), r)
	}
	return r
}

// Address is Place where the program gets the number: it may keep track of the objects by that from now on.
func (e *Space) Address(p *Ptr) ilr.Term {
	when := e.When
	if when == 0 {
		when = e.s.True()
	}
	for _, a := range p.Alts {
		switch o := a.Object; {
		case o == nil:
		case o.Numbered == 0:
			o.Numbered = when
		default:
			o.Numbered = e.s.Or(o.Numbered, when)
		}
	}
	return e.Place(p)
}

// Place is p as an integer: base + offset. It makes the bases observed.
func (e *Space) Place(p *Ptr) ilr.Term {
	t := e.Choose(p, func(a Alt) ilr.Term {
		if a.Object == nil {
			return a.Off
		}
		return e.s.Add(e.Base(a.Object), a.Off)
	})
	if _, known := e.origin[t]; !known && p.HasObject() {
		e.origin[t] = p
	}
	return t
}

func (p *Ptr) HasObject() bool { return p.Alts[len(p.Alts)-1].Object != nil }

// AsPtr is a scalar as a pointer: what it was made from, or what the integer designates.
func (e *Space) AsPtr(v Val) *Ptr {
	if v.Ptr != nil {
		return v.Ptr
	}
	return e.FromInt(e.Num(v))
}

// FromInt is inttoptr of a pointer-wide integer: the pair back when t is exactly
// the address of one, else the integer.
func (e *Space) FromInt(t ilr.Term) *Ptr {
	if p := e.origin[t]; p != nil {
		return p
	}
	if e.s.Kind(t) == ilr.KIte {
		c, a, b := e.s.Arg(t, 0), e.s.Arg(t, 1), e.s.Arg(t, 2)
		if e.origin[a] != nil || e.origin[b] != nil {
			return e.PickPtr(c, e.FromInt(a), e.FromInt(b))
		}
	}
	return e.IntPtr(t)
}

// AlivePlaces is the pointer that inttoptr makes of p in st: the address of an object that is dead, or behind null,
// designates whatever is there now.
func (e *Space) AlivePlaces(st *State, p *Ptr) *Ptr {
	var alts []Alt
	changed := false
	for _, a := range p.Alts {
		live := e.s.True()
		if a.Object != nil && a.Object.Kind == ObjNull {
			live = e.s.False()
		} else if a.Object != nil && !a.Object.Static() {
			if live = e.s.False(); st.Get(a.Object) != nil {
				live = st.Get(a.Object).Live
			}
		}
		if e.s.IsTrue(live) {
			alts = append(alts, a)
			continue
		}
		changed = true
		at := e.s.Add(e.Base(a.Object), a.Off)
		alts = append(alts, Alt{Guard: e.s.And(a.Guard, live), Object: a.Object, Off: a.Off},
			Alt{Guard: e.s.And(a.Guard, e.s.Not(live)), Off: at})
	}
	if !changed {
		return p
	}
	q := e.Gather(alts)
	q.Moved = p.Moved
	return q
}

// Staying returns the pointer that inttoptr makes of p in st: an address that arithmetic on integers moved out of its
// object designates whatever is there.
func (e *Space) Staying(st *State, p *Ptr) *Ptr {
	if !p.Moved || st.PC == nil {
		return p
	}
	var alts []Alt
	changed := false
	for _, a := range p.Alts {
		in := e.s.True()
		if a.Object != nil {
			in = e.s.Ult(a.Off, a.Object.Size)
		}
		if e.s.IsTrue(in) || !e.Feasible(e.s.And(st.PC.All, a.Guard, e.s.Not(in))) {
			alts = append(alts, a)
			continue
		}
		changed = true
		alts = append(alts, Alt{Guard: e.s.And(a.Guard, in), Object: a.Object, Off: a.Off},
			Alt{Guard: e.s.And(a.Guard, e.s.Not(in)), Off: e.s.Add(e.Base(a.Object), a.Off)})
	}
	if !changed {
		return p
	}
	return e.Gather(alts)
}

// symbol is the address of a global, function or label plus an offset.
func (e *Space) symbol(c *ir.Const) *Ptr {
	switch {
	case c.Global != nil:
		return e.maybeAbsent(e.GlobalObject(c.Global), c.Global.Weak && c.Global.Extern, c.Off)
	case c.Func != nil && c.Label == nil:
		return e.maybeAbsent(e.FuncObject(c.Func), c.Func.Weak && c.Func.IsDecl(), c.Off)
	case c.Label != nil:
		return e.To(e.labelObject(c.Label), c.Off)
	}
	return e.IntPtr(e.s.Int(e.w, c.Off))
}

// maybeAbsent is offset off of o, or null when o is a weak symbol that nothing defines.
func (e *Space) maybeAbsent(o *Object, weak bool, off int64) *Ptr {
	if !weak {
		return e.To(o, off)
	}
	if e.s.IsTrue(o.Born) {
		o.Born = e.Bit(e.s.Fresh("present!"+o.Name, ilr.BV(1)))
		e.Base(o)
	}
	return e.PickPtr(o.Born, e.To(o, off), e.IntPtr(e.s.Int(e.w, off)))
}

// Only is the single target of p, if it has just one.
func (p *Ptr) Only() (Alt, bool) {
	if len(p.Alts) == 1 {
		return p.Alts[0], true
	}
	return Alt{}, false
}

// ComparePtr is the truth of a pointer comparison: offsets inside one object,
// addresses across objects.
func (e *Space) ComparePtr(st *State, pred ir.Pred, p, q *Ptr) ilr.Term {
	if pred == ir.NE { // an object and null differ on many alternatives, and are equal on none
		return e.s.Not(e.ComparePtr(st, ir.EQ, p, q))
	}
	r := e.s.False()
	for _, a := range p.Alts {
		for _, b := range q.Alts {
			g := e.s.And(a.Guard, b.Guard)
			if e.s.IsFalse(g) {
				continue
			}
			r = e.s.Or(r, e.s.And(g, e.compareAlt(st, pred, a, b)))
		}
	}
	return r
}

func (e *Space) compareAlt(st *State, pred ir.Pred, a, b Alt) ilr.Term {
	if a.Object == b.Object {
		return e.Compare(pred, a.Off, b.Off)
	}
	if pred == ir.EQ && e.apart(st, a, b) {
		return e.s.False()
	}
	one := func(x Alt) ilr.Term {
		return e.Place(&Ptr{Alts: []Alt{{Guard: e.s.True(), Object: x.Object, Off: x.Off}}})
	}
	return e.Compare(pred, one(a), one(b))
}

// apart reports that two targets surely have different addresses, from the facts
// that hold of every placement: objects that are alive at one moment do not overlap, and none contains 0.
func (e *Space) apart(st *State, a, b Alt) bool {
	if a.Object == nil {
		a, b = b, a
	}
	off, ok := e.ConstOf(a.Off)
	if !ok || a.Object.CSize < 0 {
		return false
	}
	if b.Object == nil {
		c, ok := e.ConstOf(b.Off)
		return ok && c == 0 && off <= uint64(a.Object.CSize)
	}
	boff, ok := e.ConstOf(b.Off)
	return ok && b.Object.CSize >= 0 && off < uint64(a.Object.CSize) && boff < uint64(b.Object.CSize) &&
		e.surelyTogether(st, a.Object, b.Object)
}

// Compare is LangRef's icmp on bit-vectors.
func (e *Space) Compare(pred ir.Pred, a, b ilr.Term) ilr.Term {
	switch pred {
	case ir.EQ:
		return e.Eq(a, b)
	case ir.NE:
		return e.s.Not(e.Eq(a, b))
	case ir.UGT:
		return e.s.Ult(b, a)
	case ir.UGE:
		return e.s.Ule(b, a)
	case ir.ULT:
		return e.s.Ult(a, b)
	case ir.ULE:
		return e.s.Ule(a, b)
	case ir.SGT:
		return e.s.Slt(b, a)
	case ir.SGE:
		return e.s.Sle(b, a)
	case ir.SLT:
		return e.s.Slt(a, b)
	}
	return e.s.Sle(a, b)
}
