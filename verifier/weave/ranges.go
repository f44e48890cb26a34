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

// most is beyond the numbers that ranges are made of.
const most = 1 << 62

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
	for _, g := range m.Globals {
		if g.Var != nil && g.Init != nil {
			s.initial(g.Var.T, g.Init)
		}
	}
	for _, f := range m.Funcs {
		vars := f.VarsBySlot()
		g := &guards{f: f, vars: vars}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch {
				case in.Op == ir.OpStore && in.Args[0].Type().IsInt():
					s.store(g, in)
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

// initial notes the numbers in an initialiser of type t. One of zeros alone says nothing: the program sets such an object
// up before it is used.
func (s *spans) initial(t *ir.DType, c *ir.Const) {
	switch {
	case t == nil || c == nil || c.Kind != ir.ConstAgg:
	case t.Kind == ir.DArray:
		for _, e := range c.Elems {
			s.initial(t.Elem, e)
		}
	case t.Kind == ir.DStruct && len(c.Elems) != len(t.Fields):
		s.other(t, 0)
	case t.Kind == ir.DStruct:
		for i := range t.Fields {
			f, e := &t.Fields[i], c.Elems[i]
			switch x := s.get(place{of: layoutOf(t), off: f.BitOff / 8}); {
			case f.IsBits || f.T == nil:
			case e.Kind == ir.ConstInt && isNumber(f.T):
				n := e.Bits.Signed().Int64()
				x.add(n, n)
			case isNumber(f.T):
				x.any = true
			default:
				s.initial(f.T, e)
			}
		}
	}
}

// store notes what a store writes.
func (s *spans) store(g *guards, in *ir.Instr) {
	for _, p := range placesAt(g.vars, in.Args[1]) {
		if p.of == "" {
			continue
		}
		low, high, guarded, known := g.stored(in)
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
	if f.T.Bits > 62 || s.low != fits(s.low, f.T.Bits, f.T.Signed) || s.high != fits(s.high, f.T.Bits, f.T.Signed) {
		return 0, 0, false
	}
	return s.low, s.high, true
}

// isMemberAddress reports whether v is computed as the address of a member.
func isMemberAddress(v ir.Value) bool {
	in, ok := uncast(v).(*ir.Instr)
	return ok && in.Op == ir.OpGep
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
