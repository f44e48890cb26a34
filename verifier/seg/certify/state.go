// Package certify checks the edges of a symbolic execution graph. Package seg finds, for a path
// that arrives at a generalised state, values for that state's numbers; here it is proved that the
// state then stands for every run of the path: same place, same objects, contents and lists, and
// each fact that the generalised state knows follows from what the path knows. The code shares
// nothing with what made the edge but the decision procedure for linear integer arithmetic.
package certify

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// Kind says what a value is.
type Kind uint8

const (
	Opaque   Kind = iota // nothing is said of it
	Number               // an integer, or an address without known object
	Pointer              // an address in an object
	Truth                // an i1 that is known
	Function             // the address of a function
	Other                // a value of no kind that a generalised state can hold
)

// Reading says which reading of a number's bits its expression is.
type Reading uint8

const (
	Either   Reading = iota // in the range that both readings share
	Signed                  // two's complement
	Unsigned                // natural
)

// Value is what a frame, a cell or the end of a list holds.
type Value struct {
	Kind    Kind
	Lin     exact.Lin // of a number; the offset of a pointer
	Reading Reading
	Object  int
	Last    bool // of a pointer to a list: it is one to the last block
	True    bool
	Func    *ir.Func
}

// Content says what the bytes of an object are where no cell tells.
type Content uint8

const (
	Unknown Content = iota
	Zero
	Initial // the initialiser of the object's global
)

// Cell is a value in memory.
type Cell struct {
	Offset exact.Lin
	Size   int64
	Value  Value
}

// List makes an object stand for a chain of blocks: Length of them, possibly none, of which the pointer at byte Next
// leads to byte At of the following one, and that of the last to End. With Kids it is a tree of so many blocks: their
// pointers at these bytes lead to one tree each, that may be empty, which is null, but for one that is End; the last
// block is the one that holds it. If it is Doubly linked, the pointer at byte Prev leads to byte BackAt of the block
// in front, and that of the first to Before. Of an empty list, the pointer to byte At of the first block is End, and
// that to byte BackAt of the last one is Before.
type List struct {
	Kids   []int64
	Next   int64
	At     int64
	Length exact.Lin
	End    Value

	Doubly bool
	Prev   int64
	BackAt int64
	Before Value

	Members []Member // what each block holds
	Bare    bool     // there are no blocks
}

// from is the list as a pointer to its last block sees it, or as one to its first does.
func (l *List) from(last bool) *List {
	if !last {
		return l
	}
	return &List{Next: l.Prev, At: l.BackAt, Prev: l.Next, BackAt: l.At, Length: l.Length, End: l.Before, Before: l.End,
		Doubly: l.Doubly, Kids: l.Kids, Members: l.Members, Bare: l.Bare}
}

// Object is an allocation, or a list of allocations of the same size.
type Object struct {
	Name    string
	Size    exact.Lin
	Heap    bool
	Private bool  // no pointer to it can be where the state does not say
	Ended   bool  // its scope may be over
	Align   int64 // its address is a multiple of it; that of each block of a list
	Global  *ir.Global
	Rest    Content
	Cells   []Cell
	Base    exact.Lin // its address, if HasBase
	HasBase bool
	List    *List

	AllWritten bool   // every byte has a value; of a list, in each block
	Written    []Span // or these have
}

// Span is the bytes from Lo to Hi-1.
type Span struct{ Lo, Hi int64 }

// Frame is an active call.
type Frame struct {
	Func    *ir.Func
	Block   *ir.Block
	Index   int
	Context string // the calls that lead here
	Call    *ir.Instr
	Bottom  bool // the callers are left out
	Values  map[ir.Value]Value
	Owns    map[int]bool // the objects that end with the call
}

// State is an abstract state.
type State struct {
	Frames  []Frame
	Objects map[int]*Object
	Know    Knowledge
}

// Interval bounds a variable; either end may be missing.
type Interval struct {
	Lo, Hi       exact.Int
	HasLo, HasHi bool
}

// Knowledge is a conjunction of facts about a state's variables.
type Knowledge struct {
	Intervals map[exact.Var]Interval
	Rows      []linear.Row
	Residues  map[exact.Var]Residue
}

// Residue says that a variable is Rest more than a multiple of Mod, which is at least 2.
type Residue struct{ Mod, Rest exact.Int }

// Edge is a claim: To, with the given values for its variables, stands for every run of From.
// A variable without a value may have any value that makes the claim true.
type Edge struct {
	From, To State
	Values   map[exact.Var]exact.Lin
	// ReadInitial returns what size bytes at offset off of a global's initialiser hold.
	ReadInitial func(g *ir.Global, off, size int64, pointer bool) (Value, bool)
	PointerBits int
	Unbounded   bool // integers are mathematical ones
	Loses       bool // told by Check: To has no part for some heap memory of From
}
