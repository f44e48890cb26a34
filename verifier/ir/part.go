package ir

// Part is the module that holds what an execution from entry can touch, and
// nothing else: see Slice. It shares its functions and globals with m.
func (m *Module) Part(entry *Func) *Module {
	s := m.Slice(entry, false)
	funcs, globals := map[*Func]bool{}, map[*Global]bool{}
	for _, f := range s.Funcs {
		funcs[f] = true
	}
	for _, g := range s.Globals {
		globals[g] = true
	}
	p := &Module{Name: m.Name, Triple: m.Triple, Layout: m.Layout}
	for _, g := range m.Globals {
		if globals[g] {
			p.Globals = append(p.Globals, g)
		}
	}
	for _, f := range m.Funcs {
		if funcs[f] {
			p.Funcs = append(p.Funcs, f)
		}
	}
	for _, a := range m.Aliases { // an entry may be named by one
		if a.To.Func != nil && funcs[a.To.Func] || a.To.Global != nil && globals[a.To.Global] {
			p.Aliases = append(p.Aliases, a)
		}
	}
	return p
}
