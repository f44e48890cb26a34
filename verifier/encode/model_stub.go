package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// stub evaluates a function that the user replaced by "havoc" (package stub): any
// result, and each whole object that a pointer argument leads to gets any value, but for
// arguments that it keeps. What cannot be written stays as it is.
func (c *modelCall) stub(m ir.Model) (val, bool) {
	switch m {
	case ir.ModelStubHavoc:
		for i, a := range c.in.Args {
			if a.Type().IsPtr() && c.args[i].p != nil {
				c.changes(c.args[i].p, c.fn.Keeps(i), func(t target) (from, n ilr.Term) { return c.s.Int(c.w, 0), t.obj.size })
			}
			if c.st.pc == nil {
				return val{}, true
			}
		}
		return c.fresh(c.st, input.Nondet, c.in, c.in.T, c.name), true
	case ir.ModelHavocRest:
		if c.args[0].p != nil {
			c.changes(c.args[0].p, false, c.rest)
		}
		return val{}, true
	}
	return val{}, false
}

// rest returns where the bytes of a target begin that havoc-rest changes, and how many there are.
func (c *modelCall) rest(t target) (from, n ilr.Term) {
	n = c.s.Ite(c.s.Ult(t.off, t.obj.size), c.s.Sub(t.obj.size, t.off), c.s.Int(c.w, 0))
	if len(c.args) > 1 {
		most := c.num(c.args[1])
		n = c.s.Ite(c.s.Ult(most, n), most, n)
	}
	return t.off, n
}

// changes gives the objects that p leads to any value in the bytes that part returns, where they can be written; keeps:
// none, but what the pointers in them lead to is not followed either.
func (c *modelCall) changes(p *ptr, keeps bool, part func(target) (from, n ilr.Term)) {
	e, st := c.encoder, c.st
	for _, t := range e.targets(st, p) {
		if t.obj == nil || t.vol != nil || t.obj.ro || t.obj.kind == objFunc || t.obj.kind == objLabel {
			continue
		}
		from, n := part(t)
		some := e.s.And(t.g, st.get(t.obj).live, e.someBytes(n))
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
		if keeps {
			continue
		}
		e.havocTargets(st, c.in, []target{{g: some, obj: t.obj, off: from}}, n, some, "havoc")
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
