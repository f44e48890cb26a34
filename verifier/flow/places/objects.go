package places

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Object is a place that an address may lead to: off bytes into a variable, or into what a pointer of C leads to;
// indices of arrays, and of what a pointer leads to, are left out.
type Object struct {
	Global *ir.Global // the variable, nil: it is another's
	T      *ir.DType  // of the variable, or of what the pointer leads to; nil: not known
	Off    int64
	Cast   bool // it is taken for something else, which off counts in
	// an index that varies, and counts in something else than the elements there, moves it to any place in the object
	Moved bool
}

// Known reports whether the type of the object is known, and that of what it is taken for.
func (o Object) Known() bool { return (o.T != nil || o.Global != nil) && !o.Cast && !o.Moved }

// Beyond reports whether the place is not in the structure that the pointer leads to, but in one beside it.
func (o Object) Beyond() bool {
	if !ir.IsStruct(o.T) || o.Off >= 0 && o.Off < ir.SizeInC(o.T) {
		return false
	}
	last := o.T.Fields[max(len(o.T.Fields), 1)-1:]
	return o.Off < 0 || len(last) == 0 || last[0].T == nil || last[0].T.Kind != ir.DArray || last[0].T.Count > 0
}

// ObjectsAt returns the objects that an address in a function with these variables may lead into. Addresses that are
// computed as numbers, such as those of registers, and temporaries of the compiler are none.
func ObjectsAt(vars map[ir.Value]*ir.Var, addr ir.Value) []Object {
	return objectsFrom(vars, Uncast(addr), policy.FlowChoices)
}

func objectsFrom(vars map[ir.Value]*ir.Var, v ir.Value, steps int) []Object {
	if steps == 0 {
		return []Object{{}}
	}
	switch x := v.(type) {
	case *ir.Const:
		switch {
		case x.Kind != ir.ConstAddr || x.Global == nil:
			return nil
		case x.Global.Var == nil:
			return []Object{{Global: x.Global, Off: x.Off}}
		}
		return []Object{{Global: x.Global, T: x.Global.Var.T, Off: x.Off}}
	case *ir.Instr:
		choices := x.Args
		switch x.Op {
		case ir.OpFreeze:
			return objectsFrom(vars, x.Args[0], steps)
		case ir.OpGep:
			return movedObjects(objectsFrom(vars, x.Args[0], steps), x)
		case ir.OpAlloca:
			if vars[v] == nil {
				return nil
			}
		case ir.OpIntToPtr:
			return nil
		case ir.OpBitcast:
			return castObjects(objectsFrom(vars, x.Args[0], steps-1))
		case ir.OpSelect:
			choices = x.Args[1:]
			fallthrough
		case ir.OpPhi:
			var out []Object
			for _, c := range choices {
				out = append(out, objectsFrom(vars, c, steps-1)...)
			}
			return out
		}
	}
	types := pointees(vars, v, steps)
	if len(types) == 0 {
		return []Object{{}}
	}
	var out []Object
	for _, t := range types {
		out = append(out, Object{T: t})
	}
	return out
}

// movedObjects returns where an address of objects is moved to: an index may be of any element of an array.
func movedObjects(list []Object, gep *ir.Instr) []Object {
	_, constant := gep.Args[0].(*ir.Const)
	out := make([]Object, len(list))
	for i, o := range list {
		for _, scale := range gep.Scales {
			switch {
			case o.T == nil:
			case constant && !gep.Flags.Has(ir.Element): // what it is the address of may be cast
				o.Moved = o.Moved || ir.SizeInC(Element(o.T)) != scale
			default:
				o.Moved = o.Moved || !hasElements(o.T, o.Off, scale) && !hasElements(o.T, o.Off+gep.Off, scale)
			}
		}
		o.Off += gep.Off
		out[i] = o
	}
	return out
}

// hasElements reports whether an element of this size, of an array, is off bytes into a t, or t is such an element.
func hasElements(t *ir.DType, off, size int64) bool {
	for root := t; t != nil; t, off = Into(t, off) {
		switch {
		case t == root && ir.SizeInC(t) == size, t.Kind == ir.DArray && t.Elem != nil && ir.SizeInC(t.Elem) == size:
			return true
		case t.Kind == ir.DUnion:
			return slices.ContainsFunc(t.Fields, func(f ir.DField) bool {
				return f.T != nil && hasElements(f.T, off, size)
			})
		}
	}
	return false
}

// castObjects returns the objects at an address of other objects that is cast to another type: a union that begins
// there, where there is one.
func castObjects(list []Object) []Object {
	out := make([]Object, len(list))
	for i, o := range list {
		switch u := PartAt(o.T, o.Off, IsUnion); {
		case u != nil && !o.Cast && !o.Moved:
			out[i] = Object{T: u}
		default:
			out[i] = Object{Global: o.Global, T: o.T, Cast: true}
		}
	}
	return out
}

// pointees returns the types in C that v may lead to; none: they are not known.
func pointees(vars map[ir.Value]*ir.Var, v ir.Value, steps int) []*ir.DType {
	if x := vars[v]; x != nil {
		return []*ir.DType{x.T}
	}
	in, ok := v.(*ir.Instr)
	if !ok {
		return nil
	}
	switch in.Op {
	case ir.OpCall:
		if f := ir.CalledFunc(in); f != nil && f.DRet != nil && f.DRet.Kind == ir.DPointer {
			return []*ir.DType{LeadsTo(f.DRet)}
		}
	case ir.OpLoad:
		var out []*ir.DType
		for _, o := range objectsFrom(vars, in.Args[0], steps-1) {
			types := PointersAt(o.T, o.Off)
			if len(types) == 0 || o.Cast || o.Moved {
				return nil
			}
			out = append(out, types...)
		}
		return out
	}
	return nil
}

// PointersAt returns the types that the pointer which stands off bytes into a t leads to: in a union, those of all its
// members.
func PointersAt(t *ir.DType, off int64) []*ir.DType {
	for t != nil {
		switch {
		case t.Kind == ir.DPointer && off == 0:
			return []*ir.DType{LeadsTo(t)}
		case t.Kind == ir.DUnion:
			var out []*ir.DType
			for i := range t.Fields {
				out = append(out, PointersAt(t.Fields[i].T, off)...)
			}
			return out
		}
		t, off = Into(t, off)
	}
	return nil
}

// LeadsTo returns the type that a pointer leads to: void where its type says none.
func LeadsTo(p *ir.DType) *ir.DType {
	if p.Elem == nil {
		return &ir.DType{Kind: ir.DVoid}
	}
	return p.Elem
}

// IsUnion reports a union.
func IsUnion(t *ir.DType) bool { return t.Kind == ir.DUnion }

// PartAt returns the outermost part that stands off bytes into a t and is wanted; nil where there is none.
func PartAt(t *ir.DType, off int64, wanted func(*ir.DType) bool) *ir.DType {
	for t != nil && !(off == 0 && wanted(t)) {
		t, off = Into(t, off)
	}
	return t
}

// Into returns the element of an array, or the member of a structure, that off bytes into a t are in, and how many bytes
// into it; nil where t is neither.
func Into(t *ir.DType, off int64) (*ir.DType, int64) {
	switch t.Kind {
	case ir.DArray:
		if size := ir.SizeInC(t.Elem); size > 0 {
			return t.Elem, off % size
		}
	case ir.DStruct:
		if f := fieldAt(t, off); f != nil {
			return f.T, off - f.BitOff/8
		}
	}
	return nil, 0
}

// fieldAt returns the last member of structure t that begins at off bytes or before; nil where there is none.
func fieldAt(t *ir.DType, off int64) *ir.DField {
	var out *ir.DField
	for i := range t.Fields {
		if f := &t.Fields[i]; f.BitOff/8 <= off && f.T != nil {
			out = f
		}
	}
	return out
}
