package interp

import (
	"bytes"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// callLasso looks for a call that comes to a call of the same function with the same arguments and the same memory, as
// far as it can reach any: what the one did the other does again, with the inputs since, and so on. One earlier call
// is kept and compared with each later one inside of it; it is replaced when it returns, and after 1, 2, 4, ... calls.
type callLasso struct {
	active       map[*ir.Func]int // calls
	visits, next int64
	written      int64 // bytes of states

	kept       *frame // nil: none
	depth      int    // of it, in calls
	saved      []byte
	at, inputs int64
	steps      int // of the trace
	placed     int // objects with an address
}

// stateBytes is how many bytes of states a run may write at first, and for each instruction that it executes.
const stateBytes = 1 << 20

// enter notes that the innermost call began, and returns the cycle that it closes. Where the stack is limited, calls do not go on for ever.
func (l *callLasso) enter(x *Machine) *Cycle {
	if x.o.Stack != nil && x.o.Stack.Size > 0 && x.o.Checks.Has(verdict.Stack) {
		return nil
	}
	l.active[x.fr.fn]++
	if l.active[x.fr.fn] < 2 || l.written > stateBytes+16*x.executed {
		return nil
	}
	l.visits++
	if l.depth >= len(x.frames) || x.frames[l.depth] != l.kept {
		l.kept = nil
	}
	if l.kept != nil && l.kept.fn == x.fr.fn {
		if now := l.state(x); l.placed == len(x.placed) && bytes.Equal(now, l.saved) {
			b := x.fr.blk
			x.cur = b.Instrs[0]
			x.end(Lasso, "", "the state of a call repeats inside of it: this run never ends")
			return &Cycle{Head: b, Stem: l.at, Length: x.executed - l.at, StemInputs: l.inputs,
				CycleInputs: x.asked - l.inputs, StemSteps: l.steps, Recursion: true}
		}
	}
	if l.kept == nil || l.visits >= l.next {
		l.kept, l.depth, l.saved, l.at, l.inputs = x.fr, len(x.frames)-1, l.state(x), x.executed, x.asked
		l.steps, l.placed = x.noted, len(x.placed)
	}
	if l.visits >= l.next {
		l.next *= 2
	}
	return nil
}

// state writes down what the innermost call begins with.
func (l *callLasso) state(x *Machine) []byte {
	s := newSnapshotter(x)
	for _, vs := range [][]value{x.fr.params, x.fr.extra} {
		s.num(uint64(len(vs)))
		for _, v := range vs {
			s.value(v)
		}
	}
	out := s.reached()
	l.written += int64(len(out))
	return out
}
