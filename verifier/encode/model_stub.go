package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// stub evaluates a function that the user replaced by "havoc" (package stub): any
// result, and each whole object that a pointer argument leads to gets any value, but for
// arguments that it keeps. What cannot be written stays as it is.
func (c *modelCall) stub(m ir.Model) (memory.Val, bool) {
	switch m {
	case ir.ModelStubHavoc:
		for i, a := range c.in.Args {
			if a.Type().IsPtr() && c.args[i].Ptr != nil {
				c.changes(c.args[i].Ptr, c.fn.Keeps(i), func(t target) (from, n ilr.Term) { return c.s.Int(c.w, 0), t.obj.Size })
			}
			if c.st.PC == nil {
				return memory.Val{}, true
			}
		}
		return c.Fresh(c.st, input.Nondet, c.in, c.in.T, c.name), true
	case ir.ModelHavocRest:
		if c.args[0].Ptr != nil {
			c.changes(c.args[0].Ptr, false, c.rest)
		}
		return memory.Val{}, true
	}
	return memory.Val{}, false
}

// rest returns where the bytes of a target begin that havoc-rest changes, and how many there are.
func (c *modelCall) rest(t target) (from, n ilr.Term) {
	n = c.s.Ite(c.s.Ult(t.off, t.obj.Size), c.s.Sub(t.obj.Size, t.off), c.s.Int(c.w, 0))
	if len(c.args) > 1 {
		most := c.Num(c.args[1])
		n = c.s.Ite(c.s.Ult(most, n), most, n)
	}
	return t.off, n
}

// changes gives the objects that p leads to any value in the bytes that part returns, where they can be written; keeps:
// none, but what the pointers in them lead to is not followed either.
func (c *modelCall) changes(p *memory.Ptr, keeps bool, part func(target) (from, n ilr.Term)) {
	e, st := c.encoder, c.st
	for _, t := range e.targets(st, p) {
		if t.obj == nil || t.vol != nil || t.obj.ReadOnly || t.obj.Kind == memory.ObjFunc || t.obj.Kind == memory.ObjLabel {
			continue
		}
		from, n := part(t)
		some := e.s.And(t.g, st.Get(t.obj).Live, e.someBytes(n))
		if e.s.IsFalse(some) {
			continue
		}
		if e.leadsOn(t.obj, st.Get(t.obj)) {
			e.gapWhen(st, c.in, some, "havoc stub %s: %s holds pointers, and what they lead to is not followed",
				c.name, t.obj.What())
			if st.PC == nil {
				return
			}
			continue
		}
		if keeps {
			continue
		}
		e.havocTargets(st, c.in, []target{{g: some, obj: t.obj, off: from}}, n, some, "havoc")
		if st.PC == nil {
			return
		}
	}
}

// havocObjects makes all bytes of the object unknown that p points into, whichever
// of several it is.
func (c *modelCall) havocObjects(p memory.Val) {
	e, st := c.encoder, c.st
	start := &memory.Ptr{}
	when := e.s.True()
	for _, a := range p.Ptr.Alts {
		if a.Object != nil {
			a.Off = e.s.Int(e.w, 0)
			when = e.s.And(when, e.s.Or(e.s.Not(a.Guard), e.someBytes(a.Object.Size)))
		} else { // CBMC: null leads to no object to change
			when = e.s.And(when, e.s.Not(e.s.And(a.Guard, e.Eq(a.Off, e.s.Int(e.w, 0)))))
		}
		start.Alts = append(start.Alts, a)
	}
	p.Ptr = start
	for _, t := range e.checkAccess(c.fr, st, c.in, p, want{n: e.s.Int(e.w, 1), align: 1, write: true, what: "write"},
		when) {
		if t.obj == nil || t.vol != nil || st.PC == nil {
			continue
		}
		t.off = e.s.Int(e.w, 0)
		e.havocTargets(st, c.in, []target{t}, t.obj.Size, e.s.And(t.g, e.someBytes(t.obj.Size)), "havoc")
	}
}

// leadsOn reports whether c can hold a pointer to an object.
func (e *encoder) leadsOn(o *memory.Object, c *memory.Content) bool {
	if c.Array != nil && e.HoldsPointers(o) {
		return true
	}
	found := false
	look := func(_ int64, x *memory.Cell) {
		if x.V.Ptr == nil {
			return
		}
		for _, a := range x.V.Ptr.Alts {
			found = found || a.Object != nil && !e.s.IsFalse(a.Guard) && a.Object.Kind != memory.ObjFunc
		}
	}
	c.Cells.Each(look)
	if c.Base != nil {
		covered := c.Cells
		c.Base.Cells.Each(func(k int64, x *memory.Cell) {
			if covered.Get(k) == nil {
				look(k, x)
			}
		})
	}
	return found
}
