package seg

import (
	"sort"
)

// shape makes the heap of an arriving state and that of the generalised state
// correspond: blocks that play the same part get the same identity, and where one
// state has a row of blocks of another length than the other, both get a list in
// its place (LI-12 to LI-16, LI-19). It changes both states, each to one that
// stands for at least as many runs; changed tells that of the older one.
//
// The correspondence starts at the pointers in frames, globals and locals, and
// follows equal fields from there. Which pointer is looked at first matters: three
// orders are tried, and the one that loses fewest pointers wins.
func (b *builder) shape(old, s *state, merges int) (into, from *state, changed bool) {
	if !heapPointers(old) && !heapPointers(s) {
		return old, s, false
	}
	var best *aligner
	for _, order := range []int{sameFirst, forward, backward} {
		a := &aligner{b: b, tired: merges > maxShapings, old: old.clone(), s: s.clone(), toOld: map[int]int{},
			toNew: map[int]int{}}
		a.run(order)
		if best == nil || a.misses < best.misses {
			best = a
		}
		if best.misses == 0 {
			break
		}
	}
	best.renumber()
	return best.old, best.s, best.changed
}

// The orders in which roots are compared.
const (
	sameFirst = iota // objects that kept their identity correspond
	forward
	backward
)

// maxLists is how many lists a generalised state may have; maxShapings how often it may grow
// until it gets no further ones, which ends the construction.
const (
	maxLists    = 8
	maxShapings = 60
)

// heapPointers reports whether a root of the state points to the heap.
func heapPointers(s *state) bool {
	for _, r := range s.roots() {
		if v := r.get(s); v.kind == ptrValue && s.objs[v.obj] != nil && s.objs[v.obj].dynamic {
			return true
		}
	}
	return false
}

type aligner struct {
	b            *builder
	old, s       *state
	toOld, toNew map[int]int // objects that correspond
	tired        bool        // no more lists are made of what the older state has
	misses       int         // places that hold different things now
	changed      bool        // old is more general than it was
}

func (a *aligner) run(order int) {
	for _, id := range a.s.order {
		if o := a.old.objs[id]; o != nil && !o.dynamic && !a.s.objs[id].dynamic {
			a.match(id, id)
		}
	}
	roots := a.s.roots()
	switch order {
	case sameFirst:
		for _, r := range roots {
			u, v := r.get(a.old), r.get(a.s)
			if u.kind == ptrValue && v.kind == ptrValue && u.obj == v.obj {
				a.alike(u.obj, v.obj)
			}
		}
	case backward:
		for i, j := 0, len(roots)-1; i < j; i, j = i+1, j-1 {
			roots[i], roots[j] = roots[j], roots[i]
		}
	}
	for _, r := range roots {
		a.unify(r, r)
	}
	a.fields()
	for _, id := range append([]int(nil), a.s.order...) { // blocks that nothing reaches
		if a.old.objs[id] != nil {
			a.alike(id, id)
		}
	}
	a.fields()
}

func (a *aligner) match(x, y int) { a.toNew[x], a.toOld[y] = y, x }

// alike lets two objects of one kind correspond, if neither has a counterpart yet.
func (a *aligner) alike(x, y int) bool {
	o, p := a.old.objs[x], a.s.objs[y]
	if o == nil || p == nil || !o.dynamic || !p.dynamic || (o.list == nil) != (p.list == nil) || o.heap != p.heap ||
		o.list != nil && (o.list.next != p.list.next || !o.size.Equal(p.size)) {
		return false
	}
	if _, ok := a.toNew[x]; ok {
		return false
	}
	if _, ok := a.toOld[y]; ok {
		return false
	}
	a.match(x, y)
	return true
}

// fields compares the contents of corresponding heap objects until no new ones turn up.
func (a *aligner) fields() {
	done := map[int]bool{}
	for again := true; again; {
		again = false
		for _, y := range append([]int(nil), a.s.order...) {
			x, ok := a.toOld[y]
			if !ok || done[y] || !a.s.objs[y].dynamic || a.old.objs[x] == nil {
				continue
			}
			done[y], again = true, true
			if a.s.objs[y].list != nil {
				x, y = a.swallow(x, y)
				done[y] = true
				a.unify(root{obj: x}, root{obj: y})
				continue
			}
			for _, c := range append([]cell(nil), a.s.objs[y].cells...) {
				if c.off.IsConst() {
					a.unify(root{obj: x, off: c.off.Const}, root{obj: y, off: c.off.Const})
				}
			}
		}
	}
}

// swallow takes the blocks behind two corresponding lists into them, and returns the lists then.
func (a *aligner) swallow(x, y int) (int, int) {
	delete(a.toNew, x)
	delete(a.toOld, y)
	newX, newY := a.grow(a.old, x, a.stopOld), a.grow(a.s, y, a.stopNew)
	a.changed = a.changed || newX != x
	a.match(newX, newY)
	return newX, newY
}

// grow is the list id with the blocks behind it: a new list, if there are such blocks, because the
// length of the old one, as edges that were made earlier give it, is another number.
func (a *aligner) grow(s *state, id int, stop func(int) bool) int {
	ch, ok := s.follow(id, s.objs[id].list.next, stop)
	if !ok || len(ch.ids) < 2 {
		return id
	}
	return a.b.fold(s, ch)
}

// unify makes what the two places hold correspond.
func (a *aligner) unify(p, q root) {
	u, v := p.get(a.old), q.get(a.s)
	x, isX := a.old.heapStart(u)
	y, isY := a.s.heapStart(v)
	if !isX && !isY {
		if u.kind != v.kind && (u.kind == ptrValue || v.kind == ptrValue) {
			a.misses++
		}
		return
	}
	toNew, pairedX := a.toNew[x]
	toOld, pairedY := a.toOld[y]
	pairedX, pairedY = pairedX && isX, pairedY && isY
	switch {
	case isX && isY && pairedX && toNew == y:
		return
	case isX && isY && !pairedX && !pairedY && a.alike(x, y):
		return
	case pairedY && a.emptyAs(a.old, toOld, u):
		p.set(a.old, value{kind: ptrValue, obj: toOld})
		a.changed = true
		return
	case pairedX && a.emptyAs(a.s, toNew, v):
		q.set(a.s, value{kind: ptrValue, obj: toNew})
		return
	case isY && !pairedY && a.foldBoth(p, q, u, v):
		return
	case isX && !pairedX && a.foldOld(p, q, u, v):
		return
	}
	a.misses++
}

// emptyAs: the list id is empty and ends with v, so that a pointer to it is v.
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

// foldBoth: the arriving state has a chain where the older one has a list, or the
// end of the chain already.
func (a *aligner) foldBoth(p, q root, u, v value) bool {
	if x, ok := a.old.heapStart(u); ok && a.old.objs[x].list != nil {
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

// foldOld: the older state has a chain where the arriving one is at its end, or has a list.
func (a *aligner) foldOld(p, q root, u, v value) bool {
	if y, ok := a.s.heapStart(v); ok && a.s.objs[y].list != nil {
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
	if o := a.old.objs[u.obj]; o.list != nil {
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
	id := a.b.fold(s, chain{next: like.next, end: v, size: like.size, heap: like.heap})
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

// sameEnd: a chain in one state may end with u where the other has v.
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
	if o.list != nil {
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

// heapStart: v is a pointer to the start of a heap object.
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

// renumber gives the objects of the arriving state the identities of their counterparts.
func (a *aligner) renumber() {
	ids := map[int]int{}
	for n, y := range a.s.order {
		if x, ok := a.toOld[y]; ok {
			ids[y] = x
		} else {
			ids[y] = -1 - n // has no counterpart and goes
		}
	}
	var sub func(v value) value
	sub = func(v value) value {
		if v.kind == ptrValue {
			if id, ok := ids[v.obj]; ok {
				v.obj = id
			} else {
				v.obj = gone - v.obj
			}
		}
		if v.kind == aggValue {
			agg := make([]value, len(v.agg))
			for n, m := range v.agg {
				agg[n] = sub(m)
			}
			v.agg = agg
		}
		return v
	}
	objs := map[int]*object{}
	for n, y := range a.s.order {
		o := a.s.own(y)
		o.id = ids[y]
		if x := a.old.objs[o.id]; x != nil {
			o.key, o.name = x.key, x.name
		}
		for i := range o.cells {
			o.cells[i].val = sub(o.cells[i].val)
		}
		if o.list != nil {
			o.list.end = sub(o.list.end)
		}
		objs[o.id], a.s.order[n] = o, o.id
	}
	a.s.objs, a.s.owned = objs, map[int]bool{}
	for _, f := range a.s.frames {
		for k, v := range f.vals {
			f.vals[k] = sub(v)
		}
		for n, id := range f.objs {
			if to, ok := ids[id]; ok {
				f.objs[n] = to
			}
		}
	}
}

// gone is above the identities of objects that are no more.
const gone = -1 << 30
