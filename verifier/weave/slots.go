package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// slot is a part of an object that holds a pointer.
type slot struct {
	name string // behind that of the object
	t    *ir.DType
	off  int64
}

// pointersIn returns the pointers in an object of type t, without those in arrays.
func pointersIn(t *ir.DType, name string, off int64) []slot {
	var out []slot
	eachPointer(t, name, off, false, func(s slot) bool {
		out = append(out, s)
		return true
	})
	return out
}

// eachPointer calls visit with the pointers in an object of type t, those in arrays and unions too where arrays says so,
// until it returns false. It reports whether it came to the end.
func eachPointer(t *ir.DType, name string, off int64, arrays bool, visit func(slot) bool) bool {
	switch {
	case t == nil:
	case t.Kind == ir.DPointer:
		return visit(slot{name, t, off})
	case t.Kind == ir.DStruct, t.Kind == ir.DUnion && arrays:
		for i := range t.Fields {
			f := &t.Fields[i]
			if !f.IsBits && !eachPointer(f.T, name+"."+f.Name, off+f.BitOff/8, arrays, visit) {
				return false
			}
		}
	case t.Kind == ir.DArray && arrays && holdsPointer(t.Elem):
		size := sizeOf(t.Elem)
		for i := int64(0); size > 0 && i < sizeOf(t)/size; i++ {
			if !eachPointer(t.Elem, fmt.Sprintf("%s[%d]", name, i), off+i*size, true, visit) {
				return false
			}
		}
	}
	return true
}

// functionsIn returns the pointers to functions among the first pointers in an object of type t, those in arrays and
// unions too. whole is false where there are as many as most: there may be more.
func functionsIn(t *ir.DType, name string, off int64, most int) (out []slot, whole bool) {
	whole = eachPointer(t, name, off, true, func(s slot) bool {
		if isFunction(s.t) {
			out = append(out, s)
		}
		most--
		return most > 0
	})
	return out, whole
}
