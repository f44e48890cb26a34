package seg

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// chain is a row of heap blocks and lists that lead to each other.
type chain struct {
	ids   []int
	lasts []bool // the row comes to the list with this identity at its last block
	next  int64
	at    int64
	size  exact.Lin // of each block
	of    string    // what they are taken for
	heap  bool
	align int64
	written
	length exact.Lin
	end    value

	from     int  // the object with the pointer to the chain, if that is not a variable
	contents      // of each block
	bare     bool // there are only lists without blocks
	inside   bool // a block owns it
	scalars  []int64

	doubly bool // the pointers at byte prev lead back, that of the first block to before
	prev   int64
	backAt int64
	before value

	kids []int64 // not nil: a tree
	edge int     // the number of the part that the tree's end is at; -1 if pointers to that are lost
}

// lastPart returns the number of the part with the last block; -1 if pointers to that are lost.
func (c *chain) lastPart() int {
	switch {
	case c.kids != nil:
		return c.edge
	case c.doubly:
		return len(c.ids) - 1
	}
	return -1
}

// backwards reports that the list of the chain begins where the chain ends: lists go on at the lower of two bytes, so
// that those of two states are alike.
func (c *chain) backwards() bool { return c.doubly && c.kids == nil && c.prev < c.next }

// fold replaces a chain of blocks and lists by one list, the object id (LI-12,
// LI-13, LI-21). Pointers to the first block become pointers to the list, and those to the last block of a doubly
// linked one; any others into the chain are forgotten, because the list does not say where its
// inner blocks are. The pointer is what leads to the chain's first block.
func (b *builder) fold(s *state, ch chain) value {
	b.learn(s, ch)
	return value{kind: ptrValue, obj: b.gather(s, ch), last: ch.backwards(), lin: exact.C(ch.at)}
}

// gather replaces the objects of ch by one.
func (b *builder) gather(s *state, ch chain) int {
	b.lists++
	key := fmt.Sprintf("list %d", b.lists)
	id := len(b.objIDs) + 1
	b.objIDs[key] = id
	l := &list{next: ch.next, at: ch.at, length: ch.length, end: ch.end, doubly: ch.doubly, prev: ch.prev,
		backAt: ch.backAt, before: ch.before, members: ch.members, bare: ch.bare, scalars: ch.scalars, kids: ch.kids}
	*l = l.from(ch.backwards())
	o := &object{id: id, key: key, name: "list", size: ch.size, of: ch.of, heap: ch.heap, dynamic: true,
		rest: unknownBytes, base: -1, align: ch.align, written: ch.written, list: l}
	if ch.kids != nil {
		o.name, l.joined = "tree", len(ch.ids) > 0 && ch.edge == 0 && s.objs[ch.ids[0]].list == nil
	}
	lists := map[int]bool{}
	for _, x := range ch.ids {
		lists[x] = s.objs[x].list != nil
		s.sameFrame(x, id)
		s.drop(x)
	}
	for _, x := range ch.owns {
		s.drop(x)
	}
	s.add(o)
	for n, x := range ch.ids {
		s.redirect(x, func(v value) value {
			v = s.plain(v)
			ahead := !lists[x] || v.last == ch.comesLast(n)
			back := !lists[x] || v.last != ch.comesLast(n)
			switch {
			case keeps(v, ch.at) && n == 0 && ahead:
				return value{kind: ptrValue, obj: id, last: ch.backwards(), lin: v.lin}
			case keeps(v, ch.backAt) && n == ch.lastPart() && back:
				return value{kind: ptrValue, obj: id, last: !ch.backwards(), lin: v.lin}
			}
			return b.somewhere(s)
		})
	}
	return id
}

// keeps reports that lists keep pointer v to an edge where byte at is linked: one to that byte, or to the block's
// start.
func keeps(v value, at int64) bool { return v.lin.Equal(exact.Lin{}) || v.lin.Equal(exact.C(at)) }

// comesLast reports that the chain comes to the last block of its n-th list.
func (c *chain) comesLast(n int) bool { return n < len(c.lasts) && c.lasts[n] }

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

// links are the places of pointers to neighbours.
func (c *chain) links() []int64 {
	places := c.kids
	if places == nil {
		places = []int64{c.next}
	}
	if c.doubly {
		places = append(slices.Clone(places), c.prev)
	}
	return places
}

// links are the places of pointers to neighbours in the blocks of a list that is no tree.
func (l *list) links() []int64 {
	if l.doubly {
		return []int64{l.next, l.prev}
	}
	return []int64{l.next}
}

// with adds what the blocks of part o hold: in, if that is one block.
func (c *chain) with(b *builder, o *object, in contents) {
	scalars := o.scalars(b.m.Layout.PtrBits / 8)
	if o.list != nil {
		scalars = o.list.scalars
	}
	c.scalars = slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.scalars, scalars))))
	switch l := o.list; {
	case l != nil && l.bare:
		return
	case l != nil:
		in.members = l.members
	}
	c.owns, c.cursor = append(c.owns, in.owns...), c.cursor || in.cursor
	if !c.bare {
		in.members = joiner{b: b}.members(c.members, in.members)
	}
	c.members, c.bare = in.members, false
}

// follow collects the chain from what v points to along the pointer at byte next, up to what may not be folded: stop
// tells that of what a pointer leads to, and whether it may still be the last part. path are the blocks that own it.
func (b *builder) follow(s *state, v value, next int64, stop func(value) stopping, path ...int) (chain, bool) {
	c := chain{next: next, written: written{all: true}, bare: true, inside: len(path) > 0}
	var ok bool
	if c.at, ok = v.lin.Const.Int64(); !ok || !v.lin.IsConst() {
		return c, false
	}
	for {
		o := s.object(v.obj)
		if o == nil || !o.dynamic || o.base >= 0 || !o.size.IsConst() || b.inUpTree(o) ||
			slices.Contains(c.ids, v.obj) ||
			len(c.ids) > 0 && (stop(v).before || !c.takes(o) || o.heap != c.heap) {
			break
		}
		to, ok := b.successor(o, next, v.last)
		if !ok || !b.joins(s, &c, v) {
			break
		}
		to = s.plain(to)
		var in contents
		if o.list == nil {
			if in = b.contentsOf(s, v.obj, c.links(), path); in.cursor && stop(v).cursors {
				b.cursors++
				break
			}
		}
		c.with(b, o, in)
		c.of = either(c.of, o.of)
		if c.size, c.heap = o.size, o.heap; c.align == 0 || o.align < c.align {
			c.align = o.align
		}
		c.written = c.written.and(o.written)
		c.ids, c.lasts = append(c.ids, v.obj), append(c.lasts, v.last)
		c.length, c.end = c.length.Add(s.know.plain(o.count())), to
		if !s.heapAt(to, exact.I(c.at)) || stop(v).behind {
			break
		}
		v = to
	}
	for _, x := range c.ids {
		if c.end.pointsTo(x) || c.before.pointsTo(x) {
			return c, false // a ring: its end would be inside itself
		}
	}
	return c, len(c.ids) > 0
}
