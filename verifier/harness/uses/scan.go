// Package uses reads what the code of a function says of its pointer parameters: how far it gets behind them, what counts
// that, whether it asks for null. Package harness makes of it what callers pass.
package uses

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Use says what the code of a function says of one of its parameters, which is a pointer but for Tested and Compared.
type Use struct {
	Need   int64 // bytes that accesses at constant offsets reach
	Align  int64 // that an access through it asks for, at most
	Varies bool  // it is indexed by a value, or moved on
	Far    int64 // bytes that accesses reach whose indices and lengths vary and are bounded by what the code asks of them
	Block  int64 // bytes of the largest block of constant length that is accessed where it leads to
	Loose  bool  // it is moved on, or an index or a length is not bounded so
	Ends   bool  // the function asks whether what it leads to is zero
	Reads  bool  // it is read through
	Writes bool  // it is written through
	Text   bool  // it is handed to a function of the C library that reads a string there
	Null   bool  // it is compared with null
	Kept   bool  // it is stored where the function's end does not end it
	Handed bool  // it is handed to a function whose code is not read
	Before bool  // something at a fixed place in front of it is accessed: it leads into a larger block
	// parameter that says how much is behind it, or a pointer to the number that does when the function is called; -1 if
	// none does
	Param int
	Plus  int64 // elements more than param says
	Bytes bool  // param counts bytes
	// what counts the elements is no parameter, at one place at least
	Elsewhere bool
	Tested    bool      // of a number: the function compares it with a limit, to refuse or cut what is more
	Compared  bool      // of a number: the function asks whether it is less or more than something
	Bounds    []Bound   // of a number: constants that the function itself compares it with for less or more
	As        *ir.DType // for a void pointer: what a local variable takes it for
	Larger    *ir.DType // for a pointer to a structure: a larger one that begins with it, which the function takes it for
	// what its addresses are compared with, and those of what it leads to
	With, Inner Met
	In          map[*ir.Global]Order // likewise addresses in variables
}

// Bound is a comparison of a number with a constant: number Pred With.
type Bound struct {
	Pred ir.Pred
	With *ir.Const
}

// BoundIn is ComparedIn of comparisons for less or more.
func BoundIn(in *ir.Instr) (v ir.Value, b Bound) {
	if in.Pred == ir.EQ || in.Pred == ir.NE {
		return nil, Bound{}
	}
	return ComparedIn(in)
}

// ComparedIn returns the number that an instruction compares with a constant, and how; v is nil where it is none, or one of
// an assertion or a check of the compiler: these do not ask, they demand.
func ComparedIn(in *ir.Instr) (v ir.Value, b Bound) {
	if in.Op != ir.OpIcmp || ir.GuardsTrap(in.Block) || ir.Asserts(in.Block) {
		return nil, Bound{}
	}
	for i, arg := range in.Args {
		if c, ok := in.Args[1-i].(*ir.Const); ok && c.Kind == ir.ConstInt {
			if i == 1 {
				return arg, Bound{in.Pred.Swapped(), c}
			}
			return arg, Bound{in.Pred, c}
		}
	}
	return nil, Bound{}
}

// Words returns what numbers a function's values are between, as far as its comparisons, masks and remainders keep them
// there, and at least 0.
type Words func(f *ir.Func) func(v ir.Value) (high int64, ok bool)

// Reader reads the code of functions of a module.
type Reader struct {
	m     *ir.Module
	words Words
	known map[*ir.Func][]Use
	// found when first asked for
	structs []*ir.DType
}

// NewReader returns one for m.
func NewReader(m *ir.Module, words Words) *Reader {
	return &Reader{m: m, words: words, known: map[*ir.Func][]Use{}}
}

// Of reads the code of f, and that of the functions that it hands its parameters to: what it says of each parameter.
func (p *Reader) Of(f *ir.Func) []Use {
	if u, ok := p.known[f]; ok {
		return u
	}
	s := &useScan{p: p, uses: make([]Use, len(f.Params)), of: map[ir.Value]int{}, bound: map[ir.Value]limit{},
		structs: map[int]int64{}, numbers: map[int]int64{}, open: map[int]bool{}, members: map[ir.Value]bool{}, index: map[[2]int]bool{},
		inner: map[ir.Value]int{}}
	for i := range s.uses {
		s.uses[i].Param = -1
	}
	p.known[f] = slices.Clone(s.uses) // of calls in circles
	if f.IsDecl() {
		return p.known[f]
	}
	for i, v := range ir.ParamVars(f) {
		if v != nil && v.T != nil && ir.IsStruct(v.T.Elem) {
			t := v.T.Elem
			if larger := p.larger(f, i, t); larger != nil {
				s.uses[i].Larger, t = larger, larger
			}
			s.structs[i], s.open[i] = ir.SizeInC(t), EndsOpen(t)
		} else if v != nil && v.T != nil && ir.IsNumber(v.T.Elem) {
			s.numbers[i] = ir.SizeInC(v.T.Elem)
		}
	}
	s.copies(f)
	s.most = p.words(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			s.compare(in)
			s.meets(in)
		}
	}
	for _, b := range f.Blocks {
		s.here = b
		for _, in := range b.Instrs {
			s.instr(in)
		}
	}
	for _, c := range s.later {
		if !s.index[[2]int{c.pointer, c.param}] {
			s.uses[c.pointer].says(c.param, c.plus, c.bytes)
		}
	}
	p.known[f] = s.uses
	return s.uses
}

// useScan reads one function.
type useScan struct {
	p     *Reader
	uses  []Use
	of    map[ir.Value]int   // variables that hold a parameter, or what is computed from it
	inner map[ir.Value]int   // likewise what a parameter leads to: `p = *pp`
	bound map[ir.Value]limit // variables that are compared with a parameter
	here  *ir.Block          // that is read
	most  func(v ir.Value) (int64, bool)
	later []counted       // what counts, unless it is an index itself
	index map[[2]int]bool // of a pointer, by both parameters

	structs map[int]int64     // sizes of structures that parameters point to
	numbers map[int]int64     // likewise of numbers
	open    map[int]bool      // those with an array without a length at their end
	members map[ir.Value]bool // variables that hold the address of a member of one
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
			if of, inner := s.side(in.Args[0]); inner {
				s.inner[in.Args[1]] = of
			}
			if _, local := in.Args[1].(*ir.Instr); k < 0 || !local {
				continue
			}
			member := s.isMember(k, in.Args[0]) || s.inMember(in.Args[0])
			_, again := s.of[in.Args[1]]
			if again && member != s.members[in.Args[1]] ||
				!member && (again || !plain || !s.isBeginning(k, vars[in.Args[1]]) && retyped(vars, in.Args[0], in.Args[1])) {
				s.uses[k].Varies, s.uses[k].Loose = true, true
			}
			s.members[in.Args[1]] = s.members[in.Args[1]] || member
			s.uses[k].Before = s.uses[k].Before || !again && isBefore(in.Args[0])
			if to := in.Args[1].(*ir.Instr); to.Op == ir.OpAlloca {
				s.of[to] = k
				if v := vars[to]; v != nil && v.T != nil && v.T.Kind == ir.DPointer {
					s.uses[k].As = v.T.Elem
				}
			}
		}
	}
}

// from returns the parameter that pointer v is computed from, -1 if it is none's; plain: it is the parameter itself, whatever
// type it is taken for.
func (s *useScan) from(v ir.Value) (k int, plain bool) {
	base, v := ir.Root(v), uncast(v)
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
	for i, v := range in.Args {
		if k := s.number(v); k >= 0 && pred != ir.EQ && pred != ir.NE {
			s.uses[k].Compared = true
		}
		if n, constant := constantOf(in.Args[1-i]); constant && n == 0 && (pred == ir.EQ || pred == ir.NE) {
			if at, _ := variable(v); at != nil {
				if k, _ := s.from(at); k >= 0 {
					s.uses[k].Ends = true
				}
			}
		}
	}
	if v, b := BoundIn(in); v != nil {
		if k := s.number(v); k >= 0 {
			s.uses[k].Bounds = append(s.uses[k].Bounds, b)
		}
	}
	if pred == ir.SGT || pred == ir.SGE || pred == ir.UGT || pred == ir.UGE {
		x, y = y, x
	}
	if pred == ir.SGT || pred == ir.SGE || pred == ir.SLT || pred == ir.SLE {
		s.tested(in, x, y)
		s.tested(in, y, x)
	}
	strict := pred == ir.SLT || pred == ir.ULT || pred == ir.SGT || pred == ir.UGT || pred == ir.NE
	if !strict && pred != ir.SLE && pred != ir.ULE && pred != ir.SGE && pred != ir.UGE {
		return
	}
	to := in.Block.Term()
	if pred == ir.NE || len(to.Targets) != 2 || to.Args[0] != ir.Value(in) {
		s.bounds(x, y, limit{strict: strict})
		return
	}
	s.bounds(x, y, limit{strict: strict, in: to.Targets[0]})
	s.bounds(y, x, limit{strict: !strict, exit: to.Targets[0]})
}

// tested notes that parameter v is compared with a limit, by in: with a number above 0, or one that is no variable of the
// function. Not in a loop, which compares with it what has been done so far.
func (s *useScan) tested(in *ir.Instr, v, limit ir.Value) {
	k := s.number(v)
	if k < 0 || in.Block.Reaches(in.Block, nil) {
		return
	}
	if n, constant := constantOf(limit); constant && n <= 0 {
		return
	} else if slot, _ := variable(limit); !constant && (slot == nil || isLocal(slot) && s.number(limit) < 0) {
		return
	}
	s.uses[k].Tested = true
}

// isLocal reports whether v is a variable of the function.
func isLocal(v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	return ok && in.Op == ir.OpAlloca
}

// stillHolds reports whether v may be parameter k itself: not only what is stored in its variable later.
func (s *useScan) stillHolds(v ir.Value, k int) bool {
	ld, ok := v.(*ir.Instr)
	if !ok || ld.Op != ir.OpLoad {
		return true
	}
	return slices.ContainsFunc(ir.StoresBefore(ld), func(in *ir.Instr) bool {
		from, plain := s.from(in.Args[0])
		return from == k && plain
	})
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
		s.aligned(in.Args[0], int64(in.Align))
	case ir.OpStore:
		s.access(in.Args[1], s.p.m.Layout.SizeOf(in.Access), true)
		s.aligned(in.Args[1], int64(in.Align))
		if k, plain := s.from(in.Args[0]); k >= 0 && plain && !isLocal(in.Args[1]) {
			s.uses[k].Kept = true
		}
	case ir.OpRet:
		if len(in.Args) > 0 && in.Args[0].Type().IsPtr() && isBefore(in.Args[0]) { // a header, for its callers
			if k, _ := s.from(in.Args[0]); k >= 0 {
				s.uses[k].Before = true
			}
		}
	case ir.OpCall:
		s.call(in)
	}
}

// ReadText lists the parameters that functions of the C library read a string from, up to its zero.
var ReadText = map[string][]int{"strlen": {0}, "strcpy": {1}, "stpcpy": {1}, "strcat": {1}, "strcmp": {0, 1},
	"strcasecmp": {0, 1}, "strchr": {0}, "strrchr": {0}, "strstr": {0, 1}, "strspn": {0, 1}, "strcspn": {0, 1},
	"strpbrk": {0, 1}, "strtok": {1}, "strdup": {0}, "atoi": {0}, "atol": {0}, "atoll": {0}, "atof": {0},
	"strtol": {0}, "strtoll": {0}, "strtoul": {0}, "strtoull": {0}, "strtod": {0}, "strtof": {0}, "sscanf": {0, 1},
	"puts": {0}, "fputs": {0}, "fopen": {0, 1}}
