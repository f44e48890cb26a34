// Package input is what the environment decides in an execution: the inputs of a counterexample, and where the
// interpreter gets them from.
package input

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Kind says what an input decides.
type Kind uint8

// The kinds.
const (
	Invalid Kind = iota
	Nondet
	Param
	VolatileRead
	MallocOK
	Bytes
	Base
	AsmOut
	Undef
	Havoc
	Unspecified
)

var kindNames = [...]string{"invalid", "nondet", "param", "volatile", "malloc", "memory", "base", "asm", "undef",
	"havoc", "unspecified"}

func (k Kind) String() string { return kindNames[k] }

// Source decides what the environment decides.
type Source interface {
	// Next is the next input in the order of execution; false ends the run as InputMismatch.
	// at is the instruction that asks, nil for parameters of the entry.
	Next(kind Kind, at *ir.Instr, width int) (bits.Vec, bool)
	// Havoc gives the bytes that the instruction writes, by distance from the start of the range.
	Havoc(at *ir.Instr, n int64) (func(i int64) byte, bool)
	// ObjectBytes gives the bytes that the object had before it was written, the same each time; nil for zeros.
	// Only bytes that are read are asked for. at made the object, nil for globals and regions.
	ObjectBytes(obj int, at *ir.Instr) func(off int64) byte
	// Base is the object's address; without one the interpreter picks it.
	Base(obj int) (addr bits.Vec, ok bool)
}

// KindNamed returns the kind with that name, Invalid if there is none.
func KindNamed(name string) Kind {
	return Kind(max(0, slices.Index(kindNames[:], name)))
}
