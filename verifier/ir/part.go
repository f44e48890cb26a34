package ir

// Part returns the module without the functions, globals and aliases that no execution
// from one of the entries can touch (see Slice). Everything else is kept. It shares its
// functions and globals with m. Entries may be nil.
func (m *Module) Part(entries ...*Func) *Module {
	funcs, globals := map[*Func]bool{}, map[*Global]bool{}
	for _, entry := range entries {
		if entry == nil {
			continue
		}
		s := m.Slice(entry, false)
		for _, f := range s.Funcs {
			funcs[f] = true
		}
		for _, g := range s.Globals {
			globals[g] = true
		}
	}
	p := *m
	p.Globals, p.Funcs, p.Aliases = nil, nil, nil
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
	return &p
}
