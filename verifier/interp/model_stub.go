package interp

import (
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// stub executes a function that the user replaced by "havoc" (package stub): any
// result, and each whole object that a pointer argument leads to gets any value, but for
// arguments that it keeps. What cannot be written stays as it is.
func (c *call) stub(m ir.Model) bool {
	switch m {
	case ir.ModelStubHavoc:
		for i, a := range c.in.Args {
			if !a.Type().IsPtr() {
				continue
			}
			p := c.located(i)
			p.Bits = c.zero
			if !c.changes(p, c.fn.Keeps(i), ^uint64(0)) {
				return true
			}
		}
		v := c.inputs(input.Nondet, c.in.T)
		c.result(v)
		c.on.Input(c.in, c.name, v)
		return true
	case ir.ModelHavocRest:
		n := ^uint64(0)
		if len(c.in.Args) > 1 {
			var ok bool
			if n, ok = c.count(1); !ok {
				return true
			}
		}
		c.changes(c.located(0), false, n)
		c.result(Value{})
		return true
	}
	return false
}

// changes gives the object of p any value from p on, at most n bytes of it, if it is one that can be written.
// keeps: it stays as it is, but what the pointers in it lead to is not followed either. False if the run ends there.
func (c *call) changes(p Value, keeps bool, n uint64) bool {
	o := p.Object
	if o == nil || o.Func != nil || o.Block != nil || o.Dead != "" || o.readOnly || o.Region != nil &&
		o.Region.Access == ir.AccessVolatile {
		return true
	}
	off := p.Bits.Low64()
	if off >= uint64(o.Size) {
		return true
	}
	if n = min(n, uint64(o.Size)-off); n > 0 && c.leadsOn(o) {
		c.EndRun(Unsupported, "", "havoc stub "+c.name+": "+c.describe(o)+
			" holds pointers, and what they lead to is not followed")
		return false
	}
	return keeps || c.fillHavoc(p, n)
}

// leadsOn reports whether o holds a pointer to an object.
func (c *call) leadsOn(o *Object) bool {
	for _, v := range o.Pointers {
		if v.Object != nil && v.Object.Func == nil {
			return true
		}
	}
	return false
}
