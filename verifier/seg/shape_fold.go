package seg

import (
	"sort"
)

// emptyAs reports that the list id is empty and ends with v: a pointer to it is v.
func (a *aligner) emptyAs(s *state, id int, v value) bool {
	o := s.objs[id]
	if o == nil || o.list == nil {
		return false
	}
	n, e := s.know.plain(o.list.length), s.plain(o.list.end)
	if !n.IsConst() || !n.Const.IsZero() {
		return false
	}
	return e.kind == v.kind && (v.kind == ptrValue || v.kind == intValue) && e.obj == v.obj && e.lin.Equal(v.lin)
}

// foldBoth folds the arriving state's chain where the older one has a list, or the
// end of the chain already; it reports success.
func (a *aligner) foldBoth(p, q root, u, v value) bool {
	if x, ok := a.old.heapStart(u); ok && a.old.objs[x].chained() {
		if _, paired := a.toNew[x]; !paired {
			ch, ok := a.s.follow(v.obj, a.old.objs[x].list.next, a.stopNew)
			if !ok || !ch.size.Equal(a.old.objs[x].size) || ch.heap != a.old.objs[x].heap {
				return false
			}
			a.match(x, a.b.fold(a.s, ch))
			return true
		}
	}
	ch, ok := a.chainTo(a.s, v.obj, a.stopNew, func(end value) bool { return a.sameEnd(u, end) })
	if !ok || a.tooMany() {
		return false
	}
	a.match(a.empty(a.old, p, u, ch), a.b.fold(a.s, ch))
	a.changed = true
	return true
}

// foldOld folds the older state's chain where the arriving one has its end already, or a list; it reports success.
func (a *aligner) foldOld(p, q root, u, v value) bool {
	if y, ok := a.s.heapStart(v); ok && a.s.objs[y].chained() {
		if _, paired := a.toOld[y]; !paired {
			ch, ok := a.old.follow(u.obj, a.s.objs[y].list.next, a.stopOld)
			if !ok || a.tooMany() || !ch.size.Equal(a.s.objs[y].size) || ch.heap != a.s.objs[y].heap {
				return false
			}
			a.match(a.b.fold(a.old, ch), y)
			a.changed = true
			return true
		}
	}
	ends := func(end value) bool { return a.sameEnd(end, v) }
	if o := a.old.objs[u.obj]; o.chained() {
		ch, ok := a.old.follow(u.obj, o.list.next, a.stopOld)
		if !ok || !ends(ch.end) {
			return false
		}
		a.match(u.obj, a.empty(a.s, q, v, ch))
		return true
	}
	ch, ok := a.chainTo(a.old, u.obj, a.stopOld, ends)
	if !ok || a.tooMany() {
		return false
	}
	a.match(a.b.fold(a.old, ch), a.empty(a.s, q, v, ch))
	a.changed = true
	return true
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
	return a.tired || n >= maxLists
}

// empty puts a list without blocks, otherwise like the chain, before what the place holds.
func (a *aligner) empty(s *state, r root, v value, like chain) int {
	id := a.b.fold(s, chain{next: like.next, end: v, size: like.size, heap: like.heap,
		written: written{all: true}})
	r.set(s, value{kind: ptrValue, obj: id})
	return id
}

func (a *aligner) stopNew(id int) bool {
	_, paired := a.toOld[id]
	return paired || named(a.s, a.old, id)
}

func (a *aligner) stopOld(id int) bool {
	_, paired := a.toNew[id]
	return paired || named(a.old, a.s, id)
}

// sameEnd reports whether a chain of one state may end with u where the other state has v.
func (a *aligner) sameEnd(u, v value) bool {
	if u.kind == ptrValue && v.kind == ptrValue {
		y, ok := a.toNew[u.obj]
		return ok && y == v.obj && u.lin.Equal(v.lin)
	}
	return u.kind == intValue && v.kind == intValue && u.lin.IsConst() && u.lin.Equal(v.lin)
}

// chainTo is the chain from a block along one of its pointers to an end that fits.
func (a *aligner) chainTo(s *state, id int, stop func(int) bool, fits func(value) bool) (chain, bool) {
	o := s.objs[id]
	var nexts []int64
	if o.chained() {
		nexts = append(nexts, o.list.next)
	}
	for _, c := range o.cells {
		if off, ok := c.off.Const.Int64(); ok && c.off.IsConst() && int(c.size)*8 == a.b.m.Layout.PtrBits {
			nexts = append(nexts, off)
		}
	}
	sort.Slice(nexts, func(i, j int) bool { return nexts[i] < nexts[j] })
	for _, n := range nexts {
		if ch, ok := s.follow(id, n, stop); ok && fits(ch.end) {
			return ch, true
		}
	}
	return chain{}, false
}

// heapStart returns the heap object to whose start v points, if it does.
func (s *state) heapStart(v value) (int, bool) {
	if v.kind != ptrValue || !v.lin.IsConst() || !v.lin.Const.IsZero() {
		return 0, false
	}
	o := s.objs[v.obj]
	return v.obj, o != nil && o.dynamic
}

// named reports that a frame or an object that is no heap block points to object id of state s, where
// the other state has a pointer too: else that pointer is lost anyhow, and need not keep the block.
func named(s, other *state, id int) bool {
	for _, r := range s.roots() {
		if v := r.get(s); v.pointsTo(id) && r.get(other).kind == ptrValue {
			return true
		}
	}
	return false
}
