package weave

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// preconditions assumes the assertions that the function begins with, before it has any effect. They are what
// it asks of its callers; where the program calls it, they are checked.
func (h *harness) preconditions(args []ir.Value) {
	b := h.of.Blocks[0]
	for n := 0; n < len(h.of.Blocks) && waysInto(b) <= 1; n++ {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && !strings.HasPrefix(string(in.Model), "llvm.") || in.Op == ir.OpStore &&
				!isLocal(in.Args[1]) {
				return
			}
		}
		next := b.Term().Targets
		switch {
		case len(next) == 1:
			b = next[0]
			continue
		case len(next) != 2 || b.Term().Op != ir.OpCondBr:
			return
		}
		fails := 0
		if assertFails(next[1]) != nil {
			fails = 1
		}
		in := assertFails(next[fails])
		if in == nil {
			return
		}
		c := h.evaluate(b.Term().Args[0], args, 0)
		if c == nil {
			return
		}
		if fails == 0 {
			c = h.xor(c, h.int(ir.Int(1), 1))
		}
		h.assume(c)
		h.note("", "the assertion at %s holds at the call, as it is checked to where the program calls %s", in.Pos,
			h.of.CName)
		b = next[1-fails]
	}
}

// waysInto counts the blocks that lead to b, failed assertions aside.
func waysInto(b *ir.Block) int {
	n := 0
	for _, p := range b.Preds {
		if !afterFailure(p) {
			n++
		}
	}
	return n
}

// afterFailure reports whether b is only reached by a failed assertion.
func afterFailure(b *ir.Block) bool {
	for n := 0; n < maxSteps; n++ {
		if assertFails(b) != nil {
			return true
		}
		if len(b.Preds) != 1 {
			return false
		}
		b = b.Preds[0]
	}
	return false
}

// isLocal reports whether an address is that of a local variable.
func isLocal(v ir.Value) bool {
	in, ok := root(v).(*ir.Instr)
	return ok && in.Op == ir.OpAlloca
}

// assertFails returns the call of a failed assertion in a block.
func assertFails(b *ir.Block) *ir.Instr {
	for _, in := range b.Instrs {
		if in.Op == ir.OpCall && in.Model == ir.ModelAssertFail {
			return in
		}
	}
	return nil
}

// evaluate computes v, which stands at the head of the function, from the arguments; nil where it depends on more.
func (h *harness) evaluate(v ir.Value, args []ir.Value, depth int) ir.Value {
	switch v := v.(type) {
	case *ir.Const:
		return v
	case *ir.Param:
		return args[v.Index]
	case *ir.Instr:
		if depth > maxSteps {
			return nil
		}
		if v.Op == ir.OpLoad {
			for i, x := range h.vars {
				if x != nil && x.Slot == v.Args[0] && h.of.Params[i].T.Equal(v.T) {
					return args[i]
				}
			}
		}
		switch v.Op {
		case ir.OpLoad:
			if isLocal(v.Args[0]) || v.Flags&ir.Volatile != 0 {
				return nil
			}
		case ir.OpGep, ir.OpIcmp, ir.OpZext, ir.OpSext, ir.OpTrunc, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpFreeze:
		default:
			return nil
		}
		in := *v
		in.Args = make([]ir.Value, len(v.Args))
		for i, a := range v.Args {
			if in.Args[i] = h.evaluate(a, args, depth+1); in.Args[i] == nil {
				return nil
			}
		}
		return h.emit(&in)
	}
	return nil
}

// maxSteps bounds the expressions that evaluate follows.
const maxSteps = 16
