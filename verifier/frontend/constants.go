package frontend

import "github.com/firmproof/firmproof/verifier/ir"

// settleFunctionPointers makes volatile reads of a pointer to a function plain reads where the pointer has an
// initialiser and the program can change it nowhere: it is constant, or only read. The idiom keeps a compiler
// from seeing which function clears a secret (static void *(*const volatile wipe)(void *, int, size_t) = memset);
// no device and no handler knows the address of another function.
func (t *translator) settleFunctionPointers() {
	fixed := map[*ir.Global]bool{}
	for _, g := range t.m.Globals {
		fixed[g] = g.Init != nil && g.Init.Kind == ir.ConstAddr && g.Init.Func != nil && !g.Extern && !g.Weak
		if i := g.Init; i != nil {
			t.forget(i, fixed)
		}
	}
	var reads []*ir.Instr
	for _, f := range t.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				g := readOf(in)
				if g != nil && in.Flags.Has(ir.Volatile) && !in.Flags.Has(ir.Atomic) {
					reads = append(reads, in)
				}
				for i, a := range in.Args {
					if c, ok := a.(*ir.Const); ok && (g == nil || i > 0) {
						t.forget(c, fixed)
					}
				}
			}
		}
	}
	for _, in := range reads {
		if fixed[readOf(in)] {
			in.Flags &^= ir.Volatile
		}
	}
}

// readOf returns the variable that in reads from its first byte on, nil if it does something else.
func readOf(in *ir.Instr) *ir.Global {
	if in.Op != ir.OpLoad || !in.T.IsPtr() {
		return nil
	}
	if c, ok := in.Args[0].(*ir.Const); ok && c.Kind == ir.ConstAddr && c.Off == 0 {
		return c.Global
	}
	return nil
}

// forget takes the variables out of fixed that are not constant and whose address c holds.
func (t *translator) forget(c *ir.Const, fixed map[*ir.Global]bool) {
	if g := c.Global; g != nil && !g.Const {
		fixed[g] = false
	}
	for _, e := range c.Elems {
		t.forget(e, fixed)
	}
}
