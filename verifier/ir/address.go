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

// NumbersBehind lists the loads of numbers that pointers from elsewhere lead to, in code of the program. only: all that it
// does with these pointers is to move, compare and hand them on, and to read and write numbers.
func NumbersBehind(m *Module) (loads []*Instr, only bool) {
	only = true
	for _, f := range m.Funcs {
		if f.Made || f.Driven() {
			continue
		}
		into := AddressesIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					if !v.Type().IsPtr() || into(v) != nil || isLocal(v) {
						continue
					}
					switch to := CalledFunc(in); {
					case in.Op == OpLoad && in.T.IsInt():
						loads = append(loads, in)
					case in.Op == OpStore && (i == 1 || isLocal(in.Args[1])), in.Op == OpGep, in.Op == OpBitcast, in.Op == OpIcmp,
						in.Op == OpPhi, in.Op == OpSelect, in.Op == OpRet, to != nil && !to.IsDecl():
					default:
						only = false
					}
				}
			}
		}
	}
	return loads, only
}

// isLocal reports the address of a local variable, or none.
func isLocal(v Value) bool {
	switch r := Root(v).(type) {
	case *Instr:
		return r.Op == OpAlloca
	case *Const:
		return true
	}
	return false
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
