package ranges

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// code notes the places that a function loads and stores numbers at, and what else it does to them. It reports whether it
// stores some.
func (s *Table) code(f *ir.Func, vars map[ir.Value]*ir.Var) bool {
	stores := false
	s.heap(f, vars)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case ir.OpLoad:
				if in.T.IsInt() {
					s.loads(vars, in)
				}
			case ir.OpStore:
				if s.lenient && isCallers(vars, in) {
					continue
				}
				if in.Args[0].Type().IsInt() {
					stores = s.stores(vars, in) || stores
				} else {
					s.changed(vars, in.Args[1], int(8*s.m.Layout.SizeOf(in.Args[0].Type())), in)
					s.leaves(vars, in.Args[0], objectType(vars, in.Args[1]), 0)
				}
			case ir.OpCall:
				s.call(vars, in)
			case ir.OpRet:
				s.escape(vars, in.Args, f.DRet)
			case ir.OpPtrToInt:
				s.numbered(vars, in.Args[0])
			case ir.OpAsm:
				for _, v := range in.Args {
					if v.Type().IsPtr() {
						s.numbered(vars, v)
					}
				}
			case ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpInsertValue:
				s.escape(vars, in.Args, toNumber)
			}
		}
	}
	return stores
}

// isCallers reports whether a store keeps what the function is passed in the variable of a parameter: a structure by value
// may come in parts.
func isCallers(vars map[ir.Value]*ir.Var, store *ir.Instr) bool {
	_, passed := store.Args[0].(*ir.Param)
	v := vars[ir.Root(store.Args[1])]
	return passed && v != nil && v.Param
}

// toNumber is the type of pointers to numbers.
var toNumber = &ir.DType{Kind: ir.DPointer, Elem: &ir.DType{Kind: ir.DInt}}

// escape notes that the addresses among values go where they are taken for pointers of a type; nil: it is not known.
func (s *Table) escape(vars map[ir.Value]*ir.Var, values []ir.Value, to *ir.DType) {
	for _, v := range values {
		s.leaves(vars, v, to, 0)
	}
}

// number returns the place of a number, if an object is one or a member that may be.
func (s *Table) number(o places.Object) (places.Place, bool) {
	for _, p := range places.PlacesIn(o.Global, o.T, o.Off) {
		if p.Of != "" || p.Off == 0 && s.At[p] != nil { // not a part of a variable that is more than a number
			return p, o.Known() && !o.Beyond()
		}
	}
	return places.Place{}, false
}

// accessed notes that w bits are loaded or stored at a place.
func (s *Table) accessed(p places.Place, w int) *span {
	x := s.get(p)
	x.Any = x.Any || x.Bits != 0 && x.Bits != w
	x.Bits = w
	return x
}

// loads notes the place that an instruction loads a number from, if it is known.
func (s *Table) loads(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	if list := places.ObjectsAt(vars, in.Args[0]); len(list) == 1 && !s.raw.unsure(in.Args[0], policy.FlowChoices) {
		if p, ok := s.number(list[0]); ok {
			s.accessed(p, in.T.Width)
			s.Of[in] = p
		}
	}
}

// stores notes the places that an instruction may store a number at, and reports whether that is one which is known.
func (s *Table) stores(vars map[ir.Value]*ir.Var, in *ir.Instr) bool {
	list, w, one := places.ObjectsAt(vars, in.Args[1]), in.Args[0].Type().Width, false
	for _, o := range list {
		p, ok := s.number(o)
		switch {
		case !o.Known():
			s.unknown(o, in.Args[1], w)
		case o.Beyond():
			s.other(o.T, 0)
		case !ok:
			s.leaves(vars, in.Args[1], toNumber, 0)
		case len(list) > 1:
			s.accessed(p, w).Any = true
		default:
			s.accessed(p, w)
			s.Of[in], one = p, true
		}
		s.partly(o, w, in)
	}
	return one
}

// unknown notes that a number of w bits, or of anyWidth, may be stored at addr, in an object whose type, or that of
// what it is taken for, is not known. Pointers to numbers are followed from where they come.
func (s *Table) unknown(o places.Object, addr ir.Value, w int) {
	s.other(o.T, 0)
	s.Loose[w] = s.Loose[w] || isMember(addr) && !(o.Moved && ir.IsAggregate(places.Element(o.T)))
}

// partly notes that w bits of an object, or of anyWidth, which are no member but a part of one, or more, are written by a
// store; nil: by something else.
func (s *Table) partly(o places.Object, w int, by *ir.Instr) {
	of, f, off := places.MemberIn(o.T, o.Off)
	if f == nil || !o.Known() || f.T.Kind == ir.DUnion {
		return
	}
	begin, end := 8*off, 8*off+int64(w)
	inside := begin == f.BitOff && end <= begin+int64(max(f.T.Bits, 8))
	if f.IsBits {
		s.bitFields(of, begin, end, by)
	}
	if f.IsBits { // clang writes those around it too
		inside = !slices.ContainsFunc(of.Fields, func(f ir.DField) bool {
			return !f.IsBits && f.T != nil && f.BitOff < end && begin < f.BitOff+int64(f.T.Bits)
		})
	}
	if !inside {
		s.other(of, 0)
	}
}

// bitFields notes which fields a store changes, to the bits from begin to end of an object of a structure.
func (s *Table) bitFields(of *ir.DType, begin, end int64, by *ir.Instr) {
	at := s.Fields[places.LayoutOf(of)]
	if at == nil {
		at = map[int64]bool{}
		s.Fields[places.LayoutOf(of)] = at
	}
	for _, f := range of.Fields {
		if f.IsBits && f.BitOff < end && begin <= f.BitOff && !s.keeps(by, int(f.BitOff-begin)) {
			at[f.BitOff] = true
		}
	}
}

// keeps reports whether a store leaves bit i as it is. clang writes a bit-field together with what is around it, which it
// reads there and masks. A parameter that is a structure is stored as its caller made it.
func (s *Table) keeps(by *ir.Instr, i int) bool {
	if by == nil {
		return false
	}
	if _, ok := by.Args[0].(*ir.Param); ok {
		return true
	}
	in, ok := by.Args[0].(*ir.Instr)
	if ok && in.Op == ir.OpOr {
		in, ok = in.Args[0].(*ir.Instr)
	}
	if !ok || in.Op != ir.OpAnd || s.m.Layout.BigEndian {
		return false
	}
	around, isLoad := in.Args[0].(*ir.Instr)
	mask, isConst := in.Args[1].(*ir.Const)
	return isLoad && around.Op == ir.OpLoad && around.Args[0] == by.Args[1] && isConst && mask.Kind == ir.ConstInt &&
		mask.Bits.Bit(i)
}

// changed notes that w bits at addr, or anyWidth, may become any number, by a store; nil: by something else.
func (s *Table) changed(vars map[ir.Value]*ir.Var, addr ir.Value, w int, by *ir.Instr) {
	for _, o := range places.ObjectsAt(vars, addr) {
		p, ok := s.number(o)
		s.partly(o, w, by)
		switch {
		case !o.Known():
			s.unknown(o, addr, w)
		case o.Beyond():
			s.other(o.T, 0)
		case ok:
			s.get(p).Any = true
		}
	}
}
