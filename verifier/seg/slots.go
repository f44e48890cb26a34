package seg

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// dropDead forgets the contents of variables that nobody reads any more, and the
// heap blocks that nothing leads to (AProVE: reachable information only, MO-81).
func (b *builder) dropDead(s *state) {
	for _, f := range s.frames {
		facts := b.factsOf(f.fn)
		live := ir.LiveSlotsFrom(f.blk, f.idx, facts.slots, facts.slotsIn)
		for v := range f.vals {
			in, ok := v.(*ir.Instr)
			if !ok || !facts.slots[in] || live[in] {
				continue
			}
			if p := f.vals[v]; p.kind == ptrValue && s.objs[p.obj] != nil && len(s.objs[p.obj].cells) > 0 {
				o := s.own(p.obj)
				o.cells, o.rest = nil, freshBytes
			}
		}
	}
	reached := s.reached(false)
	for _, id := range append([]int(nil), s.order...) {
		if s.objs[id].dynamic && !reached[id] {
			if b.mayHold(s, s.objs[id]) {
				b.fault(s, verdict.Leak, "the last pointer to heap memory is not lost")
			}
			s.drop(id)
		}
	}
}

// reached are the objects that frames and those of fixed places lead to; only globals are roots if the frames are over.
func (s *state) reached(over bool) map[int]bool {
	out := map[int]bool{}
	var work []int
	var visit func(v value)
	visit = func(v value) {
		if v.kind == ptrValue && s.objs[v.obj] != nil && !out[v.obj] {
			out[v.obj] = true
			work = append(work, v.obj)
		}
		for _, m := range v.agg {
			visit(m)
		}
	}
	frames := s.frames
	if over {
		frames = nil
	}
	for _, f := range frames {
		for _, v := range f.vals {
			visit(v)
		}
	}
	for _, id := range s.order {
		if !s.objs[id].dynamic && !out[id] && (!over || s.objs[id].global != nil) {
			out[id] = true
			work = append(work, id)
		}
	}
	for len(work) > 0 {
		o := s.objs[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, c := range o.cells {
			visit(c.val)
		}
		if o.list != nil {
			visit(o.list.end)
		}
	}
	return out
}
