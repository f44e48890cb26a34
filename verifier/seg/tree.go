package seg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// A tree is a list whose blocks have more than one pointer onwards: length blocks, each pointer at one of the bytes
// of kids leads to a tree of its own, and those at the edges are null. It has no end. The trees below a block share
// no block, so taking the first block out leaves one tree for each of the kids, which have the other blocks between
// them.
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
	if !ok || !o.size.IsConst() || t.kids == nil || !b.grow(s, &t, id, stop) {
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
		len(t.ids) > 0 && stop(value{kind: ptrValue, obj: id}).before {
		return false
	}
	t.ids = append(t.ids, id)
	t.align = common(t.align, o.align)
	t.written = t.written.and(o.written)
	t.length = t.length.Add(s.know.plain(o.count()))
	if o.list != nil {
		return slices.Equal(o.list.kids, t.kids)
	}
	for _, k := range t.kids {
		v, ok := o.successor(k, false)
		if v = s.plain(v); !ok {
			return false
		}
		to, isBlock := s.heapStart(v)
		if !(isBlock && b.grow(s, t, to, stop)) && !isNull(v) {
			return false
		}
	}
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

// unfoldTree takes the first block of a tree that has one out of it.
func (b *builder) unfoldTree(s *state, id int) {
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
		sub.list = &list{kids: o.list.kids, length: length, end: o.list.end}
		first.cells = append(first.cells, cell{off: exact.C(k), size: int64(b.m.Layout.PtrBits / 8),
			val: value{kind: ptrValue, obj: sub.id}})
	}
	s.sameFrame(id, first.id)
	s.redirect(id, func(v value) value { v.obj = first.id; return v })
	s.drop(id)
}

// treeBoth makes trees of what places p and q hold, where either is a tree, or they are one block and none; it
// reports success.
func (a *aligner) treeBoth(p, q root, u, v value) bool {
	x, isX := a.old.heapStart(u)
	y, isY := a.s.heapStart(v)
	isX, isY = isX && !a.toNewHas(x), isY && !a.toOldHas(y)
	var t, w tree
	okX, okY := isNull(u), isNull(v)
	if isX {
		t, okX = a.b.treeFrom(a.old, x, a.stopOld)
	}
	if isY {
		w, okY = a.b.treeFrom(a.s, y, a.stopNew)
	}
	if !okX || !okY || isX && isY && !(t.size.Equal(w.size) && t.heap == w.heap) || a.tooMany() &&
		!(isX && a.old.objs[x].list != nil) {
		return false
	}
	like := t
	if !isX {
		like = w
	}
	a.changed = a.changed || !isX || a.old.objs[x].list == nil || len(t.ids) > 1
	a.match(a.planted(a.old, p, t, like, isX), a.planted(a.s, q, w, like, isY))
	return true
}

func (a *aligner) toNewHas(x int) bool { _, ok := a.toNew[x]; return ok }
func (a *aligner) toOldHas(y int) bool { _, ok := a.toOld[y]; return ok }

// planted is the tree t of the state, or an empty one at the place.
func (a *aligner) planted(s *state, at root, t, like tree, is bool) int {
	if is {
		return a.b.foldTree(s, t)
	}
	id := a.b.foldTree(s, tree{kids: like.kids, chain: chain{size: like.size, heap: like.heap, align: 0,
		end: number(exact.Lin{}, anyRep), written: written{all: true}}})
	at.set(s, value{kind: ptrValue, obj: id})
	return id
}
