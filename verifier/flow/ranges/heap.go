package ranges

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// heap notes the members that a function reads from memory that it allocated before it stores anything there, or leaves
// as they are.
func (s *Table) heap(f *ir.Func, vars map[ir.Value]*ir.Var) {
	made := map[*ir.Instr]map[int64]bool{} // by local variable: the members that have values; nil: all have
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case ir.OpStore:
				if slot, ok := in.Args[1].(*ir.Instr); ok && isFresh(in.Args[0]) && pointsToStruct(vars[slot]) {
					made[slot] = map[int64]bool{}
					continue
				}
				s.fresh(made, vars, in.Args[0], -1)
				s.fresh(made, vars, in.Args[1], 1)
			case ir.OpLoad:
				s.fresh(made, vars, in.Args[0], 0)
			case ir.OpCall:
				for _, a := range in.Args {
					if in.Model != ir.ModelFree {
						s.fresh(made, vars, a, 1)
					}
				}
			case ir.OpRet:
				for _, a := range in.Args {
					s.fresh(made, vars, a, -1)
				}
			}
		}
	}
	for slot, has := range made {
		if has != nil {
			s.unmade(vars[slot].T.Elem, 0, has)
		}
	}
}

// isFresh reports whether v is memory from the heap that has any contents.
func isFresh(v ir.Value) bool {
	in, ok := places.Uncast(v).(*ir.Instr)
	return ok && in.Op == ir.OpCall && (in.Model == ir.ModelMalloc || in.Model == ir.ModelAligned)
}

func pointsToStruct(v *ir.Var) bool {
	return v != nil && v.T != nil && v.T.Kind == ir.DPointer && ir.IsStruct(v.T.Elem)
}

// fresh notes what happens to memory that a local variable leads to through the address v: it is read (0), written (1),
// or goes elsewhere (-1).
func (s *Table) fresh(made map[*ir.Instr]map[int64]bool, vars map[ir.Value]*ir.Var, v ir.Value, how int) {
	from, ok := ir.Root(v).(*ir.Instr)
	if !ok || from.Op != ir.OpLoad {
		return
	}
	slot, ok := from.Args[0].(*ir.Instr)
	has := made[slot]
	if !ok || has == nil {
		return
	}
	of, f, off := places.MemberIn(vars[slot].T.Elem, offsetOf(v))
	switch {
	case how == 0 && f != nil && !has[offsetOf(v)]:
		s.get(places.Place{Of: places.LayoutOf(of), Off: off}).Any = true
	case how == 1 && isMember(v):
		has[offsetOf(v)] = true
	case how == 1:
		made[slot] = nil // all of it is
	}
}

// offsetOf returns the bytes from its root that an address is at, without indices.
func offsetOf(v ir.Value) int64 {
	off := int64(0)
	for in, ok := v.(*ir.Instr); ok && ir.Root(in) != ir.Value(in); in, ok = in.Args[0].(*ir.Instr) {
		off += in.Off
	}
	return off
}

// unmade notes the numbers of a structure, off bytes into the memory, of which nothing gave a value to those that are
// not in has.
func (s *Table) unmade(t *ir.DType, off int64, has map[int64]bool) {
	for i := range t.Fields {
		f := &t.Fields[i]
		at := f.BitOff / 8
		switch {
		case ir.IsStruct(f.T):
			s.unmade(f.T, off+at, has)
		case !f.IsBits && !has[off+at] && f.T != nil && (ir.IsNumber(f.T) || f.T.Kind == ir.DEnum):
			s.get(places.Place{Of: places.LayoutOf(t), Off: at}).Any = true
		}
	}
}
