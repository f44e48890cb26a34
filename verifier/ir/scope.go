package ir

// Scoped tells which allocas of f have a scope that begins: they come to life at their llvm.lifetime.start.
func Scoped(f *Func) map[*Instr]bool {
	out := map[*Instr]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if a := Begun(in); a != nil && a.Op == OpAlloca {
				out[a] = true
			}
		}
	}
	return out
}

// AddressConstants tells which globals have an address that is a number among the constants of m.
func AddressConstants(m *Module) map[*Global]bool {
	out := map[*Global]bool{}
	var look func(c *Const, number bool)
	look = func(c *Const, number bool) {
		if c == nil {
			return
		}
		if c.Global != nil && (number || c.Kind == ConstAddrInt) {
			out[c.Global] = true
		}
		for _, x := range c.Elems {
			look(x, number)
		}
	}
	for _, g := range m.Globals {
		look(g.Init, false)
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range in.Args {
					if c, ok := a.(*Const); ok {
						look(c, in.Op == OpPtrToInt)
					}
				}
			}
		}
	}
	return out
}
