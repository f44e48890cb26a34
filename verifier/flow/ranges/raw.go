package ranges

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// raws knows which pointers without a type may lead to memory that is written as bytes or other numbers. A structure
// that such memory is taken for holds any numbers: a message in a receive buffer.
type raws struct {
	s      *Table
	at     map[any]bool // local variables, parameters, places, and functions that give such a pointer
	filled map[filled]bool
	again  bool
	seen   map[string]bool // structures that such memory is taken for
	escape map[*ir.Func]map[*ir.Instr]bool
}

// elsewhere stands for all places of pointers that are not known.
type elsewhere struct{}

// overlays notes the structures that memory of numbers is taken for.
func (s *Table) overlays(m *ir.Module) {
	x := &raws{s: s, at: map[any]bool{}, filled: map[filled]bool{}, again: true, seen: map[string]bool{},
		escape: map[*ir.Func]map[*ir.Instr]bool{}}
	s.raw = x
	for x.again {
		x.again = false
		x.initialisers(m)
		for _, f := range m.Funcs {
			vars := f.VarsBySlot()
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					x.instr(m, f, vars, in)
					x.fills(m, f, vars, in)
				}
			}
		}
	}
}

// instr notes where an instruction has such a pointer go.
func (x *raws) instr(m *ir.Module, f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Op {
	case ir.OpStore:
		if !in.Args[0].Type().IsPtr() {
			return
		}
		if to, ok := in.Args[1].(*ir.Instr); ok && to.Op == ir.OpAlloca && vars[to] == nil {
			if x.leads(vars, in.Args[0], policy.FlowChoices) {
				x.taken(nil, []any{to}) // what the function gives back
			}
			return
		}
		x.stores(vars, in)
	case ir.OpRet:
		if len(in.Args) == 1 && f.DRet != nil && f.DRet.Kind == ir.DPointer {
			x.flows(vars, in.Args[0], places.LeadsTo(f.DRet), []any{f})
		}
	case ir.OpCall:
		x.call(m, vars, in)
	}
}

func (x *raws) call(m *ir.Module, vars map[ir.Value]*ir.Var, in *ir.Instr) {
	list := callees(m, in)
	for i, v := range in.Args {
		if !v.Type().IsPtr() {
			continue
		}
		for _, f := range list {
			if i >= len(f.Params) {
				continue
			}
			if p := ir.ParamVars(f)[i]; p != nil && p.T != nil && p.T.Kind == ir.DPointer {
				x.flows(vars, v, places.LeadsTo(p.T), []any{f.Params[i]})
			}
		}
	}
}

// stores notes where an instruction stores a pointer.
func (x *raws) stores(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	nodes := x.nodes(vars, in.Args[1])
	for _, o := range places.ObjectsAt(vars, in.Args[1]) {
		for _, t := range places.PointersAt(o.T, o.Off) {
			x.flows(vars, in.Args[0], t, nodes)
		}
	}
}

// stored notes that the pointer at addr leads to memory of numbers.
func (x *raws) stored(vars map[ir.Value]*ir.Var, addr ir.Value) {
	for _, o := range places.ObjectsAt(vars, addr) {
		for _, t := range places.PointersAt(o.T, o.Off) {
			x.taken(t, x.nodes(vars, addr))
		}
	}
}

// nodes returns what an address of a pointer stands for.
func (x *raws) nodes(vars map[ir.Value]*ir.Var, addr ir.Value) []any {
	if in, ok := addr.(*ir.Instr); ok && in.Op == ir.OpAlloca {
		return []any{in}
	}
	var out []any
	for _, p := range places.PlacesAt(vars, addr) {
		out = append(out, p)
	}
	return out
}

// taken notes that such a pointer becomes one to a t, which nodes stand for.
func (x *raws) taken(t *ir.DType, nodes []any) {
	switch {
	case ir.IsAggregate(t) && len(nodes) == 1 && x.own(nodes[0]): // see unsure
		x.again = x.again || !x.at[nodes[0]]
		x.at[nodes[0]] = true
	case ir.IsAggregate(t):
		x.s.other(t, 0)
		x.points(t)
	case ir.IsVoid(t):
		if len(nodes) == 0 {
			nodes = []any{elsewhere{}}
		}
		for _, n := range nodes {
			x.again = x.again || !x.at[n]
			x.at[n] = true
		}
	}
}

// points notes that the pointers in a t, which such memory is taken for, may lead to any.
func (x *raws) points(t *ir.DType) {
	of := places.LayoutOf(t)
	if x.seen[of] {
		return
	}
	x.seen[of] = true
	for i := range t.Fields {
		switch f := places.Element(t.Fields[i].T); {
		case ir.IsAggregate(f):
			x.points(f)
		case f != nil && f.Kind == ir.DPointer:
			x.taken(places.LeadsTo(f), []any{places.Place{Of: of, Off: t.Fields[i].BitOff / 8}})
		}
	}
}

// leads reports whether v may lead to memory that is written as numbers, or that the program does not define.
func (x *raws) leads(vars map[ir.Value]*ir.Var, v ir.Value, steps int) bool {
	base := ir.Root(v)
	if in, ok := base.(*ir.Instr); ok && (in.Op == ir.OpPhi || in.Op == ir.OpSelect) && steps > 0 {
		for _, a := range in.Args {
			if a.Type().IsPtr() && x.leads(vars, a, steps-1) {
				return true
			}
		}
		return false
	}
	if foreign(v) {
		return true
	}
	for _, o := range places.ObjectsAt(vars, v) {
		if !o.Cast && isNumbers(o.T, o.Off) || ir.IsNumber(places.Element(o.T)) {
			return true
		}
	}
	switch y := base.(type) {
	case *ir.Param:
		return x.at[y]
	case *ir.Instr:
		switch y.Op {
		case ir.OpCall:
			if f := ir.CalledFunc(y); f != nil {
				return x.at[f]
			}
			list := callees(x.s.m, y)
			return len(list) == 0 || slices.ContainsFunc(list, func(f *ir.Func) bool { return x.at[f] })
		case ir.OpLoad:
			nodes := x.nodes(vars, y.Args[0])
			for _, n := range nodes {
				if x.at[n] {
					return true
				}
			}
			return len(nodes) == 0 && x.at[elsewhere{}] || x.unsure(y.Args[0], steps)
		}
	}
	return false
}

// isNumbers reports whether an array of numbers is off bytes into a t, or t is a number.
func isNumbers(t *ir.DType, off int64) bool {
	for inside := false; t != nil; inside = true {
		switch {
		case t.Kind == ir.DArray && ir.IsNumber(places.Element(t)):
			return true
		case ir.IsNumber(t):
			return !inside
		}
		t, off = places.Into(t, off)
	}
	return false
}
