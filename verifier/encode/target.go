package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// target is where one access may go under guard g.
type target struct {
	g   ilr.Term
	obj *memory.Object // nil: no object
	off ilr.Term
	vol *ir.Region // a volatile region
}

// targets lists what p designates in st: an integer becomes the objects and the regions that can contain it, and
// a rest that is nowhere.
func (e *encoder) targets(st *memory.State, p *memory.Ptr) []target {
	var out []target
	for _, a := range p.Alts {
		if a.Object != nil {
			out = append(out, target{g: a.Guard, obj: a.Object, off: a.Off})
			continue
		}
		out = append(out, e.designated(st, a)...)
	}
	return out
}

// pruned is p without what it cannot be in st, by the decisions on the path, or if the Prober says so. It is asked where
// one of the alternatives is an address that is no constant: that can be any object's.
func (e *encoder) pruned(st *memory.State, p *memory.Ptr) *memory.Ptr {
	p = e.Decided(st.PC, p)
	if e.prober == nil || e.cutter != nil || len(p.Alts) < 2 || e.opts.AddressZero {
		return p
	}
	open := func(a memory.Alt) bool {
		_, known := e.s.ConstVal(a.Off)
		return a.Object == nil && !known
	}
	if !slices.ContainsFunc(p.Alts, open) {
		return p
	}
	out := &memory.Ptr{}
	for _, a := range p.Alts {
		switch {
		case open(a) && !e.possible(st, e.s.And(a.Guard, e.s.NonZero(a.Off))):
			a.Off = e.s.Int(e.w, 0)
			if e.possible(st, a.Guard) {
				out.Alts = append(out.Alts, a)
			}
		case open(a) || e.possible(st, a.Guard):
			out.Alts = append(out.Alts, a)
		}
	}
	if len(out.Alts) == 1 {
		out.Alts[0].Guard = e.s.True()
	}
	if len(out.Alts) == 0 { // nothing gets here
		return p
	}
	return out
}

// possible asks the Prober once whether t can be true in st.
func (e *encoder) possible(st *memory.State, t ilr.Term) bool {
	t = e.s.And(st.PC.Unguarded, t, e.Facts)
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

// designated lists what the integer address of a can be in st: a live object that contains it, else memory of the
// memory map, else nothing.
func (e *encoder) designated(st *memory.State, a memory.Alt) []target {
	var out []target
	rest := a.Guard
	add := func(t target, base, size, when ilr.Term) {
		t.off = e.s.Sub(a.Off, base)
		in := e.s.And(when, e.s.Ult(t.off, size))
		if !e.opts.AddressZero { // null designates nothing, wherever the memory map begins
			in = e.s.And(in, e.s.NonZero(a.Off))
		}
		t.g = e.s.And(rest, in)
		rest = e.s.And(rest, e.s.Not(in))
		if !e.s.IsFalse(t.g) {
			out = append(out, t)
		}
	}
	e.observeAt(st, a)
	for _, o := range e.Observed {
		if e.mayContain(o, a.Off) {
			add(target{obj: o}, o.Addr, e.Extent(o), o.AliveIn(e.Space, st.Mem.Alive))
		}
	}
	for i := range e.opts.Regions {
		r := &e.opts.Regions[i]
		t := target{vol: r}
		if r.Access != ir.AccessVolatile {
			t = target{obj: e.regionObject(i)}
		}
		add(t, e.s.Int(e.w, int64(r.Base)), e.s.Int(e.w, int64(r.Size)), e.s.True())
	}
	if !e.s.IsFalse(rest) {
		e.lostAlt(memory.Alt{Guard: rest, Off: a.Off})
		out = append(out, target{g: rest, off: a.Off})
	}
	return out
}

// mayContain reports whether o can lie where the address off is. It only looks at constants: null, and what the
// memory map says of the place.
func (e *encoder) mayContain(o *memory.Object, off ilr.Term) bool {
	c, known := e.ConstOf(off)
	if !known {
		return true
	}
	if c == 0 && !e.opts.AddressZero {
		return false
	}
	for i := range e.opts.Regions {
		r := &e.opts.Regions[i]
		if c-r.Base < r.Size {
			return r.Access != ir.AccessVolatile && e.mayLieIn(o, []*ir.Region{r})
		}
	}
	return !e.hasHome(o)
}

// mayLieIn reports whether o can lie in one of the regions rs, none of which is volatile.
func (e *encoder) mayLieIn(o *memory.Object, rs []*ir.Region) bool {
	for _, r := range rs {
		if memory.IsHome(o, r) {
			return true
		}
	}
	return len(rs) > 0 && !e.hasHome(o)
}

// hasHome reports whether the memory map says where objects like o are.
func (e *encoder) hasHome(o *memory.Object) bool {
	for i := range e.opts.Regions {
		if r := &e.opts.Regions[i]; r.Access != ir.AccessVolatile && memory.IsHome(o, r) {
			return true
		}
	}
	return false
}

// observeAt observes the objects that the integer address of a may designate in st and that the program did not
// look at yet: those that can lie where the memory map has memory, because an access there cannot tell them from
// memory without an object. Elsewhere the access is a violation, unless an observed object is there. Of a constant
// address only globals whose address is a constant of the program count; the others are kept away from it.
func (e *encoder) observeAt(st *memory.State, a memory.Alt) {
	_, fixed := e.s.ConstVal(a.Off)
	if e.cutter != nil && !fixed { // a gap
		return
	}
	var rs []*ir.Region
	for i := range e.opts.Regions {
		if r := &e.opts.Regions[i]; r.Access != ir.AccessVolatile && e.mayBeIn(st, a, r, fixed) {
			rs = append(rs, r)
		}
	}
	if len(rs) == 0 {
		return
	}
	n := 0
	for _, o := range e.candidates(st, fixed) {
		if o.Addr != 0 || !e.mayLieIn(o, rs) {
			continue
		}
		if n++; n > policy.Designated {
			e.f.Gaps = append(e.f.Gaps, Gap{Guard: e.s.And(st.PC.All, a.Guard), Reason: verdict.Reason{
				Kind: verdict.Unsupported,
				Detail: fmt.Sprintf("an address of unknown origin may be that of more than %d objects",
					policy.Designated)}})
			return
		}
		e.Base(o)
	}
}

// mayBeIn reports whether the address of a may lie in r.
func (e *encoder) mayBeIn(st *memory.State, a memory.Alt, r *ir.Region, fixed bool) bool {
	in := e.s.And(a.Guard, e.s.Ult(e.s.Sub(a.Off, e.s.Int(e.w, int64(r.Base))), e.s.Int(e.w, int64(r.Size))))
	if !e.opts.AddressZero {
		in = e.s.And(in, e.s.NonZero(a.Off))
	}
	if e.s.IsFalse(in) || fixed || e.prober == nil {
		return !e.s.IsFalse(in)
	}
	return e.possible(st, in)
}

// candidates lists the objects that an address may designate: the globals, and of those made during the execution
// the ones alive in st. With fixed it lists the globals whose address is a number among the program's constants.
func (e *encoder) candidates(st *memory.State, fixed bool) []*memory.Object {
	var out []*memory.Object
	if fixed {
		if e.exposed == nil {
			e.exposed = ir.AddressConstants(e.m)
		}
		for _, g := range e.m.Globals {
			if e.exposed[g] {
				out = append(out, e.GlobalObject(g))
			}
		}
		return out
	}
	for _, g := range e.m.Globals {
		out = append(out, e.GlobalObject(g))
	}
	for _, o := range e.Objects {
		if !o.Static() && !e.s.IsFalse(o.AliveIn(e.Space, st.Mem.Alive)) {
			out = append(out, o)
		}
	}
	return out
}

// regionObject is a region that behaves like memory, as an object at a known place.
func (e *encoder) regionObject(i int) *memory.Object {
	r := &e.opts.Regions[i]
	for _, o := range e.Objects {
		if o.Kind == memory.ObjRegion && o.Region == i {
			return o
		}
	}
	o := e.NewObject(memory.Object{Kind: memory.ObjRegion, Name: r.Name, Region: i, Align: 1,
		ReadOnly: r.Access == ir.AccessRead},
		e.s.Int(e.w, int64(r.Size)))
	o.Addr = e.s.Int(e.w, int64(r.Base))
	o.Init = &memory.Content{Live: e.s.True(), Base: e.UnknownBase(o)}
	return o
}
