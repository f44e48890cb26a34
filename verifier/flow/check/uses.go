package check

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// uses says which functions store in which variables, and which may run between two steps of others.
type uses struct {
	writers  map[*ir.Global]map[*ir.Func]bool
	volatile map[*ir.Global]bool // or atomic, in some access
	called   map[*ir.Func]bool   // maybe by code: its address stands in some, or where code may find it
	between  map[*ir.Func]bool   // handlers of interrupts, and what they may call
}

func usesOf(m *ir.Module) *uses {
	u := &uses{writers: map[*ir.Global]map[*ir.Func]bool{}, volatile: map[*ir.Global]bool{}, called: map[*ir.Func]bool{},
		between: map[*ir.Func]bool{}}
	var todo []*ir.Func
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				u.access(f, in)
			}
		}
		if f.Handler {
			todo = append(todo, f)
		}
	}
	u.mayBeCalled(m)
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !u.between[f] {
			u.between[f] = true
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					todo = append(todo, m.MayCall(in)...)
				}
			}
		}
	}
	return u
}

func (u *uses) access(f *ir.Func, in *ir.Instr) {
	for i, v := range in.Args {
		c, ok := v.(*ir.Const)
		if !ok || c.Global == nil {
			continue
		}
		u.volatile[c.Global] = u.volatile[c.Global] || in.Flags&(ir.Volatile|ir.Atomic) != 0
		if in.Op == ir.OpStore && i == 1 {
			if u.writers[c.Global] == nil {
				u.writers[c.Global] = map[*ir.Func]bool{}
			}
			u.writers[c.Global][f] = true
		}
	}
}

// mayBeCalled notes the functions that code may call: all whose addresses stand in instructions, or in variables. A vector
// table whose own address stands nowhere is read by the processor alone.
func (u *uses) mayBeCalled(m *ir.Module) {
	tables := map[*ir.Global]bool{} // not looked into so far
	var inside func(c *ir.Const)
	inside = func(c *ir.Const) {
		if c == nil {
			return
		}
		if c.Func != nil {
			u.called[c.Func] = true
		}
		if g := c.Global; tables[g] {
			delete(tables, g)
			inside(g.Init)
		}
		for _, e := range c.Elems {
			inside(e)
		}
	}
	for _, g := range m.Globals {
		tables[g] = ir.VectorSection(g.Section)
	}
	eachConstant(m, func(of *ir.Global, _ *ir.Instr, _ int, c *ir.Const) {
		// llvm.metadata is of attributes, and no part of the program
		if of == nil || !ir.VectorSection(of.Section) && of.Section != "llvm.metadata" {
			inside(c)
		}
	})
}

// stays reports whether what the variable of a fact holds where f begins, or f stores there, stays there until f calls
// another function.
func (u *uses) stays(x Fact, f *ir.Func) bool {
	writers := u.writers[x.Global]
	switch {
	case u.volatile[x.Global]:
		return len(writers) == 1 && writers[f] && x.Writer == f
	case len(writers) == 1 && writers[f] && f.Handler && !u.called[f]:
		return true
	}
	for g := range writers {
		if u.between[g] || u.between[f] {
			return false
		}
	}
	return true
}

// usedAbroad returns the registers of f that blocks other than their own use; a phi uses them where its block begins.
func usedAbroad(f *ir.Func) map[ir.Value]bool {
	out := map[ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpPhi {
				out[in] = true
			}
			for _, a := range in.Args {
				if r, ok := a.(*ir.Instr); ok && r.Block != b {
					out[r] = true
				}
			}
		}
	}
	return out
}

// localNumbers returns the variables of f that hold a number which loads and stores of all of it alone get at.
func localNumbers(f *ir.Func) map[*ir.Instr]int {
	out, casts := map[*ir.Instr]int{}, map[ir.Value]*ir.Instr{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && isWord(in.Access) && ir.IsConst(in.Args[0], 1) {
				out[in] = in.Access.Width
			}
			if in.Op == ir.OpBitcast { // as marks of its life name it; blocks may stand in any order
				if slot, ok := in.Args[0].(*ir.Instr); ok && slot.Op == ir.OpAlloca {
					casts[in] = slot
				}
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				of := casts[a]
				direct := of == nil
				if direct {
					if of, _ = a.(*ir.Instr); of == nil {
						continue
					}
				}
				marks := in.Op == ir.OpCall && (in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd)
				whole := (in.Op == ir.OpLoad || in.Op == ir.OpStore && i == 1) && direct && in.Access.IsInt() &&
					in.Access.Width == out[of] && in.Flags&(ir.Volatile|ir.Atomic) == 0
				if !whole && !marks && casts[in] != of {
					delete(out, of)
				}
			}
		}
	}
	return out
}
