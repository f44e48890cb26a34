package seg

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// slotsOf are the allocas of fn that are plain variables: private, of constant
// size, and only read and written as a whole. The calls that begin and end their
// scopes do not count.
func (b *builder) slotsOf(fn *ir.Func, escapes map[*ir.Instr]bool) map[*ir.Instr]bool {
	out := map[*ir.Instr]bool{}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Op == ir.OpAlloca && !escapes[in] {
				out[in] = true
			}
		}
	}
	marks := markCasts(fn)
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			for n, a := range in.Args {
				d, ok := a.(*ir.Instr)
				if !ok || !out[d] || marks[in] || isMark(in) {
					continue
				}
				size := b.m.Layout.SizeOf(d.Access)
				whole := in.Op == ir.OpLoad || in.Op == ir.OpStore && n == 1
				if !whole || b.m.Layout.StoreSize(in.Access) != size || size != b.m.Layout.StoreSize(d.Access) ||
					in.Flags.Has(ir.Volatile) {
					delete(out, d)
				}
			}
		}
	}
	return out
}

// isMark tells whether in begins or ends the scope of a local.
func isMark(in *ir.Instr) bool {
	return in.Op == ir.OpCall && (in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd)
}

// markCasts returns the casts of locals' addresses that only begin and end their scopes.
func markCasts(fn *ir.Func) map[*ir.Instr]bool {
	out := map[*ir.Instr]bool{}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Op == ir.OpBitcast {
				out[in] = true
			}
		}
	}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			for _, a := range in.Args {
				if d, ok := a.(*ir.Instr); ok && !isMark(in) {
					delete(out, d)
				}
			}
		}
	}
	return out
}

// begun returns the local whose scope in begins; nil if it begins none.
func begun(in *ir.Instr) *ir.Instr {
	if in.Op != ir.OpCall || in.Model != ir.ModelLifetimeStart {
		return nil
	}
	a, _ := in.Args[len(in.Args)-1].(*ir.Instr)
	if a != nil && a.Op == ir.OpBitcast {
		a, _ = a.Args[0].(*ir.Instr)
	}
	return a
}

// slotLiveness computes which slots are read, before anything is written to them or
// their scope begins, from the start of each block on.
func slotLiveness(fn *ir.Func, slots map[*ir.Instr]bool) map[*ir.Block]map[*ir.Instr]bool {
	live := map[*ir.Block]map[*ir.Instr]bool{}
	for changed := true; changed; {
		changed = false
		for n := len(fn.Blocks) - 1; n >= 0; n-- {
			blk := fn.Blocks[n]
			now := slotsFrom(blk, 0, slots, live)
			if len(now) != len(live[blk]) {
				live[blk], changed = now, true
			}
		}
	}
	return live
}

// slotsFrom are the slots that are read from instruction idx of blk on before
// they are written or their scope begins.
func slotsFrom(blk *ir.Block, idx int, slots map[*ir.Instr]bool,
	live map[*ir.Block]map[*ir.Instr]bool) map[*ir.Instr]bool {
	now := map[*ir.Instr]bool{}
	for _, t := range blk.Succs() {
		for v := range live[t] {
			now[v] = true
		}
	}
	for i := len(blk.Instrs) - 1; i >= idx; i-- {
		in := blk.Instrs[i]
		switch in.Op {
		case ir.OpLoad:
			if a, ok := in.Args[0].(*ir.Instr); ok && slots[a] {
				now[a] = true
			}
		case ir.OpStore:
			if a, ok := in.Args[1].(*ir.Instr); ok {
				delete(now, a)
			}
		case ir.OpCall:
			if a := begun(in); a != nil {
				delete(now, a)
			}
		}
	}
	return now
}

// dropDead forgets the contents of variables that nobody reads any more, and the
// heap blocks that nothing leads to (AProVE: reachable information only, MO-81).
func (b *builder) dropDead(s *state) {
	for _, f := range s.frames {
		facts := b.factsOf(f.fn)
		live := slotsFrom(f.blk, f.idx, facts.slots, facts.slotsIn)
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
