package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// shape makes the heap of an arriving state and that of the generalised state
// correspond: blocks that play the same part get the same identity, and where one
// state has a row of blocks of another length than the other, both get a list in
// its place (LI-12 to LI-16, LI-19). It changes both states, each to one that
// stands for at least as many runs; changed tells that of the older one.
//
// The correspondence starts at the pointers in frames, globals and locals, and
// follows equal fields from there. Which pointer is looked at first matters: some
// orders are tried, and the one that loses fewest pointers wins.
func (b *builder) shape(old, s *state, merges int) (into, from *state, changed bool) {
	if !heapPointers(old) && !heapPointers(s) {
		return old, s, false
	}
	s.dropEmpty()
	s.dropGhosts(old)
	var best *aligner
	cursors := b.cursors
	for _, w := range ways {
		if best != nil && (w.order == resultAlone && !best.lostResult || w.careless && b.cursors == cursors) {
			continue
		}
		a := &aligner{b: b, tired: merges > policy.StateShapings, old: old.clone(), s: s.clone(), toOld: map[int]int{},
			toNew: map[int]int{}, way: w}
		a.run()
		if best == nil || a.misses < best.misses && (!w.rows || a.misses == 0) {
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
	resultAlone // where runs come back: without the pointers that parameters had at entry
)

// way says how states are compared.
type way struct {
	order    int
	rows     bool // blocks are made lists before they are compared with each other
	inner    bool // so are only those that blocks lead to
	late     bool // a block of the older state is looked for further down a chain of the other
	careless bool // blocks go into lists although variables point into what they own
}

var ways = []way{{order: sameFirst}, {order: forward}, {order: backward}, {order: resultAlone},
	{order: forward, rows: true, inner: true}, {order: forward, late: true}, {order: forward, rows: true},
	{order: sameFirst, careless: true}, {order: forward, careless: true},
	{order: backward, careless: true}, {order: resultAlone, careless: true}}

// miss notes that what root r held is lost.
func (a *aligner) miss(r root) {
	a.misses++
	if p, ok := r.val.(*ir.Param); ok && p.Index == resultIndex {
		a.misses += policy.ResultWorth
		a.lostResult = true
	}
}

// dropGhosts forgets the values that parameters had at entry where the older state does not have them.
func (s *state) dropGhosts(old *state) {
	for n, f := range s.frames {
		for v := range f.vals {
			if _, ok := old.frames[n].vals[v]; !ok && isGhost(v) {
				delete(f.vals, v)
			}
		}
	}
}

// dropAddresses forgets the pointers that parameters had at entry.
func (a *aligner) dropAddresses() {
	for _, s := range []*state{a.old, a.s} {
		for _, f := range s.frames {
			for v := range f.vals {
				if p, ok := v.(*ir.Param); ok && p.Index >= addressIndex {
					delete(f.vals, v)
					a.misses++
					a.changed = true
				}
			}
		}
	}
}

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
	lostResult   bool        // one of them is the result of a function
	way
	changed bool // old is more general than it was
}

func (a *aligner) run() {
	if a.order == resultAlone {
		a.dropAddresses()
	}
	for _, id := range a.s.order {
		if o := a.old.objs[id]; o != nil && !o.dynamic && !a.s.objs[id].dynamic {
			a.match(id, id)
			a.untouched(id, id)
		}
	}
	roots := a.s.roots()
	switch a.order {
	case sameFirst:
		for _, r := range roots {
			u, v := r.get(a.old), r.get(a.s)
			if u.kind == ptrValue && v.kind == ptrValue && u.obj == v.obj && u.last == v.last {
				a.alike(u.obj, v.obj)
			}
		}
	case backward:
		for i, j := 0, len(roots)-1; i < j; i, j = i+1, j-1 {
			roots[i], roots[j] = roots[j], roots[i]
		}
	}
	a.unifyAll(roots)
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
func (a *aligner) alike(x, y int) {
	if !a.toNewHas(x) && !a.toOldHas(y) && a.likely(x, y) {
		a.match(x, y)
	}
}

// likely reports that two objects are of one kind.
func (a *aligner) likely(x, y int) bool {
	o, p := a.old.objs[x], a.s.objs[y]
	if o == nil || p == nil || !o.dynamic || !p.dynamic || (o.list == nil) != (p.list == nil) || o.heap != p.heap {
		return false
	}
	return o.list == nil || o.list.next == p.list.next && slices.Equal(o.list.kids, p.list.kids) &&
		o.list.doubly == p.list.doubly && o.list.prev == p.list.prev && o.list.at == p.list.at &&
		o.list.backAt == p.list.backAt && o.kin(p) &&
		(o.list.kids == nil || isNull(o.list.end) == isNull(p.list.end) || a.old.leadsToLast(x) && a.s.leadsToLast(y))
}

// fields compares the contents of corresponding heap objects until no new ones turn up. Lists take in what is beside
// them before anything else is made of it.
func (a *aligner) fields() {
	whole, done := map[int]bool{}, map[int]bool{}
	for again := true; again; {
		again = a.complete(whole)
		for _, y := range slices.Clone(a.s.order) {
			x, ok := a.toOld[y]
			if !ok || done[y] || !a.s.objs[y].dynamic || a.old.objs[x] == nil || a.s.objs[y].list != nil && !whole[y] {
				continue
			}
			done[y], again = true, true
			a.contents(x, y, whole)
		}
	}
}

// complete lets lists that are not whole yet take in what is beside them; it reports whether there were some.
func (a *aligner) complete(whole map[int]bool) bool {
	some := false
	for _, y := range slices.Clone(a.s.order) {
		x, ok := a.toOld[y]
		if !ok || whole[y] || a.old.objs[x] == nil || a.s.objs[y].list == nil {
			continue
		}
		if a.s.objs[y].chained() {
			_, y = a.swallow(x, y)
		} else {
			_, y = a.swallowTrees(x, y)
		}
		whole[y], some = true, true
	}
	return some
}

// contents compares what two corresponding heap objects hold. Lists that turn up are completed before the next cell is
// looked at, which may lead to their other ends.
func (a *aligner) contents(x, y int, whole map[int]bool) {
	switch l := a.s.objs[y].list; {
	case l == nil:
		a.untouched(x, y)
		cells := slices.DeleteFunc(slices.Clone(a.s.objs[y].cells), func(c cell) bool { return !c.off.IsConst() })
		slices.SortFunc(cells, func(c, d cell) int { return c.off.Const.Cmp(d.off.Const) })
		for _, c := range cells {
			a.sameFunction(x, c)
			a.unify(root{obj: x, off: c.off.Const}, root{obj: y, off: c.off.Const})
			a.complete(whole)
		}
	default:
		if l.kids == nil || !isNull(l.end) || !isNull(a.old.objs[x].list.end) {
			a.unify(root{obj: x}, root{obj: y})
		}
		if l.doubly {
			a.unify(root{obj: x, before: true}, root{obj: y, before: true})
		}
	}
}

// sameFunction notes a function that is lost, because object x of the older state holds another one in place of cell c.
func (a *aligner) sameFunction(x int, c cell) {
	for _, d := range a.old.objs[x].cells {
		if d.off.Equal(c.off) && d.val.kind == funcValue && c.val.kind == funcValue && d.val.fn != c.val.fn {
			a.miss(root{obj: x, off: c.off.Const})
		}
	}
}

// untouched reads the first contents of two corresponding objects where the other one holds a pointer to the heap.
func (a *aligner) untouched(x, y int) {
	for _, d := range []struct {
		s, other *state
		id, from int
	}{{a.old, a.s, x, y}, {a.s, a.old, y, x}} {
		if rest := d.s.objs[d.id].rest; rest != zeroBytes && rest != initBytes {
			continue
		}
		for _, c := range d.other.objs[d.from].cells {
			if _, isBlock := d.other.heapNode(d.other.plain(c.val)); isBlock {
				a.b.materialise(d.s, d.id, c)
			}
		}
	}
}

// swallow takes the blocks behind two corresponding lists into them, and returns the lists then.
func (a *aligner) swallow(x, y int) (int, int) {
	delete(a.toNew, x)
	delete(a.toOld, y)
	for _, last := range a.old.objs[x].list.edges() {
		l := a.s.objs[y].list.from(last)
		a.anchor(value{kind: ptrValue, obj: x, last: last}, value{kind: ptrValue, obj: y, last: last, lin: exact.C(l.at)})
	}
	newX, newY := a.grow(a.old, x, a.stopOld), a.grow(a.s, y, a.stopNew)
	a.changed = a.changed || newX != x
	a.match(newX, newY)
	return newX, newY
}

// grow is the list id with the blocks behind it, and of a doubly linked one those in front of it: a new list, if there
// are such blocks, because the length of the old one, as edges that were made earlier give it, is another number.
func (a *aligner) grow(s *state, id int, stop func(value) stopping) int {
	for _, last := range s.objs[id].list.edges() {
		l := s.objs[id].list
		v := value{kind: ptrValue, obj: id, last: last, lin: exact.C(l.from(last).at)}
		if ch, ok := a.b.follow(s, v, l.from(last).next, stop); ok && len(ch.ids) > 1 {
			id = a.b.fold(s, ch).obj
		}
	}
	return id
}
