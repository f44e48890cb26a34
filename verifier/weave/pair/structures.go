package pair

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// What is handed over or returned by value, or passed on to a function without a body, has the same members at the same
// places in both versions. Else equal bytes may mean something else, and other bytes the same.

// sameStructures returns an error where a structure that is handed over or returned by value has another layout. Targets
// make numbers of it, or write it to where a pointer says, so that types of the IR do not tell.
func (w *pairing) sameStructures() error {
	was, is := paramsInC(w.old), paramsInC(w.now)
	for i := range min(len(was), len(is)) {
		if w.mayDiffer(was[i].T, is[i].T) {
			return fmt.Errorf("parameter %s has another layout", is[i].Name)
		}
	}
	if x, y := w.old.DRet, w.now.DRet; x != nil && y != nil && w.mayDiffer(x, y) {
		return errors.New("the result has another layout")
	}
	return nil
}

// paramsInC lists the parameters of f as C has them.
func paramsInC(f *ir.Func) (out []*ir.Var) {
	for _, v := range f.Vars {
		if v.Param {
			out = append(out, v)
		}
	}
	return out
}

// mayDiffer reports whether a structure or union is among two types, and the other one has another layout.
func (w *pairing) mayDiffer(t, u *ir.DType) bool {
	return (ir.IsAggregate(t) || ir.IsAggregate(u)) && !w.sameLayout(t, u)
}

// passing is where functions without a body are passed a variable of the caller: which one, and as which argument.
type passing struct {
	kind string // of the event
	arg  int
}

// sameVariables notes the type of a variable that is passed on, and returns an error where the other version passes one of
// another layout there.
func (w *pairing) sameVariables(e *event, f *ir.Func, side int) error {
	at := 0
	for i, a := range e.args {
		if e.leadsToLocal(a) {
			at = i
		}
	}
	for _, v := range f.Vars {
		if v.Slot != ir.Value(e.local) {
			continue
		}
		if w.apartLayouts() && ir.HoldsPointer(v.T) {
			return fmt.Errorf("%s, with pointers, is passed on beside memory of another layout: %s", v.Name, e.name)
		}
		if ir.HoldsPointer(v.T) {
			e.t = v.T
		}
		if w.passes == nil {
			w.passes = map[passing][2][]*ir.DType{}
		}
		key := passing{e.kind, at}
		lists := w.passes[key]
		lists[side] = append(lists[side], v.T)
		w.passes[key] = lists
		for _, other := range lists[1-side] {
			if w.otherElements(v.T, other) {
				return fmt.Errorf("%s is passed on with another layout: %s", v.Name, e.name)
			}
		}
	}
	return nil
}

// otherElements reports whether what stands in two variables, or in the elements of them, has another layout, or is a number of
// another size.
func (w *pairing) otherElements(t, u *ir.DType) bool {
	for t.Kind == ir.DArray && t.Elem != nil {
		t = t.Elem
	}
	for u.Kind == ir.DArray && u.Elem != nil {
		u = u.Elem
	}
	if ir.IsAggregate(t) && ir.IsAggregate(u) {
		return !w.sameLayout(t, u)
	}
	return ir.IsNumber(t) && ir.IsNumber(u) && (t.Bits != u.Bits || w.j.machines.otherOrder(t))
}
