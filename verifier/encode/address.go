package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// base is o's address as a term, observed from now on: a variable with the bits
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

// placement states where o can be (LL-112, LL-124): not at null, no wrap-around,
// apart from the other observed objects and from volatile regions.
func (e *encoder) placement(o *object) {
	size := e.extent(o)
	assume := func(t ilr.Term) { e.assume(e.s.Implies(o.born, t)) }
	if !e.opts.AddressZero {
		assume(e.s.Not(e.eq(o.addr, e.s.Int(e.w, 0))))
	}
	assume(e.s.Not(e.s.UaddO(o.addr, size)))
	for _, p := range e.observed {
		assume(e.s.Implies(p.born, e.disjoint(o.addr, size, p.addr, e.extent(p))))
	}
	homes := []ilr.Term{}
	for _, r := range e.opts.Regions {
		rb, rs := e.s.Int(e.w, int64(r.Base)), e.s.Int(e.w, int64(r.Size))
		if r.Access == ir.AccessVolatile {
			apart := e.disjoint(o.addr, size, rb, rs)
			if r.Base+r.Size == 0 || e.w < 64 && (r.Base+r.Size)>>uint(e.w) != 0 { // up to the end of the address space
				apart = e.s.Ule(e.s.Add(o.addr, size), rb)
			}
			assume(apart)
			continue
		}
		if o.ro && r.Access == ir.AccessRead || !o.ro && r.Access == ir.AccessReadWrite || o.kind == objFunc {
			rel := e.s.Sub(o.addr, rb)
			homes = append(homes, e.s.And(e.s.Ule(rel, rs), e.s.Ule(size, e.s.Sub(rs, rel))))
		}
	}
	if len(homes) > 0 {
		assume(e.s.Or(homes...))
	}
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
