package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// InFirst returns the offset in the first elements of all arrays that stands for off bytes into a t: what is stored at
// an index that varies may be in any element.
func InFirst(t *ir.DType, off int64) int64 {
	at := int64(0)
	for t != nil {
		inner, left := Into(t, off)
		if inner == nil {
			break
		}
		if t.Kind == ir.DStruct {
			at += off - left
		}
		t, off = inner, left
	}
	return at + off
}

// strays notes a function that is stored through a pointer to pointers to functions, where it is not known into what
// object, or into a structure without a name (a compound literal), which is copied on: any place may hold it.
func (ps *Table) strays(vars map[ir.Value]*ir.Var, store *ir.Instr) {
	if !isFunctionValue(vars, store.Args[0]) {
		return
	}
	if in, ok := ir.Root(store.Args[1]).(*ir.Instr); ok && in.Op == ir.OpAlloca {
		if vars[in] == nil && !in.Access.IsPtr() {
			ps.Stray.Stored(store.Args[0])
		}
		return
	}
	for _, o := range ObjectsAt(vars, store.Args[1]) {
		if o.Cast || o.Moved || o.Global == nil && (o.T == nil || IsFunction(o.T)) {
			ps.Stray.Stored(store.Args[0])
		}
	}
}

// isFunctionValue reports whether v is a function, or a pointer to one by its type in C.
func isFunctionValue(vars map[ir.Value]*ir.Var, v ir.Value) bool {
	if c, ok := Uncast(v).(*ir.Const); ok {
		return c.Func != nil
	}
	from := cast(v)
	if from == nil {
		return false
	}
	for _, o := range ObjectsAt(vars, from.Args[0]) {
		if PartAt(o.T, o.Off, IsFunction) != nil {
			return true
		}
	}
	return false
}

// literal notes the functions in a constant of the compiler that a call of memcpy copies: the initialiser of a local
// variable, or a compound literal.
func (ps *Table) literal(vars map[ir.Value]*ir.Var, call *ir.Instr) {
	from, ok := ir.Root(call.Args[1]).(*ir.Const)
	if !ok || from.Global == nil || from.Global.Var != nil || from.Global.Init == nil {
		return
	}
	for _, o := range ObjectsAt(vars, call.Args[0]) {
		ps.initial(nil, o.T, from.Global.Init, o.Off-from.Off)
	}
}
