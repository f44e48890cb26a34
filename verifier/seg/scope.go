package seg

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// kept reports whether an address of the local with this object may be used after the instruction at which s
// stands: in memory, in another function, or in a register that is read again.
func (b *builder) kept(s *state, id int) bool {
	for _, x := range s.order {
		if s.objs[x].pointsTo(id) {
			return true
		}
	}
	for n, f := range s.frames {
		var live map[ir.Value]bool
		if n == len(s.frames)-1 {
			live = b.liveAt(f.fn, f.blk, f.idx+1)
		}
		for v, x := range f.vals {
			if x.pointsTo(id) && (live == nil || live[v]) && !names(v) {
				return true
			}
		}
	}
	return false
}

// names reports a register that is the local itself, or a cast of it.
func names(v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	for ok && in.Op == ir.OpBitcast {
		in, ok = in.Args[0].(*ir.Instr)
	}
	return ok && in.Op == ir.OpAlloca
}

// leaks demands that the run may end in s with the heap as it is.
func (b *builder) leaks(s *state, how ir.Ending) {
	if !b.opts.Leaks.Asks(how) || b.opts.Leaks == ir.LeakCalled { // of which it knows nothing (Holds)
		return
	}
	b.endsInside = b.endsInside || s.frames[0].bottom
	tracked := map[int]bool{}
	if b.opts.Leaks == ir.LeakTracked {
		frames, variables := s.frames, s.variables()
		if how == ir.EndReturn {
			frames, variables = nil, s.globals()
		}
		tracked = s.reached(frames, variables, true)
	}
	for _, id := range s.order {
		if !tracked[id] && b.mayHold(s, s.objs[id]) {
			b.fault(s, verdict.Leak, "all heap memory is freed")
			return
		}
	}
}

// mayHold reports whether the object may be heap memory: an empty list is none.
func (b *builder) mayHold(s *state, o *object) bool {
	return o.heap && !(o.list != nil && b.ask.provesEq(s.know, o.list.length))
}
