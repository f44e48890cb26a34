package verdict

import "slices"

// Failure is what a violated claim came to, for those who decide what that counts for. The message says it in words, and
// a user's words are part of them: nothing is decided by a message.
type Failure struct {
	Kind FailureKind `json:"kind,omitempty"` // empty: the check says it all
	Of   []Subject   `json:"of,omitempty"`   // what the message names, in its order
}

// FailureKind tells the ways apart in which checks of pointers and memory fail.
type FailureKind string

// The kinds of Failure.
const (
	NullAccess     FailureKind = "null"            // the address is null, or at an offset of it
	NoObject       FailureKind = "no-object"       // the address is in no object
	OutOfBounds    FailureKind = "bounds"          // an access, or a pointer, leaves an object
	OutOfIndex     FailureKind = "index"           // an index leaves an array of known length
	AfterEnd       FailureKind = "after-end"       // the object is not alive
	OfCode         FailureKind = "code"            // data is read or written where code is
	ReadOnly       FailureKind = "read-only"       // a constant is written
	WriteOnly      FailureKind = "write-only"      // a register is read that can only be written
	RunsInto       FailureKind = "runs-into"       // an access in a region comes to an object that lies there
	Misaligned     FailureKind = "misaligned"      // the address is no multiple of what the access needs
	Overlap        FailureKind = "overlap"         // what is copied lies where it is copied to
	NoFunction     FailureKind = "no-function"     // a call, or a jump, to no function or label
	OtherType      FailureKind = "other-type"      // a call of a function by another type
	ApartCompared  FailureKind = "apart"           // pointers into different objects are compared or subtracted
	WrapsAround    FailureKind = "wraps"           // an address wraps around
	NullArithmetic FailureKind = "null-arithmetic" // arithmetic on a null pointer
	NotReleased    FailureKind = "not-released"    // a block of the heap is never freed, or lost
	WrongRelease   FailureKind = "wrong-release"   // free of what is none of its blocks
	FreedTwice     FailureKind = "freed-twice"     // free of a block that is freed already
)

// Subject is an object or a function, by name and by who made it: names alone do not tell a variable from an argument.
type Subject struct {
	Name  string `json:"name,omitempty"` // as in the program; of what a harness made, of the pointer that leads to it
	Maker Maker  `json:"maker"`
}

// Maker says where an object or function comes from.
type Maker string

// The makers.
const (
	ByProgram Maker = "program"   // it defines the variable, literal, function or label
	ByOthers  Maker = "elsewhere" // a variable or function that the program declares and does not define
	ByHeap    Maker = "heap"      // a block that the program allocates
	ByHarness Maker = "harness"   // a block or function that stands for what a pointer of a generated harness leads to
	ByMachine Maker = "machine"   // a region of the memory map
	ByNobody  Maker = "nobody"    // null, or a number
)

// Names lists the names of those subjects that m made; f may be nil.
func (f *Failure) Names(m Maker) []string {
	if f == nil {
		return nil
	}
	var out []string
	for _, s := range f.Of {
		if s.Maker == m {
			out = append(out, s.Name)
		}
	}
	return out
}

// IsNumber reports an access at a number that is no address of an object of the program; f may be nil.
func (f *Failure) IsNumber() bool { return f.Is(NoObject) || len(f.Names(ByMachine)) > 0 }

// Is reports whether f, which may be nil, is of kind k.
func (f *Failure) Is(k FailureKind) bool { return f != nil && f.Kind == k }

// WhateverSize reports that no size of the objects mends f, which may be nil: what is accessed or freed is not alive, an
// index leaves its array, something is copied onto itself, or an address is no multiple of what the access needs.
func (f *Failure) WhateverSize() bool {
	return f.Is(AfterEnd) || f.Is(FreedTwice) || f.Is(OutOfIndex) || f.Is(Overlap) || f.Is(Misaligned)
}

// Same reports whether two claims fail in the same way, with the same objects; both may be nil.
func (f *Failure) Same(other *Failure) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.Kind == other.Kind && slices.Equal(f.Of, other.Of)
}
