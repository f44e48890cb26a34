package seg

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cutPoint is a generalised state: a location of the system. Each number in it is a
// variable of its own, a slot.
type cutPoint struct {
	id     int
	pos    string
	st     *state
	slots  []slot
	merges int
	edges  []*edge
	dirty  bool // not expanded since its state changed
	busy   bool // waits to be expanded

	outdated bool // expanded with a summary that has grown since

	tracked []tracked // cells at places that depend on the slots

	returns []returnRun  // runs from here that return from a recursive function
	uses    []summaryUse // summaries that runs from here rest on
	exits   []*edge      // to the summaries' states

	faults []Fault // of the paths from here

	repairs   int  // times it was expanded again because an edge was not certified
	refreshed bool // expanded once more for the sake of numbers that came later
}

// slot is a number that a generalised state keeps.
type slot struct {
	key, name string
	v         exact.Var
	width     int // bits; 0 for numbers that are not of a machine type
	rep       rep
	limit     *exact.Lin // an upper bound worth trying
	isSize    bool       // of an object
	object    string     // of an offset: the key of its object, if that has no constant size
}

// edge is a path from a generalised state to another, or to the end (to nil).
type edge struct {
	from, to *cutPoint
	st       *state
	arrived  *state               // st before its heap was made to correspond to that of the target
	proved   *state               // the target's state for which the edge is certified
	vals     map[string]exact.Lin // by the slot's key
	tag      string
	overflow bool // ends in signed overflow
	loses    bool // may leave out heap memory of the path
}

// place is a number in a state under construction.
type place struct {
	slot
	was   exact.Lin // its value in the generalised state so far
	other exact.Lin // its value in the state that is merged in
}

// placeholder stands for place number n until its slot has a variable.
func placeholder(n int) exact.Var { return exact.Var(-10 - n) }

// label names a value in its function.
func (b *builder) label(v ir.Value) string {
	switch v := v.(type) {
	case *ir.Instr:
		return fmt.Sprintf("%s%d", v.Name, v.ID)
	case *ir.Param:
		return "param " + v.Name
	}
	return "?"
}

// tidy prepares an arriving state: what nobody reads any more goes.
func (b *builder) tidy(s *state) {
	for n, f := range s.frames {
		idx := f.idx
		if n < len(s.frames)-1 {
			idx++ // its call has its arguments
		}
		live := b.liveAt(f.fn, f.blk, idx)
		for v := range f.vals {
			if in, ok := v.(*ir.Instr); ok && in.Op == ir.OpAlloca {
				continue
			}
			if !live[v] && !isGhost(v) {
				delete(f.vals, v)
			}
		}
	}
	b.dropDead(s)
}

// keepConstantPlaces leaves the cells whose place is constant, in order, and not too many.
func (s *state) keepConstantPlaces() {
	for _, id := range append([]int(nil), s.order...) {
		o := s.objs[id]
		scalar := 0
		for _, c := range o.cells {
			if !c.off.IsConst() {
				scalar = policy.StateCells
			}
			scalar++
		}
		if scalar <= policy.StateCells && sort.SliceIsSorted(o.cells,
			func(i, j int) bool { return o.cells[i].off.Const.Cmp(o.cells[j].off.Const) < 0 }) {
			continue
		}
		s.own(id).keepConstantPlaces()
	}
}

func (o *object) keepConstantPlaces() {
	kept := o.cells[:0]
	for _, c := range o.cells {
		if c.off.IsConst() {
			kept = append(kept, c)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].off.Const.Cmp(kept[j].off.Const) < 0 })
	if len(kept) > policy.StateCells {
		kept = kept[:policy.StateCells]
	}
	if len(kept) < len(o.cells) {
		o.rest = unknownBytes
	}
	o.cells = kept
}

// undecided is a live condition whose outcome is not known, if there is one.
func (b *builder) undecided(s *state) (int, ir.Value, bool) {
	for n, f := range s.frames {
		for _, v := range sortedValues(f.vals) {
			c := f.vals[v]
			if c.kind != boolValue {
				continue
			}
			if h, known := b.decide(s, c.cond); known {
				f.vals[v] = value{kind: boolValue, cond: truth(h)}
				continue
			}
			return n, v, true
		}
	}
	return 0, nil, false
}

func sortedValues(m map[ir.Value]value) []ir.Value {
	out := make([]ir.Value, 0, len(m))
	for v := range m {
		out = append(out, v)
	}
	rank := func(v ir.Value) int {
		switch v := v.(type) {
		case *ir.Param:
			return v.Index
		case *ir.Instr:
			return 1000 + v.ID
		}
		return 0
	}
	sort.Slice(out, func(i, j int) bool { return rank(out[i]) < rank(out[j]) })
	return out
}

// cellName names a cell as in C as far as that is cheap.
func (b *builder) cellName(o *object, off exact.Int, size int64) string {
	if off.IsZero() && o.size.IsConst() && o.size.Const.Equal(exact.I(size)) {
		return o.name
	}
	return o.name + "+" + off.String()
}
