package weave

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// span is what a program stores in a member that holds a number, and nowhere else lets be changed.
type span struct {
	low, high int64
	guarded   bool // by a store of what was compared with constants before: the program keeps the member in range
	any       bool // by a store of which nothing is known, or a use of its address
}

func (s *span) add(low, high int64) {
	if s.low > s.high {
		s.low, s.high = low, high
		return
	}
	s.low, s.high = min(s.low, low), max(s.high, high)
}

// spans is what a program stores in the members of its structures that hold numbers.
type spans struct {
	at   map[place]*span
	wild map[string]bool // structures that bytes are copied into, or whose address code takes for another type
}

func spansOf(m *ir.Module) *spans {
	s := &spans{map[place]*span{}, map[string]bool{}}
	for _, f := range m.Funcs {
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch {
				case in.Op == ir.OpStore && in.Args[0].Type().IsInt():
					s.store(f, vars, in)
				case in.Op == ir.OpCall:
					s.call(vars, in)
				case in.Op == ir.OpStore:
					s.leaves(vars, in.Args[0])
				}
			}
		}
	}
	return s
}

func (s *spans) get(p place) *span {
	if s.at[p] == nil {
		s.at[p] = &span{low: 1}
	}
	return s.at[p]
}

// store notes what a store writes.
func (s *spans) store(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr) {
	for _, p := range placesAt(vars, in.Args[1]) {
		if p.of == "" {
			continue
		}
		low, high, guarded, known := storedRange(f, in)
		x := s.get(p)
		x.any, x.guarded = x.any || !known, x.guarded || guarded
		if known {
			x.add(low, high)
		}
	}
}

// call notes that a called function may write what it is given the address of.
func (s *spans) call(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Model {
	case ir.ModelFree, ir.ModelMemset, ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, from := ir.Pointee(vars, uncast(in.Args[0])), ir.Pointee(vars, uncast(in.Args[1]))
		if isStruct(to) && isStruct(from) && layoutOf(to) == layoutOf(from) {
			return
		}
	}
	for _, v := range in.Args {
		if v.Type().IsPtr() {
			s.leaves(vars, v)
		}
	}
}

// leaves notes that the address v goes where its type may be lost.
func (s *spans) leaves(vars map[ir.Value]*ir.Var, v ir.Value) {
	if isMemberAddress(v) {
		for _, p := range placesAt(vars, v) {
			s.get(p).any = true
		}
	}
	if u := uncast(v); u != v {
		s.other(ir.Pointee(vars, u), 0)
	}
}

// other notes that an object of type t is taken for one of another.
func (s *spans) other(t *ir.DType, depth int) {
	if t == nil || depth > maxSteps {
		return
	}
	if t.Kind == ir.DArray {
		s.other(t.Elem, depth+1)
	}
	if t.Kind == ir.DStruct {
		s.wild[layoutOf(t)] = true
		for i := range t.Fields {
			s.other(t.Fields[i].T, depth+1)
		}
	}
}

// kept returns the range that the program keeps a member in that holds a number, by comparing what it stores there.
func (p *Program) kept(t *ir.DType, f *ir.DField) (low, high int64, ok bool) {
	layout := layoutOf(t)
	s := p.spans.at[place{of: layout, off: f.BitOff / 8}]
	if s == nil || s.any || !s.guarded || p.spans.wild[layout] || f.IsBits || !isNumber(f.T) {
		return 0, 0, false
	}
	low, high = s.low, s.high
	if !f.T.Signed {
		low = max(low, 0)
	}
	return low, high, low > -1<<62 && high < 1<<62 && f.T.Bits < 63
}

// isMemberAddress reports whether v is computed as the address of a member.
func isMemberAddress(v ir.Value) bool {
	in, ok := uncast(v).(*ir.Instr)
	return ok && in.Op == ir.OpGep
}

// storedRange returns the least and the greatest number that a store can write: a constant, or a parameter that control
// comes here with only where comparisons with constants hold.
func storedRange(f *ir.Func, in *ir.Instr) (low, high int64, guarded, known bool) {
	if c, ok := in.Args[0].(*ir.Const); ok && c.Kind == ir.ConstInt {
		n := c.Bits.Signed().Int64()
		return n, n, false, true
	}
	slot, plus := variable(in.Args[0])
	if slot == nil || plus != 0 || !spilled(f, slot) {
		return 0, 0, false, false
	}
	low, high = rangeAt(f, in.Block, slot, 0)
	return low, high, true, low > -1<<62 || high < 1<<62
}

// rangeAt returns between which numbers a parameter is where control comes to b.
func rangeAt(f *ir.Func, b *ir.Block, slot ir.Value, depth int) (low, high int64) {
	low, high = -1<<62, 1<<62
	for len(b.Preds) == 1 {
		from := b.Preds[0]
		bound(f, from, b, slot, depth, &low, &high)
		b = from
	}
	return low, high
}

// spilled reports whether a variable is a parameter that nothing else is stored in.
func spilled(f *ir.Func, slot ir.Value) bool {
	n := 0
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore && in.Args[1] == slot {
				if _, ok := in.Args[0].(*ir.Param); !ok {
					return false
				}
				n++
			}
		}
	}
	return n == 1
}

// bound narrows the range of a variable by the branch that leads from a block to another.
func bound(f *ir.Func, from, to *ir.Block, slot ir.Value, depth int, low, high *int64) {
	t := from.Term()
	if t.Op != ir.OpCondBr || t.Targets[0] == t.Targets[1] {
		return
	}
	cmp, ok := t.Args[0].(*ir.Instr)
	if !ok || cmp.Op != ir.OpIcmp {
		return
	}
	v, plus := variable(cmp.Args[0])
	if v != slot || plus != 0 {
		return
	}
	least, most := int64(-1<<62), int64(1<<62) // of what it is compared with
	if c, number := cmp.Args[1].(*ir.Const); number && c.Kind == ir.ConstInt {
		least = c.Bits.Signed().Int64()
		most = least
	} else if other, plus := variable(cmp.Args[1]); other != nil && plus == 0 && depth == 0 && spilled(f, other) {
		least, most = rangeAt(f, from, other, depth+1)
	}
	holds := t.Targets[0] == to
	switch pred := cmp.Pred; {
	case (pred == ir.SLT || pred == ir.ULT) && holds, (pred == ir.SGE || pred == ir.UGE) && !holds:
		*high = min(*high, most-1)
	case (pred == ir.SLE || pred == ir.ULE) && holds, (pred == ir.SGT || pred == ir.UGT) && !holds:
		*high = min(*high, most)
	case (pred == ir.SGT || pred == ir.UGT) && holds, (pred == ir.SLE || pred == ir.ULE) && !holds:
		*low = max(*low, least+1)
	case (pred == ir.SGE || pred == ir.UGE) && holds, (pred == ir.SLT || pred == ir.ULT) && !holds:
		*low = max(*low, least)
	}
}

// inRange assumes that a member of the structure at p+off is where the program keeps it.
func (h *harness) inRange(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	low, high, ok := h.p.kept(t, f)
	if !ok || h.given(name).Low != nil {
		return
	}
	below, above := ir.ULE, ir.UGE
	if f.T.Signed {
		below, above = ir.SLE, ir.SGE
	}
	at := ir.Int(f.T.Bits)
	v := h.load(at, h.gep(p, off+f.BitOff/8, nil, 0))
	h.assume(h.compare(above, v, h.int(at, fits(low, f.T.Bits, f.T.Signed))))
	h.assume(h.compare(below, v, h.int(at, fits(high, f.T.Bits, f.T.Signed))))
	h.note(name, "%s is %d..%d: the program stores nothing else there", name, low, high)
}
