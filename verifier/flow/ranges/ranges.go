// Package ranges says which numbers a program stores in its variables and members: an interval for each, by what every
// store, initialiser, copy and fill may leave there. It reads ir alone, by the objects of package places.
package ranges

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// span describes the numbers that a program stores in a place.
type span struct {
	Value Interval
	Bits  int
	Some  bool // something is stored there, or an initialiser puts it there
	Any   bool // it may be changed in a way that is not known, or is as large as its type
	Unset bool // nothing in the program gives it a number
	// a function stores other numbers there for a moment, until it returns or calls another: these
	Passed  bool
	passing Interval
}

// Table has a span for each member of a structure, and each variable, that holds a number.
type Table struct {
	m       *ir.Module
	At      map[places.Place]*span
	Wild    map[string]bool            // structures that bytes are copied into, or whose address code takes for another type
	Devices map[string]bool            // structures that are the registers of a device, for all that the program says
	Of      map[*ir.Instr]places.Place // of loads and stores
	// widths of numbers that are stored, or may be, where it is not known in which members
	Loose   map[int]bool
	lenient bool
	enums   map[*ir.Param]*ir.DType // parameters of enumerations
	tables  map[*ir.Global]*span    // constant tables of numbers
	raw     *raws
	Soles   map[*ir.Global]*ir.Func   // volatile variables that one function alone writes
	Fields  map[string]map[int64]bool // bit-fields that code stores, by the layout of their structure and where they begin
	// parameters of those that calls pass something else than an enumerator, or may
	passed map[*ir.Param]bool
	whole  bool // the program has its main function: other files have no part in it
}

// anyWidth stands for numbers of any width.
const anyWidth int = 0

// Of works out what m stores in its numbers. lenient: as if numbers were changed by stores to them alone, which
// says what the program seems to keep to, and nothing that holds.
func Of(m *ir.Module, lenient bool) *Table {
	s := &Table{m: m, At: map[places.Place]*span{}, Wild: map[string]bool{}, Devices: map[string]bool{},
		Of:    map[*ir.Instr]places.Place{},
		Loose: map[int]bool{},
		enums: map[*ir.Param]*ir.DType{}, passed: map[*ir.Param]bool{}, tables: map[*ir.Global]*span{},
		Fields: map[string]map[int64]bool{}, lenient: lenient}
	if main := m.Func("main"); main != nil {
		s.whole = !main.IsDecl()
	}
	s.unions(m)
	for _, g := range m.Globals {
		switch {
		case g.Var == nil:
		case HoldsNumber(g):
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
	s.Soles = s.soleWriters(m)
	if lenient {
		clear(s.Wild)
		clear(s.Loose)
		for _, x := range s.At {
			x.Any = false
		}
	}
	s.solve(storing)
	return s
}

// unions notes the structures that are in a union, which a store to another member of it changes.
func (s *Table) unions(m *ir.Module) {
	ir.EachType(m, func(t *ir.DType) {
		if t.Kind == ir.DUnion {
			s.other(t, 0)
		}
	})
}

// HoldsNumber reports a variable that is a number, or a volatile one of an enumeration or a truth value.
func HoldsNumber(g *ir.Global) bool {
	return g.Var != nil && g.Var.T != nil && (ir.IsNumber(g.Var.T) ||
		g.Var.T.Volatile && (g.Var.T.Kind == ir.DEnum || g.Var.T.Kind == ir.DBool && g.Var.T.Bits == 8))
}

// variable notes the number that a variable has at first.
func (s *Table) variable(g *ir.Global) {
	x := s.get(places.Place{Global: g})
	x.Bits = g.Var.T.Bits
	if c := g.Init; g.Extern || c == nil || c.Kind != ir.ConstInt || c.Bits.Width() != x.Bits {
		x.Any = true
	} else {
		x.add(exactly(c, x.Bits))
	}
}

// addresses notes the variables whose address is used for more than to load or store them.
func (s *Table) addresses(m *ir.Module) {
	var taken func(c *ir.Const)
	taken = func(c *ir.Const) {
		if c == nil {
			return
		}
		if c.Global != nil && s.At[places.Place{Global: c.Global}] != nil {
			s.At[places.Place{Global: c.Global}].Any = true
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

func (x *span) add(v Interval) {
	if x.Some {
		v = x.Value.join(v)
	}
	x.Value, x.Some = v, true
}

func (s *Table) get(p places.Place) *span {
	if s.At[p] == nil {
		s.At[p] = &span{}
	}
	return s.At[p]
}

// initial notes the numbers in an initialiser of type t. One of zeros alone says nothing: the program sets such an object
// up before it is used.
func (s *Table) initial(t *ir.DType, c *ir.Const) {
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
			switch x := s.get(places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}); {
			case f.IsBits || f.T == nil:
			case e.Kind == ir.ConstInt && (ir.IsNumber(f.T) || f.T.Kind == ir.DEnum):
				x.Bits = e.Bits.Width()
				x.add(exactly(e, x.Bits))
			case ir.IsNumber(f.T) || f.T.Kind == ir.DEnum:
				x.Any = true
			default:
				s.initial(f.T, e)
			}
		}
	}
}

// Kept returns the range that the program keeps the number of type t at a place in, by comparisons, masks or remainders,
// or, in a volatile variable that no code elsewhere can name, by all that it stores.
func (s *Table) Kept(at places.Place, t *ir.DType) (low, high int64, ok bool) {
	x := s.At[at]
	return s.limited(at, t, x != nil && x.Passed && s.Soles[at.Global] != nil)
}

// Rest returns the range of what functions leave at a place, and ever of that and what they store there for a moment.
func (s *Table) Rest(at places.Place, t *ir.DType) (rest, ever Run, ok bool) {
	low, high, ok := s.limited(at, t, false)
	if ever = (Run{low, high}); ok && s.At[at].Passed {
		ever = s.At[at].Value.join(s.At[at].passing).Run(t.Signed)
	}
	return Run{low, high}, ever, ok
}

// limited returns the range of what stays at a place, and of what passes, if that is less than its type.
func (s *Table) limited(at places.Place, t *ir.DType, passing bool) (low, high int64, ok bool) {
	x := s.At[at]
	if x == nil || !x.Some || x.Any || s.Wild[at.Of] || x.Bits != t.Bits || x.Bits > 60 ||
		!x.Value.limited && !s.listed(at, x) {
		return 0, 0, false
	}
	v := x.Value
	if at.Of != "" && v.Ulow == 0 && v.Uhigh == 0 { // it begins with what its user puts there: a mask keeps zeros only of zeros
		return 0, 0, false
	}
	if passing {
		v = v.join(x.passing)
	}
	low, high = v.Ulow, v.Uhigh
	if t.Signed {
		low, high = v.slow, v.shigh
	}
	all := Full(x.Bits)
	return low, high, t.Signed && (low > all.slow || high < all.shigh) || !t.Signed && (low > 0 || high < all.Uhigh)
}

// listed reports whether a place is a volatile variable whose numbers are all known: no file but those at hand can name it,
// and the program stores another number there than the first. One that it never changes is for a debugger or a device.
func (s *Table) listed(at places.Place, x *span) bool {
	g := at.Global
	return g != nil && g.Var.T.Volatile && (s.whole || !g.Var.Public) && x.Value.Ulow < x.Value.Uhigh
}

// Stores returns the numbers of type t that the program stores at a place, for a moment too, if that is less than its type,
// and something changes them. Others may store more there, unless no other file can name it.
func (s *Table) Stores(at places.Place, t *ir.DType) (r Run, ok bool) {
	x := s.At[at]
	if x == nil || !x.Some || x.Any || s.Wild[at.Of] || x.Bits != t.Bits || x.Bits > 60 {
		return Run{}, false
	}
	v := x.Value
	if at.Of != "" { // the memory of a structure may be zero before
		v = v.join(Interval{})
	}
	if x.Passed {
		v = v.join(x.passing)
	}
	return v.Run(t.Signed), v.Ulow < v.Uhigh && v.Run(t.Signed) != Full(x.Bits).Run(t.Signed)
}

// Limited reports whether comparisons, masks or remainders keep the number at a place in its range.
func (s *Table) Limited(at places.Place) bool { x := s.At[at]; return x != nil && x.Value.limited }

// Set reports whether the program itself gives the number at a place, in a way that is followed or not.
func (s *Table) Set(at places.Place) bool { x := s.At[at]; return x != nil && !x.Unset }

// Refuse drops what is said of the number in a variable: it may hold any.
func (s *Table) Refuse(g *ir.Global) { s.At[places.Place{Global: g}].Any = true }

// KeptNote says of a number, which it names, that it is in a range.
const KeptNote = "%s is %d..%d: the program stores nothing else there"

// LeftNote says so of one that has others for a moment.
const LeftNote = "%s is %d..%d: the program leaves nothing else there where a function ends, or calls another"
