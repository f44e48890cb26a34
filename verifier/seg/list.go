package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// list makes an object stand for a chain of heap blocks (LI-01, LI-02): length
// blocks, each as large as the object's size says, of which the pointer at byte
// next leads to byte at of the following one, and that of the last to end. The blocks are
// disjoint from each other and from everything else that the state knows (LI-06).
//
// A pointer to the object is one into the first block, or into the last one (value.last). An empty list has no block:
// the pointer to byte at of its first block is end, and the one to byte backAt of its last block is before. (The
// paper's lists have at least one element; with the empty one a loop needs no unrolling before its lists can be
// merged.) The last block of a tree is the one with the tree's end.
type list struct {
	next   int64
	at     int64 // the byte of each block that what leads to it points to
	length exact.Lin
	end    value
	kids   []int64 // not nil: a tree (tree.go)
	joined bool    // of a tree: its first block is its last one, as long as states are compared

	members []member // what each block holds beside its links
	scalars []int64  // places where a block held something else than a pointer: a hint
	bare    bool     // it has no block, so that anything can be said of each

	doubly bool // the pointer at byte prev of each block leads to the one in front of it, that of the first to before
	prev   int64
	backAt int64 // the byte of each block that what leads back to it points to
	before value // of a tree that is not doubly linked, of no kind where nothing leads to its last block
}

// twoEnded reports that pointers may lead to the list's last block.
func (l *list) twoEnded() bool { return l.doubly || l.kids != nil }

// edges lists the edges from which the list is walked: the first block (false), and the last one (true) if it is doubly
// linked.
func (l *list) edges() []bool {
	if l.doubly {
		return []bool{false, true}
	}
	return []bool{false}
}

// turned returns the list as it is when it is walked from its last block.
func (l *list) turned() list {
	return list{next: l.prev, at: l.backAt, prev: l.next, backAt: l.at, end: l.before, before: l.end, length: l.length,
		doubly: l.doubly, kids: l.kids, members: l.members, bare: l.bare, scalars: l.scalars}
}

// from returns the list as a pointer to its first or last block sees it.
func (l *list) from(last bool) list {
	if last {
		return l.turned()
	}
	return *l
}

// listOperands are the operands of in through which it looks at memory or at an
// address, so that a list behind one of them has to be unfolded first.
func (b *builder) listOperands(s *state, in *ir.Instr) []ir.Value {
	switch in.Op {
	case ir.OpLoad, ir.OpGep, ir.OpCmpXchg, ir.OpAtomicRMW:
		return in.Args[:1]
	case ir.OpStore:
		return in.Args[1:2]
	case ir.OpIcmp:
		return in.Args
	case ir.OpCall:
		if in.Model != ir.ModelNone {
			return in.Args
		}
		if c := b.value(s, in.Callee); c.kind == funcValue && c.fn.Model != ir.ModelNone {
			return in.Args
		}
	}
	if in.Op.Class() == ir.ClassBinary {
		return in.Args
	}
	return nil
}

// unfoldFor makes the first element of a list that in looks at a block of its own
// (LI-24, LI-25); true when the state was replaced by the cases of it.
func (b *builder) unfoldFor(s *state, in *ir.Instr) (result, bool) {
	for _, a := range b.listOperands(s, in) {
		if v, ok := s.top().vals[a]; ok && v.kind == ptrValue {
			if o := s.object(v.obj); o != nil && o.list != nil {
				return b.redo(s, b.unfold(s, o.id, v.last)), true
			}
		}
	}
	return result{}, false
}

// unfold gives the cases of a list: it is empty, or it has a first block, after
// which it goes on one shorter; of a list that is walked backwards, the last block is taken out. The length falls: that
// is what ranks a traversal.
func (b *builder) unfold(s *state, id int, last bool) []*state {
	l := s.object(id).list
	filled := cond{relGE, l.length.AddInt(-1)}
	h, known := b.decide(s, filled)
	var out []*state
	if !known || h {
		t := s
		if !known {
			t = s.clone()
		}
		for _, u := range b.assume(t, filled) {
			if l.kids != nil {
				out = append(out, b.unfoldTree(u, id, last)...)
				continue
			}
			out = append(out, b.unfoldBlock(u, id, last)...)
		}
	}
	if !known || !h {
		for _, u := range b.assume(s, cond{relEQ, l.length}) {
			u.redirect(id, l.empty)
			u.drop(id)
			out = append(out, u)
		}
	}
	return out
}

// empty returns what pointer v to the list is if that has no block.
func (l *list) empty(v value) value {
	to := l.from(v.last)
	if to.end.kind == invalidKind {
		return opaque()
	}
	return to.end.plus(v.lin.AddInt(-to.at))
}

// unfoldBlock takes the first or last block out of a list that has one, and gives a state for each thing that it may
// hold.
func (b *builder) unfoldBlock(s *state, id int, last bool) []*state {
	o := s.own(id)
	block := b.newObject(s, "cell of "+o.key, "cell", o.size)
	block.heap, block.dynamic, block.rest, block.align = o.heap, true, unknownBytes, o.align
	block.written, block.next, block.of = o.written, &o.list.next, o.of
	s.sameFrame(id, block.id)
	s.redirect(id, func(v value) value {
		if v.last == last {
			return value{kind: ptrValue, obj: block.id, lin: v.lin}
		}
		return v
	})
	l := o.list.from(last)
	block.point(b, l.next, value{kind: ptrValue, obj: id, last: last, lin: exact.C(l.at)})
	if l.doubly {
		block.point(b, l.prev, l.before)
		l.before = value{kind: ptrValue, obj: block.id, lin: exact.C(l.backAt)}
	}
	l.length = l.length.AddInt(-1)
	*o.list = l.from(last)
	return b.fill(s, block.id, l.members)
}

// point notes that the pointer at byte off leads to v, if that is followed.
func (o *object) point(b *builder, off int64, v value) {
	if v.kind == ptrValue || v.kind == intValue {
		o.cells = append(o.cells, cell{off: exact.C(off), size: int64(b.m.Layout.PtrBits / 8), val: v})
	}
}

// plus is the address off bytes behind v.
func (v value) plus(off exact.Lin) value {
	v.lin = v.lin.Add(off)
	return v
}

// redirect replaces every pointer to object id that the state holds.
func (s *state) redirect(id int, to func(value) value) {
	var sub func(v value) value
	sub = func(v value) value {
		if v.kind == ptrValue && v.obj == id {
			return to(v)
		}
		if v.kind == aggValue && v.pointsTo(id) {
			agg := make([]value, len(v.agg))
			for n, m := range v.agg {
				agg[n] = sub(m)
			}
			v.agg = agg
		}
		return v
	}
	for _, f := range s.frames {
		for k, v := range f.vals {
			if v.pointsTo(id) {
				f.vals[k] = sub(v)
			}
		}
	}
	for _, x := range s.order {
		if !s.objs[x].pointsTo(id) {
			continue
		}
		o := s.own(x)
		for n := range o.cells {
			o.cells[n].val = sub(o.cells[n].val)
		}
		if o.list != nil {
			o.list.end, o.list.before = sub(o.list.end), sub(o.list.before)
		}
	}
}

// pointsTo reports whether the object's contents hold a pointer to object id.
func (o *object) pointsTo(id int) bool {
	for _, c := range o.cells {
		if c.val.pointsTo(id) {
			return true
		}
	}
	return o.list != nil && (o.list.end.pointsTo(id) || o.list.before.pointsTo(id))
}

// successor reads the address that the block or list o holds for what follows, for one who comes along a pointer to its
// first block, or to its last.
func (b *builder) successor(o *object, next int64, last bool) (value, bool) {
	if o.list != nil {
		l := o.list.from(last)
		return l.end, l.next == next && l.kids == nil
	}
	for _, c := range o.cells {
		if c.off.IsConst() && c.off.Const.Equal(exact.I(next)) {
			return c.val, int(c.size)*8 == b.m.Layout.PtrBits && (c.val.kind == ptrValue || c.val.kind == intValue)
		}
	}
	return value{}, false
}

// count is how many blocks o stands for.
func (o *object) count() exact.Lin {
	if o.list != nil {
		return o.list.length
	}
	return exact.C(1)
}
