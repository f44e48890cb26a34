package seg

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/seg/certify"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// testBuilder has pointers of 64 bits and no program.
func testBuilder(t *testing.T) *builder {
	ladder := linear.NewLadder(100)
	t.Cleanup(ladder.Close)
	return &builder{ctx: context.Background(), m: &ir.Module{Layout: ir.Layout{PtrBits: 64}},
		ask:   &oracle{ctx: context.Background(), ladder: ladder},
		wraps: map[exact.Var]bool{}, fits: map[exact.Var]bool{}, signedFits: map[exact.Var]bool{},
		objIDs: map[string]int{}}
}

func emptyState() *state {
	return &state{know: newKnow(), objs: map[int]*object{}, owned: map[int]bool{},
		frames: []*frame{{vals: map[ir.Value]value{}}}}
}

// node makes a block of 16 bytes whose pointer at byte 8 is next.
func node(b *builder, s *state, next value) value {
	o := b.newObject(s, "node", "node", exact.C(16))
	o.heap, o.dynamic = true, true
	o.cells = []cell{{off: exact.C(8), size: 8, val: next}}
	return value{kind: ptrValue, obj: o.id}
}

func null() value { return number(exact.Lin{}, anyRep) }

func never(value) stopping { return stopping{} }

func TestFollowCountsBlocksAndLists(t *testing.T) {
	b, s := testBuilder(t), emptyState()
	last := node(b, s, null())
	n := b.newVar("n")
	s.know.lower(n, exact.I(2))
	l := b.fold(s, chain{next: 8, size: exact.C(16), heap: true, length: exact.V(n), end: last}).obj
	first := node(b, s, value{kind: ptrValue, obj: l})
	ch, ok := b.follow(s, first, 8, never)
	if want := exact.V(n).AddInt(2); !ok || !ch.length.Equal(want) || ch.end.kind != intValue {
		t.Errorf("chain %+v, %t: want the length n + 2 and the end null", ch, ok)
	}
	if ch, ok = b.follow(s, first, 8, func(v value) stopping { return stopping{before: v.obj == last.obj} }); !ok ||
		!ch.length.Equal(exact.V(n).AddInt(1)) || ch.end.obj != last.obj {
		t.Errorf("chain %+v, %t: want it to stop before the last block", ch, ok)
	}
	if _, ok = b.follow(s, first, 0, never); ok {
		t.Error("a chain along bytes that hold no pointer")
	}
	s.own(last.obj).cells[0].val = first
	if _, ok = b.follow(s, first, 8, never); ok {
		t.Error("a ring was taken for a list")
	}
}

// A list unfolds into as many cases as its length leaves open.
func TestUnfold(t *testing.T) {
	for _, c := range []struct {
		lo, hi int64
		cases  int
	}{{0, 0, 1}, {0, 1, 2}, {1, 1, 1}, {1, 9, 1}, {0, 9, 2}} {
		b, s := testBuilder(t), emptyState()
		n := b.newVar("n")
		s.know.lower(n, exact.I(c.lo))
		s.know.upper(n, exact.I(c.hi))
		id := b.fold(s, chain{next: 8, size: exact.C(16), heap: true, length: exact.V(n), end: null()}).obj
		p := &ir.Param{Name: "p", T: ir.Ptr(64)}
		s.top().vals[p] = value{kind: ptrValue, obj: id}
		out := b.unfold(s, id, false)
		if len(out) != c.cases {
			t.Errorf("length in [%d, %d]: %d cases, want %d", c.lo, c.hi, len(out), c.cases)
		}
		for _, u := range out {
			v := u.top().vals[p]
			if v.kind == intValue {
				if !v.lin.Equal(exact.Lin{}) || !b.ask.provesEq(u.know, exact.V(n)) || u.object(id) != nil {
					t.Errorf("the empty case: p = %+v", v)
				}
				continue
			}
			first, rest := u.object(v.obj), u.object(id)
			if first == nil || first.list != nil || len(first.cells) != 1 || first.cells[0].val.obj != id {
				t.Fatalf("the first block: %+v", first)
			}
			if !rest.list.length.Equal(exact.V(n).AddInt(-1)) {
				t.Errorf("the rest has length %v, want n - 1", rest.list.length)
			}
		}
	}
}

// An object that only the older state has is lost, and a list is no root: it goes when nothing leads to it.
func TestObjectsOfOneState(t *testing.T) {
	b, s := testBuilder(t), emptyState()
	node(b, s, null())
	old := s.clone()
	for _, more := range []bool{false, true} {
		if more {
			node(b, old, null())
		}
		m := &matcher{b: b, c: &cutPoint{}, old: old, s: s, j: s.clone(), havoc: map[exact.Var]bool{}}
		if m.objects(); m.lost != more || len(m.j.order) != 1 {
			t.Errorf("an older object %v: lost %v, %d objects", more, m.lost, len(m.j.order))
		}
	}
	p := &ir.Param{Name: "p", T: ir.Ptr(64)}
	s.top().vals[p] = node(b, s, null())
	ch, _ := b.follow(s, s.top().vals[p], 8, never)
	if id := b.fold(s, ch).obj; !s.objs[id].dynamic {
		t.Error("a list stays when nothing leads to it")
	}
}

// What a list hides is forgotten, what points to its start is not.
func TestFoldForgetsInnerBlocks(t *testing.T) {
	b, s := testBuilder(t), emptyState()
	second := node(b, s, null())
	first := node(b, s, second)
	p, q := &ir.Param{Name: "p", T: ir.Ptr(64)}, &ir.Param{Name: "q", T: ir.Ptr(64), Index: 1}
	s.top().vals[p], s.top().vals[q] = first, second
	ch, _ := b.follow(s, first, 8, never)
	id := b.fold(s, ch).obj
	if v := s.top().vals[p]; v.kind != ptrValue || v.obj != id {
		t.Errorf("p = %+v, want the list", v)
	}
	if v := s.top().vals[q]; v.kind != intValue || s.know.interval(v.lin).constant() {
		t.Errorf("q = %+v, want any address", v)
	}
	if s.approx == "" {
		t.Error("a forgotten address leaves the path exact")
	}
	if o := s.object(id); !o.list.length.Equal(exact.C(2)) {
		t.Errorf("length %v, want 2", o.list.length)
	}
}

// shapes compares the list lengths that two heaps get where they differ.
func TestShape(t *testing.T) {
	p := &ir.Param{Name: "p", T: ir.Ptr(64)}
	q := &ir.Param{Name: "q", T: ir.Ptr(64), Index: 1}
	row := func(b *builder, s *state, n int) value {
		v := null()
		for ; n > 0; n-- {
			v = node(b, s, v)
		}
		return v
	}
	for _, c := range []struct {
		name     string
		old, now int    // blocks behind p
		shared   string // what the older state has where the new one points to its second block
		before   int64  // list length in the older state, -1: no list
		after    int64
	}{
		{"nothing and one", 0, 1, "", 0, 1},
		{"nothing and three", 0, 3, "", 0, 3},
		{"one and nothing", 1, 0, "", 1, 0},
		{"one and one", 1, 1, "", -1, -1},
		{"one and two", 1, 2, "", 0, 1}, // behind the first block
		{"nothing and nothing", 0, 0, "", -1, -1},
		{"the second is pointed to", 0, 2, "a pointer", -1, -1}, // p's chain stops before it
		{"the second is pointed to, which is lost", 0, 2, "a number", 0, 2},
	} {
		b := testBuilder(t)
		old, s := emptyState(), emptyState()
		old.top().vals[p] = row(b, old, c.old)
		s.top().vals[p] = row(b, s, c.now)
		if c.shared != "" {
			old.top().vals[q] = number(exact.V(b.newVar("q")), unsigned)
			if c.shared == "a pointer" {
				old.top().vals[q] = value{kind: ptrValue, obj: b.newObject(old, "other", "other", exact.C(16)).id}
			}
			s.top().vals[q] = s.object(s.top().vals[p].obj).cells[0].val
		}
		into, from, changed := b.shape(old, s, 0)
		length := func(s *state) int64 {
			for _, o := range s.objs {
				if o.list != nil {
					n, _ := o.list.length.Const.Int64()
					return n
				}
			}
			return -1
		}
		if x, y := length(into), length(from); x != c.before || y != c.after || changed != (c.before >= 0) {
			t.Errorf("%s: lengths %d and %d, changed %t; want %d and %d", c.name, x, y, changed, c.before, c.after)
		}
	}
}

// A list of the older state that takes in the block behind it is a new list. An edge made before says nothing of its
// length, and is not certified with the length of the old one.
func TestGrownListIsNew(t *testing.T) {
	p := &ir.Param{Name: "p", T: ir.Ptr(64)}
	b := testBuilder(t)
	b.checker = &certify.Checker{Ctx: context.Background(), Ladder: b.ask.ladder}
	before, after := emptyState(), emptyState()
	before.top().fn = &ir.Func{Name: "f"}
	after.top().fn = before.top().fn
	list := func(s *state, end value) exact.Var {
		n := b.newVar("n")
		s.know.lower(n, exact.I(0))
		id := b.fold(s, chain{next: 8, size: exact.C(16), heap: true, length: exact.V(n), end: end}).obj
		s.top().vals[p] = value{kind: ptrValue, obj: id}
		return n
	}
	short := list(before, node(b, before, null()))
	list(after, null())
	m, slots, vals, _ := b.generalise(nil, before.clone())
	c := &cutPoint{st: m.j, slots: slots}
	e := &edge{from: c, to: c, arrived: before, st: before, vals: vals}
	if err := b.checkEdge(e); err != nil {
		t.Fatalf("the edge to the first state: %v", err)
	}
	m, slots, _, changed := b.generalise(c, after.clone())
	if !changed {
		t.Fatal("the state did not grow")
	}
	c.st, c.slots = m.j, slots
	if err := b.checkEdge(e); err != nil {
		t.Errorf("the edge, which says nothing of the new list: %v", err)
	}
	lengths := 0
	for _, sl := range slots {
		if !strings.HasPrefix(sl.key, "length of ") {
			continue
		}
		lengths++
		if _, old := vals[sl.key]; old {
			t.Errorf("%s is the length of another list", sl.key)
		}
		for n, ok := range map[int64]bool{0: false, 1: true, 2: false} {
			e.vals = map[string]exact.Lin{sl.key: exact.V(short).AddInt(n)}
			if err := b.checkEdge(e); ok != (err == nil) {
				t.Errorf("%d more than the old list: %v", n, err)
			}
		}
	}
	if lengths != 1 {
		t.Errorf("%d lists", lengths)
	}
}
