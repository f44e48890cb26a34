package seg

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// twoWay makes a row of n blocks of 24 bytes that lead on at byte 8 and back at byte 16.
func twoWay(b *builder, s *state, n int) []value {
	row := make([]value, n)
	for i := range row {
		o := b.newObject(s, "node", "node", exact.C(24))
		o.heap, o.dynamic = true, true
		row[i] = value{kind: ptrValue, obj: o.id}
	}
	for i, v := range row {
		next, prev := null(), null()
		if i+1 < n {
			next = row[i+1]
		}
		if i > 0 {
			prev = row[i-1]
		}
		s.own(v.obj).point(b, 8, next)
		s.own(v.obj).point(b, 16, prev)
	}
	return row
}

func doublyBuilder(t *testing.T) *builder {
	b := testBuilder(t)
	b.trees, b.chains = map[breed][]int64{}, map[breed]bool{}
	b.pairs, b.unpaired = map[breed]pair{{size: 24}: {next: 8, prev: 16}}, map[breed]bool{}
	return b
}

var ends = [2]*ir.Param{{Name: "h", T: ir.Ptr(64)}, {Name: "e", T: ir.Ptr(64), Index: 1}}

// A list is the same whichever way the chain was followed, and pointers to both its ends stay.
func TestFoldKeepsBothEnds(t *testing.T) {
	for _, back := range []bool{false, true} {
		b, s := doublyBuilder(t), emptyState()
		row := twoWay(b, s, 3)
		s.top().vals[ends[0]], s.top().vals[ends[1]] = row[0], row[2]
		from, next := row[0], int64(8)
		if back {
			from, next = row[2], 16
		}
		ch, ok := b.follow(s, from, next, never)
		if !ok || len(ch.ids) != 3 {
			t.Fatalf("backwards %t: chain %+v", back, ch)
		}
		to := b.fold(s, ch)
		l := s.objs[to.obj].list
		if !l.doubly || l.next != 8 || l.prev != 16 || !isNull(l.end) || !isNull(l.before) || to.last != back {
			t.Errorf("backwards %t: list %+v, pointer %+v", back, l, to)
		}
		if h, e := s.top().vals[ends[0]], s.top().vals[ends[1]]; h.obj != to.obj || h.last || e.obj != to.obj || !e.last {
			t.Errorf("backwards %t: h = %+v, e = %+v", back, h, e)
		}
	}
}

// A row with a block that does not lead back is no doubly linked list, nor are further ones of that size.
func TestChainLeadsBack(t *testing.T) {
	b, s := doublyBuilder(t), emptyState()
	row := twoWay(b, s, 3)
	s.own(row[2].obj).cells[1].val = row[0]
	if ch, _ := b.follow(s, row[0], 8, never); len(ch.ids) != 2 || !b.unpaired[breed{size: 24}] || !b.reshaped {
		t.Errorf("chain %+v, unpaired %v", ch, b.unpaired)
	}
}

// Taking out the last block leaves the others in front of it; without a block, the last one is what is in front.
func TestUnfoldFromTheEnd(t *testing.T) {
	b, s := doublyBuilder(t), emptyState()
	row := twoWay(b, s, 2)
	n := b.newVar("n")
	s.know.lower(n, exact.I(0))
	l := b.fold(s, chain{next: 8, size: exact.C(24), heap: true, length: exact.V(n), end: row[1], doubly: true, prev: 16,
		before: row[0]})
	s.top().vals[ends[0]], s.top().vals[ends[1]] = l, value{kind: ptrValue, obj: l.obj, last: true}
	filled, empty := 0, 0
	for _, u := range b.unfold(s, l.obj, true) {
		h, e := u.top().vals[ends[0]], u.top().vals[ends[1]]
		if u.objs[l.obj] == nil {
			if empty++; !h.points(row[1]) || !e.points(row[0]) {
				t.Errorf("the empty case: h = %+v, e = %+v", h, e)
			}
			continue
		}
		filled++
		o := u.objs[e.obj]
		next, _ := b.successor(o, 8, false)
		prev, _ := b.successor(o, 16, false)
		if !h.points(l) || o.list != nil || !next.points(row[1]) || prev.obj != l.obj || !prev.last {
			t.Errorf("the last block: h = %+v, e = %+v, next %+v, prev %+v", h, e, next, prev)
		}
		if rest := u.objs[l.obj].list; !rest.end.points(e) || !rest.before.points(row[0]) ||
			!rest.length.Equal(exact.V(n).AddInt(-1)) {
			t.Errorf("the rest: %+v", rest)
		}
	}
	if filled != 1 || empty != 1 {
		t.Errorf("%d and %d cases", filled, empty)
	}
}

// What is in front of a list is reached from its first block, if it has one: only then is that pointer in memory.
func TestReachedThroughListsThatMayBeEmpty(t *testing.T) {
	for least, surely := range []bool{false, true} {
		b, s := doublyBuilder(t), emptyState()
		row := twoWay(b, s, 1)
		n := b.newVar("n")
		s.know.lower(n, exact.I(int64(least)))
		s.top().vals[ends[0]] = b.fold(s, chain{next: 8, size: exact.C(24), heap: true, length: exact.V(n), end: null(),
			doubly: true, prev: 16, before: row[0]})
		if !s.reached(s.frames, nil, false)[row[0].obj] || s.reached(s.frames, nil, true)[row[0].obj] != surely {
			t.Errorf("at least %d blocks: what is in front is reached surely: want %t", least, surely)
		}
	}
}
