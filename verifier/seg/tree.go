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
			if ok && c.off.IsConst() && isBlock && !slices.Contains(ch.ids, to) && s.objs[to].size.Equal(ch.size) {
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

// treeFrom collects the tree that starts with object id. stop tells blocks that may only be its first.
func (b *builder) treeFrom(s *state, id int, stop func(value) stopping) (tree, bool) {
	o := s.objs[id]
	size, ok := o.size.Const.Int64()
	t := tree{kids: b.trees[size], chain: chain{size: o.size, heap: o.heap, align: o.align, written: written{all: true},
		end: number(exact.Lin{}, anyRep)}}
	if !ok || !o.size.IsConst() || t.kids == nil || !b.grow(s, &t, id, stop) || slices.Contains(t.ids, t.end.obj) {
		return t, false
	}
	return t, true
}

// grow adds the tree below object id to t; false if it is none.
func (b *builder) grow(s *state, t *tree, id int, stop func(value) stopping) bool {
	o := s.objs[id]
	if slices.Contains(t.ids, id) || !o.size.Equal(t.size) {
		b.noTree(t.size)
		return false
	}
	if !o.dynamic || o.base >= 0 || o.heap != t.heap || len(t.ids) > maxCells ||
		o.list != nil && !slices.Equal(o.list.kids, t.kids) {
		return false
	}
	t.ids = append(t.ids, id)
	t.align = common(t.align, o.align)
	t.written = t.written.and(o.written)
	t.length = t.length.Add(s.know.plain(o.count()))
	if o.list != nil {
		return b.kid(s, t, s.plain(o.list.end), stop)
	}
	for _, k := range t.kids {
		v, ok := o.successor(k, false)
		if !ok || !b.kid(s, t, s.plain(v), stop) {
			return false
		}
	}
	return true
}

// kid adds what v leads to to t, or notes that v is its end.
func (b *builder) kid(s *state, t *tree, v value, stop func(value) stopping) bool {
	if isNull(v) {
		return true
	}
	to, isBlock := s.heapStart(v)
	if isBlock && (slices.Contains(t.ids, to) || !stop(v).before) {
		return b.grow(s, t, to, stop)
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
		b.unfoldAt(s, id, len(l.kids))
		return []*state{s}
	}
	var out []*state
	for n := range l.kids {
		u := s.clone()
		b.unfoldAt(u, id, n)
		out = append(out, u)
	}
	return out
}

// unfoldAt takes the first block of a tree out of it, of which the kid with this number has the tree's end.
func (b *builder) unfoldAt(s *state, id, ends int) {
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
		sub.list = &list{kids: o.list.kids, length: length, end: number(exact.Lin{}, anyRep)}
		if n == ends {
			sub.list.end = o.list.end
		}
		first.point(b, k, value{kind: ptrValue, obj: sub.id})
	}
	s.sameFrame(id, first.id)
	s.redirect(id, func(v value) value { v.obj = first.id; return v })
	s.drop(id)
}
