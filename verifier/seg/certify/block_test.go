package certify

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// blockEdge is an edge with blocks 1 and 2, to which p and q lead; in the target 1 has base n, which is number v in the source.
func blockEdge() *Edge {
	p, q := &ir.Param{Name: "p", T: ir.Ptr(64)}, &ir.Param{Name: "q", T: ir.Ptr(64), Index: 1}
	x := &ir.Param{Name: "x", T: ir.Int(32), Index: 2}
	v, other, n, m := exact.Var(0), exact.Var(1), exact.Var(2), exact.Var(3)
	state := func() State {
		block := func() *Object {
			return &Object{Size: exact.C(16), Heap: true, Align: 8, Written: []Span{{0, 8}},
				Cells: []Cell{{Offset: exact.C(0), Size: 8, Value: Value{Kind: Number, Lin: exact.C(5)}}}}
		}
		return State{Frames: []Frame{{Values: map[ir.Value]Value{p: toBlock(1), q: toBlock(2), x: {Kind: Number, Lin: exact.V(other)}}}},
			Objects: map[int]*Object{1: block(), 2: block()},
			Know:    Knowledge{Intervals: map[exact.Var]Interval{v: {}, other: {}}}}
	}
	e := &Edge{From: state(), To: state(), PointerBits: 64, Values: map[exact.Var]exact.Lin{n: exact.V(v), m: exact.V(other)}}
	delete(e.To.Frames[0].Values, x)
	e.To.Know = Knowledge{Intervals: map[exact.Var]Interval{n: {}, m: {}}}
	e.To.Objects[1].HasBase, e.To.Objects[1].Base = true, exact.V(n)
	return e
}

// A block of the target stands for a block of the source that is of its kind, holds what it says, and has its address; one
// that nobody asked for is any number of which the source says nothing.
func TestBlocks(t *testing.T) {
	v, other, n := exact.Var(0), exact.Var(1), exact.Var(2)
	g := &ir.Global{Name: "g"}
	for _, c := range []struct {
		name   string
		change func(from, to *State, e *Edge)
		right  bool
	}{
		{"as it is", func(_, _ *State, _ *Edge) {}, true},
		{"another size", func(_, to *State, _ *Edge) { to.Objects[1].Size = exact.C(8) }, false},
		{"memory of another kind", func(_, to *State, _ *Edge) { to.Objects[1].Heap = false }, false},
		{"known pointers only", func(_, to *State, _ *Edge) { to.Objects[1].Private = true }, false},
		{"known pointers only, in both", func(from, to *State, _ *Edge) { from.Objects[1].Private, to.Objects[1].Private = true, true }, true},
		{"the end of its scope", func(from, _ *State, _ *Edge) { from.Objects[1].Ended = true }, false},
		{"no end of its scope", func(_, to *State, _ *Edge) { to.Objects[1].Ended = true }, true},
		{"more alignment", func(_, to *State, _ *Edge) { to.Objects[1].Align = 16 }, false},
		{"less alignment", func(_, to *State, _ *Edge) { to.Objects[1].Align = 4 }, true},
		{"no alignment in the source", func(from, _ *State, _ *Edge) { from.Objects[1].Align = 4 }, false},
		{"a global", func(_, to *State, _ *Edge) { to.Objects[1].Global = g }, false},
		{"all bytes are written", func(_, to *State, _ *Edge) { to.Objects[1].AllWritten = true }, false},
		{"more bytes are written", func(_, to *State, _ *Edge) { to.Objects[1].Written = []Span{{0, 9}} }, false},
		{"bytes in front are written", func(from, _ *State, _ *Edge) { from.Objects[1].Written = []Span{{1, 8}} }, false},
		{"other bytes are written", func(_, to *State, _ *Edge) { to.Objects[1].Written = []Span{{8, 16}} }, false},
		{"fewer bytes are written", func(_, to *State, _ *Edge) { to.Objects[1].Written = []Span{{1, 7}} }, true},
		{"all bytes of the source are written", func(from, to *State, _ *Edge) {
			from.Objects[1].AllWritten, to.Objects[1].Written = true, []Span{{0, 16}}
		}, true},
		{"another number in it", func(_, to *State, _ *Edge) { to.Objects[1].Cells[0].Value.Lin = exact.C(6) }, false},
		{"a number elsewhere in it", func(_, to *State, _ *Edge) { to.Objects[1].Cells[0].Offset = exact.C(8) }, false},
		{"nothing is said of the number", func(_, to *State, _ *Edge) { to.Objects[1].Cells = nil }, true},
		{"nothing is known of the number", func(from, _ *State, _ *Edge) { from.Objects[1].Cells = nil }, false},
		{"zeros", func(_, to *State, _ *Edge) { to.Objects[1].Rest = Zero }, false},
		{"zeros in both", func(from, to *State, _ *Edge) { from.Objects[1].Rest, to.Objects[1].Rest = Zero, Zero }, true},
		{"zeros in both, but for a number", func(from, to *State, _ *Edge) {
			from.Objects[1].Rest, to.Objects[1].Rest, to.Objects[1].Cells = Zero, Zero, nil
		}, false},
		{"an address that the source knows", func(from, _ *State, _ *Edge) { from.Objects[1].HasBase, from.Objects[1].Base = true, exact.V(v) }, true},
		{"another address", func(from, _ *State, _ *Edge) { from.Objects[1].HasBase, from.Objects[1].Base = true, exact.V(other) }, false},
		{"one number as an address", func(_, _ *State, e *Edge) { e.Values[n] = exact.C(4096) }, false},
		{"a multiple as an address", func(_, _ *State, e *Edge) { e.Values[n] = exact.V(v).Add(exact.V(v)) }, false},
		{"a number that is known as an address", func(from, _ *State, _ *Edge) {
			from.Know.Intervals[v] = Interval{Lo: exact.I(4096), Hi: exact.I(4096), HasLo: true, HasHi: true}
		}, false},
		{"a number that stands elsewhere as an address", func(_, _ *State, e *Edge) { e.Values[n] = exact.V(other) }, false},
		{"one address of two blocks", func(_, to *State, _ *Edge) { to.Objects[2].HasBase, to.Objects[2].Base = true, exact.V(n) }, false},
		{"a pointer to nothing", func(from, _ *State, _ *Edge) { delete(from.Objects, 1) }, false},
		{"a number for a pointer", func(from, _ *State, _ *Edge) {
			for k, x := range from.Frames[0].Values {
				if x.Object == 1 {
					from.Frames[0].Values[k] = Value{Kind: Number}
				}
			}
		}, false},
		{"a pointer into the block", func(from, _ *State, _ *Edge) { lead(from, 1, Value{Kind: Pointer, Object: 1, Lin: exact.C(8)}) }, false},
		{"one into the block, in both", func(from, to *State, _ *Edge) {
			lead(from, 1, Value{Kind: Pointer, Object: 1, Lin: exact.C(8)})
			lead(to, 1, Value{Kind: Pointer, Object: 1, Lin: exact.C(8)})
		}, true},
		{"one block for two", func(from, _ *State, _ *Edge) { lead(from, 2, toBlock(1)) }, false},
		{"two blocks for one", func(_, to *State, _ *Edge) { lead(to, 2, toBlock(1)) }, false},
		{"a list in place of a block", func(from, _ *State, _ *Edge) { from.Objects[1].List = &List{Length: exact.C(1)} }, false},
	} {
		e := blockEdge()
		c.change(&e.From, &e.To, e)
		certified(t, c.name, e, c.right)
	}
}

// lead has what leads to a block lead elsewhere.
func lead(s *State, id int, to Value) {
	for k, x := range s.Frames[0].Values {
		if x.Object == id {
			s.Frames[0].Values[k] = to
		}
	}
}

func certified(t *testing.T, name string, e *Edge, right bool) {
	t.Helper()
	ladder := linear.NewLadder(100)
	defer ladder.Close()
	if err := (&Checker{Ctx: context.Background(), Ladder: ladder}).Check(e); (err == nil) != right {
		t.Errorf("%s: %v", name, err)
	}
}

// What blocks of a list own are blocks like it says, as many as it says, up to where it says that they end.
func TestOwnedMemory(t *testing.T) {
	null, p := Value{Kind: Number}, &ir.Param{Name: "p", T: ir.Ptr(64)}
	block := func(next, owned Value) *Object {
		return &Object{Size: exact.C(16), Heap: true, AllWritten: true, Cells: []Cell{{Offset: exact.C(0), Size: 8, Value: next},
			{Offset: exact.C(8), Size: 8, Value: owned}}}
	}
	zero := Held{Kind: Number}
	for _, c := range []struct {
		name   string
		change func(from map[int]*Object, own *Owned)
		right  bool
	}{
		{"a chain of two", func(map[int]*Object, *Owned) {}, true},
		{"no chain", func(from map[int]*Object, _ *Owned) { from[1].Cells[1].Value = null }, true},
		{"no chain, where there is one", func(from map[int]*Object, own *Owned) { own.Least, from[1].Cells[1].Value = 1, null }, false},
		{"at least two", func(_ map[int]*Object, own *Owned) { own.Least = 2 }, true},
		{"at least three", func(_ map[int]*Object, own *Owned) { own.Least = 3 }, false},
		{"just one", func(_ map[int]*Object, own *Owned) { own.Least, own.Exactly = 1, true }, false},
		{"just two", func(_ map[int]*Object, own *Owned) { own.Least, own.Exactly = 2, true }, true},
		{"the end is not known", func(from map[int]*Object, _ *Owned) { from[3].Cells[0].Value = Value{Kind: Opaque} }, false},
		{"nothing is known of the end", func(from map[int]*Object, _ *Owned) { from[3].Cells = nil }, false},
		{"a number as the end", func(from map[int]*Object, _ *Owned) { from[3].Cells[0].Value.Lin = exact.C(1) }, false},
		{"the block itself as the end", func(from map[int]*Object, own *Owned) {
			own.End, from[3].Cells[0].Value = Held{Kind: Pointer}, toBlock(1)
		}, true},
		{"another place of it as the end", func(from map[int]*Object, own *Owned) {
			own.End, from[3].Cells[0].Value = Held{Kind: Pointer, At: 8}, toBlock(1)
		}, false},
		{"null where the block is the end", func(_ map[int]*Object, own *Owned) { own.End = Held{Kind: Pointer} }, false},
		{"a ring", func(from map[int]*Object, _ *Owned) { from[3].Cells[0].Value = toBlock(2) }, false},
		{"a block of another size", func(from map[int]*Object, _ *Owned) { from[3].Size = exact.C(24) }, false},
		{"a block that is not of the heap", func(from map[int]*Object, _ *Owned) { from[3].Heap = false }, false},
		{"a block that is not written", func(from map[int]*Object, _ *Owned) { from[3].AllWritten = false }, false},
		{"a pointer into a block", func(from map[int]*Object, _ *Owned) { from[2].Cells[0].Value.Lin = exact.C(8) }, false},
		{"a block that is gone", func(from map[int]*Object, _ *Owned) { delete(from, 3) }, false},
		{"a tree", func(from map[int]*Object, own *Owned) {
			own.Shape.List.Kids, own.Least, own.Exactly, from[2].Cells[1].Value, from[4] = []int64{0, 8}, 3, true, toBlock(4), block(null, null)
		}, true},
		{"a tree of another size", func(from map[int]*Object, own *Owned) {
			own.Shape.List.Kids, own.Least, own.Exactly, from[2].Cells[1].Value, from[4] = []int64{0, 8}, 2, true, toBlock(4), block(null, null)
		}, false},
		{"a tree with a loop", func(from map[int]*Object, own *Owned) {
			own.Shape.List.Kids, from[2].Cells[1].Value = []int64{0, 8}, toBlock(3)
		}, false},
		{"a tree of which a pointer is not known", func(from map[int]*Object, own *Owned) {
			own.Shape.List.Kids, from[2].Cells = []int64{0, 8}, from[2].Cells[:1]
		}, false},
		{"one block", func(from map[int]*Object, own *Owned) { own.Single, own.Least, own.Exactly = true, 1, true }, true},
		{"one block, where there is none", func(from map[int]*Object, own *Owned) {
			own.Single, own.Least, own.Exactly, from[1].Cells[1].Value = true, 1, true, null
		}, false},
	} {
		own := &Owned{Shape: Object{Size: exact.C(16), Heap: true, AllWritten: true, List: &List{}}, End: zero}
		from := map[int]*Object{1: block(null, toBlock(2)), 2: block(toBlock(3), null), 3: block(null, null)}
		c.change(from, own)
		to := &Object{Size: exact.C(16), Heap: true, AllWritten: true, List: &List{Length: exact.V(1), End: null,
			Members: []Member{{Offset: 8, Size: 8, Cases: []Held{{Kind: Pointer, Own: own}}}}}}
		frames := func() []Frame { return []Frame{{Values: map[ir.Value]Value{p: toBlock(1)}}} }
		e := &Edge{From: State{Frames: frames(), Objects: from}, To: State{Frames: frames(), Objects: map[int]*Object{1: to},
			Know: Knowledge{Intervals: map[exact.Var]Interval{1: {Lo: exact.I(0), HasLo: true}}}}, PointerBits: 64,
			Values: map[exact.Var]exact.Lin{1: exact.C(1)}}
		certified(t, c.name, e, c.right)
	}
}
