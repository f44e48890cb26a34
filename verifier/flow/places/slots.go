package places

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Slot is a part of an object that holds a pointer.
type Slot struct {
	Name string // behind that of the object
	T    *ir.DType
	Off  int64
}

// PointersIn returns the pointers in an object of type t, without those in arrays.
func PointersIn(t *ir.DType, name string, off int64) []Slot {
	var out []Slot
	eachPointer(t, name, off, false, func(s Slot) bool {
		out = append(out, s)
		return true
	})
	return out
}

// eachPointer calls visit with the pointers in an object of type t, those in arrays and unions too where arrays says so,
// until it returns false. It reports whether it came to the end.
func eachPointer(t *ir.DType, name string, off int64, arrays bool, visit func(Slot) bool) bool {
	switch {
	case t == nil:
	case t.Kind == ir.DPointer:
		return visit(Slot{name, t, off})
	case t.Kind == ir.DStruct, t.Kind == ir.DUnion && arrays:
		for i := range t.Fields {
			f := &t.Fields[i]
			if !f.IsBits && !eachPointer(f.T, f.Of(name), off+f.BitOff/8, arrays, visit) {
				return false
			}
		}
	case t.Kind == ir.DArray && arrays && ir.HoldsPointer(t.Elem):
		size := ir.SizeInC(t.Elem)
		for i := int64(0); size > 0 && i < ir.SizeInC(t)/size; i++ {
			if !eachPointer(t.Elem, fmt.Sprintf("%s[%d]", name, i), off+i*size, true, visit) {
				return false
			}
		}
	}
	return true
}

// FunctionsIn returns the pointers to functions among the first pointers in an object of type t, those in arrays and
// unions too. whole is false where there are as many as most: there may be more.
func FunctionsIn(t *ir.DType, name string, off int64, most int) (out []Slot, whole bool) {
	whole = eachPointer(t, name, off, true, func(s Slot) bool {
		if IsFunction(s.T) {
			out = append(out, s)
		}
		most--
		return most > 0
	})
	return out, whole
}
