package ir

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Assertion is a test of some blocks after each other, as || and && make them, that ends in a failure or goes on.
type Assertion struct {
	Failure *Instr
	Holds   *Block          // where it goes on
	Tests   map[*Block]bool // with the first one
	Steps   int             // of reading it
}

// AssertionAt returns the assertion whose test begins at the end of b, nil where there is none.
func AssertionAt(b *Block) *Assertion {
	for _, holds := range b.Term().Targets {
		a := &Assertion{Holds: holds, Tests: map[*Block]bool{b: true}}
		if AssertFails(holds) == nil && a.spans(b) && a.Failure != nil && a.isOnlyWay(b) {
			return a
		}
	}
	return nil
}

// spans adds the blocks of the test from b on. It reports whether each ends in the failure or where the test holds.
func (a *Assertion) spans(b *Block) bool {
	if b.Term().Op != OpCondBr || len(a.Tests) > policy.AssertionTests {
		return false
	}
	for _, next := range b.Term().Targets {
		in := AssertFails(next)
		switch {
		case next == a.Holds || a.Tests[next]:
		case in != nil && (a.Failure == nil || a.Failure == in):
			a.Failure = in
		case in != nil || HasEffect(next):
			return false
		default:
			if a.Tests[next] = true; !a.spans(next) {
				return false
			}
		}
	}
	return true
}

// isOnlyWay reports whether control comes to the blocks behind first by way of the test alone.
func (a *Assertion) isOnlyWay(first *Block) bool {
	only := func(b *Block) bool {
		return !slices.ContainsFunc(b.Preds, func(p *Block) bool { return !a.Tests[p] && !afterFailure(p) })
	}
	for b := range a.Tests {
		if b != first && !only(b) {
			return false
		}
	}
	return only(a.Holds)
}

// HasEffect reports whether a block calls something or writes to what others see.
func HasEffect(b *Block) bool {
	return slices.ContainsFunc(b.Instrs, func(in *Instr) bool {
		return in.Op == OpCall && !strings.HasPrefix(string(in.Model), "llvm.") || in.Op == OpStore &&
			!IsLocal(in.Args[1])
	})
}

// WaysInto counts the blocks that lead to b, failed assertions aside.
func WaysInto(b *Block) int {
	n := 0
	for _, p := range b.Preds {
		if !afterFailure(p) {
			n++
		}
	}
	return n
}

// afterFailure reports whether b is only reached by a failed assertion, or not at all.
func afterFailure(b *Block) bool {
	for n := 0; n < policy.ExpressionSteps; n++ {
		if AssertFails(b) != nil {
			return true
		}
		if len(b.Preds) != 1 {
			return len(b.Preds) == 0 && b != b.Func.Blocks[0]
		}
		b = b.Preds[0]
	}
	return false
}

// IsLocal reports whether an address is that of a local variable.
func IsLocal(v Value) bool {
	in, ok := Root(v).(*Instr)
	return ok && in.Op == OpAlloca
}

// AssertFails returns the call of a failed assertion in a block, or what stands for __builtin_unreachable() there.
func AssertFails(b *Block) *Instr {
	for range policy.ExpressionSteps {
		for _, in := range b.Instrs {
			if in.Op == OpCall && in.Model == ModelAssertFail {
				return in
			}
		}
		end := b.Term()
		if end.Op == OpUnreachable {
			return statesUnreachable(b)
		}
		if end.Op != OpCondBr || end.Always() == nil || HasEffect(b) {
			return nil
		}
		b = end.Always()
	}
	return nil
}

// statesUnreachable returns the check of __builtin_unreachable() in a block that ends so, or its end where nothing is
// checked; nil where something else ends the block.
func statesUnreachable(b *Block) *Instr {
	if HasEffect(b) {
		return nil
	}
	for _, in := range b.Instrs {
		if in.Op == OpTrap {
			if in.Check == verdict.Unreachable {
				return in
			}
			return nil
		}
	}
	return b.Term()
}
