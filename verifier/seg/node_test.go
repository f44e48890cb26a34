package seg

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// ring makes a head of 16 bytes and n blocks of 24 bytes in a ring, whose links are at bytes 8 and 16 of a block and
// lead to byte 8 of the next one and of the one before.
func ring(b *builder, s *state, n int) (head value, row []value) {
	h := b.newObject(s, "head", "head", exact.C(16))
	head = value{kind: ptrValue, obj: h.id}
	all := []value{head}
	for range n {
		o := b.newObject(s, "item", "item", exact.C(24))
		o.heap, o.dynamic = true, true
		all = append(all, value{kind: ptrValue, obj: o.id, lin: exact.C(8)})
	}
	for i, v := range all {
		next, _ := v.lin.Const.Int64()
		s.own(v.obj).point(b, next, all[(i+1)%len(all)])
		s.own(v.obj).point(b, next+8, all[(i+n)%len(all)])
	}
	return head, all[1:]
}

func ringBuilder(t *testing.T) *builder {
	b := doublyBuilder(t)
	b.pairs[breed{size: 24}] = pair{next: 8, at: 8, prev: 16, backAt: 8}
	return b
}

// A list that is linked through a place in its blocks keeps the pointers to that place and to the starts of both its
// ends; without a block they are as far from the head as they were from the place.
func TestFoldAtPlace(t *testing.T) {
	b, s := ringBuilder(t), emptyState()
	head, row := ring(b, s, 3)
	s.top().vals[ends[0]] = row[0].plus(exact.C(-8))
	ch, ok := b.follow(s, row[0], 8, never)
	if !ok || len(ch.ids) != 3 || ch.at != 8 || ch.backAt != 8 || !ch.end.points(head) || !ch.before.points(head) {
		t.Fatalf("chain %+v", ch)
	}
	to := b.fold(s, ch)
	n := b.newVar("n")
	s.know.lower(n, exact.I(0))
	s.own(to.obj).list.length = exact.V(n)
	last := value{kind: ptrValue, obj: to.obj, last: true, lin: exact.C(8)}
	if v, _ := b.successor(s.objs[head.obj], 8, false); !v.points(last) {
		t.Errorf("the last block: %+v", v)
	}
	for _, u := range b.unfold(s, to.obj, false) {
		first, _ := b.successor(u.objs[head.obj], 0, false)
		last, _ := b.successor(u.objs[head.obj], 8, false)
		start := u.top().vals[ends[0]]
		if u.objs[to.obj] == nil {
			if !first.points(head) || !last.points(head) || !start.points(head.plus(exact.C(-8))) {
				t.Errorf("the empty case: %+v, %+v, %+v", first, last, start)
			}
			continue
		}
		next, _ := b.successor(u.objs[first.obj], 8, false)
		prev, _ := b.successor(u.objs[first.obj], 16, false)
		if !start.points(first.plus(exact.C(-8))) || !prev.points(head) || !next.points(to) || last.obj != to.obj ||
			!u.objs[to.obj].list.before.points(first) {
			t.Errorf("the first block: %+v, next %+v, prev %+v, start %+v", first, next, prev, start)
		}
	}
}

// A block that links lead to at another byte is not part of the list, though it has the same size.
func TestChainKeepsPlace(t *testing.T) {
	b, s := testBuilder(t), emptyState()
	_, row := ring(b, s, 3)
	b.pairs = nil
	for n := range s.own(row[1].obj).cells {
		if c := &s.own(row[1].obj).cells[n]; c.val.obj == row[2].obj {
			c.val.lin = exact.C(0)
		}
	}
	if ch, _ := b.follow(s, row[0], 8, never); len(ch.ids) != 2 || !ch.end.points(row[2].plus(exact.C(-8))) {
		t.Errorf("chain %+v", ch)
	}
}

// Which byte of a block is linked is told by links, not by variables, and by none if two links differ.
func TestLinkedAt(t *testing.T) {
	b, s := ringBuilder(t), emptyState()
	head, row := ring(b, s, 2)
	v := b.newObject(s, "p", "p", exact.C(8))
	v.point(b, 0, row[0].plus(exact.C(-8)))
	if at, ok := s.linkedAt(row[0].obj); !ok || at != 8 {
		t.Errorf("linked at %d, %v", at, ok)
	}
	if d := s.ahead(row[0].plus(exact.C(-8))); d != 8 {
		t.Errorf("the linked byte is %d bytes ahead", d)
	}
	if id, ok := s.heapNode(row[0]); !ok || id != row[0].obj {
		t.Error("the linked byte leads to no block")
	}
	if _, ok := s.heapNode(row[0].plus(exact.C(4))); ok {
		t.Error("another byte leads to a block of a list")
	}
	s.own(head.obj).cells[0].val = row[0].plus(exact.C(8))
	if at, ok := s.linkedAt(row[0].obj); ok {
		t.Errorf("two links differ, and it is linked at %d", at)
	}
}
