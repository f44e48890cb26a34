package ir

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Semantics is the part of a program's meaning that LangRef and C leave to the
// target and to the environment. Every engine takes it as it is. The zero value is
// the strictest one: no memory map, allocations may fail, volatile reads are inputs.
type Semantics struct {
	Regions []Region // parts of the address space that integer addresses may touch
	// places in regions, by address: traces and messages have their names, and the check register what is
	// known of them
	Registers        []Register `json:",omitempty"`
	AddressZero      bool       // an object or a region may lie at address 0
	MallocNeverFails bool       // malloc and the like always succeed
	AnyAlignment     bool       // accesses need no alignment
	VolatileMemory   bool       // volatile objects outside volatile regions behave like memory
	KeepsRanges      bool       // volatile variables hold what the program stores there, within limits that it keeps
	HoldsStored      bool       // those that the program itself stores behave like memory
	Leaks            LeakRule   // what the check `leak` asks for
	Stack            *Stack     // for the check `stack`; nil: not known
}

// NearNull reports whether the memory map has something behind address 0, where null designates nothing.
func (s *Semantics) NearNull() bool {
	return !s.AddressZero && slices.ContainsFunc(s.Regions, func(r Region) bool { return r.Base == 0 && r.Size > 0 })
}

// Fresh reports whether in reads or writes what is volatile, so that a read gives any value unless it is one of memory
// that nothing else gets at. Where volatile variables hold what the program stores there, a function that alone writes
// one finds what it left. Where they are held to what the program stores, nobody else writes those that it does.
func (s *Semantics) Fresh(in *Instr) bool {
	return in.Flags.Has(Volatile) && !s.VolatileMemory && !(s.KeepsRanges && in.Flags.Has(Sole)) &&
		!(s.HoldsStored && in.Flags.Has(Stored))
}

// TellsNull reports whether pointers computed from null have to be told from other addresses: the memory map has something
// behind address 0, and the check of the arithmetic itself is not asked for.
func (s *Semantics) TellsNull(checks verdict.CheckSet) bool {
	return s.NearNull() && !checks.Has(verdict.PointerOverflow)
}

// Access says what a program may do with a region of the address space.
type Access string

// The kinds of region.
const (
	AccessVolatile  Access = "volatile" // reads are inputs, writes vanish
	AccessReadWrite Access = "rw"
	AccessRead      Access = "r"
)

// Region is an entry of the target's memory map: Size bytes from Base on.
type Region struct {
	Name   string
	Base   uint64
	Size   uint64
	Access Access
	NoRead bool // of a volatile region: writes vanish, and a read is a violation
}

// InDevice reports whether all of n bytes at an address lie in one volatile region.
func InDevice(regions []Region, at uint64, n int64) bool {
	return slices.ContainsFunc(regions, func(r Region) bool {
		return r.Access == AccessVolatile && at >= r.Base && n >= 0 && uint64(n) <= r.Size && at-r.Base <= r.Size-uint64(n)
	})
}

// LeakRule says what the check `leak` asks for, and where.
type LeakRule uint8

// The rules.
const (
	LeakFreed LeakRule = iota // the entry returns or exits with all heap memory freed
	// the same, also where a failed assertion or error call ends the program (SV-COMP's valid-memcleanup)
	LeakCleanup
	// however the program ends: pointers lead from its variables, but not from those of an entry that returns,
	// to all heap memory that was not freed (SV-COMP's valid-memtrack)
	LeakTracked
	// where a function that a driver calls returns to it: what the program's own code allocated is led to from all that is
	// still there, or is what it gives back, or was handed to code that is not known (docs/SEMANTICS.md)
	LeakCalled
)

// Ending names a way in which a program ends, for LeakRule.
type Ending uint8

// The ways to end.
const (
	EndReturn Ending = iota // the entry returns: its variables are gone
	EndExit                 // the program exits
	EndFailed               // a failed assertion or an error call, whose check is off
	EndAbort                // abort, llvm.trap
)

// EndOf returns how a call of the function with this name, which ends the program, does so.
func EndOf(name string) Ending {
	if name == "abort" {
		return EndAbort
	}
	return EndExit
}

// Asks reports whether the rule asks for anything where the program ends so.
func (r LeakRule) Asks(how Ending) bool {
	switch r {
	case LeakFreed:
		return how <= EndExit
	case LeakCalled:
		return how == EndReturn
	}
	return true
}

// Sizes of an activation that is not known.
const (
	VariableFrame    int64 = -1 // it holds arrays of variable length
	FrameWithoutCode int64 = -2 // the compiler makes no machine code of the function's file
)

// Stack holds what the check `stack` needs to know of the target.
type Stack struct {
	Size   int64            // bytes, 0: not known
	Frames map[string]int64 // bytes of an activation, by name of the function before linking, or one of the above
}

// Frame returns the size of an activation of f in bytes; ok is false if it is not
// known. A static function that the linker renamed has a suffix of digits. A generated harness has no frame: it is not
// part of the program.
func (s *Stack) Frame(f *Func) (n int64, ok bool) {
	if f.Driven() {
		return 0, true
	}
	n, ok = s.frame(f)
	return n, ok && n >= 0
}

// Unknown returns why the size of an activation of f is not known, and what helps; both "" where it is.
func (s *Stack) Unknown(f *Func) (why, remedy string) {
	if f.Driven() {
		return "", ""
	}
	switch n, ok := s.frame(f); {
	case !ok:
		return "its machine code is not known", "compile it from C"
	case n == VariableFrame:
		return "it holds arrays of variable length", "give its arrays a constant length"
	case n < 0:
		return "clang makes no machine code of its file", "compile it with optimisation, such as -Os"
	}
	return "", ""
}

func (s *Stack) frame(f *Func) (n int64, ok bool) {
	n, ok = s.Frames[f.Name]
	if !ok {
		name := strings.TrimRight(f.Name, "0123456789")
		if name != f.Name && strings.HasSuffix(name, ".") {
			n, ok = s.Frames[strings.TrimSuffix(name, ".")]
		}
	}
	return n, ok
}
