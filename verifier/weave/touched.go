package weave

import "github.com/firmproof/firmproof/verifier/ir"

// touched is the memory that interrupt handlers, and the functions below them, may read
// and write.
type touched struct {
	reads, writes         map[*ir.Global]bool
	anyRead, anyWrite     bool // through pointers: whatever is no local
	callsModelsIndirectly bool // a call through a pointer may be of a function that the engines implement
}

// access is memory that an instruction reads or writes through an address.
type access struct {
	addr          ir.Value
	reads, writes bool
}

// touchedBy finds what handlers touch.
func touchedBy(m *ir.Module, handlers []*ir.Func) *touched {
	t := &touched{reads: map[*ir.Global]bool{}, writes: map[*ir.Global]bool{}}
	for _, f := range m.Funcs {
		t.callsModelsIndirectly = t.callsModelsIndirectly || f.Addr && f.IsDecl()
	}
	seen := map[*ir.Func]bool{}
	for len(handlers) > 0 {
		f := handlers[len(handlers)-1]
		handlers = handlers[:len(handlers)-1]
		if seen[f] || f.IsDecl() {
			continue
		}
		seen[f] = true
		escapes := ir.Escapes(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				handlers = append(handlers, t.instr(in, escapes)...)
			}
		}
	}
	return t
}

// instr notes what an instruction of a handler touches, and gives the functions that
// it names.
func (t *touched) instr(in *ir.Instr, escapes map[*ir.Instr]bool) (funcs []*ir.Func) {
	if k, direct := in.Callee.(*ir.Const); direct {
		t.names(k, &funcs)
	} else if in.Op == ir.OpCall {
		t.anyRead, t.anyWrite = true, true
	}
	through := map[ir.Value]bool{}
	for _, a := range t.accesses(in) {
		through[a.addr] = true
		switch r := root(a.addr).(type) {
		case *ir.Const:
			switch {
			case r.Global != nil:
				t.global(r.Global, a.reads, a.writes)
			case r.Kind != ir.ConstNull:
				t.anyRead, t.anyWrite = t.anyRead || a.reads, t.anyWrite || a.writes
			}
		case *ir.Instr:
			if r.Op != ir.OpAlloca || escapes[r] {
				t.anyRead, t.anyWrite = t.anyRead || a.reads, t.anyWrite || a.writes
			}
		default:
			t.anyRead, t.anyWrite = t.anyRead || a.reads, t.anyWrite || a.writes
		}
	}
	for i, v := range in.Args { // what else is done with the address of a variable
		k, ok := root(v).(*ir.Const)
		if !ok || through[v] || i == 0 && (in.Op == ir.OpGep || in.Op == ir.OpBitcast || in.Op == ir.OpFreeze) {
			continue
		}
		t.names(k, &funcs)
	}
	return funcs
}

func (t *touched) global(g *ir.Global, reads, writes bool) {
	t.reads[g], t.writes[g] = t.reads[g] || reads, t.writes[g] || writes
	if g.Init != nil && namesSymbol(g.Init) { // pointers to go on from
		t.anyRead, t.anyWrite = true, true
	}
}

// names notes the globals and functions of a constant.
func (t *touched) names(k *ir.Const, funcs *[]*ir.Func) {
	if k.Global != nil {
		t.global(k.Global, true, true)
	}
	if k.Func != nil {
		*funcs = append(*funcs, k.Func)
	}
	for _, e := range k.Elems {
		t.names(e, funcs)
	}
}

// namesSymbol reports whether an initialiser holds the address of a variable or function.
func namesSymbol(k *ir.Const) bool {
	if k.Global != nil || k.Func != nil {
		return true
	}
	for _, e := range k.Elems {
		if namesSymbol(e) {
			return true
		}
	}
	return false
}

// accesses are those of an instruction itself, not of a function of the program that it calls.
func (t *touched) accesses(in *ir.Instr) []access {
	switch in.Op {
	case ir.OpLoad:
		return []access{{in.Args[0], true, false}}
	case ir.OpStore:
		return []access{{in.Args[1], false, true}}
	case ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg:
		return []access{{in.Args[0], true, true}}
	case ir.OpCall:
		return t.ofCall(in)
	}
	return nil
}

func (t *touched) ofCall(in *ir.Instr) []access {
	switch in.Model {
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return nil
	case ir.ModelMemcpy, ir.ModelMemmove:
		return []access{{in.Args[0], false, true}, {in.Args[1], true, false}}
	case ir.ModelMemset:
		return []access{{in.Args[0], false, true}}
	}
	var out []access
	f := calledFunc(in)
	for i, a := range in.Args {
		switch {
		case !a.Type().IsPtr():
		case in.Model != ir.ModelNone, f == nil && t.callsModelsIndirectly:
			out = append(out, access{a, true, true})
		case f == nil || i < len(f.Params) && f.Params[i].ByVal != nil: // a copy is made at the call
			out = append(out, access{a, true, false})
		}
	}
	return out
}

// conflict reports (I1) of an instruction of the program.
func (t *touched) conflict(in *ir.Instr, escapes map[*ir.Instr]bool) bool {
	for _, a := range t.accesses(in) {
		if t.conflicts(a, escapes) {
			return true
		}
	}
	return false
}

func (t *touched) conflicts(a access, escapes map[*ir.Instr]bool) bool {
	through := t.anyWrite || a.writes && t.anyRead
	switch r := root(a.addr).(type) {
	case *ir.Const:
		if g := r.Global; g != nil {
			return t.writes[g] || a.writes && t.reads[g] || through && !g.Const
		}
	case *ir.Instr:
		if r.Op == ir.OpAlloca {
			return escapes[r] && through
		}
	}
	return a.writes || through || len(t.writes) > 0
}
