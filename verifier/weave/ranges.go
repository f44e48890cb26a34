package weave

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// span is what a program stores in a place that holds a number.
type span struct {
	value interval
	bits  int
	some  bool // something is stored there, or an initialiser puts it there
	any   bool // it may be changed in a way that is not known, or is as large as its type
	unset bool // nothing in the program gives it a number
}

// spans is what a program stores in the members of its structures that hold numbers, and in its variables that are numbers.
type spans struct {
	at   map[place]*span
	wild map[string]bool     // structures that bytes are copied into, or whose address code takes for another type
	of   map[*ir.Instr]place // of loads and stores
	// widths of numbers that are stored, or may be, where it is not known in which members
	loose map[int]bool
}

// anyWidth stands for numbers of any width.
const anyWidth = 0

func spansOf(m *ir.Module) *spans {
	s := &spans{at: map[place]*span{}, wild: map[string]bool{}, of: map[*ir.Instr]place{}, loose: map[int]bool{}}
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
	var storing []*ir.Func
	for _, f := range m.Funcs {
		if vars := f.VarsBySlot(); s.code(f, vars) {
			storing = append(storing, f)
		}
	}
	s.solve(storing)
	return s
}

// unions notes the structures that are in a union, which a store to another member of it changes.
func (s *spans) unions(m *ir.Module) {
	seen := map[*ir.DType]bool{}
	var visit func(t *ir.DType)
	visit = func(t *ir.DType) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.Kind == ir.DUnion {
			s.other(t, 0)
		}
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

// code notes the places that a function loads and stores numbers at, and what else it does to them. It reports whether it
// stores some.
func (s *spans) code(f *ir.Func, vars map[ir.Value]*ir.Var) bool {
	stores := false
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case ir.OpLoad:
				if in.T.IsInt() {
					s.loads(vars, in)
				}
			case ir.OpStore:
				if in.Args[0].Type().IsInt() {
					stores = s.stores(vars, in) || stores
				} else {
					s.changed(vars, in.Args[1])
					s.leaves(vars, in.Args[0], objectType(vars, in.Args[1]), 0)
				}
			case ir.OpCall:
				s.call(vars, in)
			case ir.OpRet:
				s.escape(vars, in.Args, f.DRet)
			case ir.OpPtrToInt:
				s.numbered(vars, in.Args[0])
			case ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpAsm, ir.OpInsertValue:
				s.escape(vars, in.Args, toNumber)
			}
		}
	}
	return stores
}

// toNumber is the type of pointers to numbers.
var toNumber = &ir.DType{Kind: ir.DPointer, Elem: &ir.DType{Kind: ir.DInt}}

// escape notes that the addresses among values go where they are taken for pointers of a type; nil: it is not known.
func (s *spans) escape(vars map[ir.Value]*ir.Var, values []ir.Value, to *ir.DType) {
	for _, v := range values {
		s.leaves(vars, v, to, 0)
	}
}

// number returns the place of a number, if an object is one or a member that may be.
func (s *spans) number(o object) (place, bool) {
	for _, p := range placesIn(o.g, o.t, o.off) {
		if p.of != "" || p.off == 0 && s.at[p] != nil { // not a part of a variable that is more than a number
			return p, !o.cast && !o.beyond()
		}
	}
	return place{}, false
}

// accessed notes that w bits are loaded or stored at a place.
func (s *spans) accessed(p place, w int) *span {
	x := s.get(p)
	x.any = x.any || x.bits != 0 && x.bits != w
	x.bits = w
	return x
}

// loads notes the place that an instruction loads a number from, if it is known.
func (s *spans) loads(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	if list := objectsAt(vars, in.Args[0]); len(list) == 1 {
		if p, ok := s.number(list[0]); ok {
			s.accessed(p, in.T.Width)
			s.of[in] = p
		}
	}
}

// stores notes the places that an instruction may store a number at, and reports whether that is one which is known.
func (s *spans) stores(vars map[ir.Value]*ir.Var, in *ir.Instr) bool {
	list, w, one := objectsAt(vars, in.Args[1]), in.Args[0].Type().Width, false
	for _, o := range list {
		p, ok := s.number(o)
		switch {
		case !o.known():
			s.loose[w] = s.loose[w] || isMember(in.Args[1]) // pointers to numbers are followed from where they come
		case o.cast || o.beyond():
			s.other(o.t, 0)
		case !ok:
			s.leaves(vars, in.Args[1], toNumber, 0)
		case len(list) > 1:
			s.accessed(p, w).any = true
		default:
			s.accessed(p, w)
			s.of[in], one = p, true
		}
		if of, f, _ := memberIn(o.t, o.off); f != nil && w > max(f.T.Bits, 8) && !f.IsBits {
			s.other(of, 0) // more than the member
		}
	}
	return one
}

// changed notes that what stands at addr may become any number.
func (s *spans) changed(vars map[ir.Value]*ir.Var, addr ir.Value) {
	for _, o := range objectsAt(vars, addr) {
		if o.cast || o.beyond() {
			s.other(o.t, 0)
		} else if p, ok := s.number(o); ok {
			s.get(p).any = true
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

// call notes that a called function may write what it is given the address of.
func (s *spans) call(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Model {
	case ir.ModelFree, ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return
	case ir.ModelMemset:
		if !isConst(in.Args[1], 0) {
			s.filled(vars, in.Args[0])
		}
		return
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, from := objectType(vars, in.Args[0]), objectType(vars, in.Args[1])
		if !isStruct(to) || !isStruct(from) || layoutOf(to) != layoutOf(from) {
			s.filled(vars, in.Args[0])
		}
		return
	}
	var params []*ir.Var
	if f := calledFunc(in); f != nil && !f.IsDecl() {
		params = paramVars(f)
	}
	for i, v := range in.Args {
		var to *ir.DType
		if i < len(params) && params[i] != nil {
			to = params[i].T
		}
		s.leaves(vars, v, to, 0)
	}
}

// numbered notes that an address becomes a number, which may become another address.
func (s *spans) numbered(vars map[ir.Value]*ir.Var, v ir.Value) {
	s.changed(vars, v)
	for _, o := range objectsAt(vars, v) {
		s.other(partAt(o.t, o.off, isAggregate), 0)
	}
}

// objectType returns the type of what an address leads to; nil where it is not known.
func objectType(vars map[ir.Value]*ir.Var, v ir.Value) *ir.DType {
	if _, t, off := objectAt(vars, v); off == 0 {
		return t
	}
	return nil
}

// filled notes that bytes of any kind are written at v.
func (s *spans) filled(vars map[ir.Value]*ir.Var, v ir.Value) {
	s.changed(vars, v)
	for _, o := range objectsAt(vars, v) {
		if of, _, _ := memberIn(o.t, o.off); of != nil {
			s.other(of, 0)
		}
		if o.off == 0 {
			s.other(o.t, 0)
		}
	}
}

// leaves notes that v, if it is an address, goes where it is taken for a pointer of a type, nil where that is not known:
// a member may be written through it, and a structure as something else than it is.
func (s *spans) leaves(vars map[ir.Value]*ir.Var, v ir.Value, to *ir.DType, depth int) {
	if !v.Type().IsPtr() || depth > maxSteps {
		return
	}
	switch x := uncast(v).(type) {
	case *ir.Const:
		s.address(x, to)
		return
	case *ir.Instr:
		if x.Op == ir.OpPhi || x.Op == ir.OpSelect {
			for _, a := range x.Args {
				s.leaves(vars, a, to, depth+1)
			}
			return
		}
	}
	for _, o := range objectsAt(vars, v) {
		switch {
		case o.cast || isMember(v) && o.beyond():
			s.other(o.t, 0)
		case isMember(v) && !o.known():
			s.leavesUnknown(to)
		case isMember(v) && !isPart(o.t, o.off, to):
			for _, p := range placesIn(o.g, o.t, o.off) {
				s.get(p).any = true
			}
		}
		if uncast(v) != v {
			s.other(partAt(o.t, o.off, isAggregate), 0)
		}
	}
}

// leavesUnknown notes that an address in a structure that is not known goes where it is taken for a pointer of a type;
// nil: that is not known.
func (s *spans) leavesUnknown(to *ir.DType) {
	switch {
	case to == nil || to.Kind != ir.DPointer || !isStruct(to.Elem) && !isNumber(to.Elem):
		s.loose[anyWidth] = true
	case isNumber(to.Elem):
		s.loose[to.Elem.Bits] = true
	}
}

// address notes that the constant address c goes where it is taken for a pointer of a type; nil: it is not known.
func (s *spans) address(c *ir.Const, to *ir.DType) {
	if c.Global == nil || c.Global.Var == nil {
		return
	}
	of, off := c.Global.Var.T, c.Off
	for of != nil && of.Kind == ir.DArray && sizeOf(of.Elem) > 0 {
		of, off = of.Elem, off%sizeOf(of.Elem)
	}
	if whole := off == 0 && to == nil; !whole && !isPart(of, off, to) {
		s.filled(nil, c)
	}
}

// isPart reports whether the structure that a pointer of type to leads to stands off bytes into a t, as what it is.
func isPart(t *ir.DType, off int64, to *ir.DType) bool {
	return to != nil && to.Kind == ir.DPointer && isStruct(to.Elem) && partAt(t, off, func(t *ir.DType) bool {
		return t.Kind == ir.DStruct && layoutOf(t) == layoutOf(to.Elem)
	}) != nil
}

// other notes that an object of type t is taken for one of another.
func (s *spans) other(t *ir.DType, depth int) {
	if t == nil || depth > maxSteps {
		return
	}
	if t.Kind == ir.DArray {
		s.other(t.Elem, depth+1)
	}
	if isAggregate(t) {
		if t.Kind == ir.DStruct {
			s.wild[layoutOf(t)] = true
		}
		for i := range t.Fields {
			s.other(t.Fields[i].T, depth+1)
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
	low, high = x.value.ulow, x.value.uhigh
	if t.Signed {
		low, high = x.value.slow, x.value.shigh
	}
	all := full(x.bits)
	return low, high, t.Signed && (low > all.slow || high < all.shigh) || !t.Signed && (low > 0 || high < all.uhigh)
}

// keptNote says of a number, which it names, that it is in a range.
const keptNote = "%s is %d..%d: the program stores nothing else there"

// isMember reports whether v is computed as the address of a member of a structure.
func isMember(v ir.Value) bool {
	for in, ok := uncast(v).(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = uncast(in.Args[0]).(*ir.Instr) {
		if in.Flags.Has(ir.Member) {
			return true
		}
	}
	return false
}

// inRange assumes that a member of the structure at p+off is where the program keeps it.
func (h *harness) inRange(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	low, high, ok := h.p.kept(t, f)
	if !ok || h.given(name).Low != nil {
		return
	}
	v := h.load(ir.Int(f.T.Bits), h.gep(p, off+f.BitOff/8, nil, 0))
	least, most := h.bounds(v, low, high, f.T.Signed)
	h.assume(least)
	h.assume(most)
	h.note(name, keptNote, name, low, high)
	h.ranges[place{of: layoutOf(t), off: f.BitOff / 8}] = true
}
