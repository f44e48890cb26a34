package certify

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// A number of the target, of eight bits, is that of the source in its own reading of the same bits.
func TestReadings(t *testing.T) {
	v, other, n, m := exact.Var(0), exact.Var(1), exact.Var(2), exact.Var(3)
	for _, c := range []struct {
		name   string
		as     Reading // of v, in the source
		lo, hi int64
		to     Reading // of n, in the target
		plus   int64   // n is v and this
		right  bool
	}{
		{"the same", Signed, -128, 127, Signed, 0, true},
		{"one more", Signed, -128, 126, Signed, 1, false},
		{"one that has no sign", Signed, 0, 127, Unsigned, 0, true},
		{"one that may have a sign", Signed, -1, 127, Unsigned, 0, false},
		{"one that may be too large", Unsigned, 0, 128, Signed, 0, false},
		{"one that is not too large", Unsigned, 0, 127, Signed, 0, true},
		{"a negative one", Unsigned, 128, 255, Signed, -256, true},
		{"a negative one, one too far", Unsigned, 127, 255, Signed, -256, false},
		{"other bits", Unsigned, 128, 255, Signed, -255, false},
		{"half the bits", Unsigned, 128, 255, Signed, -128, false},
		{"either reading", Signed, 0, 127, Either, 0, true},
		{"either reading of one that may have a sign", Signed, -1, 127, Either, 0, false},
		{"either reading of one that may be too large", Unsigned, 0, 128, Either, 0, false},
		{"one of which either reading is the same", Either, 0, 127, Unsigned, 0, true},
	} {
		x := &ir.Param{Name: "x", T: ir.Int(8)}
		state := func(as Reading, v exact.Var, lo, hi int64) State {
			return State{Frames: []Frame{{Values: map[ir.Value]Value{x: {Kind: Number, Reading: as, Lin: exact.V(v)}}}},
				Know: Knowledge{Intervals: map[exact.Var]Interval{v: {Lo: exact.I(lo), Hi: exact.I(hi), HasLo: true, HasHi: true}}}}
		}
		certified(t, c.name, &Edge{From: state(c.as, v, c.lo, c.hi), To: state(c.to, n, -256, 255), PointerBits: 64,
			Values: map[exact.Var]exact.Lin{n: exact.V(v).AddInt(c.plus)}}, c.right)
	}
	any := func(lo, hi int64) Interval {
		return Interval{Lo: exact.I(lo), Hi: exact.I(hi), HasLo: true, HasHi: true}
	}
	for _, c := range []struct {
		name   string
		change func(e *Edge, x, y ir.Value)
		right  bool
	}{
		{"any number", func(*Edge, ir.Value, ir.Value) {}, true},
		{"a number of the source that nothing is known of", func(e *Edge, _, _ ir.Value) { e.Values[n] = exact.V(v) }, true},
		{"fewer numbers", func(e *Edge, _, _ ir.Value) { e.To.Know.Intervals[n] = any(-127, 127) }, false},
		{"a number of the source that is smaller", func(e *Edge, _, _ ir.Value) {
			e.Values[n], e.From.Know.Intervals[v] = exact.V(v), any(-128, 126)
		}, false},
		{"one number", func(e *Edge, _, _ ir.Value) { e.Values[n] = exact.C(3) }, false},
		{"one more than any number", func(e *Edge, _, _ ir.Value) { e.Values[n] = exact.V(v).AddInt(1) }, false},
		{"one number at two places", func(e *Edge, x, y ir.Value) { e.To.Frames[0].Values[y] = e.To.Frames[0].Values[x] }, false},
		{"one number of the source at two places", func(e *Edge, _, _ ir.Value) { e.Values[n], e.Values[m] = exact.V(v), exact.V(v) }, false},
		{"two numbers of the source", func(e *Edge, _, _ ir.Value) { e.Values[n], e.Values[m] = exact.V(v), exact.V(other) }, true},
		{"a number that stands elsewhere in the source", func(e *Edge, x, y ir.Value) {
			e.Values[n], e.From.Frames[0].Values[y] = exact.V(v), Value{Kind: Number, Reading: Signed, Lin: exact.V(v)}
			e.Values[m] = exact.V(v)
		}, false},
		{"nothing is said of it", func(e *Edge, x, _ ir.Value) { e.To.Frames[0].Values[x] = Value{Kind: Opaque} }, true},
	} {
		x, y := &ir.Param{Name: "x", T: ir.Int(8)}, &ir.Param{Name: "y", T: ir.Int(8), Index: 1}
		number := func(v exact.Var) Value { return Value{Kind: Number, Reading: Signed, Lin: exact.V(v)} }
		e := &Edge{From: State{Frames: []Frame{{Values: map[ir.Value]Value{x: {Kind: Opaque}, y: {Kind: Opaque}}}},
			Know: Knowledge{Intervals: map[exact.Var]Interval{v: any(-128, 127), other: any(-128, 127)}}},
			To: State{Frames: []Frame{{Values: map[ir.Value]Value{x: number(n), y: number(m)}}},
				Know: Knowledge{Intervals: map[exact.Var]Interval{n: any(-128, 127), m: any(-128, 127)}}},
			PointerBits: 64, Values: map[exact.Var]exact.Lin{}}
		c.change(e, x, y)
		certified(t, c.name, e, c.right)
	}
}
