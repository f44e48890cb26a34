package ranges

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// A number has a range only where each pointer that may lead to it comes from an object of its type that the program
// defines: registers, flash, memory that is kept over a reset, objects and functions of others, and what was a number,
// hold what the program does not store.

// foreign reports whether v is computed from the address of memory that the program does not define.
func foreign(v ir.Value) bool {
	switch x := ir.Root(v).(type) {
	case *ir.Const:
		return x.Kind == ir.ConstInt || x.Global != nil && x.Global.Extern
	case *ir.Instr:
		switch x.Op {
		case ir.OpIntToPtr:
			return true
		case ir.OpLoad:
			return foreign(x.Args[0])
		case ir.OpCall:
			f := ir.CalledFunc(x)
			return f != nil && f.IsDecl() && f.Model == ir.ModelNone && x.Model == ir.ModelNone
		}
	}
	return false
}

// own reports whether a node is a pointer that only the code which is seen to use it gets at.
func (x *raws) own(n any) bool {
	switch n := n.(type) {
	case *ir.Func:
		return !n.Addr
	case *ir.Instr:
		f := n.Block.Func
		if x.escape[f] == nil {
			x.escape[f] = ir.Escapes(f)
		}
		return !x.escape[f][n]
	}
	return false
}

// unsure reports whether v may be computed from a pointer of the function's own that leads to memory of numbers, or to
// some that the program does not define: what is read there is any number, and others of its type are what they are.
func (x *raws) unsure(v ir.Value, steps int) bool {
	if steps == 0 || foreign(v) {
		return true
	}
	in, ok := ir.Root(v).(*ir.Instr)
	if !ok {
		return false
	}
	switch in.Op {
	case ir.OpPhi, ir.OpSelect:
		return slices.ContainsFunc(in.Args, func(a ir.Value) bool { return a.Type().IsPtr() && x.unsure(a, steps-1) })
	case ir.OpCall:
		f := ir.CalledFunc(in)
		return f != nil && x.at[f]
	case ir.OpLoad:
		slot, local := in.Args[0].(*ir.Instr)
		return local && slot.Op == ir.OpAlloca && x.at[slot] || x.unsure(in.Args[0], steps-1)
	}
	return false
}

// flows notes that v becomes a pointer to a t, which nodes stand for.
func (x *raws) flows(vars map[ir.Value]*ir.Var, v ir.Value, t *ir.DType, nodes []any) {
	if x.leads(vars, v, policy.FlowChoices) || ir.IsAggregate(t) && mixes(vars, v, t) {
		x.taken(t, nodes)
	}
}

// mixes reports whether v may lead to a structure of another kind than t that is no part of one, nor one of it.
func mixes(vars map[ir.Value]*ir.Var, v ir.Value, t *ir.DType) bool {
	if in, ok := ir.Root(v).(*ir.Instr); ok && in.Op == ir.OpAlloca && vars[in] == nil {
		return false
	}
	for _, o := range places.ObjectsAt(vars, v) {
		of := places.Element(o.T)
		if ir.IsAggregate(of) && !related(of, t) {
			return true
		}
	}
	return false
}

// related reports whether one of two structures or unions is a part of the other.
func related(t, u *ir.DType) bool {
	return slices.Contains(places.StructsIn(t), places.LayoutOf(u)) || slices.Contains(places.StructsIn(u), places.LayoutOf(t))
}

// initial notes the addresses in an initialiser of type t, off bytes into it.
func (x *raws) initial(g *ir.Global, t *ir.DType, c *ir.Const, off int64) {
	if c.Kind == ir.ConstAgg {
		for i, e := range c.Elems {
			x.initial(g, t, e, off+x.s.m.Layout.FieldOffset(c.T, i))
		}
		return
	}
	if !c.T.IsPtr() || c.Kind == ir.ConstNull {
		return
	}
	var nodes []any
	for _, p := range places.PlacesIn(g, t, off) {
		nodes = append(nodes, p)
	}
	for _, to := range places.PointersAt(t, off) {
		x.flows(nil, c, to, nodes)
	}
}

// initialisers notes the addresses in the initialisers of variables, and of locals, which are copied.
func (x *raws) initialisers(m *ir.Module) {
	for _, g := range m.Globals {
		if g.Var != nil && g.Init != nil {
			x.initial(g, g.Var.T, g.Init, 0)
		}
	}
	for _, f := range m.Funcs {
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Model != ir.ModelMemcpy {
					continue
				}
				from, ok := ir.Root(in.Args[1]).(*ir.Const)
				if !ok || from.Global == nil || from.Global.Var != nil || from.Global.Init == nil {
					continue
				}
				for _, o := range places.ObjectsAt(vars, in.Args[0]) {
					x.initial(nil, o.T, from.Global.Init, o.Off-from.Off)
				}
			}
		}
	}
}

// devices notes the structures that are volatile in all their members, and of which the program defines no object: the
// registers of a device.
func (s *Table) devices(m *ir.Module) {
	defined := map[string]bool{}
	for _, g := range m.Globals {
		if g.Var != nil && !g.Extern {
			for _, of := range places.StructsIn(g.Var.T) {
				defined[of] = true
			}
		}
	}
	for _, f := range m.Funcs {
		for _, v := range f.Vars {
			for _, of := range places.StructsIn(v.T) {
				defined[of] = true
			}
		}
	}
	ir.EachType(m, func(t *ir.DType) {
		if ir.IsStruct(t) && isDevice(t) && !defined[places.LayoutOf(t)] {
			s.Devices[places.LayoutOf(t)] = true
			s.other(t, 0)
		}
	})
}

// isDevice reports whether all numbers in a structure are volatile.
func isDevice(t *ir.DType) bool {
	for i := range t.Fields {
		f := places.Element(t.Fields[i].T)
		if f == nil || !f.Volatile && !t.Fields[i].T.Volatile && !(ir.IsStruct(f) && isDevice(f)) {
			return false
		}
	}
	return len(t.Fields) > 0
}
