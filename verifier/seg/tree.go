package seg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// A tree is a list whose blocks have more than one pointer onwards: length blocks, each pointer at one of the bytes
// of kids leads to a tree of its own, and those at the edges are null, but for one, which is the tree's end. (Where that
// is null too, it is any of them.) So the part of a tree above a pointer into it is a tree that ends with that pointer.
// The trees below a block share no block: taking the first block out leaves one tree for each of the kids, which have the
// other blocks between them, and one of which has the end.
//
// Which blocks are to be seen as trees is learned: where a list would forget a pointer to another block of the same
// size, or did and it is read, the graph is made again with that size in builder.trees. Where that does not fit, that
// size is never tried again (builder.chains).

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
				b.branches(ch.size, ch.next, off)
			}
		}
	}
}

// branches notes that blocks of a size lead on at two places.
func (b *builder) branches(size exact.Lin, next, off int64) {
	n, ok := size.Const.Int64()
	if p, known := b.pairs[n]; known && off != p.next && off != p.prev {
		b.noPair(size) // they lead on at a third place
	}
	if !ok || !size.IsConst() || b.chains[n] || off == next || slices.Contains(b.trees[n], off) {
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
		b.branches(o.size, *o.next, at)
	}
}

// learnCross notes that lists of equal blocks that should be one go on at different places.
func (b *builder) learnCross(o, p *object) {
	if o.chained() && p.chained() && !o.list.doubly && !p.list.doubly && o.size.Equal(p.size) {
		b.branches(o.size, o.list.next, p.list.next)
	}
}

// noTree notes that blocks of a size are no trees after all: two lead to one, or one to something else.
func (b *builder) noTree(size exact.Lin) {
	if n, ok := size.Const.Int64(); ok && b.trees[n] != nil {
		delete(b.trees, n)
		b.chains[n], b.reshaped = true, true
	}
}

// tree is the blocks and trees from one block on, if they are a tree.
type tree struct {
	kids []int64
	chain
}

// treeFrom collects the tree that starts with object id. stop tells blocks that may only be its first. path are the
// blocks that own it.
func (b *builder) treeFrom(s *state, id int, stop func(value) stopping, path ...int) (tree, bool) {
	o := s.objs[id]
	size, ok := o.size.Const.Int64()
	t := tree{kids: b.trees[size], chain: chain{size: o.size, heap: o.heap, align: o.align, written: written{all: true},
		bare: true, end: number(exact.Lin{}, anyRep)}}
	if !ok || !o.size.IsConst() || t.kids == nil || !b.grow(s, &t, id, stop, path) || slices.Contains(t.ids, t.end.obj) {
		return t, false
	}
	return t, true
}

// grow adds the tree below object id to t; false if it is none.
func (b *builder) grow(s *state, t *tree, id int, stop func(value) stopping, path []int) bool {
	o := s.objs[id]
	other := o.otherThan(t.kids, b.m.Layout.PtrBits/8)
	if slices.Contains(t.ids, id) || !o.size.Equal(t.size) || other {
		if len(path) == 0 && (!other || len(t.ids) > 0) { // the first one may be of another kind
			b.noTree(t.size)
		}
		return false
	}
	if !o.dynamic || o.base >= 0 || o.heap != t.heap || len(t.ids) > maxCells ||
		o.list != nil && !slices.Equal(o.list.kids, t.kids) {
		return false
	}
	var in contents
	if o.list == nil {
		if in = b.contentsOf(s, id, t.kids, path); in.cursor && stop(value{kind: ptrValue, obj: id}).cursors {
			b.cursors++
			return false
		}
	}
	t.with(b, o, in)
	t.ids = append(t.ids, id)
	t.align = common(t.align, o.align)
	t.written = t.written.and(o.written)
	t.length = t.length.Add(s.know.plain(o.count()))
	if o.list != nil {
		return b.kid(s, t, s.plain(o.list.end), stop, path)
	}
	for _, k := range t.kids {
		v, ok := b.successor(o, k, false)
		if !ok || !b.kid(s, t, s.plain(v), stop, path) {
			return false
		}
	}
	return true
}

// otherThan reports that blocks of o hold something else than a pointer of n bytes at one of the places.
func (o *object) otherThan(kids []int64, n int) bool {
	if o.list != nil {
		return slices.ContainsFunc(o.list.scalars, func(off int64) bool { return slices.Contains(kids, off) })
	}
	return slices.ContainsFunc(o.scalars(n), func(off int64) bool { return slices.Contains(kids, off) })
}

// scalars are the places where o holds something else than a pointer of n bytes.
func (o *object) scalars(n int) []int64 {
	var out []int64
	for _, c := range o.cells {
		if off, ok := c.off.Const.Int64(); ok && c.off.IsConst() && c.size != int64(n) {
			out = append(out, off)
		}
	}
	return out
}

// kid adds what v leads to to t, or notes that v is its end.
func (b *builder) kid(s *state, t *tree, v value, stop func(value) stopping, path []int) bool {
	if isNull(v) {
		return true
	}
	to, isBlock := s.heapStart(v)
	if isBlock && (slices.Contains(t.ids, to) || !stop(v).before) {
		return b.grow(s, t, to, stop, path)
	}
	if !isNull(t.end) || !isBlock {
		return false
	}
	t.end = v
	return true
}

// isNull reports that v is the null pointer.
func isNull(v value) bool { return v.kind == intValue && v.lin.Equal(exact.Lin{}) }

// foldTree makes a tree of the objects of t, and returns it; pointers below its first block are forgotten.
func (b *builder) foldTree(s *state, t tree) int {
	if len(t.ids) == 1 && s.objs[t.ids[0]].list != nil {
		return t.ids[0]
	}
	id := b.gather(s, t.chain)
	s.objs[id].name = "tree"
	s.objs[id].list.kids = t.kids
	return id
}

// unfoldTree takes the first block of a tree that has one out of it, and gives a state for each kid that may have
// the tree's end.
func (b *builder) unfoldTree(s *state, id int) []*state {
	l := s.objs[id].list
	if isNull(s.plain(l.end)) {
		return b.unfoldAt(s, id, len(l.kids))
	}
	var out []*state
	for n := range l.kids {
		u := s.clone()
		out = append(out, b.unfoldAt(u, id, n)...)
	}
	return out
}

// unfoldAt takes the first block of a tree out of it, of which the kid with this number has the tree's end, and gives a
// state for each thing that it may hold.
func (b *builder) unfoldAt(s *state, id, ends int) []*state {
	o := s.objs[id]
	first := b.newObject(s, "cell of "+o.key, "cell", o.size)
	first.heap, first.dynamic, first.rest, first.align, first.written = o.heap, true, unknownBytes, o.align, o.written
	left := o.list.length.AddInt(-1)
	for n, k := range o.list.kids {
		sub := b.newObject(s, fmt.Sprintf("kid %d of %s", n, o.key), o.name, o.size)
		sub.heap, sub.dynamic, sub.rest, sub.align, sub.written = o.heap, true, unknownBytes, o.align, o.written
		length := left
		if n+1 < len(o.list.kids) {
			v := b.newVar("blocks of a tree")
			s.know.lower(v, exact.I(0))
			length = exact.V(v)
			left = left.Sub(length)
		}
		s.know.ge(length)
		sub.list = &list{kids: o.list.kids, length: length, end: number(exact.Lin{}, anyRep), members: o.list.members}
		if n == ends {
			sub.list.end = o.list.end
		}
		first.point(b, k, value{kind: ptrValue, obj: sub.id})
	}
	s.sameFrame(id, first.id)
	s.redirect(id, func(v value) value { v.obj = first.id; return v })
	s.drop(id)
	return b.fill(s, first.id, o.list.members)
}
