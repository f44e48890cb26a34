package prepare

import (
	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// asksLost reports whether a generated harness of f asks whether f loses memory that it allocates (ir.LeakCalled): where
// the target or somebody asks for `leak`. What main leaves behind, the end of the program takes back.
func (b *preparation) asksLost(f *ir.Func, img *compile.Image, allocating map[*ir.Func]bool) bool {
	return allocating[f] && f.CName != "main" && (img.Target.Leak || b.names(verdict.Leak, nil))
}

// allocatingOf are the functions that may allocate memory of the heap, themselves or by calls. callers are those by name; a
// call through a pointer may lead to each function whose address is taken.
func allocatingOf(m *ir.Module, callers map[*ir.Func][]*ir.Func) map[*ir.Func]bool {
	out := map[*ir.Func]bool{}
	var todo, throughPointers []*ir.Func
	for _, f := range m.Funcs {
		if f.Model.OfHeap() && f.Model != ir.ModelFree {
			todo = append(todo, f)
		}
		if callsPointers(f) {
			throughPointers = append(throughPointers, f)
		}
	}
	add := func(list []*ir.Func) {
		for _, f := range list {
			if !out[f] {
				out[f] = true
				todo = append(todo, f)
			}
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		add(callers[todo[0]])
		if todo[0].Addr {
			add(throughPointers)
			throughPointers = nil
		}
	}
	return out
}

// callsPointers reports whether f calls functions through pointers.
func callsPointers(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if _, named := in.Callee.(*ir.Const); in.Op == ir.OpCall && !named {
				return true
			}
		}
	}
	return false
}
