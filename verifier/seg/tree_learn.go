package seg

import (
	"errors"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// errShape asks for the graph to be made again, with what was learned of the heap's shape.
var errShape = errors.New("blocks of a list lead to further blocks")

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
				ch.takes(s.objs[to]) && !s.objs[to].otherThan([]int64{off, ch.next}, b.m.Layout.PtrBits/8) {
				b.branches(s, o, ch.next, off)
			}
		}
	}
}

// branches notes that blocks like o lead on at two places.
func (b *builder) branches(s *state, o *object, next, off int64) {
	br, ok := b.breed(o.size, o.of)
	if p, known := b.pairs[br]; known && off != p.next && off != p.prev {
		if b.noPair(s, br); b.trees[br] != nil { // they lead on at a third place
			return
		}
	}
	if up, known := b.ups[br]; known && (up == off || up == next) {
		return
	}
	if !ok || b.chains[br] || off == next || slices.Contains(b.trees[br], off) {
		return
	}
	if b.learnLinked(s, br, next, off) {
		return
	}
	kids := append([]int64{off}, b.trees[br]...)
	if !slices.Contains(kids, next) {
		kids = append(kids, next)
	}
	slices.Sort(kids)
	if len(kids) > policy.TreeKids || len(b.trees) >= policy.TreeKinds && b.trees[br] == nil {
		return
	}
	b.trees[br], b.reshaped = kids, true
}

// learnStore notes that a block which came out of a list is made to lead to another one of its size at byte off, where
// that does not lead back.
func (b *builder) learnStore(s *state, o *object, off exact.Lin, v value) {
	at, ok := off.Const.Int64()
	to, isBlock := s.heapStart(s.plain(v))
	if o.next == nil || !ok || !off.IsConst() || at == *o.next || !isBlock || to == o.id {
		return
	}
	if p := s.objs[to]; p.kin(o) && !p.pointsTo(o.id) {
		b.branches(s, o, *o.next, at)
	}
}

// learnCross notes that lists of equal blocks that should be one go on at different places.
func (b *builder) learnCross(s *state, o, p *object) {
	if o.chained() && p.chained() && !o.list.doubly && !p.list.doubly && o.kin(p) {
		b.branches(s, o, o.list.next, p.list.next)
	}
}

// noTree notes that blocks like those of t are no trees after all: two lead to one, or one to something else.
func (b *builder) noTree(t *chain) {
	if br, ok := b.breed(t.size, t.of); ok && b.trees[br] != nil {
		delete(b.trees, br)
		delete(b.ups, br)
		b.chains[br], b.reshaped = true, true
	}
}

// learnLinked notes that blocks of a kind lead to each other with the pointers at bytes next and off: as those of a
// doubly linked list do, or of a tree that is known already and whose blocks lead up. It reports whether that is so.
func (b *builder) learnLinked(s *state, br breed, next, off int64) bool {
	for _, k := range append([]int64{next}, b.trees[br]...) {
		switch {
		case !b.linked(s, br, k, off):
		case len(b.trees[br]) > 1 && !slices.Contains(b.trees[br], off):
			return b.setUp(br, off, slices.Clone(b.trees[br]))
		case b.trees[br] == nil && !b.unpaired[br] && len(b.pairs) < policy.DoublyLinked:
			b.setPair(br, pair{next: next, prev: off})
			return true
		}
	}
	return false
}

// linked reports that a block of a kind leads to one, or to a list, with the pointer at byte next that leads back with
// that at byte off.
func (b *builder) linked(s *state, br breed, next, off int64) bool {
	return slices.ContainsFunc(s.order, func(id int) bool {
		o := s.objs[id]
		v, _ := b.successor(o, next, false)
		v = s.plain(v)
		to, isBlock := s.heapStart(v)
		if o.list != nil || !isBlock || next == off || to == id || !o.is(br) || !s.objs[to].is(br) {
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

// learnUp notes that what seemed to be a doubly linked list of blocks of a kind is a tree whose blocks lead up, because
// one leads to another one at byte off, too, which leads back. It reports whether that is so.
func (b *builder) learnUp(s *state, br breed, p pair, off int64) bool {
	for _, way := range []pair{p, p.turned()} {
		if b.linked(s, br, off, way.prev) {
			return b.setUp(br, way.prev, []int64{way.next, off})
		}
	}
	return false
}

// setUp notes that blocks of a kind are trees with these kids, and lead up at byte up; false if there are trees enough.
func (b *builder) setUp(br breed, up int64, kids []int64) bool {
	if b.trees[br] == nil && len(b.trees) >= policy.TreeKinds {
		return false
	}
	slices.Sort(kids)
	delete(b.pairs, br)
	delete(b.chains, br)
	b.trees[br], b.ups[br], b.unpaired[br], b.reshaped = kids, up, true, true
	return true
}

// inUpTree reports that blocks like o are those of trees that lead up, and so of no chain.
func (b *builder) inUpTree(o *object) bool {
	br, ok := b.breed(o.size, o.of)
	_, up := b.ups[br]
	return ok && up
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
			if br, ok := b.breed(t.size, t.of); ok && k != up && s.plain(w).points(value{kind: ptrValue, obj: from}) {
				b.setUp(br, up, slices.DeleteFunc(slices.Clone(t.kids), func(x int64) bool { return x == up }))
				return true
			}
		}
	}
	return false
}
