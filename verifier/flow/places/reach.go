package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// Reach holds what an execution from an entry may call, read or write.
type Reach struct {
	Funcs   map[*ir.Func]bool
	Globals map[*ir.Global]bool
}

// Reached walks the functions and variables that an execution from entry can name: by its
// instructions, and by the initialisers of the variables among them.
func Reached(m *ir.Module, entry *ir.Func) Reach {
	r := Reach{map[*ir.Func]bool{}, map[*ir.Global]bool{}}
	todo := append([]*ir.Func{entry}, m.Ctors...)
	if m.Finish != nil {
		todo = append(todo, m.Finish)
	}
	var constant func(c *ir.Const)
	constant = func(c *ir.Const) {
		if c == nil {
			return
		}
		if c.Func != nil {
			todo = append(todo, c.Func)
		}
		for _, e := range c.Elems {
			constant(e)
		}
		if g := c.Global; g != nil && !r.Globals[g] {
			r.Globals[g] = true
			constant(g.Init)
		}
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f == nil || r.Funcs[f] {
			continue
		}
		r.Funcs[f] = true
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range append([]ir.Value{in.Callee}, in.Args...) {
					if c, ok := a.(*ir.Const); ok {
						constant(c)
					}
				}
			}
		}
	}
	return r
}
