package ir

// NumbersRead lists the loads of a variable, or of parts of it, in code that names it. all: these are integers, and
// nothing else is done with its address than to load and to store there.
func NumbersRead(m *Module, g *Global) (loads []*Instr, all bool) {
	for _, o := range m.Globals {
		if holds(o.Init, g) {
			return nil, false
		}
	}
	for _, f := range m.Funcs {
		into := map[Value]bool{}
		at := func(v Value) bool {
			c, ok := v.(*Const)
			return into[v] || ok && c.Kind == ConstAddr && c.Global == g
		}
		for n := -1; n != len(into); { // blocks need not be in the order of execution
			n = len(into)
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					if (in.Op == OpGep || in.Op == OpBitcast) && at(in.Args[0]) {
						into[in] = true
					}
				}
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					switch {
					case !at(v):
						if c, ok := v.(*Const); ok && c.Kind != ConstAddr && holds(c, g) {
							return nil, false
						}
					case in.Op == OpLoad && in.T.IsInt():
						loads = append(loads, in)
					case in.Op == OpStore && i == 1, (in.Op == OpGep || in.Op == OpBitcast) && i == 0:
					case (f.Made || f.Driven()) && in.Model == ModelHavoc:
					default:
						return nil, false
					}
				}
			}
		}
	}
	return loads, true
}

// holds reports whether a constant names g.
func holds(c *Const, g *Global) bool {
	if c == nil {
		return false
	}
	if c.Global == g {
		return true
	}
	for _, e := range c.Elems {
		if holds(e, g) {
			return true
		}
	}
	return false
}
