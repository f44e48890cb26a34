package pair

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// passed adds argument i of a function that is named so to an event.
func (w *pairing) passed(e *event, f *ir.Func, i int, a ir.Value, name string) error {
	switch k := a.Type().Kind; {
	case k == ir.KindInt && a.Type().Width <= 64, k == ir.KindFloat && a.Type().Width <= 64:
		e.args = append(e.args, a)
		return nil
	case k != ir.KindPtr:
		return fmt.Errorf("%s is passed a value of another kind", name)
	}
	keeps := f.Keeps(i) || f.Model == ir.ModelPrintf
	switch r := ir.Root(a).(type) {
	case *ir.Const:
		if r.Kind == ir.ConstNull || r.Global != nil && (r.Global.Const || keeps && !w.isTwin(r.Global)) {
			e.args = append(e.args, a)
			return nil
		}
	case *ir.Instr:
		if n, ok := constInt(r); r.Op == ir.OpAlloca && ok && e.local == nil {
			if size := w.Module.Layout.SizeOf(r.Access) * n; size <= policy.PairBytes {
				e.local, e.size, e.keeps = r, size, keeps
				e.args = append(e.args, a)
				return nil
			}
		}
	}
	if keeps && !w.apartLayouts() && w.isArgument(a) {
		e.args = append(e.args, a)
		return nil
	}
	return fmt.Errorf("%s is passed a pointer, and may write what it leads to", name)
}

// isArgument reports a pointer that is computed from an argument of the function that is compared, which is the same in both
// versions, as those of a function that it calls need not be.
func (w *pairing) isArgument(a ir.Value) bool {
	var params []*ir.Param
	var from func(v ir.Value, deep int) bool
	from = func(v ir.Value, deep int) bool {
		switch r := ir.Root(v).(type) {
		case *ir.Param:
			params = append(params, r)
			return true
		case *ir.Instr:
			slot, ok := ir.Root(r.Args[0]).(*ir.Instr)
			if r.Op != ir.OpLoad || !ok || slot.Op != ir.OpAlloca || deep == 0 || ir.Escapes(r.Block.Func)[slot] {
				return false
			}
			for _, b := range r.Block.Func.Blocks {
				for _, in := range b.Instrs {
					if in.Op != ir.OpStore || ir.Root(in.Args[1]) != ir.Value(slot) {
						continue
					}
					if l, again := ir.Root(in.Args[0]).(*ir.Instr); again && l.Op == ir.OpLoad && ir.Root(l.Args[0]) == ir.Value(slot) {
						continue // p++
					}
					if !from(in.Args[0], deep-1) {
						return false
					}
				}
			}
			return true
		}
		return false
	}
	if !from(a, 3) {
		return false
	}
	for _, f := range ofEither(w.Module, w.reach) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if g := ir.CalledFunc(in); g != nil && (g == w.old || g == w.now) {
					return false
				}
			}
		}
	}
	return !slices.ContainsFunc(params, func(p *ir.Param) bool {
		return !slices.Contains(w.old.Params, p) && !slices.Contains(w.now.Params, p)
	})
}

// beginsOf returns where variables that events pass on begin to live: at the marks of that, or where they are allocated.
func beginsOf(f *ir.Func, locals map[*ir.Instr]*event) map[*ir.Instr]*event {
	out, marked := map[*ir.Instr]*event{}, map[*ir.Instr]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if at := ir.Begun(in); locals[at] != nil {
				out[in], marked[at] = locals[at], true
			}
		}
	}
	for at, e := range locals {
		if !marked[at] {
			out[at] = e
		}
	}
	return out
}

// comparePassed asserts that a variable that the new version passes on holds what the old one's does, and is no smaller:
// how much of it the function reads is not known.
func (w *pairing) comparePassed(e *event, in *ir.Instr, at ir.Value) {
	was := w.Resize(w.Load(ir.Int(64), w.logged(w.log.sizes, at, 8)), w.Word())
	w.claimAt(FactSize, e.name, w.Compare(ir.ULE, was, w.Int(w.Word(), e.size)), *in.Pos)
	i := w.indexBelow("what is passed", e.size)
	bytes := w.logged(w.log.bytes, at, policy.PairBytes)
	same := ir.Value(w.Compare(ir.EQ, w.Load(ir.Int(8), w.Gep(bytes, 0, i, 1)), w.Load(ir.Int(8), w.Gep(e.local, 0, i, 1))))
	same = w.Or(same, w.Compare(ir.ULE, was, i))
	if e.t == nil {
		w.claimAt(FactEvent, e.name, same, *in.Pos)
		return
	}
	// each version's pointers to its own variables lead elsewhere
	w.claimAt(FactEvent, e.name, w.Or(same, w.inPointer(e.t, i)), *in.Pos)
	w.claimAt(FactPointer, e.name, same, *in.Pos)
}

// inPointer is true of the number of a byte of a t that may be one of a pointer.
func (w *pairing) inPointer(t *ir.DType, i ir.Value) ir.Value {
	size := int64(w.Module.Layout.PtrBits / 8)
	var out ir.Value = w.Int(ir.Int(1), 0)
	slots := places.PointersIn(t, "", 0)
	for _, s := range slots {
		out = w.Or(out, w.Compare(ir.ULT, w.Binary(ir.OpSub, i, w.Int(w.Word(), s.Off)), w.Int(w.Word(), size)))
	}
	if len(slots) == 0 || pointersInParts(t) {
		return w.Int(ir.Int(1), -1)
	}
	return out
}

// pointersInParts reports whether an object of type t has an array or a union in it that holds pointers.
func pointersInParts(t *ir.DType) bool {
	return (t.Kind == ir.DArray || t.Kind == ir.DUnion) && ir.HoldsPointer(t) ||
		slices.ContainsFunc(t.Fields, func(f ir.DField) bool { return f.T != nil && pointersInParts(f.T) })
}

// leadsToLocal reports whether an argument points into the variable of the caller.
func (e *event) leadsToLocal(a ir.Value) bool {
	return e.local != nil && a.Type().IsPtr() && ir.Root(a) == ir.Value(e.local)
}

// noted is an argument as a number: of a pointer to a variable of the caller, where in it that points to.
func (w *pairing) noted(e *event, a ir.Value) ir.Value {
	word := ir.Int(64)
	number := func(v ir.Value) ir.Value {
		return w.Emit(&ir.Instr{Op: ir.OpPtrToInt, T: w.Word(), Args: []ir.Value{v}})
	}
	switch t := a.Type(); {
	case t.Kind == ir.KindFloat:
		return w.Resize(w.Emit(&ir.Instr{Op: ir.OpBitcast, T: ir.Int(t.Width), Args: []ir.Value{a}}), word)
	case t.IsInt():
		return w.Resize(a, word)
	case e.leadsToLocal(a):
		return w.Resize(w.Binary(ir.OpSub, number(a), number(e.local)), word)
	}
	return w.Resize(number(a), word)
}
