package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// span describes the numbers that a program stores in a place.
type span struct {
	value interval
	bits  int
	some  bool // something is stored there, or an initialiser puts it there
	any   bool // it may be changed in a way that is not known, or is as large as its type
	unset bool // nothing in the program gives it a number
	// a function stores other numbers there for a moment, until it returns or calls another: these
	passed  bool
	passing interval
}

// spans has a span for each member of a structure, and each variable, that holds a number.
type spans struct {
	m    *ir.Module
	at   map[place]*span
	wild map[string]bool     // structures that bytes are copied into, or whose address code takes for another type
	of   map[*ir.Instr]place // of loads and stores
	// widths of numbers that are stored, or may be, where it is not known in which members
	loose  map[int]bool
	enums  map[*ir.Param]*ir.DType // parameters of enumerations
	tables map[*ir.Global]*span    // constant tables of numbers
	raw    *raws
	soles  map[*ir.Global]*ir.Func   // volatile variables that one function alone writes
	fields map[string]map[int64]bool // bit-fields that code stores, by the layout of their structure and where they begin
	// parameters of those that calls pass something else than an enumerator, or may
	passed map[*ir.Param]bool
}

// anyWidth stands for numbers of any width.
const anyWidth = 0

// spansOf works out what m stores in its numbers. lenient: as if numbers were changed by stores to them alone, which
// says what the program seems to keep to, and nothing that holds.
func spansOf(m *ir.Module, lenient bool) *spans {
	s := &spans{m: m, at: map[place]*span{}, wild: map[string]bool{}, of: map[*ir.Instr]place{}, loose: map[int]bool{},
		enums: map[*ir.Param]*ir.DType{}, passed: map[*ir.Param]bool{}, tables: map[*ir.Global]*span{},
		fields: map[string]map[int64]bool{}}
	s.unions(m)
	for _, g := range m.Globals {
		switch {
		case g.Var == nil:
		case isNumber(g.Var.T):
			s.variable(g)
		case g.Init != nil:
			s.initial(g.Var.T, g.Init)
		}
	}
	s.addresses(m)
	s.overlays(m)
	s.devices(m)
	s.numbers(m)
	s.walks(m)
	s.enumerations(m)
	var storing []*ir.Func
	for _, f := range m.Funcs {
		if vars := f.VarsBySlot(); s.code(f, vars) {
			storing = append(storing, f)
		}
	}
	s.soles = s.soleWriters(m)
	if lenient {
		clear(s.wild)
		clear(s.loose)
		for _, x := range s.at {
			x.any = false
		}
	}
	s.solve(storing)
	return s
}

// unions notes the structures that are in a union, which a store to another member of it changes.
func (s *spans) unions(m *ir.Module) {
	eachType(m, func(t *ir.DType) {
		if t.Kind == ir.DUnion {
			s.other(t, 0)
		}
	})
}

// eachType visits the types of variables and results of m, and those that they are made of or lead to.
func eachType(m *ir.Module, see func(t *ir.DType)) {
	seen := map[*ir.DType]bool{}
	var visit func(t *ir.DType)
	visit = func(t *ir.DType) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		see(t)
		visit(t.Elem)
		for i := range t.Fields {
			visit(t.Fields[i].T)
		}
	}
	for _, g := range m.Globals {
		if g.Var != nil {
			visit(g.Var.T)
		}
	}
	for _, f := range m.Funcs {
		visit(f.DRet)
		for _, v := range f.Vars {
			visit(v.T)
		}
	}
}

// variable notes the number that a variable has at first.
func (s *spans) variable(g *ir.Global) {
	x := s.get(place{g: g})
	x.bits = g.Var.T.Bits
	if c := g.Init; g.Extern || c == nil || c.Kind != ir.ConstInt || c.Bits.Width() != x.bits {
		x.any = true
	} else {
		x.add(exactly(c, x.bits))
	}
}

// addresses notes the variables whose address is used for more than to load or store them.
func (s *spans) addresses(m *ir.Module) {
	var taken func(c *ir.Const)
	taken = func(c *ir.Const) {
		if c == nil {
			return
		}
		if c.Global != nil && s.at[place{g: c.Global}] != nil {
			s.at[place{g: c.Global}].any = true
		}
		for _, e := range c.Elems {
			taken(e)
		}
	}
	for _, g := range m.Globals {
		taken(g.Init)
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, a := range in.Args {
					c, ok := a.(*ir.Const)
					if direct := in.Op == ir.OpLoad || in.Op == ir.OpStore && i == 1; ok && !(direct && c.Off == 0) {
						taken(c)
					}
				}
			}
		}
	}
}

func (x *span) add(v interval) {
	if x.some {
		v = x.value.join(v)
	}
	x.value, x.some = v, true
}

func (s *spans) get(p place) *span {
	if s.at[p] == nil {
		s.at[p] = &span{}
	}
	return s.at[p]
}

// initial notes the numbers in an initialiser of type t. One of zeros alone says nothing: the program sets such an object
// up before it is used.
func (s *spans) initial(t *ir.DType, c *ir.Const) {
	switch {
	case t == nil || c == nil:
	case t.Kind == ir.DPointer:
		s.address(c, t)
	case c.Kind != ir.ConstAgg:
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
			case e.Kind == ir.ConstInt && (isNumber(f.T) || f.T.Kind == ir.DEnum):
				x.bits = e.Bits.Width()
				x.add(exactly(e, x.bits))
			case isNumber(f.T) || f.T.Kind == ir.DEnum:
				x.any = true
			default:
				s.initial(f.T, e)
			}
		}
	}
}

// kept returns the range that the program keeps a member in that holds a number.
func (p *Program) kept(t *ir.DType, f *ir.DField) (low, high int64, ok bool) {
	if f.IsBits || !isNumber(f.T) {
		return 0, 0, false
	}
	return p.spans.kept(place{of: layoutOf(t), off: f.BitOff / 8}, f.T)
}

// kept returns the range that the program keeps the number of type t at a place in, by comparisons, masks or remainders.
func (s *spans) kept(at place, t *ir.DType) (low, high int64, ok bool) {
	x := s.at[at]
	if x == nil || !x.some || x.any || s.wild[at.of] || x.bits != t.Bits || x.bits > 60 || !x.value.limited {
		return 0, 0, false
	}
	v := x.value
	if x.passed && s.soles[at.g] != nil {
		v = v.join(x.passing)
	}
	low, high = v.ulow, v.uhigh
	if t.Signed {
		low, high = v.slow, v.shigh
	}
	all := full(x.bits)
	return low, high, t.Signed && (low > all.slow || high < all.shigh) || !t.Signed && (low > 0 || high < all.uhigh)
}

// keptNote says of a number, which it names, that it is in a range.
const keptNote = "%s is %d..%d: the program stores nothing else there"

// leftNote says so of one that has others for a moment.
const leftNote = "%s is %d..%d: the program leaves nothing else there where a function ends, or calls another"

// inRange assumes that a member of the structure at p+off is where the program keeps it.
func (h *harness) inRange(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	low, high, ok := h.p.kept(t, f)
	if h.given(name).Low != nil {
		return
	}
	if !ok {
		h.hint(name, t, f, p, off)
		return
	}
	v := h.load(ir.Int(f.T.Bits), h.gep(p, off+f.BitOff/8, nil, 0))
	least, most := h.bounds(v, low, high, f.T.Signed)
	in := []ir.Value{h.assume(least), h.assume(most)}
	at, note := place{of: layoutOf(t), off: f.BitOff / 8}, keptNote
	if h.p.spans.at[at].passed {
		note = leftNote
	}
	brings(h.note(name, verdict.Interval, verdict.Chosen, note, name, low, high), in...)
}

// hint notes that a member of the structure at p+off, which the program stores numbers in, has contents that the harness
// made up: what fails because of them is no finding, unless calls bring them about. Numbers that the program only reads
// are its caller's.
func (h *harness) hint(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	what, bits := "any", max(8, f.T.Bits&^7)
	switch at := (place{of: layoutOf(t), off: f.BitOff / 8}); {
	case f.IsBits:
		if !h.p.spans.fields[at.of][f.BitOff] {
			return
		}
		bits = 8
	case !isNumber(f.T) && f.T.Kind != ir.DEnum:
		return
	default:
		x := h.p.seems.at[at]
		if x == nil || !x.some {
			return
		}
		if low, high, ok := h.p.seems.kept(at, f.T); ok {
			what = fmt.Sprintf("%d..%d", low, high)
		} else if f.T.Kind != ir.DEnum && x.value.ulow == 0 && x.value.uhigh == 0 {
			return // zeros alone say nothing: they set up or reset what is the caller's
		}
	}
	a := verdict.Assume(name, verdict.Contents, verdict.Chosen, fmt.Sprintf("%s.%s: %s", h.of.CName, name, what))
	h.out.Open = verdict.AddAssumptions(h.out.Open, a)
	v := h.load(ir.Int(bits), h.gep(p, off+f.BitOff/8, nil, 0))
	brings(a.ID, h.assume(h.compare(ir.EQ, v, v)))
}
