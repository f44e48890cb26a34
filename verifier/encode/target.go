package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
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
