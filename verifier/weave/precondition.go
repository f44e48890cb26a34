package weave

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// preconditions assumes the assertions that the function begins with, before it has any effect. They are what
// it asks of its callers; where the program calls it, they are checked.
func (h *harness) preconditions(args []ir.Value) {
	b := h.of.Blocks[0]
	for n := 0; n < len(h.of.Blocks) && !hasEffect(b); n++ {
		next := b.Term().Targets
		if len(next) == 1 && waysInto(next[0]) <= 1 {
			b = next[0]
			continue
		}
		a := assertionAt(b)
		if a == nil {
			return
		}
		fails := h.fails(a, b, nil, args)
		if fails == nil {
			return
		}
		h.assume(h.xor(fails, h.int(ir.Int(1), 1)))
		h.note("", "the assertion at %s holds at the call, as it is checked to where the program calls %s",
			a.failure.Pos, h.of.CName)
		b = a.holds
	}
}

// assertion is a test of some blocks after each other, as || and && make them, that ends in a failure or goes on.
type assertion struct {
	failure *ir.Instr
	holds   *ir.Block          // where it goes on
	tests   map[*ir.Block]bool // with the first one
	steps   int                // of reading it
}

// assertionAt returns the assertion whose test begins at the end of b, nil where there is none.
func assertionAt(b *ir.Block) *assertion {
	for _, holds := range b.Term().Targets {
		a := &assertion{holds: holds, tests: map[*ir.Block]bool{b: true}}
		if assertFails(holds) == nil && a.spans(b) && a.failure != nil && a.isOnlyWay(b) {
			return a
		}
	}
	return nil
}

// maxTests bounds the blocks of an assertion.
const maxTests = 16

// spans adds the blocks of the test from b on. It reports whether each ends in the failure or where the test holds.
func (a *assertion) spans(b *ir.Block) bool {
	if b.Term().Op != ir.OpCondBr || len(a.tests) > maxTests {
		return false
	}
	for _, next := range b.Term().Targets {
		in := assertFails(next)
		switch {
		case next == a.holds || a.tests[next]:
		case in != nil && (a.failure == nil || a.failure == in):
			a.failure = in
		case in != nil || hasEffect(next):
			return false
		default:
			if a.tests[next] = true; !a.spans(next) {
				return false
			}
		}
	}
	return true
}

// isOnlyWay reports whether control comes to the blocks behind first by way of the test alone.
func (a *assertion) isOnlyWay(first *ir.Block) bool {
	only := func(b *ir.Block) bool {
		return !slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return !a.tests[p] && !afterFailure(p) })
	}
	for b := range a.tests {
		if b != first && !only(b) {
			return false
		}
	}
	return only(a.holds)
}

// fails returns whether a way from b on, which control comes to where reached holds (nil: always), leads to the failure
// of the assertion; nil where that depends on more than the arguments.
func (h *harness) fails(a *assertion, b *ir.Block, reached ir.Value, args []ir.Value) ir.Value {
	if a.steps++; a.steps > maxTests*maxTests {
		return nil
	}
	c := h.evaluate(b.Term().Args[0], reached, args, 0)
	if c == nil {
		return nil
	}
	out := ir.Value(h.int(ir.Int(1), 0))
	for i, next := range b.Term().Targets {
		way := c
		if i == 1 {
			way = h.xor(c, h.int(ir.Int(1), 1))
		}
		if reached != nil {
			way = h.and(reached, way)
		}
		switch {
		case next == a.holds:
			continue
		case a.tests[next]:
			if way = h.fails(a, next, way, args); way == nil {
				return nil
			}
		}
		out = h.or(out, way)
	}
	return out
}

// hasEffect reports whether a block calls something or writes to what others see.
func hasEffect(b *ir.Block) bool {
	return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
		return in.Op == ir.OpCall && !strings.HasPrefix(string(in.Model), "llvm.") || in.Op == ir.OpStore &&
			!isLocal(in.Args[1])
	})
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

// evaluate computes v, which stands at the head of the function where control comes to if reached holds (nil: always),
// from the arguments; nil where it depends on more.
func (h *harness) evaluate(v, reached ir.Value, args []ir.Value, depth int) ir.Value {
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
		case ir.OpGep, ir.OpIcmp, ir.OpZext, ir.OpSext, ir.OpTrunc, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpFreeze,
			ir.OpBitcast:
		default:
			return nil
		}
		in := *v
		in.Args = make([]ir.Value, len(v.Args))
		for i, a := range v.Args {
			if in.Args[i] = h.evaluate(a, reached, args, depth+1); in.Args[i] == nil {
				return nil
			}
		}
		if v.Op == ir.OpLoad && reached != nil { // elsewhere the address may be none
			spare := h.anyBlock("", h.int(h.word(), h.m.Layout.SizeOf(v.Access)))
			in.Args[0] = h.emit(&ir.Instr{Op: ir.OpSelect, T: h.ptr(), Args: []ir.Value{reached, in.Args[0], spare}})
		}
		return h.emit(&in)
	}
	return nil
}

// maxSteps bounds the expressions that evaluate follows.
const maxSteps = 16
