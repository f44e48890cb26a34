package uses

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// retyped reports whether v is what a variable holds, a pointer, and `to` a variable that has it lead to something else:
// `struct pool *p = mem` of a `void *mem`. vars are the variables of the function by where they live.
func retyped(vars map[ir.Value]*ir.Var, v, to ir.Value) bool {
	held, ok := uncast(v).(*ir.Instr)
	if !ok || held.Op != ir.OpLoad {
		return false
	}
	was, is := vars[held.Args[0]], vars[to]
	return was != nil && is != nil && isPointer(was.T) && isPointer(is.T) && !sameObject(was.T.Elem, is.T.Elem)
}

// uncast returns what was taken for another type of pointer.
func uncast(v ir.Value) ir.Value {
	for in, ok := v.(*ir.Instr); ok && in.Op == ir.OpBitcast; in, ok = v.(*ir.Instr) {
		v = in.Args[0]
	}
	return v
}

func isPointer(t *ir.DType) bool { return t != nil && t.Kind == ir.DPointer }

// sameObject reports whether two types of C say the same of memory, signs and qualifiers aside; void is one byte.
func sameObject(a, b *ir.DType) bool {
	switch {
	case ir.IsVoid(a) || ir.IsVoid(b):
		return (ir.IsVoid(a) || isByte(a)) && (ir.IsVoid(b) || isByte(b))
	case a.Bits != b.Bits || len(a.Fields) != len(b.Fields):
		return false
	case isPointer(a) || isPointer(b):
		return isPointer(a) && isPointer(b) && sameObject(a.Elem, b.Elem)
	case a.Kind == ir.DFunc || b.Kind == ir.DFunc:
		return a.Kind == b.Kind
	case a.Kind == ir.DArray || b.Kind == ir.DArray:
		return a.Kind == b.Kind && sameObject(a.Elem, b.Elem)
	case len(a.Fields) > 0:
		return slices.EqualFunc(a.Fields, b.Fields, func(x, y ir.DField) bool { return x.Name == y.Name && x.BitOff == y.BitOff })
	}
	return (a.Kind == ir.DFloat) == (b.Kind == ir.DFloat)
}

func isByte(t *ir.DType) bool {
	return t.Bits == 8 && t.Kind != ir.DStruct && t.Kind != ir.DUnion && t.Kind != ir.DArray
}
