package seg

import (
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// errShape asks for the graph to be made again, with what was learned of the heap's shape.
var errShape = errors.New("blocks of a list lead to further blocks")

// maxKids is how many pointers onwards the blocks of a tree have; maxTrees how many sizes of blocks are trees.
const (
	maxKids  = 4
	maxTrees = 4
)

// learn notes which pointers of the chain's blocks lead on outside of the chain.
func (b *builder) learn(s *state, ch chain) {
	b.learnPair(s, ch)
	for _, id := range ch.ids {
		o := s.objs[id]
		if o.list != nil {
			continue
		}
		for _, c := range o.cells {
			off, ok := c.off.Const.Int64()
			to, isBlock := s.heapStart(s.plain(c.val))
			if ok && c.off.IsConst() && isBlock && !slices.Contains(ch.ids, to) && to != ch.from &&
				s.objs[to].size.Equal(ch.size) && !s.objs[to].otherThan([]int64{off, ch.next}, b.m.Layout.PtrBits/8) {
				b.branches(s, ch.size, ch.next, off)
			}
		}
	}
}

// branches notes that blocks of a size of the state lead on at two places.
func (b *builder) branches(s *state, size exact.Lin, next, off int64) {
	n, ok := size.Const.Int64()
	if p, known := b.pairs[n]; known && off != p.next && off != p.prev {
		if b.noPair(s, size); b.trees[n] != nil { // they lead on at a third place
			return
		}
	}
	if up, known := b.ups[n]; known && (up == off || up == next) {
		return
	}
	if !ok || !size.IsConst() || b.chains[n] || off == next || slices.Contains(b.trees[n], off) {
		return
	}
	if b.learnLinked(s, size, next, off) {
		return
	}
	kids := append([]int64{off}, b.trees[n]...)
	if !slices.Contains(kids, next) {
		kids = append(kids, next)
	}
	slices.Sort(kids)
	if len(kids) > maxKids || len(b.trees) >= maxTrees && b.trees[n] == nil {
		return
	}
	b.trees[n], b.reshaped = kids, true
}

// learnStore notes that a block which came out of a list is made to lead to another one of its size at byte off, where
// that does not lead back.
func (b *builder) learnStore(s *state, o *object, off exact.Lin, v value) {
	at, ok := off.Const.Int64()
	to, isBlock := s.heapStart(s.plain(v))
	if o.next == nil || !ok || !off.IsConst() || at == *o.next || !isBlock || to == o.id {
		return
	}
	if p := s.objs[to]; p.size.Equal(o.size) && !p.pointsTo(o.id) {
		b.branches(s, o.size, *o.next, at)
	}
}

// learnCross notes that lists of equal blocks that should be one go on at different places.
func (b *builder) learnCross(s *state, o, p *object) {
	if o.chained() && p.chained() && !o.list.doubly && !p.list.doubly && o.size.Equal(p.size) {
		b.branches(s, o.size, o.list.next, p.list.next)
	}
}

// noTree notes that blocks of a size are no trees after all: two lead to one, or one to something else.
func (b *builder) noTree(size exact.Lin) {
	if n, ok := size.Const.Int64(); ok && b.trees[n] != nil {
		delete(b.trees, n)
		delete(b.ups, n)
		b.chains[n], b.reshaped = true, true
	}
}

// learnLinked notes that blocks of a size lead to each other with the pointers at bytes next and off: as those of a
// doubly linked list do, or of a tree that is known already and whose blocks lead up. It reports whether that is so.
func (b *builder) learnLinked(s *state, size exact.Lin, next, off int64) bool {
	n, _ := size.Const.Int64()
	for _, k := range append([]int64{next}, b.trees[n]...) {
		switch {
		case !b.linked(s, size, k, off):
		case len(b.trees[n]) > 1 && !slices.Contains(b.trees[n], off):
			return b.setUp(n, off, slices.Clone(b.trees[n]))
		case b.trees[n] == nil && !b.unpaired[n] && len(b.pairs) < maxPairs:
			b.setPair(n, pair{next: next, prev: off})
			return true
		}
	}
	return false
}

// linked reports that a block of a size leads to one, or to a list, with the pointer at byte next that leads back with
// that at byte off.
func (b *builder) linked(s *state, size exact.Lin, next, off int64) bool {
	return slices.ContainsFunc(s.order, func(id int) bool {
		o := s.objs[id]
		v, _ := b.successor(o, next, false)
		v = s.plain(v)
		to, isBlock := s.heapStart(v)
		if o.list != nil || !isBlock || next == off || to == id || !o.size.Equal(size) || !s.objs[to].size.Equal(size) {
			return false
		}
		back, _ := b.successor(s.objs[to], off, false)
		if l := s.objs[to].list; l != nil {
			if l := l.from(v.last); l.doubly && l.prev == off {
				back = l.before
			}
		}
		return s.plain(back).points(value{kind: ptrValue, obj: id})
	})
}

// learnUp notes that what seemed to be a doubly linked list of blocks of size n is a tree whose blocks lead up, because
// one leads to another one at byte off, too, which leads back. It reports whether that is so.
func (b *builder) learnUp(s *state, n int64, p pair, off int64) bool {
	for _, way := range []pair{p, p.turned()} {
		if b.linked(s, exact.C(n), off, way.prev) {
			return b.setUp(n, way.prev, []int64{way.next, off})
		}
	}
	return false
}

// setUp notes that blocks of size n are trees with these kids, and lead up at byte up; false if there are trees enough.
func (b *builder) setUp(n, up int64, kids []int64) bool {
	if b.trees[n] == nil && len(b.trees) >= maxTrees {
		return false
	}
	slices.Sort(kids)
	delete(b.pairs, n)
	delete(b.chains, n)
	b.trees[n], b.ups[n], b.unpaired[n], b.reshaped = kids, up, true, true
	return true
}

// inUpTree reports that blocks like o are those of trees that lead up, and so of no chain.
func (b *builder) inUpTree(o *object) bool {
	n, ok := o.size.Const.Int64()
	_, up := b.ups[n]
	return ok && o.size.IsConst() && up
}

// leadsUp notes that one of the kids of the tree t is a pointer to the block above: block from leads to block id with
// it, which leads to that with another; it reports whether this is so.
func (b *builder) leadsUp(s *state, t *chain, from, id int) bool {
	below, above := s.objs[from], s.objs[id]
	if below == nil || below.list != nil || above.list != nil || len(t.kids) < 3 || t.doubly {
		return false
	}
	for _, up := range t.kids {
		v, _ := b.successor(below, up, false)
		if !s.plain(v).points(value{kind: ptrValue, obj: id}) {
			continue
		}
		for _, k := range t.kids {
			w, _ := b.successor(above, k, false)
			if n, ok := t.size.Const.Int64(); ok && k != up && s.plain(w).points(value{kind: ptrValue, obj: from}) {
				b.setUp(n, up, slices.DeleteFunc(slices.Clone(t.kids), func(x int64) bool { return x == up }))
				return true
			}
		}
	}
	return false
}
