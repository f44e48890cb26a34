package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// Touched is the memory that interrupt handlers, and the functions below them, may read
// and write.
type Touched struct {
	Reads, Writes         map[*ir.Global]bool
	anyRead, AnyWrite     bool // through pointers: whatever is no local
	callsModelsIndirectly bool // a call through a pointer may be of a function that the engines implement
}

// Access is memory that an instruction reads or writes through an address.
type Access struct {
	Addr          ir.Value
	Reads, Writes bool
}

// TouchedBy finds what handlers touch; what they call of except is none of theirs.
func TouchedBy(m *ir.Module, handlers []*ir.Func, except ...*ir.Func) *Touched {
	t := &Touched{Reads: map[*ir.Global]bool{}, Writes: map[*ir.Global]bool{}}
	for _, f := range m.Funcs {
		t.callsModelsIndirectly = t.callsModelsIndirectly || f.Addr && f.IsDecl()
	}
	seen := map[*ir.Func]bool{}
	for _, f := range except {
		seen[f] = true
	}
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
func (t *Touched) instr(in *ir.Instr, escapes map[*ir.Instr]bool) (funcs []*ir.Func) {
	if k, direct := in.Callee.(*ir.Const); direct {
		t.names(k, &funcs)
	} else if in.Op == ir.OpCall {
		t.anyRead, t.AnyWrite = true, true
	}
	through := map[ir.Value]bool{}
	for _, a := range t.Accesses(in) {
		through[a.Addr] = true
		switch r := ir.Root(a.Addr).(type) {
		case *ir.Const:
			switch {
			case r.Global != nil:
				t.global(r.Global, a.Reads, a.Writes)
			case r.Kind != ir.ConstNull:
				t.anyRead, t.AnyWrite = t.anyRead || a.Reads, t.AnyWrite || a.Writes
			}
		case *ir.Instr:
			if r.Op != ir.OpAlloca || escapes[r] {
				t.anyRead, t.AnyWrite = t.anyRead || a.Reads, t.AnyWrite || a.Writes
			}
		default:
			t.anyRead, t.AnyWrite = t.anyRead || a.Reads, t.AnyWrite || a.Writes
		}
	}
	for i, v := range in.Args { // what else is done with the address of a variable
		k, ok := ir.Root(v).(*ir.Const)
		if !ok || through[v] || i == 0 && (in.Op == ir.OpGep || in.Op == ir.OpBitcast || in.Op == ir.OpFreeze) {
			continue
		}
		t.names(k, &funcs)
	}
	return funcs
}

func (t *Touched) global(g *ir.Global, reads, writes bool) {
	t.Reads[g], t.Writes[g] = t.Reads[g] || reads, t.Writes[g] || writes
	if g.Init != nil && ir.NamesSymbol(g.Init) { // pointers to go on from
		t.anyRead, t.AnyWrite = true, true
	}
}

// names notes the globals and functions of a constant.
func (t *Touched) names(k *ir.Const, funcs *[]*ir.Func) {
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

// Accesses are those of an instruction itself, not of a function of the program that it calls.
func (t *Touched) Accesses(in *ir.Instr) []Access {
	switch in.Op {
	case ir.OpLoad:
		return []Access{{in.Args[0], true, false}}
	case ir.OpStore:
		return []Access{{in.Args[1], false, true}}
	case ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg:
		return []Access{{in.Args[0], true, true}}
	case ir.OpCall:
		return t.ofCall(in)
	}
	return nil
}

func (t *Touched) ofCall(in *ir.Instr) []Access {
	switch in.Model {
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return nil
	case ir.ModelMemcpy, ir.ModelMemmove:
		return []Access{{in.Args[0], false, true}, {in.Args[1], true, false}}
	case ir.ModelMemset:
		return []Access{{in.Args[0], false, true}}
	}
	var out []Access
	f := ir.CalledFunc(in)
	for i, a := range in.Args {
		switch {
		case !a.Type().IsPtr():
		case in.Model != ir.ModelNone, f == nil && t.callsModelsIndirectly:
			out = append(out, Access{a, true, true})
		case f == nil || i < len(f.Params) && f.Params[i].ByVal != nil: // a copy is made at the call
			out = append(out, Access{a, true, false})
		}
	}
	return out
}

// Conflict reports (I1) of an instruction of the program.
func (t *Touched) Conflict(in *ir.Instr, escapes map[*ir.Instr]bool) bool {
	for _, a := range t.Accesses(in) {
		if t.Conflicts(a, escapes) {
			return true
		}
	}
	return false
}

// Conflicts reports whether an access is of memory that handlers may touch in a way that one of both notices.
func (t *Touched) Conflicts(a Access, escapes map[*ir.Instr]bool) bool {
	through := t.AnyWrite || a.Writes && t.anyRead
	switch r := ir.Root(a.Addr).(type) {
	case *ir.Const:
		if g := r.Global; g != nil {
			return t.Writes[g] || a.Writes && t.Reads[g] || through && !g.Const
		}
	case *ir.Instr:
		if r.Op == ir.OpAlloca {
			return escapes[r] && through
		}
	}
	return a.Writes || through || len(t.Writes) > 0
}
