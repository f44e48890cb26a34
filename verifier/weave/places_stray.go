package weave

import "github.com/firmproof/firmproof/verifier/ir"

// inFirst returns the offset in the first elements of all arrays that stands for off bytes into a t: what is stored at
// an index that varies may be in any element.
func inFirst(t *ir.DType, off int64) int64 {
	at := int64(0)
	for t != nil {
		inner, left := into(t, off)
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
func (ps *places) strays(vars map[ir.Value]*ir.Var, store *ir.Instr) {
	if !isFunctionValue(vars, store.Args[0]) {
		return
	}
	if in, ok := root(store.Args[1]).(*ir.Instr); ok && in.Op == ir.OpAlloca {
		if vars[in] == nil && !in.Access.IsPtr() {
			ps.stray.stored(store.Args[0])
		}
		return
	}
	for _, o := range objectsAt(vars, store.Args[1]) {
		if o.cast || o.moved || o.g == nil && (o.t == nil || isFunction(o.t)) {
			ps.stray.stored(store.Args[0])
		}
	}
}

// isFunctionValue reports whether v is a function, or a pointer to one by its type in C.
func isFunctionValue(vars map[ir.Value]*ir.Var, v ir.Value) bool {
	if c, ok := uncast(v).(*ir.Const); ok {
		return c.Func != nil
	}
	from := cast(v)
	if from == nil {
		return false
	}
	for _, o := range objectsAt(vars, from.Args[0]) {
		if partAt(o.t, o.off, isFunction) != nil {
			return true
		}
	}
	return false
}

// literal notes the functions in a constant of the compiler that a call of memcpy copies: the initialiser of a local
// variable, or a compound literal.
func (ps *places) literal(vars map[ir.Value]*ir.Var, call *ir.Instr) {
	from, ok := root(call.Args[1]).(*ir.Const)
	if !ok || from.Global == nil || from.Global.Var != nil || from.Global.Init == nil {
		return
	}
	for _, o := range objectsAt(vars, call.Args[0]) {
		ps.initial(nil, o.t, from.Global.Init, o.off-from.Off)
	}
}

// mayStray lists the functions of a type in LLVM IR that may be stored in any place.
func (p *Program) mayStray(fits func(*ir.Func) bool) []*ir.Func {
	list := p.places.stray.funcs
	if p.places.stray.others {
		list = nil
		for _, f := range p.m.Funcs {
			if f.Addr && !f.IsDecl() && !f.Made {
				list = append(list, f)
			}
		}
	}
	var out []*ir.Func
	for _, f := range list {
		if fits(f) {
			out = append(out, f)
		}
	}
	return out
}
