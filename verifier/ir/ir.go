// Package ir is our LLVM subset: what the engines read. The frontend makes it
// from llir's tree; after that it is never changed, so that it can be read from
// several goroutines.
//
// It differs from LLVM 14 in these points, all decided by the frontend:
//   - pointers are opaque; load, store and alloca carry the accessed type;
//   - getelementptr is byte arithmetic: base + Off + sum(index_i * Scale_i) in
//     the pointer's width, each index sign-extended or truncated to that width;
//   - constant expressions are instructions in front of their use; a Const is a
//     literal or the address of a symbol plus a constant offset;
//   - a call of `llvm.ubsantrap` is the instruction Trap with the check it stands for;
//   - a call with a known callee that the engine itself models has Model set;
//   - debug intrinsics are gone: they became Func.Vars;
//   - whatever is not modelled is the instruction Unsupported, by name.
//
// Worked example, `int f(int *p, long i) { return p[i] + 1; }` on a 64-bit target:
//
//	func f(ptr %p, i64 %i) i32 {
//	entry:
//	  %0 = gep inbounds ptr %p + 4*%i
//	  %1 = load i32, %0, align 4          ; f.c:1:39
//	  %2 = add nsw i32 %1, 1              ; f.c:1:43
//	  ret i32 %2
//	}
//
// The instruction kinds, their classes and their printed names are in the table of ops.go.
package ir

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Module is one linked program for one target.
type Module struct {
	Name    string
	Triple  string
	CPUs    []string // those that functions are compiled for, as clang names them
	Layout  Layout
	Globals []*Global // in file order
	Funcs   []*Func   // in file order, declarations included
	// run before the entry, in order (LangRef: llvm.global_ctors), by the driver: the engines do not call them by themselves
	Ctors   []*Func
	Finish  *Func   // what the end of the program calls (atexit, destructors), or nil; by the driver, too
	Aliases []Alias // other names of symbols; uses in the module are already resolved
}

// Alias is another name of a global or a function (LangRef: aliases).
type Alias struct {
	Name string
	To   *Const // ConstAddr
}

// Func finds a function by name or alias, or nil.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	for _, a := range m.Aliases {
		if a.Name == name && a.To.Func != nil && a.To.Label == nil && a.To.Off == 0 {
			return a.To.Func
		}
	}
	return nil
}

// Compared calls do with each integer literal that a comparison or a switch of m compares
// with (of a switch only its operand), in order.
func (m *Module) Compared(do func(in *Instr, c *Const)) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != OpIcmp && in.Op != OpSwitch {
					continue
				}
				for _, a := range in.Args {
					if c, ok := a.(*Const); ok && c.Kind == ConstInt {
						do(in, c)
					}
				}
			}
		}
	}
}

// Global is a module-level variable.
type Global struct {
	Name        string
	T           *Type // of the contents
	Align       int   // bytes, at least 1
	Const       bool  // writing it is a violation
	Extern      bool  // declared, not defined: contents unknown
	Weak        bool  // a weak definition, or (with Extern) a symbol that may be missing: its address may be null
	ThreadLocal bool
	Init        *Const // nil if Extern or Unsupported
	Unsupported string // what of the initialiser is not modelled: touching the global makes the answer unknown
	Section     string
	Var         *Var // debug information, or nil
	Folded      []Folded
	Beyond      string // not empty: what a run that touches this is beyond the bounds of, in words
}

// MayMark reports a variable that nothing defines and that may stand for an address alone, as those of a linker
// script do (`extern char _end`): its type says nothing about how much is there.
func (g *Global) MayMark() bool {
	return g.Extern && (g.T.IsInt() || g.T.IsPtr() || g.T.Kind == KindArray && g.T.Len == 0)
}

// InProgramMemory reports a variable of the AVR that lies in program memory (PROGMEM): an access of its address finds
// what data memory has there.
func (g *Global) InProgramMemory() bool { return strings.HasPrefix(g.Section, ".progmem") }

// Folded is a place in an initialiser, or in another constant expression of a
// function, that the compiler evaluated and whose value is undefined
// (C17 6.6p4): what runs cannot show it.
type Folded struct {
	Check     verdict.Check
	Pos       verdict.Pos
	Message   string
	Undecided bool // whether it is undefined is not known
}

// Func is a function: a definition, or a declaration when it has no Blocks.
type Func struct {
	Name     string
	Params   []*Param
	Ret      *Type
	Variadic bool
	Blocks   []*Block // Blocks[0] is the entry; empty for a declaration
	NumInstr int      // instruction IDs are 0..NumInstr-1
	Model    Model    // set when the engine models the function itself (only for declarations)
	Addr     bool     // its address is taken: a candidate of indirect calls
	NoReturn bool
	// a weak definition, or (as a declaration) a symbol that may be missing: its address may be null
	Weak   bool
	CName  string      // name in C, of the debug information
	Pos    verdict.Pos // of the definition
	DRet   *DType      // result type in C, nil if unknown
	Vars   []*Var      // C variables that live in allocas or parameters
	Folded []Folded
	// what C leaves open and an execution of f rests on, in words
	Assumed     []string
	Chosen      []string // likewise, where machines do something else: instructions say what rests on it (ChosenIn)
	Starts      bool     // without a body: a call may have functions of the program run later, or beside it
	Replaceable bool     // a weak definition of C: another file may define it instead
	Handler     bool     // of interrupts, by an attribute, by the name that vector tables have for it, or because it is in one
	Public      bool     // other files can name it, by the debug information
	Made        bool     // by the driver, around the entry: claims nothing of its own instructions but the end's
}

// Sig returns the function type of f.
func (f *Func) Sig() *Type {
	s := &Type{Kind: KindFunc, Ret: f.Ret, Variadic: f.Variadic}
	for _, p := range f.Params {
		s.Fields = append(s.Fields, p.T)
	}
	return s
}

// NoBody says that a function named so, which has no body, is called.
func NoBody(name string) string { return "call of " + name + ", which has no body" }

// ChosenIn is an assumption of f.Chosen.
func ChosenIn(f *Func, text string) verdict.Assumption {
	return verdict.Assume(f.CName, verdict.Meaning, verdict.Chosen, text)
}

// LibraryPrefix starts the names of the variables of the C library that the frontend adds; LibraryErrno is errno.
const (
	LibraryPrefix = ".libc."
	LibraryErrno  = LibraryPrefix + "errno"
)

// PointPrefix starts the names of what has handlers run between steps, the function Point among them; WatchPrefix those of
// the variables by which the check race knows what they did.
const (
	PointPrefix = "firmproof_irq_"
	Point       = PointPrefix + "point"
	WatchPrefix = PointPrefix + "seen."
)

// KeptBy is the assumption that callers of f keep to the assertion at its head which fails at failure.
func KeptBy(f *Func, failure *Instr) verdict.Assumption {
	return verdict.Assume("", verdict.Meaning, verdict.Read, "the assertion at "+
		failure.Pos.String()+" holds at the call, as it is checked to where the program calls "+f.CName)
}

// IsNullConst reports the constant null pointer.
func IsNullConst(v Value) bool {
	c, ok := v.(*Const)
	return ok && c.Kind == ConstNull
}

// ReturnsTwice reports whether a jump from elsewhere comes back to a call of the function named so, with what memory
// holds then: no stub does that.
func ReturnsTwice(name string) bool {
	switch name {
	case "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "vfork":
		return true
	}
	return false
}

// NoStub says why no stub stands for the function named so, "" if one may.
func NoStub(name string) string {
	if ReturnsTwice(name) {
		return "a jump comes back to its call with what memory holds then"
	}
	switch name {
	case "longjmp", "_longjmp", "siglongjmp", "setcontext", "swapcontext":
		return "it goes on at another place"
	case "fesetround", "fesetenv", "feupdateenv", "feholdexcept", "fesetmode", "fpsetround", "_control87", "_controlfp",
		"__builtin_set_flt_rounds":
		return "it changes how arithmetic rounds"
	}
	return ""
}

// IsDecl reports whether f has no body.
func (f *Func) IsDecl() bool { return len(f.Blocks) == 0 }

// VarsBySlot returns the C variables of f by the value that is their address.
func (f *Func) VarsBySlot() map[Value]*Var {
	vars := map[Value]*Var{}
	for _, v := range f.Vars {
		if v.Slot != nil {
			vars[v.Slot] = v
		}
	}
	return vars
}

// Param is a formal parameter.
type Param struct {
	Index   int
	Name    string
	T       *Type
	ByVal   *Type // byval: the callee gets its own copy of this type
	SRet    *Type // sret: the callee stores its result, of this type, there
	NonNull bool
	Keeps   bool // of a function without a body: it stores nothing in what the parameter leads to
	Align   int  // promised alignment in bytes, 0 if none
}

// Keeps reports whether f, a function without a body, stores nothing in what its parameter i leads to. f may be nil.
func (f *Func) Keeps(i int) bool { return f != nil && i < len(f.Params) && f.Params[i].Keeps }

// Block is a basic block; the last instruction is its only terminator and phis come first.
type Block struct {
	Index  int
	Name   string
	Func   *Func
	Instrs []*Instr
	Preds  []*Block // without duplicates, by Index
}

// Term returns the terminator.
func (b *Block) Term() *Instr { return b.Instrs[len(b.Instrs)-1] }

// Succs returns the targets of the terminator, in order, possibly with duplicates.
func (b *Block) Succs() []*Block { return b.Term().Targets }

// Reaches reports whether control can come from b to another block, or back to b, in one step or more, by way of blocks
// that through allows; nil: all.
func (b *Block) Reaches(to *Block, through func(*Block) bool) bool {
	seen, todo := map[*Block]bool{}, []*Block{b}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, next := range at.Succs() {
			if next == to {
				return true
			}
			if !seen[next] && (through == nil || through(next)) {
				seen[next], todo = true, append(todo, next)
			}
		}
	}
	return false
}

// BehindPointer starts the names of the blocks that a generated harness makes; the name of the pointer to it follows.
const BehindPointer = "*"

// FurtherArguments names what a generated harness hands over behind the arguments that have a name.
const FurtherArguments = "further arguments"

// IsNull ends the names of the inputs of a generated harness that decide whether a pointer is null.
const IsNull = " is null"

// Instr is an instruction and the value that it computes. Which fields are set depends on Op (ops.go).
type Instr struct {
	ID    int // dense in the function, in block order
	Name  string
	Op    Op
	T     *Type // of the result; Void if none
	Args  []Value
	Block *Block
	Pos   *verdict.Pos // never nil; the function's if nothing better is known
	Flags Flags
	Pred  Pred // icmp, fcmp

	// load, store, cmpxchg, atomicrmw: the accessed type; alloca: the element type; va_arg: the read type
	Access *Type
	Align  int     // load, store, alloca: bytes; ModelMalloc: of the block, 0: as MaxAlign
	Off    int64   // gep: constant part in bytes
	Scales []int64 // gep: Scales[i] goes with Args[i+1]
	Struct Struct  // gep: what it steps into first

	Indices  []int      // extractvalue, insertvalue; shufflevector mask with -1 for undef
	Targets  []*Block   // br: 1; condbr: then, else; switch: default first, then one per case; indirectbr: all
	Cases    []bits.Vec // switch: Cases[i] goes to Targets[i+1]
	Incoming []*Block   // phi: the predecessor of Args[i]

	Callee Value         // call: a *Const of ConstAddr for direct calls
	Sig    *Type         // call: the function type at the call
	Model  Model         // call: what the engine does itself, ModelNone otherwise
	Check  verdict.Check // trap: which property fails when this is reached
	RMW    string        // atomicrmw: LLVM's operation name
	What   string        // trap: message; unsupported: the construct's name; asm: the template
	Asm    *Asm          // asm
	// IDs of the assumptions (verdict.Assumption) that it brings into the program: of an allocation how much there is, of
	// an assume what it says, of another instruction its result or what it writes
	Assumes []string
}

// Struct is a structure of the program, as LLVM names it without what tells copies apart, and its size in bytes.
type Struct struct {
	Name string
	Size int64
}

// Asm is an inline assembly call.
type Asm struct {
	Template    string
	Constraints string
	SideEffect  bool
	// not empty: no assembly, but a value that is not followed, by what makes it; a violation that needs it is unknown
	Any string
}

// Flags of instructions.
type Flags uint16

// The flags.
const (
	NSW Flags = 1 << iota
	NUW
	Exact
	InBounds
	Volatile
	Atomic
	Contract // fadd, fsub, fmul: a product and a sum may be rounded once
	Weak     // cmpxchg: may fail although the values are the same
	PtrDiff  // sub: the difference of two pointers in C; the operands are their ptrtoint
	Member   // gep: it steps into a structure
	Element  // gep: it steps into an array
	OfIndex  // trap: the index of an array is out of bounds
	Sole     // load: of a volatile number that its function alone writes (Semantics.Fresh)
	Stored   // load: of a volatile number that the program itself stores (Semantics.Fresh)
)

// Has reports whether all of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Value is what an operand can be: *Instr, *Param or *Const.
type Value interface {
	Type() *Type
	value()
}

// Type returns the type of the result.
func (i *Instr) Type() *Type { return i.T }

// Type returns the type of the parameter.
func (p *Param) Type() *Type { return p.T }

// Type returns the type of the constant.
func (c *Const) Type() *Type { return c.T }

func (*Instr) value() {}
func (*Param) value() {}
func (*Const) value() {}

// ConstKind says what a Const is.
type ConstKind uint8

// The kinds of Const.
const (
	ConstInvalid ConstKind = iota
	// Bits; also float types, whose Bits are the IEEE encoding, and in initialisers pointers: an address without object
	ConstInt
	ConstNull    // the null pointer
	ConstZero    // zeroinitializer of an aggregate or vector
	ConstUndef   // undef
	ConstPoison  // poison
	ConstAgg     // Elems: array, struct or vector
	ConstBytes   // Bytes: array of i8
	ConstAddr    // address of Global, Func or Label, plus Off bytes
	ConstAddrInt // the same as an integer (ptrtoint in an initialiser), truncated or zero-extended to T
)

// Const is a constant value.
type Const struct {
	T      *Type
	Kind   ConstKind
	Bits   bits.Vec
	Elems  []*Const
	Bytes  []byte
	Global *Global
	Func   *Func
	Label  *Block
	Off    int64
}

// Var is a C variable, from the debug information.
type Var struct {
	Name  string
	T     *DType
	Pos   verdict.Pos
	Slot  Value // the alloca or parameter that holds it; nil for globals
	Param bool
	// a global that other files can name, whether or not the program at hand is linked with any
	Public bool
}

// DKind classifies a DType.
type DKind uint8

// The kinds of DType.
const (
	DInvalid DKind = iota
	DVoid
	DInt
	DFloat
	DBool
	DChar
	DEnum
	DPointer
	DStruct
	DUnion
	DArray
	DFunc
)

// DType is a C type, for showing values; it may be recursive through pointers.
type DType struct {
	Kind     DKind
	Name     string // as a C programmer writes it, typedef names kept: "uint8_t", "struct ring", "char *"
	Bits     int
	Signed   bool
	Align    int64    // bytes, where an attribute or a vector says it; 0: as its kind
	Volatile bool     // the type as a whole is qualified so
	Restrict bool     // likewise
	Swapped  bool     // a number whose bytes stand in the other order than the module's machine has them
	Elem     *DType   // pointer, array; enum: the underlying integer; function: the result
	Params   []*DType // function; without what a variable number of arguments adds
	Count    int64    // array; -1 if unknown
	Fields   []DField // struct, union
	Enum     []DEnumerator
}

// DField is a member of a struct or union.
type DField struct {
	Name    string
	T       *DType
	BitOff  int64
	BitSize int64
	IsBits  bool // a bit-field
}

// Of names the member in C: that of a structure of the name; one without a name is what its own members are named by.
func (f *DField) Of(structure string) string {
	if f.Name == "" {
		return structure
	}
	return structure + "." + f.Name
}

// DEnumerator is a named value of an enumeration.
type DEnumerator struct {
	Name  string
	Value int64
}
