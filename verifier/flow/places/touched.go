package places

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Touched is the memory that interrupt handlers, and the functions below them, may read
// and write.
type Touched struct {
	Reads, Writes         map[*ir.Global]bool
	anyRead, AnyWrite     bool // through pointers: whatever is no local
	callsModelsIndirectly bool // a call through a pointer may be of a function that the engines implement
	isDevice              Device
	handlers              *leads // from the addresses in handlers
	program               *leads // from those of the rest; nil: nobody has asked about it
	module                *ir.Module
}

// Device reports whether all of n bytes at an address are registers of devices, which are no memory: what is read there
// is an input, and what is written is kept nowhere. nil: nobody knows of any.
type Device func(at uint64, n int64) bool

// Access is memory that an instruction reads or writes through an address.
type Access struct {
	Addr          ir.Value
	Reads, Writes bool
	bytes         int64 // 0: not known
}

// TouchedBy finds what handlers touch; what they call of except is none of theirs.
func TouchedBy(m *ir.Module, handlers []*ir.Func, isDevice Device, except ...*ir.Func) *Touched {
	t := &Touched{Reads: map[*ir.Global]bool{}, Writes: map[*ir.Global]bool{}, isDevice: isDevice, module: m}
	for _, f := range m.Funcs {
		t.callsModelsIndirectly = t.callsModelsIndirectly || f.Addr && f.IsDecl()
	}
	runs, todo := map[*ir.Func]bool{}, slices.Clone(handlers)
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if runs[f] || f.IsDecl() || slices.Contains(except, f) {
			continue
		}
		runs[f] = true
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				todo = append(todo, t.named(in)...)
			}
		}
	}
	t.handlers = leadsOf(runs, handlers)
	for f := range runs {
		escapes := ir.Escapes(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				t.instr(in, escapes)
			}
		}
	}
	return t
}

// named notes the variables that an instruction names but for accesses, and gives the functions that it names.
func (t *Touched) named(in *ir.Instr) (funcs []*ir.Func) {
	if k, direct := in.Callee.(*ir.Const); direct {
		t.names(k, &funcs)
	}
	through := map[ir.Value]bool{}
	for _, a := range t.Accesses(in) {
		through[a.Addr] = true
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

// instr notes what an instruction of a handler accesses.
func (t *Touched) instr(in *ir.Instr, escapes map[*ir.Instr]bool) {
	if _, direct := in.Callee.(*ir.Const); in.Op == ir.OpCall && !direct {
		t.anyRead, t.AnyWrite = true, true
	}
	for _, a := range t.Accesses(in) {
		for _, at := range t.handlers.of(a.Addr) {
			switch r := at.from.(type) {
			case *ir.Const:
				switch {
				case r.Global != nil:
					t.global(r.Global, a.Reads, a.Writes)
					continue
				case r.Kind == ir.ConstNull && at.off == 0 && at.exact, t.device(at, a.bytes):
					continue
				}
			case *ir.Instr:
				if r.Op == ir.OpAlloca && !escapes[r] && r.Block.Func == in.Block.Func {
					continue
				}
			}
			t.anyRead, t.AnyWrite = t.anyRead || a.Reads, t.AnyWrite || a.Writes
		}
	}
}

// device reports whether n bytes are registers of devices alone.
func (t *Touched) device(at lead, n int64) bool {
	k, ok := at.from.(*ir.Const)
	if !ok || k.Kind != ir.ConstInt && k.Kind != ir.ConstNull || !at.exact || n == 0 || t.isDevice == nil {
		return false
	}
	base := uint64(0)
	if k.Kind == ir.ConstInt {
		if base, ok = k.Bits.Uint64(); !ok {
			return false
		}
	}
	return t.isDevice(base+uint64(at.off), n)
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
		return []Access{{in.Args[0], true, false, t.module.Layout.StoreSize(in.Access)}}
	case ir.OpStore:
		return []Access{{in.Args[1], false, true, t.module.Layout.StoreSize(in.Access)}}
	case ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg:
		return []Access{{in.Args[0], true, true, 0}}
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
		return []Access{{in.Args[0], false, true, 0}, {in.Args[1], true, false, 0}}
	case ir.ModelMemset:
		return []Access{{in.Args[0], false, true, 0}}
	}
	var out []Access
	f := ir.CalledFunc(in)
	for i, a := range in.Args {
		switch {
		case !a.Type().IsPtr():
		case in.Model != ir.ModelNone, f == nil && t.callsModelsIndirectly:
			out = append(out, Access{a, true, true, 0})
		case f == nil || i < len(f.Params) && f.Params[i].ByVal != nil: // a copy is made at the call
			out = append(out, Access{a, true, false, 0})
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
	if t.program == nil {
		t.program = localLeads(t.module)
	}
	through := t.AnyWrite || a.Writes && t.anyRead
	meets := func(at lead) bool {
		switch r := at.from.(type) {
		case *ir.Const:
			if g := r.Global; g != nil {
				return t.Writes[g] || a.Writes && t.Reads[g] || through && !g.Const
			}
			if t.device(at, a.bytes) {
				return false
			}
		case *ir.Instr:
			if r.Op == ir.OpAlloca {
				return escapes[r] && through
			}
		}
		return a.Writes || through || len(t.Writes) > 0
	}
	return slices.ContainsFunc(t.program.of(a.Addr), meets)
}
