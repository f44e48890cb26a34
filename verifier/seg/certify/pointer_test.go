package certify

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// A pointer to a list without blocks is one to what it ends with, as far behind that as it is behind what is linked; one
// to a list that may have a block is not.
func TestPointersPastEmptyLists(t *testing.T) {
	to := func(object int, last bool, off int64) Value {
		return Value{Kind: Pointer, Object: object, Last: last, Lin: exact.C(off)}
	}
	n := exact.Var(0)
	between := func(length exact.Lin, doubly bool) State {
		return State{Objects: map[int]*Object{
			1: {Size: exact.C(16)},
			2: {Size: exact.C(24), Heap: true, List: &List{Next: 8, At: 8, Length: length, End: to(1, false, 0),
				Doubly: doubly, Prev: 16, BackAt: 8, Before: to(3, true, 8)}},
			3: {Size: exact.C(24), Heap: true, List: &List{Next: 8, At: 8, Length: exact.V(n), End: to(2, false, 8),
				Doubly: doubly, Prev: 16, BackAt: 8, Before: to(1, false, 0)}},
		}, Know: Knowledge{Intervals: map[exact.Var]Interval{n: {Lo: exact.I(0), HasLo: true}}}}
	}
	ladder := linear.NewLadder(100)
	t.Cleanup(ladder.Close)
	for _, c := range []struct {
		name   string
		length exact.Lin
		doubly bool
		x, y   Value
		same   bool
	}{
		{"its end", exact.Lin{}, true, to(2, false, 8), to(1, false, 0), true},
		{"the start of its first block", exact.Lin{}, true, to(2, false, 0), to(1, false, -8), true},
		{"the start of its first block, not its end", exact.Lin{}, true, to(2, false, 0), to(1, false, 0), false},
		{"what is in front", exact.Lin{}, true, to(2, true, 8), to(3, true, 8), true},
		{"what is in front, not its end", exact.Lin{}, true, to(2, true, 8), to(1, false, 0), false},
		{"the other edge in front", exact.Lin{}, true, to(2, true, 8), to(3, false, 8), false},
		{"no edge", exact.Lin{}, false, to(2, true, 8), to(3, true, 8), false},
		{"one block", exact.C(1), true, to(2, false, 8), to(1, false, 0), false},
		{"any number of blocks", exact.V(n), true, to(2, false, 8), to(1, false, 0), false},
	} {
		k := &check{Checker: &Checker{Ctx: context.Background(), Ladder: ladder},
			e: &Edge{From: between(c.length, c.doubly), PointerBits: 64}}
		k.k = &k.e.From.Know
		if k.samePointer(c.x, c.y) != c.same || k.samePointer(c.y, c.x) != c.same {
			t.Errorf("%s: want the same pointer: %t", c.name, c.same)
		}
	}
	ring := between(exact.Lin{}, true)
	ring.Objects[2].List.End = to(3, false, 8)
	ring.Objects[3].List.Length = exact.Lin{}
	k := &check{Checker: &Checker{Ctx: context.Background(), Ladder: ladder}, e: &Edge{From: ring, PointerBits: 64}}
	k.k = &k.e.From.Know
	if k.samePointer(to(2, false, 8), to(1, false, 0)) {
		t.Error("lists without blocks that lead to each other end somewhere")
	}
}
