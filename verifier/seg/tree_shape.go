package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// treeBoth makes trees of what places p and q hold, where either is a tree, or they are one block and what the tree
// ends with; it reports success.
func (a *aligner) treeBoth(p, q root, u, v value) bool {
	x, isX := a.old.heapStart(u)
	y, isY := a.s.heapStart(v)
	isX, isY = isX && !a.toNewHas(x), isY && !a.toOldHas(y)
	if !isX && !isY || u.last || v.last {
		return false
	}
	t, w := chain{end: u}, chain{end: v}
	okX, okY := true, true
	if isX {
		t, okX = a.b.treeFrom(a.old, x, a.stopOld)
	}
	if isY {
		w, okY = a.b.treeFrom(a.s, y, a.stopNew)
	}
	if !okX || !okY || !a.sameEnd(t.end, w.end) || isX && isY && !t.kin(&w) ||
		a.tooMany() && !(isX && a.old.objs[x].list != nil) {
		return false
	}
	like := t
	if !isX {
		like = w
	}
	a.changed = a.changed || !isX || a.old.objs[x].list == nil || len(t.ids) > 1
	a.match(a.planted(a.old, p, u, t, like, isX), a.planted(a.s, q, v, w, like, isY))
	return true
}

func (a *aligner) toNewHas(x int) bool { _, ok := a.toNew[x]; return ok }
func (a *aligner) toOldHas(y int) bool { _, ok := a.toOld[y]; return ok }

// planted is the tree t of the state, or an empty one at the place, which ends with the value there.
func (a *aligner) planted(s *state, at root, end value, t, like chain, is bool) int {
	if is {
		return a.b.foldTree(s, t)
	}
	id := a.b.gather(s, like.without(end, a.backFrom(s, end, like)))
	at.set(s, value{kind: ptrValue, obj: id})
	return id
}

// without is a tree like c that has no block.
func (c *chain) without(end, before value) chain {
	return chain{kids: c.kids, edge: -1, doubly: c.doubly, prev: c.prev, size: c.size, of: c.of, heap: c.heap, end: end,
		before: before, bare: true, written: written{all: true}}
}

// treeAbove makes trees of the blocks above what places p and q hold, and of that itself: these end with trees that
// correspond. Where there are none, the place holds what is above an empty tree. It reports success.
func (a *aligner) treeAbove(p, q root, u, v value) bool {
	t, okX := a.upFrom(a.old, u, a.toNew, a.stopOld)
	w, okY := a.upFrom(a.s, v, a.toOld, a.stopNew)
	switch {
	case !okX && !okY || a.tooMany():
		return false
	case okX && okY:
		if !a.sameEnd(t.end, w.end) || !t.kin(&w) {
			return false
		}
	case okY:
		x, ok := a.toOld[w.end.obj]
		if !ok || u.kind != intValue && u.kind != opaqueValue || !w.end.points(value{kind: ptrValue, obj: w.end.obj}) {
			return false
		}
		t = w.without(value{kind: ptrValue, obj: x}, u)
	default:
		y, ok := a.toNew[t.end.obj]
		if !ok || v.kind != intValue && v.kind != opaqueValue || !t.end.points(value{kind: ptrValue, obj: t.end.obj}) {
			return false
		}
		w = t.without(value{kind: ptrValue, obj: y}, v)
	}
	a.changed = a.changed || len(t.ids) != 1 || a.old.objs[t.ids[0]].list == nil
	x, y := a.b.foldTree(a.old, t), a.b.foldTree(a.s, w)
	p.set(a.old, value{kind: ptrValue, obj: x, last: true})
	q.set(a.s, value{kind: ptrValue, obj: y, last: true})
	a.match(x, y)
	return true
}

// upFrom collects the tree of which v leads to the last block, and that ends with what has a counterpart.
func (a *aligner) upFrom(s *state, v value, counterparts map[int]int, stop func(value) stopping) (chain, bool) {
	id, isBlock := s.heapStart(v)
	if _, paired := counterparts[id]; !isBlock || paired || v.last != (s.objs[id].list != nil) {
		return chain{}, false
	}
	g := grower{b: a.b, s: s, stop: stop, pin: id}
	top := a.top(s, id, counterparts)
	t, ok := g.tree(top)
	_, ends := counterparts[t.end.obj]
	return t, ok && ends && t.end.kind == ptrValue
}

// top returns the first part of the tree with part id.
func (a *aligner) top(s *state, id int, counterparts map[int]int) int {
	for range policy.StateCells {
		o, up := s.objs[id], value{}
		br, _ := a.b.breed(o.size, o.of)
		if at, leadsUp := a.b.ups[br]; o.list != nil {
			up = o.list.before
		} else if leadsUp {
			up, _ = a.b.successor(o, at, false)
		}
		above, isBlock := s.heapStart(s.plain(up))
		if _, paired := counterparts[above]; !isBlock || paired || !s.objs[above].kin(o) ||
			s.objs[above].list != nil && (s.objs[above].list.kids == nil || !s.plain(up).last) {
			break
		}
		id = above
	}
	return id
}

// lengthen adds the block of s to which v leads to the tree id, which ends with it, as its last block, if nothing else
// leads to the last block that it has; it reports success.
func (a *aligner) lengthen(s, other *state, v value, id int) bool {
	stop := a.stopNew
	if s == a.old {
		stop = a.stopOld
	}
	if s.objs[v.obj].list != nil || a.named(s, other, value{kind: ptrValue, obj: id, last: true}).before {
		return false
	}
	g := grower{b: a.b, s: s, pin: v.obj, stop: func(w value) stopping {
		if w.obj == v.obj {
			return stopping{cursors: !a.careless}
		}
		return stop(w)
	}}
	t, ok := g.tree(id)
	if !ok || len(t.ids) < 2 {
		return false
	}
	a.regrow(s, id, a.b.foldTree(s, t))
	return true
}

// takeBefore makes v what a pointer to the last block of tree id is, which has no block, if nothing led there.
func (s *state) takeBefore(id int, v value) {
	l := s.objs[id].list
	if l != nil && l.kids != nil && !l.doubly && l.before.kind == invalidKind &&
		(v.kind == ptrValue || v.kind == intValue) && s.know.plain(l.length).Equal(exact.Lin{}) {
		s.own(id).list.before = v
	}
}

// swallowTrees takes the blocks behind the ends of two corresponding trees into them, and returns the trees then.
func (a *aligner) swallowTrees(x, y int) (int, int) {
	delete(a.toNew, x)
	delete(a.toOld, y)
	newX, newY := a.widerTree(a.old, x, a.stopOld), a.widerTree(a.s, y, a.stopNew)
	a.changed = a.changed || newX != x
	a.match(newX, newY)
	return newX, newY
}

// widerTree is the tree id with the blocks behind its end.
func (a *aligner) widerTree(s *state, id int, stop func(value) stopping) int {
	t, ok := a.b.treeFrom(s, id, stop)
	if !ok {
		return id
	}
	return a.b.foldTree(s, t)
}
