package seg

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// unfoldTree takes the first block of a tree that has one out of it, or its last one, and gives a state for each kid
// that may have the tree's end.
func (b *builder) unfoldTree(s *state, id int, last bool) []*state {
	l := s.objs[id].list
	named := s.leadsToLast(id)
	if isNull(s.plain(l.end)) && !named {
		return b.unfoldAt(s, id, len(l.kids), false)
	}
	var out []*state
	for n := range l.kids {
		u := s.clone()
		if last {
			out = append(out, b.unfoldLast(u, id, n)...)
		} else {
			out = append(out, b.unfoldAt(u, id, n, named)...)
		}
	}
	return out
}

// leadsToLast reports that something leads to the last block of tree id.
func (s *state) leadsToLast(id int) bool {
	var leads func(v value) bool
	leads = func(v value) bool {
		for _, m := range v.agg {
			if leads(m) {
				return true
			}
		}
		return v.kind == ptrValue && v.obj == id && v.last
	}
	for _, f := range s.frames {
		for _, v := range f.vals {
			if leads(v) {
				return true
			}
		}
	}
	for _, o := range s.objs {
		for _, c := range o.cells {
			if leads(c.val) {
				return true
			}
		}
		if o.list != nil && (leads(o.list.end) || leads(o.list.before)) {
			return true
		}
	}
	return false
}

// treeBlock makes a block like those of tree o.
func (b *builder) treeBlock(s *state, o *object) *object {
	x := b.newObject(s, "cell of "+o.key, "cell", o.size)
	x.heap, x.dynamic, x.rest, x.align, x.written = o.heap, true, unknownBytes, o.align, o.written
	x.of = o.of
	s.sameFrame(o.id, x.id)
	return x
}

// subtree makes a tree like o, of which kid n of block x is the first block, and takes its length off left: all of that
// if it is the last one that is made.
func (b *builder) subtree(s *state, o, x *object, n int, left *exact.Lin, last bool) *object {
	sub := b.newObject(s, fmt.Sprintf("kid %d of %s", n, o.key), o.name, o.size)
	sub.heap, sub.dynamic, sub.rest, sub.align, sub.written = o.heap, true, unknownBytes, o.align, o.written
	sub.of = o.of
	s.sameFrame(o.id, sub.id)
	length := *left
	if !last {
		v := b.newVar("blocks of a tree")
		s.know.lower(v, exact.I(0))
		length = exact.V(v)
		*left = left.Sub(length)
	}
	s.know.ge(length)
	sub.list = &list{kids: o.list.kids, length: length, end: number(exact.Lin{}, anyRep), members: o.list.members,
		doubly: o.list.doubly, prev: o.list.prev}
	if o.list.doubly {
		sub.list.before = value{kind: ptrValue, obj: x.id}
	}
	x.point(b, o.list.kids[n], value{kind: ptrValue, obj: sub.id})
	return sub
}

// unfoldAt takes the first block of a tree out of it, of which the kid with this number has the tree's end, and gives a
// state for each thing that it may hold. named says that something leads to the last block.
func (b *builder) unfoldAt(s *state, id, ends int, named bool) []*state {
	o := s.objs[id]
	first := b.treeBlock(s, o)
	left, last := o.list.length.AddInt(-1), 0
	for n := range o.list.kids {
		sub := b.subtree(s, o, first, n, &left, n+1 == len(o.list.kids))
		if n == ends {
			sub.list.end, last = o.list.end, sub.id
			if named {
				sub.list.before = value{kind: ptrValue, obj: first.id}
			}
		}
	}
	if o.list.doubly {
		first.point(b, o.list.prev, o.list.before)
	}
	s.redirect(id, func(v value) value {
		v.obj = first.id
		if v.last {
			v.obj = last
		}
		return v
	})
	s.drop(id)
	return b.fill(s, first.id, o.list.members)
}

// unfoldLast takes the last block of a tree out of it, of which the kid with this number is the tree's end, and gives a
// state for each thing that it may hold.
func (b *builder) unfoldLast(s *state, id, ends int) []*state {
	o := s.own(id)
	block := b.treeBlock(s, o)
	left, end := o.list.length.AddInt(-1), o.list.end
	for n, k := range o.list.kids {
		if n == ends {
			block.point(b, k, end)
			continue
		}
		v := b.newVar("blocks of a tree")
		s.know.lower(v, exact.I(0))
		length := exact.V(v)
		b.subtree(s, o, block, n, &length, true)
		left = left.Sub(exact.V(v))
	}
	s.know.ge(left)
	o.list.length, o.list.end = left, value{kind: ptrValue, obj: block.id}
	s.redirect(id, func(v value) value {
		if v.last {
			return value{kind: ptrValue, obj: block.id, lin: v.lin}
		}
		return v
	})
	if o.list.doubly {
		block.point(b, o.list.prev, value{kind: ptrValue, obj: id, last: true})
	}
	return b.fill(s, block.id, o.list.members)
}
