package seg

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Shared returns the functions called from entry that have one graph and a summary for all of their calls where
// Options.Modular asks for it (MO-37, MO-38): those with a loop, in themselves or in what they call, that neither
// allocate nor free nor call themselves, and that are called from three contexts or more. Such a function is one
// context of what it calls.
func Shared(entry *ir.Func) map[*ir.Func]bool {
	c := &contexts{calls: map[*ir.Func]int{entry: 1}, loops: map[*ir.Func]bool{},
		heap: map[*ir.Func]bool{}, cyclic: map[*ir.Func]bool{}, state: map[*ir.Func]int{}}
	c.visit(entry)
	shared := map[*ir.Func]bool{}
	for n := len(c.order) - 1; n >= 0; n-- { // callers first
		fn := c.order[n]
		times := min(c.calls[fn], policy.SharedFrom)
		if times >= policy.SharedFrom && c.loops[fn] && !c.heap[fn] && !c.cyclic[fn] {
			shared[fn] = true
			times = 1
		}
		for _, g := range callees(fn) {
			c.calls[g] += times
		}
	}
	return shared
}

// contexts counts calls.
type contexts struct {
	calls  map[*ir.Func]int
	loops  map[*ir.Func]bool // in the function or in what it calls
	heap   map[*ir.Func]bool // it, or what it calls, allocates or frees, or is not known
	cyclic map[*ir.Func]bool // it, or what it calls, calls itself
	state  map[*ir.Func]int  // visited: 1 on the path, 2 done
	order  []*ir.Func        // callees before callers, but for recursion
}

func (c *contexts) visit(fn *ir.Func) {
	c.state[fn] = 1
	c.loops[fn] = len(loopHeads(fn)) > 0
	c.heap[fn] = usesHeap(fn)
	for _, g := range callees(fn) {
		switch c.state[g] {
		case 0:
			c.visit(g)
		case 1:
			c.cyclic[g] = true
		}
		c.cyclic[fn] = c.cyclic[fn] || c.cyclic[g]
		c.loops[fn] = c.loops[fn] || c.loops[g]
		c.heap[fn] = c.heap[fn] || c.heap[g]
	}
	c.state[fn] = 2
	c.order = append(c.order, fn)
}

// callees lists the functions with bodies that fn calls by name, one for each call.
func callees(fn *ir.Func) []*ir.Func {
	var out []*ir.Func
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if g := calleeOf(in); g != nil {
				out = append(out, g)
			}
		}
	}
	return out
}

// calleeOf returns the function with a body that an instruction calls by name; nil: there is none.
func calleeOf(in *ir.Instr) *ir.Func {
	if in.Op != ir.OpCall || in.CalledModel() != ir.ModelNone {
		return nil
	}
	c, ok := in.Callee.(*ir.Const)
	if !ok || c.Func == nil || c.Func.IsDecl() {
		return nil
	}
	return c.Func
}

// usesHeap reports whether fn itself allocates or frees, or calls what may.
func usesHeap(fn *ir.Func) bool {
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			switch {
			case in.Op == ir.OpAsm, in.Op == ir.OpUnsupported:
				return true
			case in.Op != ir.OpCall:
				continue
			}
			switch in.CalledModel() {
			case ir.ModelNone:
				if calleeOf(in) == nil {
					return true
				}
			case ir.ModelMalloc, ir.ModelCalloc, ir.ModelAligned, ir.ModelAllocaC, ir.ModelMemalign, ir.ModelFree,
				ir.ModelRealloc:
				return true
			}
		}
	}
	return false
}
