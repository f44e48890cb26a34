package weave

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// A loop's clause is in force in its turns. What is executed on the way out of the loop
// is none of them (CBMC: natural loops), although the clause's frame is left later:
// such writes are for the clause around the loop. Where clang leads several ways out
// of a scope through one block, it notes in a local which of them is taken
// (cleanup.dest.slot); that is followed.

// cleanupSlot is the name of that local.
const cleanupSlot = "cleanup.dest.slot"

// turns finds, for each loop with a contract, the blocks of its turns and those on the
// way out of it.
func (w *assigns) turns() {
	w.inside, w.leaving = map[*unwind.Loop]map[*ir.Block]bool{}, map[*ir.Block]int{}
	for l := range w.loops {
		in := map[*ir.Block]bool{}
		for _, b := range w.Func.Blocks {
			in[b] = w.g.Pos[b.Index] >= 0 && w.g.In(b, l) && w.comesBack(b, l)
		}
		w.inside[l] = in
		for b := range w.blocksOut(l) {
			if !in[b] {
				w.leaving[b]++
			}
		}
	}
}

// flow is a place in the control flow with the value of the cleanup local, -1 if unknown.
type flow struct {
	b    *ir.Block
	dest int64
}

// comesBack reports whether the header of l can be reached from b inside of l.
func (w *assigns) comesBack(b *ir.Block, l *unwind.Loop) bool {
	seen := map[flow]bool{}
	todo := []flow{{b, -1}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] || !w.g.In(s.b, l) {
			continue
		}
		seen[s] = true
		for _, n := range next(s) {
			if n.b == l.Header {
				return true
			}
			todo = append(todo, n)
		}
	}
	return false
}

// next are the places behind s.
func next(s flow) []flow {
	for _, in := range s.b.Instrs {
		if in.Op == ir.OpStore && isCleanup(in.Args[1]) {
			s.dest = -1
			if k, ok := in.Args[0].(*ir.Const); ok && k.Kind == ir.ConstInt {
				s.dest, _ = k.Bits.Int64()
			}
		}
	}
	t := s.b.Term()
	if t.Op == ir.OpSwitch && s.dest >= 0 {
		if load, ok := t.Args[0].(*ir.Instr); ok && load.Op == ir.OpLoad && isCleanup(load.Args[0]) {
			for i, c := range t.Cases {
				if n, _ := c.Int64(); n == s.dest {
					return []flow{{t.Targets[i+1], s.dest}}
				}
			}
			return []flow{{t.Targets[0], s.dest}}
		}
	}
	var out []flow
	for _, b := range s.b.Succs() {
		out = append(out, flow{b, s.dest})
	}
	return out
}

func isCleanup(v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	return ok && in.Op == ir.OpAlloca && in.Name == cleanupSlot
}

// blocksOut are the blocks that are reached from l before its frame is left.
func (w *assigns) blocksOut(l *unwind.Loop) map[*ir.Block]bool {
	seen := map[*ir.Block]bool{}
	var todo []*ir.Block
	frame := w.frames[l]
	for _, b := range w.Func.Blocks {
		if w.g.Pos[b.Index] >= 0 && w.g.In(b, l) {
			todo = append(todo, b)
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if !leaves(b, frame) {
			todo = append(todo, b.Succs()...)
		}
	}
	return seen
}

// leaves reports whether b leaves a frame.
func leaves(b *ir.Block, frame ir.Value) bool {
	for _, in := range b.Instrs {
		if k, ok := in.Callee.(*ir.Const); ok && in.Op == ir.OpCall && k.Func != nil && k.Func.Name == leaveName &&
			ir.Root(in.Args[0]) == frame {
			return true
		}
	}
	return false
}
