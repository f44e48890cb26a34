package seg

import (
	"slices"
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// emptyAs reports that the list id is empty, and that a pointer to its first or last block is v.
func emptyAs(s *state, id int, last bool, v value) bool {
	o := s.objs[id]
	if o == nil || o.list == nil {
		return false
	}
	n, e := s.know.plain(o.list.length), s.plain(o.list.from(last).end)
	if !n.IsConst() || !n.Const.IsZero() {
		return false
	}
	return e.points(v) || e.kind == intValue && v.kind == intValue && e.lin.Equal(v.lin)
}

// foldBoth folds the arriving state's chain where the older one has a list, or the
// end of the chain already; it reports success.
func (a *aligner) foldBoth(p, q root, u, v value) bool {
	if x, ok := a.old.heapNode(u); ok && a.old.objs[x].chained() && !a.toNewHas(x) {
		if a.anchor(u, v); a.toOldHas(v.obj) {
			return a.foldOld(p, q, u, v) // the chain is empty
		}
		ch, ok := a.b.follow(a.s, v, a.old.objs[x].list.from(u.last).next, a.stopNew)
		if !ok || !ch.like(a.old.objs[x], u.last) {
			return false
		}
		ch.from = q.obj
		a.match(x, a.b.fold(a.s, ch).obj)
		return true
	}
	ch, ok := a.chainTo(a.s, q, v, a.stopNew, func(end value) bool {
		_, empty := standsFor(a.old, a.toOld, end, u)
		return empty || a.sameEnd(u, end)
	})
	if !ok || a.tooMany() {
		return false
	}
	u, _ = standsFor(a.old, a.toOld, ch.end, u)
	before := a.backFrom(a.old, u, ch)
	a.match(a.empty(a.old, p, u, before, ch), a.b.fold(a.s, ch).obj)
	a.changed = true
	return true
}

// foldRows makes lists of two blocks or lists that are rows of one kind; it reports success.
func (a *aligner) foldRows(p, q root, u, v value) bool {
	if a.old.objs[u.obj].list != nil && a.s.objs[v.obj].list != nil || a.tooMany() {
		return false
	}
	for _, n := range append(a.nexts(a.old, p, u), a.nexts(a.s, q, v)...) {
		x, okX := a.b.follow(a.old, u, n, a.stopOld)
		y, okY := a.b.follow(a.s, v, n, a.stopNew)
		if !okX || !okY || !a.sameEnd(x.end, y.end) || !x.kin(&y) || x.doubly != y.doubly ||
			x.at != y.at || x.backAt != y.backAt ||
			a.b.branching(a.old, &x) || a.b.branching(a.s, &y) {
			continue
		}
		x.from, y.from = p.obj, q.obj
		a.match(a.b.fold(a.old, x).obj, a.b.fold(a.s, y).obj)
		a.changed = true
		return true
	}
	return false
}

// inBlock reports that place p is in a heap block.
func (a *aligner) inBlock(p root) bool { return p.val == nil && a.old.objs[p.obj].dynamic }

// foldUpTo folds the arriving state's chain where that ends with the block of the older one; it reports success.
func (a *aligner) foldUpTo(p, q root, u, v value) bool {
	if u.obj == v.obj || !a.old.block(u.obj) || !a.s.block(u.obj) || a.toOldHas(u.obj) {
		return false
	}
	a.match(u.obj, u.obj)
	if a.foldBoth(p, q, u, v) {
		return true
	}
	delete(a.toNew, u.obj)
	delete(a.toOld, u.obj)
	return false
}

// branching reports that a block of the chain leads to another one of its size beside the next one, so that there may
// be more to it than a chain.
func (b *builder) branching(s *state, c *chain) bool {
	for _, id := range c.ids {
		for _, x := range s.objs[id].cells {
			to, isBlock := s.heapStart(s.plain(x.val))
			at, ok := x.off.Const.Int64()
			if isBlock && c.takes(s.objs[to]) && !(ok && slices.Contains(c.links(), at)) {
				return true
			}
		}
	}
	return false
}

// foldOld folds the older state's chain where the arriving one has its end already, or a list; it reports success.
func (a *aligner) foldOld(p, q root, u, v value) bool {
	if y, ok := a.s.heapNode(v); ok && a.s.objs[y].chained() && !a.toOldHas(y) {
		ch, ok := a.b.follow(a.old, u, a.s.objs[y].list.from(v.last).next, a.stopOld)
		if !ok || a.tooMany() || !ch.like(a.s.objs[y], v.last) {
			return false
		}
		ch.from = p.obj
		a.match(a.b.fold(a.old, ch).obj, y)
		a.changed = true
		return true
	}
	ends := func(end value) bool {
		_, empty := standsFor(a.s, a.toNew, end, v)
		return empty || a.sameEnd(end, v)
	}
	if o := a.old.objs[u.obj]; o.chained() {
		ch, ok := a.b.follow(a.old, u, o.list.from(u.last).next, a.stopOld)
		if !ok || !ends(ch.end) {
			return false
		}
		v, _ = standsFor(a.s, a.toNew, ch.end, v)
		before, list := a.backFrom(a.s, v, ch), u.obj
		if len(ch.ids) > 1 {
			list, a.changed = a.b.fold(a.old, ch).obj, true
		}
		a.match(list, a.empty(a.s, q, v, before, ch))
		return true
	}
	ch, ok := a.chainTo(a.old, p, u, a.stopOld, ends)
	if !ok || a.tooMany() {
		return false
	}
	v, _ = standsFor(a.s, a.toNew, ch.end, v)
	before := a.backFrom(a.s, v, ch)
	a.match(a.b.fold(a.old, ch).obj, a.empty(a.s, q, v, before, ch))
	a.changed = true
	return true
}

// standsFor returns what corresponds to end, the end of a chain of the other state, if it is a list of s without blocks
// that v stands for; else v.
func standsFor(s *state, counterparts map[int]int, end, v value) (value, bool) {
	x, ok := counterparts[end.obj]
	if end.kind != ptrValue || !ok || !emptyAs(s, x, end.last, v) {
		return v, false
	}
	return value{kind: ptrValue, obj: x, last: end.last, lin: end.lin}, true
}

// like reports whether the chain can be the list o, seen from its first or last block.
func (c *chain) like(o *object, last bool) bool {
	l := o.list.from(last)
	return c.takes(o) && c.heap == o.heap && c.doubly == l.doubly && c.at == l.at && c.backAt == l.backAt
}

// chained reports a list that is no tree.
func (o *object) chained() bool { return o.list != nil && o.list.kids == nil }

func (a *aligner) tooMany() bool {
	n := 0
	for _, o := range a.old.objs {
		if o.list != nil {
			n++
		}
	}
	return a.tired || n >= policy.StateLists
}

// empty puts a list without blocks, otherwise like the chain, before what the place holds.
func (a *aligner) empty(s *state, r root, v, before value, like chain) int {
	to := a.b.fold(s, chain{next: like.next, at: like.at, end: v, size: like.size, of: like.of, heap: like.heap,
		written: written{all: true}, bare: true, doubly: like.doubly, prev: like.prev, backAt: like.backAt,
		before: before})
	r.set(s, to)
	return to.obj
}

// backFrom is where v, the end of an empty list of s in place of the other state's chain, leads back, or else the
// counterpart of what is in front of the chain. (An empty list may have anything in front of it.)
func (a *aligner) backFrom(s *state, v value, like chain) value {
	if !like.doubly {
		return value{}
	}
	if o := s.objs[v.obj]; v.kind == ptrValue && o != nil && !o.dynamic {
		place := root{obj: v.obj, off: v.lin.Const.Add(exact.I(like.prev - like.at))}
		if back := place.get(s); v.lin.IsConst() && back.kind == ptrValue {
			return back
		}
	}
	if s.heapAt(v, exact.I(like.at)) {
		back, o := value{}, s.objs[v.obj]
		if o.list != nil {
			back = o.list.from(v.last).before
		} else {
			back, _ = a.b.successor(o, like.prev, false)
		}
		if back.kind == ptrValue || back.kind == intValue {
			return s.plain(back)
		}
	}
	back := like.before
	pairs := a.toOld
	if s == a.s {
		pairs = a.toNew
	}
	if to, ok := pairs[back.obj]; back.kind == ptrValue && ok {
		back.obj = to
		return back
	}
	if back.kind == intValue && back.lin.IsConst() {
		return back
	}
	return opaque()
}

// sameEnd reports whether a chain of one state may end with u where the other state has v.
func (a *aligner) sameEnd(u, v value) bool {
	if u.kind == ptrValue && v.kind == ptrValue {
		y, ok := a.toNew[u.obj]
		return ok && y == v.obj && u.lin.Equal(v.lin) &&
			(u.last == v.last || single(a.old, u.obj) || single(a.s, v.obj))
	}
	return u.kind == intValue && v.kind == intValue && u.lin.IsConst() && u.lin.Equal(v.lin)
}

// nexts are the places where a chain can go on that starts with what v at place r leads to: first like r, where that is
// in a block of the same size that is not behind it.
func (a *aligner) nexts(s *state, r root, v value) []int64 {
	o := s.objs[v.obj]
	var nexts []int64
	if o.chained() {
		nexts = append(nexts, o.list.from(v.last).next)
	}
	for _, c := range o.cells {
		if off, ok := c.off.Const.Int64(); ok && c.off.IsConst() && int(c.size)*8 == a.b.m.Layout.PtrBits {
			nexts = append(nexts, off)
		}
	}
	sort.Slice(nexts, func(i, j int) bool { return nexts[i] < nexts[j] })
	from := s.objs[r.obj]
	if at, ok := r.off.Int64(); ok && r.val == nil && from.dynamic && from.list == nil && from.kin(o) &&
		slices.Contains(nexts, at) && !o.pointsTo(r.obj) {
		nexts = append([]int64{at}, nexts...)
	}
	return nexts
}

// chainTo is the chain from a block, to which v at place r leads, along one of its pointers to an end that fits.
func (a *aligner) chainTo(s *state, r root, v value, stop func(value) stopping, fits func(value) bool) (chain, bool) {
	for _, n := range a.nexts(s, r, v) {
		if ch, ok := a.b.follow(s, v, n, stop); ok && fits(ch.end) {
			ch.from = r.obj
			return ch, true
		}
	}
	return chain{}, false
}
