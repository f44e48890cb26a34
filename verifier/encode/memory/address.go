package memory

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Base returns o's address as a term, observed from now on: a variable with the bits
// below the alignment zero, constrained against every other observed object.
func (e *Space) Base(o *Object) ilr.Term {
	if o.Addr != 0 {
		return o.Addr
	}
	k := 0
	for int64(1)<<(k+1) <= o.Align && k < e.w-1 {
		k++
	}
	name := "base!" + fmt.Sprint(o.ID)
	if o.Name != "" {
		name += "!" + o.Name
	}
	v := e.s.Var(name, ilr.BV(e.w-k))
	o.Addr = v
	if k > 0 {
		o.Addr = e.s.Concat(v, e.s.Int(k, 0))
	}
	e.placement(o)
	e.Observed = append(e.Observed, o)
	e.Event(Event{Kind: input.Base, Instr: o.Instr, Guard: o.Born, Value: o.Addr, Object: o.ID, Name: o.Name})
	return o.Addr
}

// placement states where o can be (LL-112, LL-124): not at null, no wrap-around, apart from volatile regions, from
// the observed objects that are alive at the same time, and from fixed addresses that the program accessed.
func (e *Space) placement(o *Object) {
	size := e.Extent(o)
	assume := func(t ilr.Term) { e.Assume(e.s.Implies(o.Born, t)) }
	if !e.AddressZero {
		assume(e.s.Not(e.Eq(o.Addr, e.s.Int(e.w, 0))))
	}
	assume(e.s.Not(e.s.UaddO(o.Addr, size)))
	for _, p := range e.Observed {
		e.Assume(e.s.Implies(e.together(o, p), e.disjoint(o.Addr, size, p.Addr, e.Extent(p))))
	}
	homes := []ilr.Term{}
	for i := range e.Regions {
		r := &e.Regions[i]
		rb, rs := e.s.Int(e.w, int64(r.Base)), e.s.Int(e.w, int64(r.Size))
		if r.Access == ir.AccessVolatile {
			apart := e.disjoint(o.Addr, size, rb, rs)
			if r.Base+r.Size == 0 || e.w < 64 && (r.Base+r.Size)>>uint(e.w) != 0 { // up to the end of the address space
				apart = e.s.Ule(e.s.Add(o.Addr, size), rb)
			}
			assume(apart)
			continue
		}
		if IsHome(o, r) {
			rel := e.s.Sub(o.Addr, rb)
			homes = append(homes, e.s.And(e.s.Ule(rel, rs), e.s.Ule(size, e.s.Sub(rs, rel))))
		}
	}
	if len(homes) > 0 {
		assume(e.s.Or(homes...))
	}
	for _, f := range e.fixed {
		e.Note("no object of the program lies at the constant addresses that it accesses")
		assume(e.s.Implies(f.when, e.disjoint(o.Addr, size, f.at, f.n)))
	}
}

// fixedUse is an access at a constant address inside the memory map, where no observed object was.
type fixedUse struct{ when, at, n ilr.Term }

// Use tells of an access of n bytes at a constant address, when this happens: no object that is observed later on lies
// there.
func (e *Space) Use(when, at, n ilr.Term) { e.fixed = append(e.fixed, fixedUse{when, at, n}) }

// IsHome reports whether o can lie in the region r, which is not volatile, if regions of its kind exist.
func IsHome(o *Object, r *ir.Region) bool {
	return o.ReadOnly && r.Access == ir.AccessRead || !o.ReadOnly && r.Access == ir.AccessReadWrite || o.Kind == ObjFunc
}

// life is a moment at which an object came to life.
type life struct {
	when  ilr.Term       // this happens
	alive Trie[ilr.Term] // what was alive then, by ids of objects
}

// Begin makes o alive in st with the contents c, and remembers what else is.
func (e *Space) Begin(st *State, o *Object, c *Content) {
	st.Put(o, c)
	l := life{when: e.s.And(o.Born, st.PC.All), alive: st.Mem.Alive}
	o.Lives = append(o.Lives, l)
	if o.Addr == 0 {
		return
	}
	for _, p := range e.Observed {
		if p != o && !p.Static() { // placement keeps it apart from the others
			e.Assume(e.s.Implies(e.s.And(l.when, p.AliveIn(e, l.alive)),
				e.disjoint(o.Addr, e.Extent(o), p.Addr, e.Extent(p))))
		}
	}
}

// BeginIf is Begin of an object that the environment makes if it chooses ok.
func (e *Space) BeginIf(st *State, o *Object, ok ilr.Term, c *Content) {
	e.Begin(st, o, c)
	if !e.s.IsTrue(ok) {
		e.failed[e.s.Not(ok)] = o
	}
}

// UnmadeBy returns what is known not to be made in st once lit is decided, too.
func (e *Space) UnmadeBy(st *State, lit ilr.Term) Trie[Object] {
	if o := e.failed[lit]; o != nil {
		return st.Unmade.Set(int64(o.ID), o)
	}
	return st.Unmade
}

// Static reports an object that is alive during the whole execution.
func (o *Object) Static() bool { return o.Kind != ObjStack && o.Kind != ObjHeap }

// AliveIn returns the condition that o was made and is one of those alive.
func (o *Object) AliveIn(e *Space, alive Trie[ilr.Term]) ilr.Term {
	if live := alive.Get(int64(o.ID)); live != nil {
		return e.s.And(o.Born, *live)
	}
	if o.Init == nil {
		return e.s.False()
	}
	return e.s.And(o.Born, o.Init.Live)
}

// together returns the condition that o and p, as far as they began until now, are alive at one moment: only then
// they cannot overlap. An object that is dead for good leaves its place to later ones.
func (e *Space) together(o, p *Object) ilr.Term {
	if o.Static() || p.Static() {
		return e.s.And(o.Born, p.Born)
	}
	r := e.s.False()
	for _, x := range [][2]*Object{{o, p}, {p, o}} {
		for _, l := range x[0].Lives {
			r = e.s.Or(r, e.s.And(l.when, x[1].AliveIn(e, l.alive)))
		}
	}
	return r
}

// surelyTogether reports that o and p, which were both made, are alive in st or were at one moment before.
func (e *Space) surelyTogether(st *State, o, p *Object) bool {
	in := func(o *Object, alive Trie[ilr.Term]) bool {
		live := alive.Get(int64(o.ID))
		return o.Static() || live != nil && e.s.IsTrue(*live)
	}
	if in(o, st.Mem.Alive) && in(p, st.Mem.Alive) {
		return true
	}
	if o.ID < p.ID {
		o, p = p, o
	}
	return len(o.Lives) > 0 && o.Lives[0].when == o.Born && in(p, o.Lives[0].alive)
}

// Extent is the size for placement: an empty object still has an address of its own.
func (e *Space) Extent(o *Object) ilr.Term {
	one := e.s.Int(e.w, 1)
	if o.CSize == 0 {
		return one
	}
	if o.CSize > 0 {
		return o.Size
	}
	return e.s.Ite(e.Eq(o.Size, e.s.Int(e.w, 0)), one, o.Size)
}

func (e *Space) disjoint(a, n, b, m ilr.Term) ilr.Term {
	return e.s.Or(e.s.Ule(e.s.Add(a, n), b), e.s.Ule(e.s.Add(b, m), a))
}

// Assume adds a fact that holds in every execution.
func (e *Space) Assume(t ilr.Term) {
	if e.s.IsTrue(t) {
		return
	}
	e.Placed = append(e.Placed, t)
	e.Facts = e.s.And(e.Facts, t)
}
