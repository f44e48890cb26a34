package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// leads follows addresses in code that runs by itself, such as handlers of interrupts, to what they are computed from:
// through arguments, and through local pointers.
type leads struct {
	args   map[*ir.Param][]ir.Value // that calls in the code pass
	open   map[*ir.Param]bool       // anything may be passed
	stored map[*ir.Instr][]ir.Value // in local pointers that nothing but loads and stores uses
}

// leadsOf reads functions, the code that runs; callers of entries are not part of it.
func leadsOf(funcs map[*ir.Func]bool, entries []*ir.Func) *leads {
	l := &leads{map[*ir.Param][]ir.Value{}, map[*ir.Param]bool{}, map[*ir.Instr][]ir.Value{}}
	opened := func(f *ir.Func) {
		for _, p := range f.Params {
			l.open[p] = true
		}
	}
	for _, f := range entries {
		opened(f)
	}
	for f := range funcs {
		if f.Addr {
			opened(f)
		}
		l.slots(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				g := ir.CalledFunc(in)
				if g == nil || g.IsDecl() {
					continue
				}
				for i, p := range g.Params {
					if i < len(in.Args) {
						l.args[p] = append(l.args[p], in.Args[i])
					} else {
						l.open[p] = true
					}
				}
			}
		}
	}
	return l
}

// localLeads follows addresses through the local pointers of each function of m alone.
func localLeads(m *ir.Module) *leads {
	l := &leads{open: map[*ir.Param]bool{}, stored: map[*ir.Instr][]ir.Value{}}
	for _, f := range m.Funcs {
		for _, p := range f.Params {
			l.open[p] = true
		}
		l.slots(f)
	}
	return l
}

// slots finds local pointers that are loaded and stored whole, and what is stored there.
func (l *leads) slots(f *ir.Func) {
	own, not := map[*ir.Instr][]ir.Value{}, map[*ir.Instr]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && in.Access.IsPtr() {
				own[in] = append(own[in], nil...)
			}
			for n, a := range in.Args {
				slot, ok := a.(*ir.Instr)
				if !ok || slot.Op != ir.OpAlloca {
					continue
				}
				switch {
				case in.Op == ir.OpLoad && in.T.IsPtr():
				case in.Op == ir.OpStore && n == 1 && in.Access.IsPtr():
					own[slot] = append(own[slot], in.Args[0])
				case in.Op == ir.OpCall && (in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd):
				default:
					not[slot] = true
				}
			}
		}
	}
	for slot, values := range own {
		if slot.Access.IsPtr() && !not[slot] {
			l.stored[slot] = values
		}
	}
}

// lead is what an address is computed from, and how many bytes it lies behind that; !exact: some number of bytes.
type lead struct {
	from  ir.Value
	off   int64
	exact bool
}

// of lists what an address may be computed from: constants, local variables, copies of arguments, and whatever else
// computes addresses that are not followed further.
func (l *leads) of(addr ir.Value) []lead {
	var out []lead
	cyclic, steps, on := false, 0, map[ir.Value]bool{}
	var follow func(v ir.Value, off int64, exact bool)
	all := func(v ir.Value, list []ir.Value, off int64, exact bool) {
		if on[v] {
			cyclic = true
			return
		}
		on[v] = true
		for _, a := range list {
			follow(a, off, exact)
		}
		delete(on, v)
	}
	follow = func(v ir.Value, off int64, exact bool) {
		if steps++; steps > policy.LeadsFollowed {
			return
		}
		list, known := l.step(v)
		if !known || len(list) == 0 { // nothing is stored there, or passed
			out = append(out, lead{v, off, exact})
			return
		}
		if in, ok := v.(*ir.Instr); ok && in.Op == ir.OpGep {
			off, exact = off+in.Off, exact && len(in.Args) == 1
		}
		all(v, list, off, exact)
	}
	follow(addr, 0, true)
	if steps > policy.LeadsFollowed {
		return []lead{{from: addr}}
	}
	for i := range out {
		out[i].exact = out[i].exact && !cyclic
	}
	return out
}

// step lists what a value comes from by one step; !known: it is not followed.
func (l *leads) step(v ir.Value) (from []ir.Value, known bool) {
	switch v := v.(type) {
	case *ir.Param:
		return l.args[v], !l.open[v] && v.ByVal == nil
	case *ir.Instr:
		switch v.Op {
		case ir.OpBitcast, ir.OpFreeze, ir.OpGep:
			return v.Args[:1], true
		case ir.OpIntToPtr:
			_, known := v.Args[0].(*ir.Const)
			return v.Args[:1], known
		case ir.OpPhi:
			return v.Args, true
		case ir.OpSelect:
			return v.Args[1:], true
		case ir.OpLoad:
			slot, _ := v.Args[0].(*ir.Instr)
			from, known := l.stored[slot]
			return from, known
		}
	}
	return nil, false
}
