package seg

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// list makes an object stand for a chain of heap blocks (LI-01, LI-02): length
// blocks, each as large as the object's size says, of which the pointer at byte
// next leads to the following one, and that of the last to end. The blocks are
// disjoint from each other and from everything else that the state knows (LI-06).
//
// A pointer to the object is one to the first block. An empty list has no block:
// a pointer to it is end. (The paper's lists have at least one element; with the
// empty one a loop needs no unrolling before its lists can be merged.)
type list struct {
	next   int64
	length exact.Lin
	end    value
	kids   []int64 // not nil: a tree (tree.go)
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
				return b.redo(s, b.unfold(s, o.id)), true
			}
		}
	}
	return result{}, false
}

// unfold gives the cases of a list: it is empty, or it has a first block, after
// which it goes on one shorter. The length falls: that is what ranks a traversal.
func (b *builder) unfold(s *state, id int) []*state {
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
				b.unfoldTree(u, id)
			} else {
				b.unfoldFirst(u, id)
			}
			out = append(out, u)
		}
	}
	if !known || !h {
		for _, u := range b.assume(s, cond{relEQ, l.length}) {
			u.redirect(id, func(v value) value { return l.end.plus(v.lin) })
			u.drop(id)
			out = append(out, u)
		}
	}
	return out
}

func (b *builder) unfoldFirst(s *state, id int) {
	o := s.own(id)
	first := b.newObject(s, "cell of "+o.key, "cell", o.size)
	first.heap, first.dynamic, first.rest, first.align = o.heap, true, unknownBytes, o.align
	first.written, first.next = o.written, &o.list.next
	s.sameFrame(id, first.id)
	s.redirect(id, func(v value) value { v.obj = first.id; return v })
	o.list.length = o.list.length.AddInt(-1)
	first.cells = []cell{{off: exact.C(o.list.next), size: int64(b.m.Layout.PtrBits / 8), val: value{kind: ptrValue,
		obj: id}}}
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
			o.list.end = sub(o.list.end)
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
	return o.list != nil && o.list.end.pointsTo(id)
}

// successor reads the address that the block or list o holds for its successor.
func (o *object) successor(next int64) (value, bool) {
	if o.list != nil {
		return o.list.end, o.list.next == next && o.list.kids == nil
	}
	for _, c := range o.cells {
		if c.off.IsConst() && c.off.Const.Equal(exact.I(next)) {
			return c.val, c.val.kind == ptrValue || c.val.kind == intValue
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

// fold replaces a chain of blocks and lists by one list, the object id (LI-12,
// LI-13, LI-21). Pointers to the first block become pointers to the list; any
// others into the chain are forgotten, because the list does not say where its
// inner blocks are.
func (b *builder) fold(s *state, ch chain) int {
	b.learn(s, ch)
	return b.gather(s, ch)
}

// gather replaces the objects of ch by one.
func (b *builder) gather(s *state, ch chain) int {
	b.lists++
	key := fmt.Sprintf("list %d", b.lists)
	id := len(b.objIDs) + 1
	b.objIDs[key] = id
	l := &object{id: id, key: key, name: "list", size: ch.size, heap: ch.heap, dynamic: true, rest: unknownBytes,
		base: -1, align: ch.align, written: ch.written,
		list: &list{next: ch.next, length: ch.length, end: ch.end}}
	for _, x := range ch.ids {
		s.sameFrame(x, id)
		s.drop(x)
	}
	s.add(l)
	for n, x := range ch.ids {
		s.redirect(x, func(v value) value {
			if v = s.plain(v); n == 0 && v.lin.IsConst() && v.lin.Const.IsZero() {
				return value{kind: ptrValue, obj: id}
			}
			return b.somewhere(s)
		})
	}
	return id
}

// sameFrame makes object to die with the frame that object from dies with, if any.
func (s *state) sameFrame(from, to int) {
	for _, f := range s.frames {
		if slices.Contains(f.objs, from) && !slices.Contains(f.objs, to) {
			f.objs = append(f.objs, to)
		}
	}
}

// somewhere is an address of which nothing is known.
func (b *builder) somewhere(s *state) value {
	s.inexact("address of a block inside a list")
	return b.fresh(s, ir.Ptr(b.m.Layout.PtrBits), "address", unsigned)
}

// chain is a row of heap blocks and lists that lead to each other.
type chain struct {
	ids   []int
	next  int64
	size  exact.Lin // of each block
	heap  bool
	align int64
	written
	length exact.Lin
	end    value
}

// follow collects the chain from object id along the pointer at byte next, up to
// what may not be folded.
func (s *state) follow(id int, next int64, stop func(int) bool) (chain, bool) {
	c := chain{next: next, written: written{all: true}}
	seen := map[int]bool{}
	for {
		o := s.object(id)
		if o == nil || !o.dynamic || o.base >= 0 || !o.size.IsConst() || seen[id] || len(c.ids) > 0 &&
			(stop(id) || !o.size.Equal(c.size) || o.heap != c.heap) {
			break
		}
		v, ok := o.successor(next)
		if !ok {
			break
		}
		v = s.plain(v)
		if seen[id], c.size, c.heap = true, o.size, o.heap; c.align == 0 || o.align < c.align {
			c.align = o.align
		}
		c.written = c.written.and(o.written)
		c.ids, c.length, c.end = append(c.ids, id), c.length.Add(s.know.plain(o.count())), v
		if v.kind != ptrValue || !v.lin.IsConst() || !v.lin.Const.IsZero() {
			break
		}
		id = v.obj
	}
	for _, x := range c.ids {
		if c.end.pointsTo(x) {
			return c, false // a ring: its end would be inside itself
		}
	}
	return c, len(c.ids) > 0
}
