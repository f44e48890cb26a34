package seg

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// fill puts members into block id, and gives a state for each choice of what they are.
func (b *builder) fill(s *state, id int, members []member) []*state {
	states := []*state{s}
	for _, m := range members {
		var filled []*state
		for _, t := range states {
			if len(m.cases) > 1 {
				t.inexact("content of a list")
			}
			for n, h := range m.cases {
				u := t
				if n+1 < len(m.cases) {
					u = t.clone()
				}
				filled = append(filled, b.hold(u, id, m, h)...)
			}
		}
		states = filled
	}
	return states
}

// hold makes a member of block id one thing that it may be.
func (b *builder) hold(s *state, id int, m member, h held) []*state {
	states, v := []*state{s}, value{}
	if h.own != nil {
		v, states = b.makeOwned(s, id, m.off, h.own)
	} else {
		v = b.heldValue(s, id, h)
	}
	for _, t := range states {
		o := t.own(id)
		o.cells = append(o.cells, cell{off: exact.C(m.off), size: m.size, val: v})
	}
	return states
}

// heldValue is the number, the function, or the address in block id or in a global that a member is.
func (b *builder) heldValue(s *state, id int, h held) value {
	switch {
	case h.kind == funcValue:
		return value{kind: funcValue, fn: h.fn}
	case h.global != nil:
		return value{kind: ptrValue, obj: b.globalObject(s, h.global), lin: exact.C(h.at)}
	case h.kind == ptrValue:
		return value{kind: ptrValue, obj: id, lin: exact.C(h.at)}
	case h.kind != intValue:
		return opaque()
	case h.lo.Equal(h.hi):
		return number(constInt(h.lo), h.rep)
	}
	v := b.newVar("member")
	s.know.lower(v, h.lo)
	s.know.upper(v, h.hi)
	s.inexact("content of a list")
	return number(exact.V(v), h.rep)
}

// makeOwned makes the memory that the member at off of block id leads to, and returns the pointer there.
func (b *builder) makeOwned(s *state, id int, off int64, own *owned) (value, []*state) {
	x := b.newObject(s, fmt.Sprintf("%d of %s", off, s.objs[id].key), "cell", exact.C(own.size))
	x.heap, x.dynamic, x.rest, x.align, x.written = own.heap, true, unknownBytes, own.align, own.written
	x.of = own.of
	v := value{kind: ptrValue, obj: x.id, lin: exact.C(own.at)}
	if own.next == oneBlock {
		return v, b.fill(s, x.id, own.members)
	}
	length := exact.C(own.least)
	if !own.exactly {
		n := b.newVar("blocks of a list")
		s.know.lower(n, exact.I(own.least))
		s.inexact("content of a list")
		length = exact.V(n)
	}
	x.name = "list"
	x.list = &list{next: own.next, at: own.at, kids: own.kids, length: length, end: b.heldValue(s, id, own.end),
		doubly: own.doubly, prev: own.prev, backAt: own.backAt, before: b.heldValue(s, id, own.before),
		members: own.members, scalars: own.scalars}
	switch {
	case own.kids != nil:
		x.list.next, x.name = 0, "tree"
	case own.doubly && own.prev < own.next:
		*x.list, v.last = x.list.turned(), true
	}
	if !own.doubly {
		x.list.before = value{}
	}
	return v, []*state{s}
}
