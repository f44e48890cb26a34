package seg

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// branch2 makes a block of 24 bytes with kids at bytes 8 and 16.
func branch2(b *builder, s *state, left, right value) value {
	o := b.newObject(s, "node", "node", exact.C(24))
	o.heap, o.dynamic = true, true
	o.point(b, 8, left)
	o.point(b, 16, right)
	return value{kind: ptrValue, obj: o.id}
}

func treeBuilder(t *testing.T) *builder {
	b := doublyBuilder(t)
	b.pairs, b.trees = map[breed]pair{}, map[breed][]int64{{size: 24}: {8, 16}}
	return b
}

// The part of a tree above a block that may not be folded is a tree that ends there; it has one end.
func TestTreeAboveAPointer(t *testing.T) {
	for _, second := range []bool{false, true} {
		b, s := treeBuilder(t), emptyState()
		at := branch2(b, s, null(), null())
		other := null()
		if second {
			other = at
		}
		top := branch2(b, s, branch2(b, s, null(), at), other)
		r, ok := b.treeFrom(s, top.obj, func(v value) stopping { return stopping{before: v.obj == at.obj} })
		if ok == second || ok && (len(r.ids) != 2 || !r.end.points(at)) {
			t.Errorf("a second pointer %t: tree %+v, %t", second, r, ok)
		}
	}
}

// A block that two kids share, or that leads up again, is part of no tree.
func TestNoTree(t *testing.T) {
	for name, make := range map[string]func(b *builder, s *state) value{
		"shared": func(b *builder, s *state) value {
			x := branch2(b, s, null(), null())
			return branch2(b, s, x, x)
		},
		"up again": func(b *builder, s *state) value {
			x := branch2(b, s, null(), null())
			top := branch2(b, s, x, null())
			s.objs[x.obj].cells[0].val = top
			return top
		},
	} {
		b, s := treeBuilder(t), emptyState()
		if r, ok := b.treeFrom(s, make(b, s).obj, never); ok || !b.chains[breed{size: 24}] {
			t.Errorf("%s: tree %+v", name, r)
		}
	}
}

// A tree with an end is that end if it has no block. Else one of the kids of its first block has the end, and any may.
func TestUnfoldTreeWithEnd(t *testing.T) {
	b, s := treeBuilder(t), emptyState()
	end := branch2(b, s, null(), null())
	n := b.newVar("n")
	s.know.lower(n, exact.I(0))
	id := b.gather(s, chain{size: exact.C(24), heap: true, length: exact.V(n), end: end})
	s.objs[id].list.kids = []int64{8, 16}
	s.top().vals[ends[0]] = value{kind: ptrValue, obj: id}
	found := map[string]int{}
	for _, u := range b.unfold(s, id, false) {
		h := u.top().vals[ends[0]]
		if h.points(end) {
			found["empty"]++
			continue
		}
		total, which := exact.C(1), ""
		for _, off := range []int64{8, 16} {
			v, _ := b.successor(u.objs[h.obj], off, false)
			kid := u.objs[v.obj].list
			total = total.Add(kid.length)
			if kid.end.points(end) {
				which += "end"
			} else if isNull(kid.end) {
				which += "null"
			}
		}
		if !b.ask.provesEq(u.know, total.Sub(exact.V(n))) {
			t.Errorf("%s: %v blocks", which, total)
		}
		found[which]++
	}
	if len(found) != 3 || found["empty"] != 1 || found["endnull"] != 1 || found["nullend"] != 1 {
		t.Errorf("cases %v", found)
	}
}
