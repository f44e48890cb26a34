package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// enter handles the call of a function that is already active, or shared, modularly: a run
// either stays in the callee for ever, or comes back. So one case goes on in the
// callee with the callers left out, generalised at its entry; the other goes on
// behind the call with what the summary says of the result, and without what the
// callee may have written.
func (b *builder) enter(s *state, in *ir.Instr, fn *ir.Func) result {
	b.modular = true
	b.calls++
	back := s.clone()
	back.calls = append(back.calls, b.calls)
	s.calling = b.calls
	g := &frame{fn: fn, blk: fn.Blocks[0], vals: map[ir.Value]value{}, ctx: "rec ", bottom: true}
	b.pass(s, in, g)
	b.enteredWith(fn, g)
	s.recursed = false
	for _, id := range append([]int(nil), s.order...) {
		if s.objs[id].private {
			s.drop(id) // of a caller: nobody reaches it before it returns
		}
	}
	s.frames = []*frame{g}
	b.cutAbove(s, g)
	s.entered = true
	reach := s.reached(s.frames, s.globals(), false)
	for _, id := range append([]int(nil), s.order...) {
		if o := s.objs[id]; o.global == nil && !reach[id] {
			s.drop(id) // the callers hold it, or it is a local of theirs
		}
	}
	return fork(append([]*state{s}, b.afterReturn(back, in, fn, reach)...))
}

// cutAbove forgets where the trees to which the arguments of frame g lead up to: what is there stays the callers'. (If
// the callee goes up, it is not followed.)
func (b *builder) cutAbove(s *state, g *frame) {
	for _, p := range g.fn.Params {
		v := s.plain(g.vals[p])
		id, isBlock := s.heapStart(v)
		if !isBlock || v.last || !b.inUpTree(s.objs[id]) {
			continue
		}
		o := s.own(id)
		if br, _ := b.breed(o.size, o.of); o.list == nil {
			up := exact.C(b.ups[br])
			o.cells = slices.DeleteFunc(o.cells, func(c cell) bool { return c.off.Equal(up) })
			o.rest = unknownBytes
		} else if o.list.kids != nil {
			o.list.before = opaque()
		}
	}
}

// afterCall is the state behind a call that came back.
func (b *builder) afterCall(s *state, in *ir.Instr, fn *ir.Func) {
	s.inexact("result of the recursion of " + fn.Name)
	e := b.effectsOf(fn)
	if e.any {
		b.forgetAll(s)
	}
	if e.frees {
		s.dropHeap()
	}
	for _, id := range append([]int(nil), s.order...) {
		if o := s.objs[id]; o.global != nil && e.globals[o.global] {
			o = s.own(id)
			o.cells, o.rest = nil, unknownBytes
		}
	}
	if !in.T.IsVoid() {
		s.top().vals[in] = b.fresh(s, in.T, b.nameOf(in), b.class(in))
	}
	s.top().idx++
}

// dropHeap forgets that the heap blocks are there: pointers to them are to objects that are gone.
func (s *state) dropHeap() {
	for _, id := range append([]int(nil), s.order...) {
		if s.objs[id].heap {
			s.drop(id)
		}
	}
}

// effects says what a call may write: globals by name, or anything that is not
// private to a caller; and whether it may free heap blocks.
type effects struct {
	any     bool
	globals map[*ir.Global]bool
	frees   bool
}

// effectsOf collects the writes of fn and of what it calls.
func (b *builder) effectsOf(fn *ir.Func) effects {
	if e, ok := b.effects[fn]; ok {
		return e
	}
	e := effects{globals: map[*ir.Global]bool{}}
	seen := map[*ir.Func]bool{fn: true}
	work := []*ir.Func{fn}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, blk := range f.Blocks {
			for _, in := range blk.Instrs {
				for _, callee := range e.note(in) {
					if !seen[callee] {
						seen[callee] = true
						work = append(work, callee)
					}
				}
			}
		}
	}
	b.effects[fn] = e
	return e
}

// note adds what an instruction writes, and gives the functions it calls.
func (e *effects) note(in *ir.Instr) []*ir.Func {
	switch in.Op {
	case ir.OpStore:
		e.write(in.Args[1])
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		e.write(in.Args[0])
	case ir.OpAsm, ir.OpUnsupported, ir.OpVaArg:
		e.any, e.frees = true, true
	case ir.OpCall:
		switch in.CalledModel() {
		case ir.ModelNone:
			if fn := calleeOf(in); fn != nil {
				return []*ir.Func{fn}
			}
			e.any, e.frees = true, true
		case ir.ModelFree, ir.ModelRealloc:
			e.frees = true
		case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset, ir.ModelHavoc, ir.ModelHavocObj, ir.ModelMakeSymbolic,
			ir.ModelStrcpy,
			ir.ModelStrncpy, ir.ModelStrcat, ir.ModelStrncat, ir.ModelMemalign, ir.ModelVaStart, ir.ModelVaCopy:
			e.write(in.Args[0])
		}
	}
	return nil
}

// write notes a store to an address: one into the callee's own memory is none.
func (e *effects) write(a ir.Value) {
	for {
		switch v := a.(type) {
		case *ir.Instr:
			switch v.Op {
			case ir.OpAlloca:
				return
			case ir.OpGep, ir.OpBitcast:
				a = v.Args[0]
				continue
			}
		case *ir.Const:
			if v.Global != nil {
				e.globals[v.Global] = true
				return
			}
		}
		e.any = true
		return
	}
}

// constantArgs reports that every argument is a number that is known, so that following the
// recursion itself is cheap and exact.
func (b *builder) constantArgs(s *state, in *ir.Instr) bool {
	for _, a := range in.Args {
		v := b.value(s, a)
		if v.kind != intValue || !s.know.interval(v.lin).constant() {
			return false
		}
	}
	return len(in.Args) > 0
}
