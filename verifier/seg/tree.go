package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// A tree is a list whose blocks have more than one pointer onwards: length blocks, each pointer at one of the bytes of
// kids leads to a tree of its own, and those at the edges are null, but for one, which is the tree's end. (Where that
// is null too, it is any of them.) So the part of a tree above a pointer into it is a tree that ends with that
// pointer. The trees below a block share no block: taking the first block out leaves one tree for each of the kids,
// which have the other blocks between them, and one of which has the end.
//
// The last block of a tree is the one with the pointer to its end. Where that is null, it is one of those that have a
// null pointer onwards, and all pointers to the last block are to the same one. Blocks may lead up, too: a doubly
// linked tree is one where the pointer at byte prev of each block leads to the block above, that of the first one to
// before. That of an empty tree is what a pointer to its last block is.
//
// Which blocks are to be seen as trees is learned: where a list would forget a pointer to another block of the same
// kind, or did and it is read, the graph is made again with that kind in builder.trees. Where that does not fit, that
// kind is never tried again (builder.chains).

// treeFrom collects the tree that starts with object id. stop tells blocks that may only be its first. path are the
// blocks that own it.
func (b *builder) treeFrom(s *state, id int, stop func(value) stopping, path ...int) (chain, bool) {
	g := grower{b: b, s: s, stop: stop, path: path}
	return g.tree(id)
}

// grower collects the parts of a tree.
type grower struct {
	b     *builder
	s     *state
	stop  func(value) stopping
	path  []int // the blocks that own it
	pin   int   // not 0: the object whose block has to be the last one
	t     chain
	ended bool  // its end was found
	open  []int // parts that lead on to null
	vague []int // parts, by number, whose last block is not known if they have none
}

// tree collects the tree that starts with object id.
func (g *grower) tree(id int) (chain, bool) {
	o := g.s.objs[id]
	br, ok := g.b.breed(o.size, o.of)
	g.t = chain{kids: g.b.trees[br], size: o.size, of: o.of, heap: o.heap, align: o.align, written: written{all: true},
		bare: true, end: number(exact.Lin{}, anyRep), edge: -1}
	g.t.prev, g.t.doubly = g.b.ups[br]
	t := &g.t
	if !ok || t.kids == nil || !g.grow(id, value{}) || slices.Contains(t.ids, t.end.obj) {
		return g.t, false
	}
	if !g.ended {
		g.settle()
	}
	if slices.Contains(g.vague, t.edge) {
		t.edge = -1
	}
	return g.t, g.pin == 0 || t.edge >= 0 && t.ids[t.edge] == g.pin
}

// settle takes one of the parts that lead on to null for the one with the end, to which something else leads: if there
// is one, not the first part.
func (g *grower) settle() {
	for _, n := range slices.Backward(g.open) {
		x := g.t.ids[n]
		if g.pin == x || g.pin == 0 && (n > 0 || g.t.edge < 0) && g.s.leadsFromOutside(&g.t, x) {
			g.t.edge = n
		}
	}
}

// leadsFromOutside reports that something beside the parts of the chain leads to part x: to its last block, if it is a
// list.
func (s *state) leadsFromOutside(c *chain, x int) bool {
	leads := func(v value) bool { return v.pointsTo(x) && (s.objs[x].list == nil || v.last) }
	for _, f := range s.frames {
		for _, v := range f.vals {
			if leads(v) {
				return true
			}
		}
	}
	for _, id := range s.order {
		if o := s.objs[id]; !slices.Contains(c.ids, id) && (slices.ContainsFunc(o.cells, func(c cell) bool {
			return leads(c.val)
		}) || o.list != nil && (leads(o.list.end) || leads(o.list.before))) {
			return true
		}
	}
	return false
}

// grow adds the tree below object id to the tree, to which from leads; false if it is none.
func (g *grower) grow(id int, from value) bool {
	b, t, o := g.b, &g.t, g.s.objs[id]
	other := o.otherThan(t.links(), b.m.Layout.PtrBits/8)
	if slices.Contains(t.ids, id) && b.leadsUp(g.s, t, from.obj, id) {
		return false
	}
	if slices.Contains(t.ids, id) || !t.takes(o) || other {
		if len(g.path) == 0 && (!other || len(t.ids) > 0) { // the first one may be of another kind
			b.noTree(t)
		}
		return false
	}
	if !o.dynamic || o.base >= 0 || o.heap != t.heap || len(t.ids) > policy.StateCells ||
		o.list != nil && (!slices.Equal(o.list.kids, t.kids) || o.list.doubly != t.doubly) || !g.hangs(o, from) {
		return false
	}
	var in contents
	if o.list == nil {
		in = b.contentsOf(g.s, id, t.links(), g.path)
		if in.cursor && g.stop(value{kind: ptrValue, obj: id}).cursors {
			b.cursors++
			return false
		}
	}
	t.with(b, o, in)
	t.of = either(t.of, o.of)
	t.ids = append(t.ids, id)
	t.align = common(t.align, o.align)
	t.written = t.written.and(o.written)
	t.length = t.length.Add(g.s.know.plain(o.count()))
	return g.below(o)
}

// hangs notes what is above the first part of the tree, and reports whether part o, to which from leads, leads back
// there if it has to.
func (g *grower) hangs(o *object, from value) bool {
	up := value{}
	switch {
	case o.list != nil:
		up = g.s.plain(o.list.before)
	case g.t.doubly:
		up, _ = g.b.successor(o, g.t.prev, false)
		up = g.s.plain(up)
	}
	if len(g.t.ids) == 0 {
		if g.t.doubly && up.kind != ptrValue && up.kind != intValue {
			up = opaque()
		}
		g.t.before = up
		return true
	}
	if o.list == nil && !g.t.doubly && g.learnsUp(o, from) {
		return false
	}
	same := up.points(from) || emptyAs(g.s, from.obj, from.last, up)
	if !same && o.list != nil {
		g.vague = append(g.vague, len(g.t.ids))
	}
	return same || !g.t.doubly
}

// learnsUp notes that block o leads to the part above, to which from leads, with a pointer that is none of the kids.
func (g *grower) learnsUp(o *object, from value) bool {
	for _, c := range o.cells {
		br, ok := g.b.breed(g.t.size, g.t.of)
		if up, fits := c.off.Const.Int64(); ok && fits && c.off.IsConst() && !slices.Contains(g.t.kids, up) &&
			g.s.plain(c.val).points(from) && int(c.size)*8 == g.b.m.Layout.PtrBits {
			g.b.setUp(br, up, slices.Clone(g.t.kids))
			return true
		}
	}
	return false
}

// below adds what is below o, the newest part of the tree.
func (g *grower) below(o *object) bool {
	part, here := len(g.t.ids)-1, value{kind: ptrValue, obj: o.id, last: o.list != nil}
	if o.list != nil {
		if end := g.s.plain(o.list.end); o.id == g.pin || g.stop(value{kind: ptrValue, obj: o.id}).behind {
			return g.end(end, part)
		}
		return g.kid(g.s.plain(o.list.end), part, here)
	}
	pinned := -1
	if o.id == g.pin {
		pinned = g.pinned(o)
	}
	for n, k := range g.t.kids {
		v, ok := g.b.successor(o, k, false)
		if v = g.s.plain(v); !ok || n == pinned && !g.end(v, part) || n != pinned && !g.kid(v, part, here) {
			return false
		}
	}
	return true
}

// pinned chooses the kid of block o that the tree ends with, by number: one that may not be part of it, or else null,
// or else the first one.
func (g *grower) pinned(o *object) int {
	best, merit := 0, 0
	for n, k := range g.t.kids {
		v, _ := g.b.successor(o, k, false)
		v = g.s.plain(v)
		switch to, isBlock := g.s.heapStart(v); {
		case isBlock && g.stop(v).before && !slices.Contains(g.t.ids, to):
			return n
		case isNull(v) && merit == 0:
			best, merit = n, 1
		}
	}
	return best
}

// end makes v, to which the part with this number leads, the end of the tree; false if it has another one.
func (g *grower) end(v value, part int) bool {
	if _, isBlock := g.s.heapStart(v); g.ended || !isBlock && !isNull(v) {
		return false
	}
	g.t.end, g.t.edge, g.ended = v, part, true
	return true
}

// kid adds what v leads to to the tree, or notes that v is its end. here leads to the part with this number, which
// holds v.
func (g *grower) kid(v value, part int, here value) bool {
	if isNull(v) {
		g.open = append(g.open, part)
		return true
	}
	to, isBlock := g.s.heapStart(v)
	if isBlock && !v.last && (slices.Contains(g.t.ids, to) || !g.stop(v).before) {
		return g.grow(to, here)
	}
	return g.end(v, part)
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

// isNull reports that v is the null pointer.
func isNull(v value) bool { return v.kind == intValue && v.lin.Equal(exact.Lin{}) }

// foldTree makes a tree of the objects of t, and returns it; pointers to other blocks than its first and its last one
// are forgotten.
func (b *builder) foldTree(s *state, t chain) int {
	if len(t.ids) == 1 && s.objs[t.ids[0]].list != nil {
		return t.ids[0]
	}
	return b.gather(s, t)
}
