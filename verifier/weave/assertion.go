package weave

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

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

// afterFailure reports whether b is only reached by a failed assertion, or not at all.
func afterFailure(b *ir.Block) bool {
	for n := 0; n < maxSteps; n++ {
		if assertFails(b) != nil {
			return true
		}
		if len(b.Preds) != 1 {
			return len(b.Preds) == 0 && b != b.Func.Blocks[0]
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

// assertFails returns the call of a failed assertion in a block, or what stands for __builtin_unreachable() there.
func assertFails(b *ir.Block) *ir.Instr {
	for range maxSteps {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && in.Model == ir.ModelAssertFail {
				return in
			}
		}
		end := b.Term()
		if end.Op == ir.OpUnreachable {
			return statesUnreachable(b)
		}
		if end.Op != ir.OpCondBr || end.Always() == nil || hasEffect(b) {
			return nil
		}
		b = end.Always()
	}
	return nil
}

// statesUnreachable returns the check of __builtin_unreachable() in a block that ends so, or its end where nothing is
// checked; nil where something else ends the block.
func statesUnreachable(b *ir.Block) *ir.Instr {
	if hasEffect(b) {
		return nil
	}
	for _, in := range b.Instrs {
		if in.Op == ir.OpTrap {
			if in.Check == verdict.Unreachable {
				return in
			}
			return nil
		}
	}
	return b.Term()
}
