package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// closed reports whether nothing but the calls of the cone decides what the variable g holds once the program has
// started:
//
//	no other file names it, and its address stays in the code that names it
//	every function that others may call and that comes to a change of it is called, and more calls follow
//	no code that is not there may call the program in the midst of one
//	it holds no pointer: a caller may pass again what it passed before, or end its life
func (c *cone) closed(g *ir.Global) bool {
	if c.leaves || g.Extern || g.Var == nil || g.Var.Public || ir.HoldsPointer(g.Var.T) || !c.p.stays(g) {
		return false
	}
	for f := range c.ends {
		if c.ends[f] && c.p.effectsOf(f).writes[g] {
			return false
		}
	}
	var writers []*ir.Func
	for _, f := range c.p.m.Funcs {
		if !f.IsDecl() && !f.Made && !f.Driven() && namesFor(f, g) {
			writers = append(writers, f)
		}
	}
	seen := map[*ir.Func]bool{}
	for len(writers) > 0 {
		f := writers[len(writers)-1]
		writers = writers[:len(writers)-1]
		if seen[f] || f.Made || f.Driven() {
			continue
		}
		seen[f] = true
		if !slices.Contains(c.list, f) && (f.Addr || !c.static(f) || slices.ContainsFunc(c.p.m.Aliases,
			func(a ir.Alias) bool { return a.To.Func == f })) {
			return false
		}
		for _, call := range c.p.calls[f] {
			writers = append(writers, call.Block.Func)
		}
	}
	return true
}

// namesFor reports whether the code of f names g for more than to read it.
func namesFor(f *ir.Func, g *ir.Global) bool {
	into := ir.AddressesIn(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, v := range in.Args {
				if into(v) == g && in.Op != ir.OpLoad && !(i == 0 && (in.Op == ir.OpGep || in.Op == ir.OpBitcast)) {
					return true
				}
			}
		}
	}
	return false
}

// stays reports whether the address of g is used for accesses alone, in the code that names it and in functions that it
// is passed to: nobody keeps it.
func (p *Program) stays(g *ir.Global) bool {
	if known, ok := p.stay[g]; ok {
		return known
	}
	out := true
	for _, x := range p.m.Globals {
		ir.EachAddress(x.Init, func(to *ir.Global) { out = out && to != g })
	}
	s := &stayer{seen: map[ir.Value]bool{}, uses: map[*ir.Func]map[ir.Value][]operand{}}
	for _, f := range p.m.Funcs {
		if f.Made || f.Driven() {
			continue // harnesses
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					if c, ok := v.(*ir.Const); ok && c.Global == g {
						out = out && s.use(in, i)
					} else if ok {
						for _, e := range c.Elems {
							ir.EachAddress(e, func(to *ir.Global) { out = out && to != g })
						}
					}
				}
			}
		}
	}
	p.stay[g] = out
	return out
}

// stayer follows an address through code.
type stayer struct {
	seen map[ir.Value]bool
	uses map[*ir.Func]map[ir.Value][]operand
}

// operand is a use of a value.
type operand struct {
	in *ir.Instr
	i  int
}

// of lists the uses of the values of f.
func (s *stayer) of(f *ir.Func) map[ir.Value][]operand {
	if s.uses[f] == nil {
		s.uses[f] = map[ir.Value][]operand{}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					s.uses[f][v] = append(s.uses[f][v], operand{in, i})
				}
			}
		}
	}
	return s.uses[f]
}

// value reports whether a value of f that holds the address is used for accesses alone.
func (s *stayer) value(f *ir.Func, v ir.Value) bool {
	if s.seen[v] {
		return true
	}
	s.seen[v] = true
	for _, u := range s.of(f)[v] {
		if !s.use(u.in, u.i) {
			return false
		}
	}
	return true
}

// use reports whether operand i of an instruction, the address or one made of it, is used for accesses alone.
func (s *stayer) use(in *ir.Instr, i int) bool {
	f := in.Block.Func
	switch in.Op {
	case ir.OpLoad, ir.OpIcmp:
		return true
	case ir.OpGep, ir.OpBitcast:
		return i == 0 && s.value(f, in)
	case ir.OpFreeze, ir.OpPhi, ir.OpSelect:
		return s.value(f, in)
	case ir.OpAtomicRMW, ir.OpCmpXchg:
		return i == 0
	case ir.OpStore:
		return i == 1 || s.local(f, in.Args[1])
	case ir.OpCall:
		switch in.Model {
		case ir.ModelLifetimeStart, ir.ModelLifetimeEnd, ir.ModelMemcmp, ir.ModelStrlen:
			return true
		case ir.ModelMemset, ir.ModelMemcpy, ir.ModelMemmove:
			return s.value(f, in)
		case ir.ModelNone:
			g := ir.CalledFunc(in)
			return g != nil && !g.IsDecl() && i < len(g.Params) && g.Params[i].ByVal == nil && s.value(g, g.Params[i])
		}
	}
	return false
}

// local reports whether addr is a local variable that holds the address for accesses alone.
func (s *stayer) local(f *ir.Func, addr ir.Value) bool {
	slot, ok := addr.(*ir.Instr)
	if !ok || slot.Op != ir.OpAlloca {
		return false
	}
	if s.seen[slot] {
		return true
	}
	s.seen[slot] = true
	for _, u := range s.of(f)[slot] {
		switch {
		case u.in.Op == ir.OpLoad:
			if !s.value(f, u.in) {
				return false
			}
		case u.in.Op == ir.OpStore && u.i == 1:
		case u.in.Model == ir.ModelLifetimeStart, u.in.Model == ir.ModelLifetimeEnd:
		default:
			return false
		}
	}
	return true
}
