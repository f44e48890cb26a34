package seg

import (
	"slices"

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
	reached, surely := s.reached(s.frames, s.variables(), false), s.reached(s.frames, s.variables(), true)
	for _, id := range append([]int(nil), s.order...) {
		if o := s.objs[id]; o.dynamic && !surely[id] {
			if b.mayHold(s, o) {
				b.fault(s, verdict.Leak, "the last pointer to heap memory is not lost")
			}
			if !reached[id] {
				s.drop(id)
			}
		}
	}
}

// variables are the objects of fixed places: globals, and locals of active functions.
func (s *state) variables() []int {
	return slices.DeleteFunc(slices.Clone(s.order), func(id int) bool { return s.objs[id].dynamic })
}

// globals are the variables that are there when no function is active any more.
func (s *state) globals() []int {
	return slices.DeleteFunc(s.variables(), func(id int) bool { return s.objs[id].global == nil })
}

// reached are the objects that the frames and variables lead to, or only those to which they lead whichever lists are
// empty.
func (s *state) reached(frames []*frame, variables []int, surely bool) map[int]bool {
	out := map[int]bool{}
	type edge struct {
		id   int
		last bool
	}
	seen := map[edge]bool{}
	var work []edge
	var visit func(v value)
	visit = func(v value) {
		if e := (edge{v.obj, v.last}); v.kind == ptrValue && s.objs[v.obj] != nil && !seen[e] {
			seen[e] = true
			if l := s.objs[v.obj].list; l == nil || !v.last || l.doubly || !surely {
				out[v.obj] = true // the last block of a tree need not lead to the others
			}
			work = append(work, e)
		}
		for _, m := range v.agg {
			visit(m)
		}
	}
	for _, f := range frames {
		for _, v := range f.vals {
			visit(v)
		}
	}
	for _, id := range variables {
		visit(value{kind: ptrValue, obj: id})
	}
	for len(work) > 0 {
		e := work[len(work)-1]
		work = work[:len(work)-1]
		o := s.objs[e.id]
		for _, c := range o.cells {
			visit(c.val)
		}
		switch l := o.list; {
		case l == nil:
		case l.kids != nil && !l.doubly:
			s.visitTree(l, e.last, surely, visit)
		default:
			visit(l.from(e.last).end)
			if n := s.know.interval(l.length); l.doubly && (!surely || n.hasLo && n.lo.Sign() > 0) {
				visit(l.from(e.last).before)
			}
		}
	}
	return out
}

// visitTree visits what a tree whose blocks do not lead up leads to, for one who comes to its first or its last block.
func (s *state) visitTree(l *list, last, surely bool, visit func(value)) {
	n := s.know.interval(l.length)
	if !last || !surely || n.hasLo && n.lo.Sign() > 0 {
		visit(l.end)
	}
	if last && (!surely || n.hasHi && n.hi.Sign() == 0) {
		visit(l.before)
	}
}
