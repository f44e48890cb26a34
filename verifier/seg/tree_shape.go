package seg

// treeBoth makes trees of what places p and q hold, where either is a tree, or they are one block and what the tree
// ends with; it reports success.
func (a *aligner) treeBoth(p, q root, u, v value) bool {
	x, isX := a.old.heapStart(u)
	y, isY := a.s.heapStart(v)
	isX, isY = isX && !a.toNewHas(x), isY && !a.toOldHas(y)
	if !isX && !isY {
		return false
	}
	t, w := tree{chain: chain{end: u}}, tree{chain: chain{end: v}}
	okX, okY := true, true
	if isX {
		t, okX = a.b.treeFrom(a.old, x, a.stopOld)
	}
	if isY {
		w, okY = a.b.treeFrom(a.s, y, a.stopNew)
	}
	if !okX || !okY || !a.sameEnd(t.end, w.end) || isX && isY && !(t.size.Equal(w.size) && t.heap == w.heap) ||
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
func (a *aligner) planted(s *state, at root, end value, t, like tree, is bool) int {
	if is {
		return a.b.foldTree(s, t)
	}
	id := a.b.foldTree(s, tree{kids: like.kids, chain: chain{size: like.size, heap: like.heap, align: 0, end: end,
		bare: true, written: written{all: true}}})
	at.set(s, value{kind: ptrValue, obj: id})
	return id
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
