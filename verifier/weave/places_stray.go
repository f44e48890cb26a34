package weave

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

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
		if o.cast || o.g == nil && (o.t == nil || isFunction(o.t)) {
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
		ps.initial(ps.layout, nil, o.t, from.Global.Init, o.off-from.Off)
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

// otherStrays reports whether a pointer to a t that has functions at first may hold others, which are stored where no
// place is known.
func (p *Program) otherStrays(t *ir.DType, known *held) bool {
	return len(known.funcs) > 0 && slices.ContainsFunc(p.mayStray(p.fits(t)), func(f *ir.Func) bool {
		return !slices.Contains(known.funcs, f)
	})
}

// functionsIn returns the pointers to functions in an object of type t, in arrays too. whole is false where there are
// more than most.
func functionsIn(t *ir.DType, name string, off int64, most int) (out []slot, whole bool) {
	for _, s := range slotsIn(t, name, off, &most) {
		if isFunction(s.t) {
			out = append(out, s)
		}
	}
	return out, most > 0
}

// slotsIn returns the pointers in an object of type t, in arrays too, at most as many as left says.
func slotsIn(t *ir.DType, name string, off int64, left *int) []slot {
	var out []slot
	switch {
	case t == nil || *left <= 0:
	case t.Kind == ir.DPointer:
		*left--
		return []slot{{name, t, off}}
	case t.Kind == ir.DStruct:
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.IsBits {
				out = append(out, slotsIn(f.T, name+"."+f.Name, off+f.BitOff/8, left)...)
			}
		}
	case t.Kind == ir.DArray && leadsOn(t.Elem):
		size := sizeOf(t.Elem)
		for i := int64(0); size > 0 && i < sizeOf(t)/size && *left > 0; i++ {
			out = append(out, slotsIn(t.Elem, fmt.Sprintf("%s[%d]", name, i), off+i*size, left)...)
		}
	}
	return out
}

// leadsOn reports whether an object of type t holds a pointer.
func leadsOn(t *ir.DType) bool {
	one := 1
	return len(slotsIn(t, "", 0, &one)) > 0
}
