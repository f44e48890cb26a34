package certify

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// treeEdge is an edge to a tree with kids at bytes 8 and 16 and a pointer up at byte 0, if up: object 1 of the target,
// to whose first block r leads and to whose last one p, above the tree that is object 2, to which c leads.
type treeEdge struct {
	up     bool
	first  Value // what r is in the source
	last   Value // p
	below  Value // c
	length exact.Lin
	before Value // of the target's first tree
	from   map[int]*Object
	noC    bool // nothing leads to the second tree
	noR    bool // nothing leads to the first block
	noP    bool // nothing but the second tree leads to the last block
}

func toBlock(id int) Value { return Value{Kind: Pointer, Object: id} }

// node is a block.
func node(up, left, right Value) *Object {
	o := &Object{Size: exact.C(24), Heap: true, AllWritten: true}
	for n, v := range []Value{up, left, right} {
		o.Cells = append(o.Cells, Cell{Offset: exact.C(int64(8 * n)), Size: 8, Value: v})
	}
	return o
}

func wood(up bool, length exact.Lin, end, before Value) *Object {
	return &Object{Size: exact.C(24), Heap: true, AllWritten: true,
		List: &List{Kids: []int64{8, 16}, Length: length, End: end, Doubly: up, Before: before}}
}

func (c *treeEdge) edge() *Edge {
	r, p, b := &ir.Param{Name: "r", T: ir.Ptr(64)}, &ir.Param{Name: "p", T: ir.Ptr(64), Index: 1},
		&ir.Param{Name: "c", T: ir.Ptr(64), Index: 2}
	n, m := exact.Var(1), exact.Var(2)
	free := Interval{Lo: exact.I(0), HasLo: true}
	frame := func(first, last, below Value) []Frame {
		vals := map[ir.Value]Value{r: first, p: last, b: below}
		if c.noC {
			delete(vals, b)
		}
		if c.noR {
			delete(vals, r)
		}
		if c.noP {
			delete(vals, p)
		}
		return []Frame{{Values: vals}}
	}
	last := toBlock(1)
	last.Last = true
	to := State{Frames: frame(toBlock(1), last, toBlock(2)), Objects: map[int]*Object{
		1: wood(c.up, exact.V(n), toBlock(2), c.before), 2: wood(c.up, exact.V(m), Value{Kind: Number}, last)},
		Know: Knowledge{Intervals: map[exact.Var]Interval{n: free, m: free}}}
	return &Edge{From: State{Frames: frame(c.first, c.last, c.below), Objects: c.from,
		Know: Knowledge{Intervals: map[exact.Var]Interval{0: free}}}, To: to, PointerBits: 64,
		Values: map[exact.Var]exact.Lin{n: c.length}}
}

// A pointer to the last block of a tree is one to the block that holds the tree's end. Where blocks lead up, each
// leads to the one above.
func TestLastBlockOfTrees(t *testing.T) {
	null, two := Value{Kind: Number}, exact.C(2)
	lastOf := func(id int) Value { return Value{Kind: Pointer, Object: id, Last: true} }
	// 1 leads to 2 and 4, and 2 to 3
	three := func() map[int]*Object {
		return map[int]*Object{1: node(null, toBlock(2), toBlock(4)), 2: node(toBlock(1), null, toBlock(3)),
			3: node(toBlock(2), null, null), 4: node(toBlock(1), null, null)}
	}
	above := func(length exact.Lin, before, back Value) map[int]*Object {
		return map[int]*Object{1: wood(true, length, toBlock(2), before), 2: node(back, toBlock(3), null),
			3: wood(true, exact.C(1), null, toBlock(2))}
	}
	loose := func(length exact.Lin, before Value) map[int]*Object {
		return map[int]*Object{1: wood(false, length, toBlock(2), before), 2: node(null, null, null)}
	}
	// 1 leads to 2 and 4
	leaves := func() map[int]*Object {
		return map[int]*Object{1: node(null, toBlock(2), toBlock(4)), 2: node(toBlock(1), null, null),
			4: node(toBlock(1), null, null)}
	}
	n := exact.V(0)
	spoilt := func(from map[int]*Object, id, cell int, v Value) map[int]*Object {
		from[id].Cells[cell].Value = v
		return from
	}
	for name, c := range map[string]struct {
		treeEdge
		right bool
	}{
		"blocks": {treeEdge{up: true, first: toBlock(1), last: toBlock(2), below: toBlock(3), length: exact.C(3),
			before: null, from: three()}, true},
		"the wrong block": {treeEdge{up: true, first: toBlock(1), last: toBlock(1), below: toBlock(3), length: exact.C(3),
			before: null, from: three()}, false},
		"a block that leads elsewhere": {treeEdge{up: true, first: toBlock(1), last: toBlock(2), below: toBlock(3),
			length: exact.C(3), before: null, from: spoilt(three(), 4, 0, toBlock(2))}, false},
		"a block below the end that leads elsewhere": {treeEdge{up: true, first: toBlock(1), last: toBlock(2),
			below: toBlock(3), length: exact.C(3), before: null, from: spoilt(three(), 3, 0, toBlock(1))}, false},
		"blocks that need not lead up": {treeEdge{first: toBlock(1), last: toBlock(2), below: toBlock(3),
			length: exact.C(3), from: spoilt(three(), 4, 0, toBlock(2))}, true},
		"blocks that need not lead up, the wrong one": {treeEdge{first: toBlock(1), last: toBlock(4), below: toBlock(3),
			length: exact.C(3), from: three()}, false},
		"the first block leads to another place": {treeEdge{up: true, first: toBlock(1), last: toBlock(2),
			below: toBlock(3), length: exact.C(3), before: null, from: spoilt(three(), 1, 0, toBlock(3))}, false},
		"one too many": {treeEdge{up: true, first: toBlock(1), last: toBlock(2), below: toBlock(3), length: exact.C(4),
			before: null, from: three()}, false},
		"nothing leads to the end": {treeEdge{up: true, noC: true, first: toBlock(1), last: toBlock(2), length: exact.C(3),
			before: null, from: three()}, true},
		"nothing leads to the end, another length": {treeEdge{up: true, noC: true, first: toBlock(1), last: toBlock(2),
			length: two, before: null, from: three()}, false},
		"an end without blocks": {treeEdge{up: true, noC: true, first: toBlock(1), last: toBlock(4), length: exact.C(4),
			before: null, from: three()}, true},
		"a last block that is gone": {treeEdge{up: true, noC: true, first: toBlock(1), last: toBlock(9), length: exact.C(3),
			before: null, from: three()}, false},
		"from the last block upwards": {treeEdge{up: true, noR: true, last: toBlock(2), below: toBlock(3), length: exact.C(3),
			before: null, from: three()}, true},
		"from the last block upwards, another length": {treeEdge{up: true, noR: true, last: toBlock(2), below: toBlock(3),
			length: two, before: null, from: three()}, false},
		"from the last block upwards, something else in front": {treeEdge{up: true, noR: true, last: toBlock(2),
			below: toBlock(3), length: exact.C(3), before: null, from: spoilt(three(), 1, 0, Value{Kind: Opaque})}, false},
		"upwards through a tree": {treeEdge{up: true, noR: true, last: toBlock(2), below: toBlock(3), length: n.AddInt(1),
			before: null, from: above(n, null, lastOf(1))}, true},
		"upwards through a tree, something else in front": {treeEdge{up: true, noR: true, last: toBlock(2), below: toBlock(3),
			length: n.AddInt(1), before: null, from: above(n, Value{Kind: Opaque}, lastOf(1))}, false},
		"no end at that block": {treeEdge{up: true, noC: true, first: toBlock(1), last: toBlock(1), length: exact.C(4),
			before: null, from: three()}, false},
		"no block": {treeEdge{up: true, first: toBlock(1), last: null, below: toBlock(1), before: null, from: three()},
			true},
		"no block, and something in front": {treeEdge{up: true, first: toBlock(1), last: toBlock(4), below: toBlock(1),
			before: null, from: three()}, false},
		"nothing below, under the first leaf": {treeEdge{up: true, first: toBlock(1), last: toBlock(2), below: null,
			length: exact.C(3), before: null, from: leaves()}, true},
		"nothing below, under the other leaf": {treeEdge{up: true, first: toBlock(1), last: toBlock(4), below: null,
			length: exact.C(3), before: null, from: leaves()}, true},
		"nothing below, under no leaf": {treeEdge{up: true, first: toBlock(1), last: toBlock(1), below: null,
			length: exact.C(3), before: null, from: leaves()}, false},
		"nothing else leads to the last block": {treeEdge{up: true, noP: true, first: toBlock(1), below: toBlock(3),
			length: exact.C(3), before: null, from: three()}, true},
		"nothing else leads to the last block, another length": {treeEdge{up: true, noP: true, first: toBlock(1),
			below: toBlock(3), length: two, before: null, from: three()}, false},
		"nothing else leads to the last block, which is elsewhere": {treeEdge{up: true, noP: true, first: toBlock(1),
			below: toBlock(3), length: exact.C(3), before: null, from: spoilt(three(), 3, 0, toBlock(1))}, false},
		"nothing else leads to the last block, nothing below: it may be either leaf": {treeEdge{up: true, noP: true,
			first: toBlock(1), below: null, length: exact.C(3), before: null, from: leaves()}, false},
		"a tree and a block": {treeEdge{up: true, first: toBlock(1), last: toBlock(2), below: toBlock(3),
			length: n.AddInt(1), before: null, from: above(n, null, lastOf(1))}, true},
		"a tree and a block that leads to its first": {treeEdge{up: true, first: toBlock(1), last: toBlock(2),
			below: toBlock(3), length: n.AddInt(1), before: null, from: above(n, null, toBlock(1))}, false},
		"a tree alone": {treeEdge{up: true, first: toBlock(1), last: lastOf(1), below: toBlock(2), length: n,
			before: null, from: above(n, null, lastOf(1))}, true},
		"a tree alone, its first block": {treeEdge{up: true, first: toBlock(1), last: toBlock(1), below: toBlock(2),
			length: n, before: null, from: above(n, null, lastOf(1))}, false},
		"a tree alone, with something else in front": {treeEdge{up: true, first: toBlock(1), last: lastOf(1),
			below: toBlock(2), length: n, before: null, from: above(n, Value{Kind: Opaque}, lastOf(1))}, false},
		"a tree that does not lead up": {treeEdge{first: toBlock(1), last: lastOf(1), below: toBlock(2), length: n,
			before: null, from: loose(n, null)}, true},
		"a tree that does not lead up, with something else in front": {treeEdge{first: toBlock(1), last: lastOf(1),
			below: toBlock(2), length: n, before: null, from: loose(n, Value{Kind: Other})}, false},
		"a tree that leads up in place of one that does not": {treeEdge{first: toBlock(1), last: toBlock(2),
			below: toBlock(3), length: n.AddInt(1), from: above(n, null, lastOf(1))}, true},
		"a tree that does not lead up in place of one that does": {treeEdge{up: true, first: toBlock(1), last: lastOf(1),
			below: toBlock(2), length: n, before: null, from: loose(n, null)}, false},
	} {
		ladder := linear.NewLadder(100)
		err := (&Checker{Ctx: context.Background(), Ladder: ladder}).Check(c.edge())
		ladder.Close()
		if (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}
