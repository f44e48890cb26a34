package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
)

// use says what the code of a function says of one of its pointer parameters.
type use struct {
	need   int64 // bytes that accesses at constant offsets reach
	varies bool  // it is indexed by a value, or moved on
	writes bool  // it is written through
	text   bool  // it is handed to a function of the C library that reads a string there
	Null   bool  // it is compared with null
	before bool  // something at a fixed place in front of it is accessed: it leads into a larger block
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
	Uses  map[*ir.Func][]use       // by parameter

	places *places.Table     // that hold pointers
	spans  *ranges.Table     // of members that hold numbers
	seems  *ranges.Table     // what these seem to be kept to
	given  map[string]*Given // by FUNCTION.NAME
	counts map[string]Count  // likewise: see Program.Counts

	changed map[*ir.Global]bool // that code of the program may change

	effects map[*ir.Func]*touches // of calls
	stay    map[*ir.Global]bool   // whether their addresses are used for accesses alone
	handed  map[*ir.Global]bool   // whose addresses code does more with than to access them; nil: not yet known

	stored  map[places.Place]bool // where numbers are stored in structures; nil: not yet known
	indexed map[places.Place]bool // likewise, by an index that varies, in an array that begins there

	truths *truths // in unions; nil before a harness makes one

	volatile map[*ir.Func][]volatileRange // of the volatile numbers that functions read
	// what is taken for granted of volatile numbers that a function alone writes
	sole    map[*ir.Func][]verdict.Assumption
	nonnull map[*ir.Func]bool         // pass pointers that may not be null
	beside  map[*ir.Func]bool         // handed to functions that are not there; nil: not yet known
	woven   []string                  // handlers of interrupts that run between steps
	reach   map[*ir.Func]places.Reach // from handlers
	step    int                       // bytes of the widest access that is one step
}

// NewProgram reads m, which harnesses are added to afterwards.
func NewProgram(m *ir.Module) *Program {
	p := &Program{m: m, calls: map[*ir.Func][]*ir.Instr{}, Uses: map[*ir.Func][]use{}, places: places.Of(m),
		spans: ranges.Of(m, false), seems: ranges.Of(m, true), given: map[string]*Given{}, reach: map[*ir.Func]places.Reach{}, counts: map[string]Count{},
		volatile: map[*ir.Func][]volatileRange{},
		nonnull:  map[*ir.Func]bool{}, sole: map[*ir.Func][]verdict.Assumption{}, step: int(interrupt.AtomicBytes(m)),
		changed: ChangedGlobals(m), effects: map[*ir.Func]*touches{}, stay: map[*ir.Global]bool{}}
	p.keepVolatile()
	p.keepNonnull()
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if g := ir.CalledFunc(in); g != nil {
					p.calls[g] = append(p.calls[g], in)
				}
			}
		}
	}
	return p
}

// UsesOf reads the code of f, and that of the functions that it hands its parameters to.
func (p *Program) UsesOf(f *ir.Func) []use {
	if u, ok := p.Uses[f]; ok {
		return u
	}
	s := &useScan{p: p, uses: make([]use, len(f.Params)), of: map[ir.Value]int{}, bound: map[ir.Value]limit{},
		structs: map[int]int64{}, open: map[int]bool{}, members: map[ir.Value]bool{}}
	for i := range s.uses {
		s.uses[i].param = -1
	}
	p.Uses[f] = slices.Clone(s.uses) // of calls in circles
	if f.IsDecl() {
		return p.Uses[f]
	}
	for i, v := range ir.ParamVars(f) {
		if v != nil && v.T != nil && ir.IsStruct(v.T.Elem) {
			s.structs[i], s.open[i] = ir.SizeInC(v.T.Elem), endsOpen(v.T.Elem)
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
	p.Uses[f] = s.uses
	return s.uses
}

// useScan reads one function.
type useScan struct {
	p     *Program
	uses  []use
	of    map[ir.Value]int   // variables that hold a parameter, or what is computed from it
	bound map[ir.Value]limit // variables that are compared with a parameter

	structs map[int]int64     // sizes of structures that parameters point to
	open    map[int]bool      // those with an array without a length at their end
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
			_, again := s.of[in.Args[1]]
			if again || !plain && !member {
				s.uses[k].varies = true
			}
			s.uses[k].before = s.uses[k].before || !again && isBefore(in.Args[0])
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
	base := ir.Root(v)
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

// compare notes comparisons of variables with parameters.
func (s *useScan) compare(in *ir.Instr) {
	if in.Op != ir.OpIcmp {
		return
	}
	x, y, pred := in.Args[0], in.Args[1], in.Pred
	if x.Type().IsPtr() {
		for i, v := range in.Args {
			c, ok := in.Args[1-i].(*ir.Const)
			if k, plain := s.from(v); ok && c.Kind == ir.ConstNull && k >= 0 && plain && !ir.GuardsTrap(in.Block) &&
				!ir.Asserts(in.Block) && s.stillHolds(v, k) {
				s.uses[k].Null = true
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

// stillHolds reports whether v may be parameter k itself: not only what is stored in its variable later.
func (s *useScan) stillHolds(v ir.Value, k int) bool {
	ld, ok := v.(*ir.Instr)
	if !ok || ld.Op != ir.OpLoad {
		return true
	}
	seen := map[*ir.Block]bool{}
	var before func(b *ir.Block, end int) bool
	before = func(b *ir.Block, end int) bool {
		for i := end - 1; i >= 0; i-- {
			if in := b.Instrs[i]; in.Op == ir.OpStore && in.Args[1] == ld.Args[0] {
				from, plain := s.from(in.Args[0])
				return from == k && plain
			}
		}
		return slices.ContainsFunc(b.Preds, func(p *ir.Block) bool {
			if seen[p] {
				return false
			}
			seen[p] = true
			return before(p, len(p.Instrs))
		})
	}
	return before(ld.Block, slices.Index(ld.Block.Instrs, ld))
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
