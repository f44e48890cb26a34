package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// use is what the code of a function says of one of its pointer parameters.
type use struct {
	need   int64 // bytes that accesses at constant offsets reach
	varies bool  // it is indexed by a value, or moved on
	writes bool  // it is written through
	null   bool  // it is compared with null
	param  int   // parameter that says how much is behind it, -1 if none does
	plus   int64 // elements more than param says
	bytes  bool  // param counts bytes
	// what counts the elements is no parameter, at one place at least
	elsewhere bool
	as        *ir.DType // for a void pointer: what a local variable takes it for
}

// Program is a module with what harnesses ask about it.
type Program struct {
	m     *ir.Module
	calls map[*ir.Func][]*ir.Instr // that name the function
	uses  map[*ir.Func][]use       // by parameter

	places *places           // that hold pointers
	spans  *spans            // of members that hold numbers
	given  map[string]*Given // by FUNCTION.NAME
}

// NewProgram reads m, which harnesses are added to afterwards.
func NewProgram(m *ir.Module) *Program {
	p := &Program{m: m, calls: map[*ir.Func][]*ir.Instr{}, uses: map[*ir.Func][]use{}, places: placesOf(m),
		spans: spansOf(m),
		given: map[string]*Given{}}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if g := calledFunc(in); g != nil {
					p.calls[g] = append(p.calls[g], in)
				}
			}
		}
	}
	return p
}

// usesOf reads the code of f, and that of the functions that it hands its parameters to.
func (p *Program) usesOf(f *ir.Func) []use {
	if u, ok := p.uses[f]; ok {
		return u
	}
	s := &useScan{p: p, uses: make([]use, len(f.Params)), of: map[ir.Value]int{}, bound: map[ir.Value]limit{},
		structs: map[int]int64{}, members: map[ir.Value]bool{}}
	for i := range s.uses {
		s.uses[i].param = -1
	}
	p.uses[f] = slices.Clone(s.uses) // of calls in circles
	if f.IsDecl() {
		return p.uses[f]
	}
	for i, v := range paramVars(f) {
		if v != nil && v.T != nil && isStruct(v.T.Elem) {
			s.structs[i] = sizeOf(v.T.Elem)
		}
	}
	s.copies(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			s.compare(in)
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			s.instr(in)
		}
	}
	p.uses[f] = s.uses
	return s.uses
}

// useScan reads one function.
type useScan struct {
	p     *Program
	uses  []use
	of    map[ir.Value]int   // variables that hold a parameter, or what is computed from it
	bound map[ir.Value]limit // variables that are compared with a parameter

	structs map[int]int64     // sizes of structures that parameters point to
	members map[ir.Value]bool // variables that hold the address of a member of one
}

// limit says that a variable is below a parameter, or at most it.
type limit struct {
	param  int
	strict bool
}

// copies finds the variables that hold the parameters.
func (s *useScan) copies(f *ir.Func) {
	vars := f.VarsBySlot()
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpStore {
				continue
			}
			if p, ok := in.Args[0].(*ir.Param); ok {
				s.of[in.Args[1]] = p.Index
				continue
			}
			k, plain := s.from(in.Args[0])
			if _, local := in.Args[1].(*ir.Instr); k < 0 || !local {
				continue
			}
			member := s.isMember(k, in.Args[0])
			s.members[in.Args[1]] = s.members[in.Args[1]] || member
			if _, again := s.of[in.Args[1]]; again || !plain && !member {
				s.uses[k].varies = true
			}
			if to := in.Args[1].(*ir.Instr); to.Op == ir.OpAlloca {
				s.of[to] = k
				if v := vars[to]; v != nil && v.T != nil && v.T.Kind == ir.DPointer {
					s.uses[k].as = v.T.Elem
				}
			}
		}
	}
}

// from returns the parameter that pointer v is computed from, -1 if it is none's; plain: it is the parameter itself.
func (s *useScan) from(v ir.Value) (k int, plain bool) {
	base := root(v)
	if p, ok := base.(*ir.Param); ok && p.T.IsPtr() {
		return p.Index, base == v
	}
	if ld, ok := base.(*ir.Instr); ok && ld.Op == ir.OpLoad && ld.T.IsPtr() {
		if k, ok := s.of[ld.Args[0]]; ok {
			return k, base == v && !s.members[ld.Args[0]]
		}
	}
	return -1, false
}

// isMember reports whether v is an address inside of the structure that parameter k points to, or may be.
func (s *useScan) isMember(k int, v ir.Value) bool {
	var first *ir.Instr // what is computed from the parameter
	for in, ok := v.(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = in.Args[0].(*ir.Instr) {
		first = in
	}
	return first != nil && len(first.Args) == 1 && first.Off >= 0 && first.Off < s.structs[k]
}

// isArray reports whether v is an address in an array of the structure that parameter k points to, one without a length
// at its end among them.
func (s *useScan) isArray(k int, v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	for inner := in; ok && in.Op == ir.OpGep; in, ok = in.Args[0].(*ir.Instr) {
		if base, is := in.Args[0].(*ir.Instr); is && base.Op == ir.OpGep {
			continue
		}
		return s.structs[k] > 0 && len(in.Args) == 1 && (in.Off < s.structs[k] || in != inner && in.Off == s.structs[k])
	}
	return false
}

// compare notes comparisons of variables with parameters.
func (s *useScan) compare(in *ir.Instr) {
	if in.Op != ir.OpIcmp {
		return
	}
	x, y, pred := in.Args[0], in.Args[1], in.Pred
	if x.Type().IsPtr() {
		for i, v := range in.Args {
			c, ok := in.Args[1-i].(*ir.Const)
			if k, plain := s.from(v); ok && c.Kind == ir.ConstNull && k >= 0 && plain && !guardsTrap(in.Block) &&
				!asserts(in.Block) {
				s.uses[k].null = true
			}
		}
		return
	}
	if pred == ir.SGT || pred == ir.SGE || pred == ir.UGT || pred == ir.UGE {
		x, y = y, x
	}
	strict := pred == ir.SLT || pred == ir.ULT || pred == ir.SGT || pred == ir.UGT || pred == ir.NE
	if !strict && pred != ir.SLE && pred != ir.ULE && pred != ir.SGE && pred != ir.UGE {
		return
	}
	v, plus := variable(x)
	if n := s.number(y); v != nil && n >= 0 && plus == 0 {
		s.bound[v] = limit{n, strict}
	}
}

// guardsTrap reports whether a block ends in a check that the compiler put there.
func guardsTrap(b *ir.Block) bool {
	return slices.ContainsFunc(b.Succs(), func(to *ir.Block) bool { return to.Instrs[0].Op == ir.OpTrap })
}

// asserts reports whether a block ends in the test of an assertion.
func asserts(b *ir.Block) bool {
	return slices.ContainsFunc(b.Succs(), func(to *ir.Block) bool { return assertFails(to) != nil })
}

// number returns the integer parameter that v is the value of, -1 if of none.
func (s *useScan) number(v ir.Value) int {
	if p, ok := v.(*ir.Param); ok {
		return p.Index
	}
	if slot, plus := variable(v); slot != nil && plus == 0 {
		if k, ok := s.of[slot]; ok {
			return k
		}
	}
	return -1
}

// variable returns the variable that integer v is read from, and the constant that is added to it.
func variable(v ir.Value) (slot ir.Value, plus int64) {
	for n := 0; n < 16; n++ {
		in, ok := v.(*ir.Instr)
		if !ok {
			return nil, 0
		}
		switch {
		case in.Op == ir.OpLoad:
			return in.Args[0], plus
		case in.Op == ir.OpZext, in.Op == ir.OpSext, in.Op == ir.OpTrunc, in.Op == ir.OpFreeze,
			in.Op == ir.OpExtractValue && in.Indices[0] == 0:
			v = in.Args[0]
		case in.Op == ir.OpAdd, in.Op == ir.OpCall && (in.Model == ir.ModelSaddO || in.Model == ir.ModelUaddO):
			c, ok := in.Args[1].(*ir.Const)
			if !ok || c.Kind != ir.ConstInt {
				return nil, 0
			}
			plus += c.Bits.Signed().Int64()
			v = in.Args[0]
		default:
			return nil, 0
		}
	}
	return nil, 0
}

// instr notes what an instruction does with the parameters.
func (s *useScan) instr(in *ir.Instr) {
	switch in.Op {
	case ir.OpLoad:
		s.access(in.Args[0], s.p.m.Layout.SizeOf(in.Access), false)
	case ir.OpStore:
		s.access(in.Args[1], s.p.m.Layout.SizeOf(in.Access), true)
	case ir.OpCall:
		s.call(in)
	}
}

// access notes that size bytes at address v are accessed.
func (s *useScan) access(v ir.Value, size int64, writes bool) {
	k, _ := s.from(v)
	if k < 0 {
		return
	}
	u := &s.uses[k]
	u.writes = u.writes || writes
	off := int64(0)
	for in, ok := v.(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = in.Args[0].(*ir.Instr) {
		off += in.Off
		if base, ok := in.Args[0].(*ir.Instr); ok && base.Op == ir.OpGep && s.structs[k] > 0 {
			continue // an index of an array in the structure
		}
		for i, index := range in.Args[1:] {
			u.varies = true
			slot, plus := variable(index)
			l, known := s.bound[slot]
			if slot == nil || !known || l.param == k {
				continue
			}
			if !l.strict {
				plus++
			}
			u.says(l.param, max(plus, 0), in.Scales[i] == 1)
		}
	}
	u.need = max(u.need, off+size)
}

// says notes that a parameter bounds what is behind the pointer. The first one is kept.
func (u *use) says(param int, plus int64, bytes bool) {
	if u.param >= 0 && u.param != param {
		return
	}
	u.param, u.plus, u.bytes = param, max(u.plus, plus), bytes
}

// call notes what a called function does with the parameters that it is given.
func (s *useScan) call(in *ir.Instr) {
	switch in.Model {
	case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemcmp:
		s.block(in.Args[0], in.Args[2], in.Model != ir.ModelMemcmp)
		s.block(in.Args[1], in.Args[2], false)
		return
	case ir.ModelMemset:
		s.block(in.Args[0], in.Args[2], true)
		return
	}
	g := calledFunc(in)
	if g == nil || g.IsDecl() || len(in.Args) < len(g.Params) {
		return
	}
	for j, u := range s.p.usesOf(g) {
		k, plain := s.from(in.Args[j])
		if k < 0 || !in.Args[j].Type().IsPtr() {
			continue
		}
		mine := &s.uses[k]
		mine.writes = mine.writes || u.writes
		mine.varies = mine.varies || u.varies && !s.isArray(k, in.Args[j])
		if plain {
			mine.need = max(mine.need, u.need)
		}
		if u.param >= 0 && plain {
			n := s.number(in.Args[u.param])
			if n >= 0 {
				mine.says(n, u.plus, u.bytes)
			}
			mine.elsewhere = mine.elsewhere || n < 0 || u.elsewhere
		}
	}
}

// block notes that n bytes at v are accessed.
func (s *useScan) block(v, n ir.Value, writes bool) {
	if c, ok := n.(*ir.Const); ok && c.Kind == ir.ConstInt {
		s.access(v, c.Bits.Signed().Int64(), writes)
		return
	}
	k, plain := s.from(v)
	if k < 0 {
		return
	}
	u := &s.uses[k]
	u.varies, u.writes = u.varies || !s.isArray(k, v), u.writes || writes
	if p := s.number(n); p >= 0 && plain {
		u.says(p, 0, true)
	}
}
