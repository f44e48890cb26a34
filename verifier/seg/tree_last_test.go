package seg

import (
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// upBuilder is one for trees with kids at bytes 8 and 16 whose blocks lead up at byte 0.
func upBuilder(t *testing.T) *builder {
	b := treeBuilder(t)
	b.ups = map[breed]int64{{size: 24}: 0}
	return b
}

// branch3 makes a block of 24 bytes with these kids, and makes them lead up to it.
func branch3(b *builder, s *state, left, right value) value {
	v := branch2(b, s, left, right)
	s.own(v.obj).point(b, 0, null())
	for _, k := range []value{left, right} {
		if k.kind == ptrValue {
			s.own(k.obj).cells[2].val = v
		}
	}
	return v
}

// The blocks of a tree that leads up have to lead to the one above; what the first one leads to is in front of the
// tree.
func TestTreeThatLeadsUp(t *testing.T) {
	for name, spoil := range map[string]func(s *state, top, mid, low value){
		"right":         func(*state, value, value, value) {},
		"too far up":    func(s *state, top, _, low value) { s.own(low.obj).cells[2].val = top },
		"nowhere":       func(s *state, _, mid, _ value) { s.own(mid.obj).cells[2].val = null() },
		"not the start": func(s *state, _, mid, low value) { s.own(low.obj).cells[2].val = mid.plus(exact.C(8)) },
	} {
		b, s := upBuilder(t), emptyState()
		low := branch3(b, s, null(), null())
		mid := branch3(b, s, low, null())
		top := branch3(b, s, null(), mid)
		spoil(s, top, mid, low)
		r, ok := b.treeFrom(s, top.obj, never)
		if ok != (name == "right") || ok && (len(r.ids) != 3 || !isNull(r.before) || !r.doubly || r.prev != 0) {
			t.Errorf("%s: tree %+v, %t", name, r, ok)
		}
	}
}

// The last block of a tree is the one with its end; a pointer there stays when the tree is folded, others into it go.
func TestLastBlockOfFoldedTree(t *testing.T) {
	b, s := upBuilder(t), emptyState()
	end := branch3(b, s, null(), null())
	last := branch3(b, s, null(), end)
	other := branch3(b, s, null(), null())
	top := branch3(b, s, last, other)
	s.top().vals[ends[0]], s.top().vals[ends[1]] = last, other
	r, ok := b.treeFrom(s, top.obj, func(v value) stopping { return stopping{before: v.obj == end.obj} })
	if !ok || !r.end.points(end) || !r.length.Equal(exact.C(3)) {
		t.Fatalf("tree %+v, %t", r, ok)
	}
	id := b.foldTree(s, r)
	if v := s.top().vals[ends[0]]; v.obj != id || !v.last {
		t.Errorf("the last block: %+v", v)
	}
	if v := s.top().vals[ends[1]]; v.obj == id {
		t.Errorf("another block: %+v", v)
	}
	if v := s.objs[end.obj].cells[2].val; v.obj != id || !v.last {
		t.Errorf("up from the end: %+v", v)
	}
}

// Taking out the last block of a tree leaves the blocks above, which end with it, and trees below it, one of which is
// the end. Without a block the pointer is what is in front.
func TestUnfoldLastOfTree(t *testing.T) {
	for _, up := range []bool{false, true} {
		b, s := upBuilder(t), emptyState()
		end := branch2(b, s, null(), null())
		n := b.newVar("n")
		s.know.lower(n, exact.I(0))
		id := b.gather(s, chain{size: exact.C(24), heap: true, length: exact.V(n), end: end, kids: []int64{8, 16},
			edge: -1, doubly: up, before: null()})
		s.top().vals[ends[0]] = value{kind: ptrValue, obj: id, last: true}
		s.top().vals[ends[1]] = value{kind: ptrValue, obj: id}
		found := map[string]int{}
		for _, u := range b.unfold(s, id, true) {
			h := u.top().vals[ends[0]]
			if isNull(h) {
				if !u.top().vals[ends[1]].points(end) {
					t.Errorf("the first of no blocks: %+v", u.top().vals[ends[1]])
				}
				found["empty"]++
				continue
			}
			above := u.objs[id]
			if !above.list.end.points(h) {
				t.Errorf("the blocks above end with %+v", above.list.end)
			}
			total, which := above.list.length.AddInt(1), ""
			for _, off := range []int64{8, 16} {
				v, _ := b.successor(u.objs[h.obj], off, false)
				if v.points(end) {
					which += "end"
					continue
				}
				kid := u.objs[v.obj].list
				if isNull(kid.end) && kid.doubly == up && (!up || kid.before.points(h)) {
					total, which = total.Add(kid.length), which+"tree"
				}
			}
			v, leads := b.successor(u.objs[h.obj], 0, false)
			if leads != up || up && !v.points(value{kind: ptrValue, obj: id, last: true}) {
				t.Errorf("leads up to %+v", v)
			}
			if !b.ask.provesEq(u.know, total.Sub(exact.V(n))) {
				t.Errorf("%s: %v blocks", which, total)
			}
			found[which]++
		}
		if len(found) != 3 || found["empty"] != 1 || found["endtree"] != 1 || found["treeend"] != 1 {
			t.Errorf("up %t: cases %v", up, found)
		}
	}
}

// The last block of a tree leads to the others only if they lead up, and to what the tree ends with if there is a
// block.
func TestReachedFromLastBlockOfTree(t *testing.T) {
	for _, up := range []bool{false, true} {
		b, s := upBuilder(t), emptyState()
		end, front := branch2(b, s, null(), null()), branch2(b, s, null(), null())
		id := b.gather(s, chain{size: exact.C(24), heap: true, length: exact.C(2), end: end, kids: []int64{8, 16},
			edge: -1, doubly: up, before: front})
		s.top().vals[ends[0]] = value{kind: ptrValue, obj: id, last: true}
		have := s.reached(s.frames, nil, true)
		if have[id] != up || !have[end.obj] || have[front.obj] != up {
			t.Errorf("up %t: reached %v", up, have)
		}
		if all := s.reached(s.frames, nil, false); !all[id] || !all[front.obj] {
			t.Errorf("up %t: reached maybe %v", up, all)
		}
	}
}

// Where blocks lead up, and which of their pointers lead on, is learned from three that lead to each other.
func TestLearnUp(t *testing.T) {
	for name, wrong := range map[string]bool{"a tree": false, "a list with a third pointer": true} {
		b, s := treeBuilder(t), emptyState()
		b.trees, b.ups = map[breed][]int64{}, map[breed]int64{}
		b.pairs[breed{size: 24}] = pair{next: 8, prev: 0}
		left, right := branch3(b, s, null(), null()), branch3(b, s, null(), null())
		top := branch3(b, s, left, right)
		if wrong {
			s.own(right.obj).cells[2].val = left
		}
		b.branches(s, s.objs[top.obj], 8, 16)
		up, known := b.ups[breed{size: 24}]
		if known == wrong || known && (up != 0 || !slices.Equal(b.trees[breed{size: 24}], []int64{8, 16})) || !b.reshaped {
			t.Errorf("%s, from %v: trees %v, ups %v", name, top, b.trees, b.ups)
		}
	}
}
