package interp

import (
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// stub executes a function that the user replaced by "havoc" (package stub): any
// result, and each whole object that a pointer argument leads to gets any value.
// What cannot be written stays as it is.
func (c *call) stub(m ir.Model) bool {
	if m != ir.ModelStubHavoc {
		return false
	}
	for i, a := range c.in.Args {
		if !a.Type().IsPtr() {
			continue
		}
		p := c.located(i)
		o := p.obj
		if o == nil || o.fn != nil || o.block != nil || o.dead != "" || o.readOnly || o.size == 0 || o.region != nil &&
			o.region.Access == ir.AccessVolatile {
			continue
		}
		if c.leadsOn(o) {
			c.end(Unsupported, "", "havoc stub "+c.name+": "+c.describe(o)+
				" holds pointers, and what they lead to is not followed")
			return true
		}
		p.bits = c.zero
		if !c.fillHavoc(p, uint64(o.size)) {
			return true
		}
	}
	v := c.inputs(input.Nondet, c.in.T)
	c.result(v)
	c.traceInput(c.in, c.name, v)
	return true
}

// leadsOn reports whether o holds a pointer to an object.
func (c *call) leadsOn(o *object) bool {
	for _, v := range o.ptrs {
		if v.obj != nil && v.obj.fn == nil {
			return true
		}
	}
	return false
}
