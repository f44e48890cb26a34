package encode

import (
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// stub evaluates a function that the user replaced by "havoc" (package stub): any
// result, and each whole object that a pointer argument leads to gets any value.
// What cannot be written stays as it is.
func (c *modelCall) stub(m ir.Model) (val, bool) {
	if m != ir.ModelStubHavoc {
		return val{}, false
	}
	for i, a := range c.in.Args {
		if a.Type().IsPtr() && c.args[i].p != nil {
			c.havocReached(c.args[i].p)
		}
		if c.st.pc == nil {
			return val{}, true
		}
	}
	return c.fresh(c.st, input.Nondet, c.in, c.in.T, c.name), true
}

func (c *modelCall) havocReached(p *ptr) {
	e, st := c.encoder, c.st
	for _, t := range e.targets(st, p) {
		if t.obj == nil || t.vol != nil || t.obj.ro || t.obj.kind == objFunc || t.obj.kind == objLabel {
			continue
		}
		some := e.s.And(t.g, st.get(t.obj).live, e.someBytes(t.obj.size))
		if e.s.IsFalse(some) {
			continue
		}
		if e.leadsOn(t.obj, st.get(t.obj)) {
			e.gapWhen(st, c.in, some, "havoc stub %s: %s holds pointers, and what they lead to is not followed",
				c.name, t.obj.what())
			if st.pc == nil {
				return
			}
			continue
		}
		e.havocTargets(st, c.in, []target{{g: some, obj: t.obj, off: e.s.Int(e.w, 0)}}, t.obj.size, some, "havoc")
		if st.pc == nil {
			return
		}
	}
}

// havocObjects makes all bytes of the object unknown that p points into, whichever
// of several it is.
func (c *modelCall) havocObjects(p val) {
	e, st := c.encoder, c.st
	start := &ptr{}
	when := e.s.True()
	for _, a := range p.p.alts {
		if a.obj != nil {
			a.off = e.s.Int(e.w, 0)
			when = e.s.And(when, e.s.Or(e.s.Not(a.g), e.someBytes(a.obj.size)))
		} else { // CBMC: null leads to no object to change
			when = e.s.And(when, e.s.Not(e.s.And(a.g, e.eq(a.off, e.s.Int(e.w, 0)))))
		}
		start.alts = append(start.alts, a)
	}
	p.p = start
	for _, t := range e.checkAccess(c.fr, st, c.in, p, want{n: e.s.Int(e.w, 1), align: 1, write: true, what: "write"},
		when) {
		if t.obj == nil || t.vol != nil || st.pc == nil {
			continue
		}
		t.off = e.s.Int(e.w, 0)
		e.havocTargets(st, c.in, []target{t}, t.obj.size, e.s.And(t.g, e.someBytes(t.obj.size)), "havoc")
	}
}

// leadsOn reports whether c can hold a pointer to an object.
func (e *encoder) leadsOn(o *object, c *content) bool {
	if c.arr != nil && e.holdsPointers(o) {
		return true
	}
	found := false
	look := func(_ int64, x *cell) {
		if x.v.p == nil {
			return
		}
		for _, a := range x.v.p.alts {
			found = found || a.obj != nil && !e.s.IsFalse(a.g) && a.obj.kind != objFunc
		}
	}
	c.cells.each(look)
	if c.base != nil {
		covered := c.cells
		c.base.cells.each(func(k int64, x *cell) {
			if covered.get(k) == nil {
				look(k, x)
			}
		})
	}
	return found
}
