package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
)

// unifyAll compares what the roots hold. Those that do not fit are compared again behind the others.
func (a *aligner) unifyAll(roots []root) {
	var again []root
	for _, r := range roots {
		misses, lost := a.misses, a.lostResult
		if a.unify(r, r); a.misses > misses {
			a.misses, a.lostResult = misses, lost
			again = append(again, r)
		}
	}
	for _, r := range again {
		a.unify(r, r)
	}
}

// unify makes what the two places hold correspond.
func (a *aligner) unify(p, q root) {
	u, v := p.get(a.old), q.get(a.s)
	if d := a.ahead(u, v); d != 0 {
		p.ahead, q.ahead = d, d
		u, v = p.get(a.old), q.get(a.s)
	}
	inside := a.inside(u, v)
	if inside {
		a.alike(u.obj, v.obj)
		if a.toNew[u.obj] == v.obj {
			return
		}
	}
	x, isX := a.old.heapNode(u)
	y, isY := a.s.heapNode(v)
	if isX && !isY && a.s.heapAt(v, u.lin.Const) {
		y, isY = v.obj, true
	} else if isY && !isX && a.old.heapAt(u, v.lin.Const) {
		x, isX = u.obj, true
	}
	if !isX && !isY {
		if inside || u.kind != v.kind && (u.kind == ptrValue || v.kind == ptrValue) {
			a.miss(p)
		}
		return
	}
	toNew, pairedX := a.toNew[x]
	toOld, pairedY := a.toOld[y]
	pairedX, pairedY = pairedX && isX, pairedY && isY
	switch {
	case isX && isY && !pairedX && !pairedY && (a.rows && (!a.inner || a.inBlock(p)) && a.foldRows(p, q, u, v) ||
		a.late && a.foldUpTo(p, q, u, v)):
		return
	case isX && isY && u.lin.Equal(v.lin) && (pairedX && toNew == y || !pairedX && !pairedY && a.likely(x, y)) &&
		a.sameEdge(p, q, u, v):
		if !pairedX {
			a.match(x, y)
		}
		return
	case pairedY && a.standsEmpty(a.old, a.s, p, q, toOld, v):
		a.changed = true
		return
	case pairedX && a.standsEmpty(a.s, a.old, q, p, toNew, u):
		return
	case (isX && !pairedX || isY && !pairedY) && (a.treeBoth(p, q, u, v) || a.treeAbove(p, q, u, v)):
		return
	case isX && isY && pairedX && !pairedY && a.prepend(a.s, a.old, v, toNew, u),
		isX && isY && pairedY && !pairedX && a.prepend(a.old, a.s, u, toOld, v):
		if u, v = p.get(a.old), q.get(a.s); !a.corresponds(u, v) || !a.sameEdge(p, q, u, v) {
			a.miss(p)
		}
		return
	case isY && !pairedY && a.foldBoth(p, q, u, v):
		return
	case isX && !pairedX && a.foldOld(p, q, u, v):
		return
	case isX && isY && pairedY && !pairedX && a.beside(a.old, toOld, x),
		isX && isY && pairedX && !pairedY && a.beside(a.s, toNew, y):
		if u, v = p.get(a.old), q.get(a.s); !a.corresponds(u, v) || !a.sameEdge(p, q, u, v) {
			a.miss(p)
		}
		return
	}
	if isX && isY {
		a.b.learnCross(a.s, a.old.objs[x], a.s.objs[y])
	}
	a.miss(p)
}

// ahead returns how far behind the start of a block, to which u or v points, the byte is that is linked.
func (a *aligner) ahead(u, v value) int64 {
	d := a.old.ahead(u)
	if e := a.s.ahead(v); d == 0 || e == 0 || d == e {
		return d + e - min(d, e)
	}
	return 0
}

// corresponds reports that u and v lead to the same place of lists that correspond.
func (a *aligner) corresponds(u, v value) bool {
	y, ok := a.toNew[u.obj]
	return ok && u.kind == ptrValue && v.kind == ptrValue && y == v.obj && u.lin.Equal(v.lin)
}

// prepend adds the block or list of s to which v leads to the doubly linked list id next to it, if w, a pointer of the
// other state, leads to the edge of the list's counterpart that the block takes then, and nothing else leads to the
// edge that it takes that from; it reports success.
func (a *aligner) prepend(s, other *state, v value, id int, w value) bool {
	l, was := s.objs[id].list, other.objs[w.obj].list
	if l != nil && was != nil && l.kids != nil && was.kids != nil {
		return (w.last || single(other, w.obj)) && a.lengthen(s, other, v, id)
	}
	if l == nil || was == nil || !l.doubly || !was.doubly || l.kids != nil || was.kids != nil {
		return false
	}
	edges := []bool{w.last}
	if single(other, w.obj) {
		edges = append(edges, !w.last)
	}
	if s.objs[v.obj].list != nil && a.named(s, other, value{kind: ptrValue, obj: v.obj, last: !v.last}).before {
		return false
	}
	for _, last := range edges {
		at := value{kind: ptrValue, obj: id, last: last}
		if (!a.named(s, other, at).before || a.turn(s, other, at, w.obj)) && a.attach(s, id, v.obj, last) {
			return true
		}
	}
	return false
}

// turn makes the pointers of variables to an edge of a list of s ones to its other edge, and so in the other state
// those to its counterpart, if both have one block; it reports success.
func (a *aligner) turn(s, other *state, edge value, counterpart int) bool {
	if !single(s, edge.obj) || !single(other, counterpart) {
		return false
	}
	for _, p := range a.outside(s, edge) {
		v, w := p.here.get(s), p.there.get(other)
		if v.kind != ptrValue || v.obj != edge.obj || v.last != edge.last {
			continue
		}
		v.last = !v.last
		p.here.set(s, v)
		if w.kind == ptrValue && w.obj == counterpart && w.last == edge.last {
			w.last = !w.last
			p.there.set(other, w)
			a.changed = true
		}
	}
	return true
}

// regrow makes list to of s, which list id is part of now, correspond to what id did.
func (a *aligner) regrow(s *state, id, to int) {
	if s == a.s {
		x := a.toOld[id]
		delete(a.toOld, id)
		a.match(x, to)
		return
	}
	y := a.toNew[id]
	delete(a.toNew, id)
	a.match(to, y)
	a.changed = true
}

// beside adds a block or list, to which variables lead, to the doubly linked list beside it, which has a counterpart;
// it reports success.
func (a *aligner) beside(s *state, id, block int) bool {
	l := s.objs[id].list
	return l != nil && l.kids == nil && l.doubly && l.at == l.backAt &&
		(a.attach(s, id, block, true) || a.attach(s, id, block, false))
}

// attach adds a block or list to the doubly linked list id, behind its last block or in front of its first one, if it
// is there; it reports success.
func (a *aligner) attach(s *state, id, block int, last bool) bool {
	l := s.objs[id].list.from(!last)
	from := value{kind: ptrValue, obj: id, last: !last, lin: exact.C(l.at)}
	ch, ok := a.b.follow(s, from, l.next, func(v value) stopping {
		return stopping{before: v.obj != id && v.obj != block, behind: v.obj == block, cursors: !a.careless}
	})
	if !ok || len(ch.ids) != 2 || !ch.doubly {
		return false
	}
	a.regrow(s, id, a.b.fold(s, ch).obj)
	return true
}

// inside reports that two pointers lead to the same place inside of heap blocks.
func (a *aligner) inside(u, v value) bool {
	o, w := a.old.objs[u.obj], a.s.objs[v.obj]
	return u.kind == ptrValue && v.kind == ptrValue && o != nil && w != nil && o.dynamic && w.dynamic &&
		o.list == nil && w.list == nil && u.lin.IsConst() && u.lin.Equal(v.lin) && !u.lin.Const.IsZero()
}

// sameEdge reports whether two pointers lead to the same edge of lists that correspond, after it turned one of them
// to the other edge, if that is the same block.
func (a *aligner) sameEdge(p, q root, u, v value) bool {
	switch {
	case u.last == v.last:
		return true
	case single(a.old, u.obj):
		u.last = v.last
		p.set(a.old, u)
		a.changed = true
		return true
	case single(a.s, v.obj):
		v.last = u.last
		q.set(a.s, v)
		return true
	}
	return false
}

// standsEmpty makes what place p of s holds a pointer to the empty list id, and reports whether it is one: place q of
// the other state holds w, which points to the counterpart.
func (a *aligner) standsEmpty(s, other *state, p, q root, id int, w value) bool {
	edges := []bool{w.last}
	if l := other.objs[w.obj].list; l != nil && l.twoEnded() && single(other, w.obj) {
		edges = append(edges, !w.last)
	}
	for _, last := range edges {
		if last {
			s.takeBefore(id, p.get(s))
		}
		if emptyAs(s, id, last, p.get(s)) {
			p.set(s, value{kind: ptrValue, obj: id, last: last, lin: w.lin})
			if w.last != last {
				w.last = last
				q.set(other, w)
				a.changed = true
			}
			return true
		}
	}
	return false
}

// single reports that pointers to the first and the last block of a list are the same: these are one, or the list may
// have one block, and the same in front of it and behind it.
func single(s *state, id int) bool {
	l := s.objs[id].list
	if l == nil || l.at != l.backAt {
		return false
	}
	if l.joined {
		return true
	}
	n := s.know.interval(s.know.plain(l.length))
	if !n.hasHi || n.hi.Cmp(exact.I(1)) > 0 {
		return false
	}
	end, before := s.plain(l.end), s.plain(l.before)
	return n.hasLo && n.lo.Equal(exact.I(1)) || end.points(before) ||
		end.kind == intValue && before.kind == intValue && end.lin.Equal(before.lin)
}
