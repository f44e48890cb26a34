package lasso

import (
	"bytes"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// callLasso looks for a call that comes to a call of the same function with the same arguments and the same memory, as
// far as it can reach any: what the one did the other does again, with the inputs since, and so on. One earlier call
// is kept and compared with each later one inside of it; it is replaced when it returns, and after 1, 2, 4, ... calls.
type callLasso struct {
	active       map[*ir.Func]int // calls
	visits, next int64
	written      int64 // bytes of states

	kept       *interp.Frame // nil: none
	depth      int           // of it, in calls
	saved      []byte
	at, inputs int64
	steps      int // of the trace
	placed     int // objects with an address
}

// enter notes that the innermost call began, and returns the cycle that it closes. Where the stack is limited, calls
// do not go on for ever.
func (l *callLasso) enter(x *interp.Machine) *interp.Cycle {
	if x.Options.Stack != nil && x.Options.Stack.Size > 0 && x.Options.Checks.Has(verdict.Stack) {
		return nil
	}
	l.active[x.Frame.Func]++
	if l.active[x.Frame.Func] < 2 || l.written > policy.LassoBytes+16*x.Executed {
		return nil
	}
	l.visits++
	if l.depth >= len(x.Frames) || x.Frames[l.depth] != l.kept {
		l.kept = nil
	}
	if l.kept != nil && l.kept.Func == x.Frame.Func {
		if now := l.state(x); l.placed == len(x.Placed) && bytes.Equal(now, l.saved) {
			b := x.Frame.Block
			x.Instr = b.Instrs[0]
			x.EndRun(interp.Lasso, "", "the state of a call repeats inside of it: this run never ends")
			return &interp.Cycle{Head: b, Stem: l.at, Length: x.Executed - l.at, StemInputs: l.inputs,
				CycleInputs: x.Asked - l.inputs, StemSteps: l.steps, Recursion: true}
		}
	}
	if l.kept == nil || l.visits >= l.next {
		l.kept, l.depth, l.saved, l.at, l.inputs = x.Frame, len(x.Frames)-1, l.state(x), x.Executed, x.Asked
		l.steps, l.placed = x.Noted, len(x.Placed)
	}
	if l.visits >= l.next {
		l.next *= 2
	}
	return nil
}

// state writes down what the innermost call begins with.
func (l *callLasso) state(x *interp.Machine) []byte {
	s := newSnapshotter(x)
	for _, vs := range [][]interp.Value{x.Frame.Params, x.Frame.Extra} {
		s.num(uint64(len(vs)))
		for _, v := range vs {
			s.value(v)
		}
	}
	out := s.reached()
	l.written += int64(len(out))
	return out
}
