package ranges

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// walks knows which pointers a program moves on, or lets go where they may be.
type walks struct {
	s     *Table
	moved map[any]bool           // local variables, parameters, and functions that give such a pointer
	outer map[string][]*ir.DType // the structures that those of a kind are members of
	again bool
}

// walks notes the structures in which the program goes on from the address of a number to what stands beside it. Arrays
// of numbers are walked through as far as they go.
func (s *Table) walks(m *ir.Module) {
	x := &walks{s: s, moved: map[any]bool{}, outer: map[string][]*ir.DType{}, again: true}
	ir.EachType(m, func(t *ir.DType) {
		for i := range t.Fields {
			if of := places.Element(t.Fields[i].T); ir.IsAggregate(of) {
				x.outer[places.LayoutOf(of)] = append(x.outer[places.LayoutOf(of)], t)
			}
		}
	})
	for x.again {
		x.again = false
		x.each(m, func(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr, i int) {
			n, moved := pointerNode(in.Args[i]), x.moves(f, in, i)
			if slot, ok := places.Uncast(in.Args[i]).(*ir.Instr); ok && slot.Op == ir.OpAlloca {
				n, moved = slot, hasAddressTaken(in, i) // through its address, any pointer in it may be
			}
			if n != nil && moved && !x.moved[n] {
				x.moved[n], x.again = true, true
			}
		})
	}
	x.each(m, func(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr, i int) {
		if x.moves(f, in, i) && x.goesOn(vars, in, i) {
			x.walked(vars, in.Args[i])
		}
	})
}

// each visits the pointers among the arguments of all instructions.
func (x *walks) each(m *ir.Module, visit func(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr, i int)) {
	for _, f := range m.Funcs {
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, a := range in.Args {
					if a.Type().IsPtr() {
						visit(f, vars, in, i)
					}
				}
			}
		}
	}
}

// pointerNode returns the variable, parameter or function that v is the pointer of; nil: it is another's.
func pointerNode(v ir.Value) any {
	for in, ok := v.(*ir.Instr); ok; in, ok = v.(*ir.Instr) {
		switch {
		case in.Op == ir.OpFreeze || isSame(in):
			v = in.Args[0]
			continue
		case in.Op == ir.OpLoad:
			if slot, ok := in.Args[0].(*ir.Instr); ok && slot.Op == ir.OpAlloca {
				return slot
			}
		case in.Op == ir.OpCall && ir.CalledFunc(in) != nil:
			return ir.CalledFunc(in)
		}
		return nil
	}
	if p, ok := v.(*ir.Param); ok {
		return p
	}
	return nil
}

// hasAddressTaken reports whether argument i, a local variable, is used for more than to load or store it.
func hasAddressTaken(in *ir.Instr, i int) bool {
	switch in.Op {
	case ir.OpBitcast:
		return false // see its uses
	case ir.OpLoad, ir.OpStore:
		return in.Op == ir.OpStore && i == 0 || places.Uncast(in.Args[i]) != in.Args[i]
	case ir.OpCall:
		return in.Model != ir.ModelLifetimeStart && in.Model != ir.ModelLifetimeEnd
	}
	return true
}

// isSame reports whether an instruction gives the address that it gets.
func isSame(in *ir.Instr) bool { return in.Op == ir.OpGep && len(in.Args) == 1 && in.Off == 0 }

// moves reports whether argument i of an instruction of f, a pointer, may be used there for more than what it leads to.
func (x *walks) moves(f *ir.Func, in *ir.Instr, i int) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpIcmp, ir.OpFreeze:
		return false
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		return i > 0
	case ir.OpGep:
		return !isSame(in)
	case ir.OpRet:
		return f.Addr || x.moved[f]
	case ir.OpStore:
		to, ok := in.Args[1].(*ir.Instr)
		return i == 0 && (!ok || to.Op != ir.OpAlloca || x.moved[to])
	case ir.OpCall:
		g := ir.CalledFunc(in)
		return g == nil || g.IsDecl() || in.Model != ir.ModelNone || i >= len(g.Params) || x.moved[g.Params[i]]
	}
	return true
}

// goesOn reports whether argument i of an instruction is the address of a number in a structure, which is taken for a
// pointer to numbers there, or for one of which nothing is known.
func (x *walks) goesOn(vars map[ir.Value]*ir.Var, in *ir.Instr, i int) bool {
	v, size := in.Args[i], int64(0)
	for _, o := range places.ObjectsAt(vars, v) {
		if of, f, _ := places.MemberIn(o.T, o.Off); of != nil && !o.Cast && !o.Moved &&
			(ir.IsNumber(f.T) || f.T.Kind == ir.DEnum) {
			size = max(size, ir.SizeInC(f.T))
		}
	}
	if _, constant := v.(*ir.Const); size == 0 || !constant && !isMember(v) {
		return false
	}
	var to *ir.DType
	switch in.Op {
	case ir.OpGep:
		return !in.Flags.Has(ir.Member) && len(in.Scales) == 1 && in.Scales[0] == size
	case ir.OpStore:
		to = objectType(vars, in.Args[1])
	case ir.OpCall:
		if g := ir.CalledFunc(in); g != nil && !g.IsDecl() && i < len(g.Params) && ir.ParamVars(g)[i] != nil {
			to = ir.ParamVars(g)[i].T
		}
	}
	return to == nil || to.Kind != ir.DPointer || !ir.IsAggregate(places.Element(to.Elem))
}

// walked notes that all of the object at v may be written, and what that is a member of.
func (x *walks) walked(vars map[ir.Value]*ir.Var, v ir.Value) {
	for _, o := range places.ObjectsAt(vars, v) {
		seen := map[*ir.DType]bool{}
		var around func(t *ir.DType)
		around = func(t *ir.DType) {
			if !ir.IsAggregate(t) || seen[t] {
				return
			}
			seen[t] = true
			x.s.other(t, 0)
			for _, u := range x.outer[places.LayoutOf(t)] {
				around(u)
			}
		}
		around(places.Element(o.T))
	}
}
