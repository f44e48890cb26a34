package ir

// AddressesIn returns a function that tells which variable a value of f is the address of, or of a part of; nil: none, or
// it is not seen.
func AddressesIn(f *Func) func(Value) *Global {
	parts := map[*Instr]*Global{}
	of := func(v Value) *Global {
		switch v := v.(type) {
		case *Const:
			if v.Kind == ConstAddr {
				return v.Global
			}
		case *Instr:
			return parts[v]
		}
		return nil
	}
	for n := -1; n != len(parts); { // blocks need not be in the order of execution
		n = len(parts)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == OpGep || in.Op == OpBitcast {
					if g := of(in.Args[0]); g != nil {
						parts[in] = g
					}
				}
			}
		}
	}
	return of
}

// EachAddress visits the variables whose address a constant holds.
func EachAddress(c *Const, visit func(*Global)) {
	if c == nil {
		return
	}
	if c.Global != nil {
		visit(c.Global)
	}
	for _, e := range c.Elems {
		EachAddress(e, visit)
	}
}

// NumbersRead lists the loads of each variable, or of parts of it, in code that names it, for variables of which these are
// integers, and with whose address nothing else is done than to load and to store there.
func NumbersRead(m *Module) map[*Global][]*Instr {
	loads, other := map[*Global][]*Instr{}, map[*Global]bool{}
	for _, g := range m.Globals {
		loads[g] = nil
		EachAddress(g.Init, func(to *Global) { other[to] = true })
	}
	for _, f := range m.Funcs {
		into, driver := AddressesIn(f), f.Made || f.Driven()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					g := into(v)
					switch c, ok := v.(*Const); {
					case g == nil && ok:
						EachAddress(c, func(to *Global) { other[to] = true })
					case g == nil:
					case in.Op == OpLoad && in.T.IsInt():
						loads[g] = append(loads[g], in)
					case in.Op == OpStore && i == 1, (in.Op == OpGep || in.Op == OpBitcast) && i == 0:
					case driver && in.Model == ModelHavoc:
					default:
						other[g] = true
					}
				}
			}
		}
	}
	for g := range other {
		delete(loads, g)
	}
	return loads
}
