package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// target is where one access may go under guard g.
type target struct {
	g   ilr.Term
	obj *object // nil: no object
	off ilr.Term
	vol *ir.Region // a volatile region
}

// targets lists what p designates in st: an integer becomes the objects and the regions that can contain it, and
// a rest that is nowhere.
func (e *encoder) targets(st *state, p *ptr) []target {
	var out []target
	for _, a := range p.alts {
		if a.obj != nil {
			out = append(out, target{g: a.g, obj: a.obj, off: a.off})
			continue
		}
		out = append(out, e.designated(st, a)...)
	}
	return out
}

// pruned is p without what it cannot be in st, if the Prober says so. It asks where
// one of the alternatives is an address that is no constant: that can be any object's.
func (e *encoder) pruned(st *state, p *ptr) *ptr {
	if e.prober == nil || e.cutter != nil || len(p.alts) < 2 || e.opts.AddressZero {
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
	t = e.s.And(st.pc.unguarded, t, e.facts)
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
func (e *encoder) designated(st *state, a alt) []target {
	var out []target
	rest := a.g
	add := func(t target, base, size, when ilr.Term) {
		t.off = e.s.Sub(a.off, base)
		in := e.s.And(when, e.s.Ult(t.off, size))
		if !e.opts.AddressZero { // null designates nothing, wherever the memory map begins
			in = e.s.And(in, e.s.NonZero(a.off))
		}
		t.g = e.s.And(rest, in)
		rest = e.s.And(rest, e.s.Not(in))
		if !e.s.IsFalse(t.g) {
			out = append(out, t)
		}
	}
	e.observeAt(st, a)
	for _, o := range e.observed {
		if e.mayContain(o, a.off) {
			add(target{obj: o}, o.addr, e.extent(o), o.aliveIn(e, st.mem.alive))
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
		e.lostAlt(alt{g: rest, off: a.off}, nil)
		out = append(out, target{g: rest, off: a.off})
	}
	return out
}

// mayContain reports whether o can lie where the address off is. It only looks at constants: null, and what the
// memory map says of the place.
func (e *encoder) mayContain(o *object, off ilr.Term) bool {
	c, known := e.constOf(off)
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
func (e *encoder) mayLieIn(o *object, rs []*ir.Region) bool {
	for _, r := range rs {
		if isHome(o, r) {
			return true
		}
	}
	return len(rs) > 0 && !e.hasHome(o)
}

// hasHome reports whether the memory map says where objects like o are.
func (e *encoder) hasHome(o *object) bool {
	for i := range e.opts.Regions {
		if r := &e.opts.Regions[i]; r.Access != ir.AccessVolatile && isHome(o, r) {
			return true
		}
	}
	return false
}

// observeAt observes the objects that the integer address of a may designate in st and that the program did not
// look at yet: those that can lie where the memory map has memory, because an access there cannot tell them from
// memory without an object. Elsewhere the access is a violation, unless an observed object is there. Of a constant
// address only globals whose address is a constant of the program count; the others are kept away from it.
func (e *encoder) observeAt(st *state, a alt) {
	_, fixed := e.s.ConstVal(a.off)
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
		if o.addr != 0 || !e.mayLieIn(o, rs) {
			continue
		}
		if n++; n > policy.Designated {
			e.f.Gaps = append(e.f.Gaps, Gap{Guard: e.s.And(st.pc.all, a.g), Reason: verdict.Reason{
				Kind: verdict.Unsupported,
				Detail: fmt.Sprintf("an address of unknown origin may be that of more than %d objects",
					policy.Designated)}})
			return
		}
		e.base(o)
	}
}

// mayBeIn reports whether the address of a may lie in r.
func (e *encoder) mayBeIn(st *state, a alt, r *ir.Region, fixed bool) bool {
	in := e.s.And(a.g, e.s.Ult(e.s.Sub(a.off, e.s.Int(e.w, int64(r.Base))), e.s.Int(e.w, int64(r.Size))))
	if !e.opts.AddressZero {
		in = e.s.And(in, e.s.NonZero(a.off))
	}
	if e.s.IsFalse(in) || fixed || e.prober == nil {
		return !e.s.IsFalse(in)
	}
	return e.possible(st, in)
}

// candidates lists the objects that an address may designate: the globals, and of those made during the execution
// the ones alive in st. With fixed it lists the globals whose address is a number among the program's constants.
func (e *encoder) candidates(st *state, fixed bool) []*object {
	var out []*object
	if fixed {
		if e.exposed == nil {
			e.exposed = ir.AddressConstants(e.m)
		}
		for _, g := range e.m.Globals {
			if e.exposed[g] {
				out = append(out, e.globalObject(g))
			}
		}
		return out
	}
	for _, g := range e.m.Globals {
		out = append(out, e.globalObject(g))
	}
	for _, o := range e.objs {
		if !o.static() && !e.s.IsFalse(o.aliveIn(e, st.mem.alive)) {
			out = append(out, o)
		}
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
