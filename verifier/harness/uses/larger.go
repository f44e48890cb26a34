package uses

import "github.com/firmproof/firmproof/verifier/ir"

// larger returns the structure that f takes parameter i for, which leads to a structure t, where that is larger and begins
// with t, as `struct rect *r = (struct rect *)s` and `((struct rect *)s)->w` of a `struct shape *s` do. It is nil where
// there is none, and where two are that do not begin with each other.
func (p *Reader) larger(f *ir.Func, i int, t *ir.DType) *ir.DType {
	vars, stores := f.VarsBySlot(), map[ir.Value]int{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore {
				stores[in.Args[1]]++
			}
		}
	}
	holds := map[ir.Value]bool{} // variables that hold the parameter
	var found *ir.DType
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if len(in.Args) == 0 {
				continue
			}
			v := uncast(in.Args[0])
			if param, ok := v.(*ir.Param); ok && param.Index == i && in.Op == ir.OpStore {
				holds[in.Args[1]] = true
				continue
			}
			if held, ok := v.(*ir.Instr); !ok || held.Op != ir.OpLoad || !holds[held.Args[0]] {
				continue
			}
			is := p.takenFor(vars, in, t)
			if is != nil && in.Op == ir.OpStore && stores[in.Args[1]] == 1 {
				holds[in.Args[1]] = true
			}
			switch {
			case is == nil || found != nil && (sameObject(is, found) || beginsWith(found, is)):
			case found == nil || beginsWith(is, found):
				found = is
			default:
				return nil
			}
		}
	}
	return found
}

// takenFor returns the larger structure that begins with t and instruction in takes its pointer operand for: the type of
// the variable that it is stored in, or of the structure that is stepped into. Of that LLVM knows the size; if no two
// structures of the program are so large and begin with t, it is the one that does.
func (p *Reader) takenFor(vars map[ir.Value]*ir.Var, in *ir.Instr, t *ir.DType) (is *ir.DType) {
	switch in.Op {
	case ir.OpStore:
		if to := vars[in.Args[1]]; to != nil && isPointer(to.T) && beginsWith(to.T.Elem, t) {
			return to.T.Elem
		}
	case ir.OpGep:
		if in.Struct.Size <= ir.SizeInC(t) {
			return nil
		}
		for _, s := range p.structures() {
			if ir.SizeInC(s) != in.Struct.Size || !beginsWith(s, t) {
				continue
			}
			if is != nil && !sameObject(is, s) {
				return nil
			}
			is = s
		}
	}
	return is
}

// structures lists the structures of the program that variables are made of or lead to.
func (p *Reader) structures() []*ir.DType {
	if p.structs == nil {
		p.structs = []*ir.DType{}
		ir.EachType(p.m, func(t *ir.DType) {
			if ir.IsStruct(t) {
				p.structs = append(p.structs, t)
			}
		})
	}
	return p.structs
}

// isBeginning reports whether a variable takes parameter k for the larger structure that the function does, or for one that
// this begins with.
func (s *useScan) isBeginning(k int, v *ir.Var) bool {
	larger := s.uses[k].Larger
	return larger != nil && v != nil && isPointer(v.T) && (sameObject(v.T.Elem, larger) || beginsWith(larger, v.T.Elem))
}

// beginsWith reports whether a is a larger structure than b, and b or all members of b stand at its beginning.
func beginsWith(a, b *ir.DType) bool {
	if !ir.IsStruct(a) || !ir.IsStruct(b) || a.Bits <= b.Bits || len(a.Fields) == 0 || len(b.Fields) == 0 {
		return false
	}
	if first := a.Fields[0].T; ir.IsStruct(first) && (sameObject(first, b) || beginsWith(first, b)) {
		return true
	}
	if len(a.Fields) <= len(b.Fields) {
		return false
	}
	for i := range b.Fields {
		x, y := &a.Fields[i], &b.Fields[i]
		if x.Name != y.Name || x.BitOff != y.BitOff || x.T == nil || y.T == nil || !sameObject(x.T, y.T) {
			return false
		}
	}
	return true
}
