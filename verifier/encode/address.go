package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// base returns o's address as a term, observed from now on: a variable with the bits
// below the alignment zero, constrained against every other observed object.
func (e *encoder) base(o *object) ilr.Term {
	if o.addr != 0 {
		return o.addr
	}
	k := 0
	for int64(1)<<(k+1) <= o.align && k < e.w-1 {
		k++
	}
	name := "base!" + fmt.Sprint(o.id)
	if o.name != "" {
		name += "!" + o.name
	}
	v := e.s.Var(name, ilr.BV(e.w-k))
	o.addr = v
	if k > 0 {
		o.addr = e.s.Concat(v, e.s.Int(k, 0))
	}
	e.placement(o)
	e.observed = append(e.observed, o)
	e.event(Event{Kind: input.Base, Instr: o.in, Guard: o.born, Value: o.addr, Object: o.id, Name: o.name})
	return o.addr
}

// placement states where o can be (LL-112, LL-124): not at null, no wrap-around, apart from volatile regions, from
// the observed objects that are alive at the same time, and from fixed addresses that the program accessed.
func (e *encoder) placement(o *object) {
	size := e.extent(o)
	assume := func(t ilr.Term) { e.assume(e.s.Implies(o.born, t)) }
	if !e.opts.AddressZero {
		assume(e.s.Not(e.eq(o.addr, e.s.Int(e.w, 0))))
	}
	assume(e.s.Not(e.s.UaddO(o.addr, size)))
	for _, p := range e.observed {
		e.assume(e.s.Implies(e.together(o, p), e.disjoint(o.addr, size, p.addr, e.extent(p))))
	}
	homes := []ilr.Term{}
	for i := range e.opts.Regions {
		r := &e.opts.Regions[i]
		rb, rs := e.s.Int(e.w, int64(r.Base)), e.s.Int(e.w, int64(r.Size))
		if r.Access == ir.AccessVolatile {
			apart := e.disjoint(o.addr, size, rb, rs)
			if r.Base+r.Size == 0 || e.w < 64 && (r.Base+r.Size)>>uint(e.w) != 0 { // up to the end of the address space
				apart = e.s.Ule(e.s.Add(o.addr, size), rb)
			}
			assume(apart)
			continue
		}
		if isHome(o, r) {
			rel := e.s.Sub(o.addr, rb)
			homes = append(homes, e.s.And(e.s.Ule(rel, rs), e.s.Ule(size, e.s.Sub(rs, rel))))
		}
	}
	if len(homes) > 0 {
		assume(e.s.Or(homes...))
	}
	for _, f := range e.fixed {
		e.note("no object of the program lies at the constant addresses that it accesses")
		assume(e.s.Implies(f.when, e.disjoint(o.addr, size, f.at, f.n)))
	}
}

// fixedUse is an access at a constant address inside the memory map, where no observed object was.
type fixedUse struct{ when, at, n ilr.Term }

// isHome reports whether o can lie in the region r, which is not volatile, if regions of its kind exist.
func isHome(o *object, r *ir.Region) bool {
	return o.ro && r.Access == ir.AccessRead || !o.ro && r.Access == ir.AccessReadWrite || o.kind == objFunc
}

// life is a moment at which an object came to life.
type life struct {
	when  ilr.Term       // this happens
	alive trie[ilr.Term] // what was alive then, by ids of objects
}

// begin makes o alive in st with the contents c, and remembers what else is.
func (e *encoder) begin(st *state, o *object, c *content) {
	st.put(o, c)
	l := life{when: e.s.And(o.born, st.pc.all), alive: st.mem.alive}
	o.lives = append(o.lives, l)
	if o.addr == 0 {
		return
	}
	for _, p := range e.observed {
		if p != o && !p.static() { // placement keeps it apart from the others
			e.assume(e.s.Implies(e.s.And(l.when, p.aliveIn(e, l.alive)),
				e.disjoint(o.addr, e.extent(o), p.addr, e.extent(p))))
		}
	}
}

// static reports an object that is alive during the whole execution.
func (o *object) static() bool { return o.kind != objStack && o.kind != objHeap }

// aliveIn returns the condition that o was made and is one of those alive.
func (o *object) aliveIn(e *encoder, alive trie[ilr.Term]) ilr.Term {
	if live := alive.get(int64(o.id)); live != nil {
		return e.s.And(o.born, *live)
	}
	if o.init == nil {
		return e.s.False()
	}
	return e.s.And(o.born, o.init.live)
}

// together returns the condition that o and p, as far as they began until now, are alive at one moment: only then
// they cannot overlap. An object that is dead for good leaves its place to later ones.
func (e *encoder) together(o, p *object) ilr.Term {
	if o.static() || p.static() {
		return e.s.And(o.born, p.born)
	}
	r := e.s.False()
	for _, x := range [][2]*object{{o, p}, {p, o}} {
		for _, l := range x[0].lives {
			r = e.s.Or(r, e.s.And(l.when, x[1].aliveIn(e, l.alive)))
		}
	}
	return r
}

// surelyTogether reports that o and p, which were both made, are alive in st or were at one moment before.
func (e *encoder) surelyTogether(st *state, o, p *object) bool {
	in := func(o *object, alive trie[ilr.Term]) bool {
		live := alive.get(int64(o.id))
		return o.static() || live != nil && e.s.IsTrue(*live)
	}
	if in(o, st.mem.alive) && in(p, st.mem.alive) {
		return true
	}
	if o.id < p.id {
		o, p = p, o
	}
	return len(o.lives) > 0 && o.lives[0].when == o.born && in(p, o.lives[0].alive)
}

// extent is the size for placement: an empty object still has an address of its own.
func (e *encoder) extent(o *object) ilr.Term {
	one := e.s.Int(e.w, 1)
	if o.csize == 0 {
		return one
	}
	if o.csize > 0 {
		return o.size
	}
	return e.s.Ite(e.eq(o.size, e.s.Int(e.w, 0)), one, o.size)
}

func (e *encoder) disjoint(a, n, b, m ilr.Term) ilr.Term {
	return e.s.Or(e.s.Ule(e.s.Add(a, n), b), e.s.Ule(e.s.Add(b, m), a))
}

// assume adds a fact that holds in every execution.
func (e *encoder) assume(t ilr.Term) {
	if e.s.IsTrue(t) {
		return
	}
	e.f.Assumptions = append(e.f.Assumptions, t)
	e.facts = e.s.And(e.facts, t)
}
