// Package interp is a small concrete evaluator of ir: it replays the
// counterexamples of the symbolic engines and is the oracle of tests. It has
// the meaning of docs/SEMANTICS.md and shares only verifier/bits with them.
//
// Everything that the environment decides comes from an input.Source, in the order of
// execution. Who asks for what:
//
//	Param         each scalar of the entry's parameters, in order, before the first instruction; no instruction
//	Nondet        each scalar of the result of a call with model nondet or range; the result of printf
//	VolatileRead  each scalar of a volatile load that is not memory (Options.VolatileMemory, ir.Escapes)
//	MallocOK      1 bit per malloc, calloc, realloc, aligned_alloc, posix_memalign, strdup: 1 when it succeeds; not asked with
//	              MallocNeverFails, nor by calloc when count * size wraps (it fails)
//	AsmOut        each scalar of the result of an inline assembly call, then one per scalar of an indirect output
//	Undef         each scalar of an `undef` or `poison` operand, each time the instruction runs: it is indeterminate;
//	              so is what a shift with nuw or an exact operation gives that loses bits, if nobody asks
//	Unspecified   what C leaves to the implementation, each time: which of several results a library function gives, whether
//	              a product and a sum are rounded once; and any value where a check is off: a floating-point value that does
//	              not fit, a shift too far
//	Havoc         contents of the ranges that havoc and make-symbolic write (input.Source.Havoc)
//	Bytes, Base   per object (input.Source); not in a fixed order
//
// Objects are numbered: globals 0.. in module order, then what comes to life
// during the execution, in that order: allocas, by-value copies (when the call
// happens, in parameter order), heap blocks, the argument areas that va_start makes (register area first).
// Function number i of the module is object -1-i; region number i of the memory
// map is object -1-len(Funcs)-i.
//
// Which check an instruction violates, in the order in which they are asked:
//
//	branch, switch, indirectbr: uninitialised
//	add, sub, mul, shl: signed-overflow (nsw), unsigned-overflow (nuw); shl, lshr, ashr: shift (amount)
//	sub with ir.PtrDiff and icmp of pointers by order: pointer-compare (null-compare with the null constant); exact violated: pointer-compare
//	div, rem: uninitialised (divisor), div-by-zero, signed-overflow (smallest by -1)
//	load, store, atomics, mem* and str*: uninitialised (address, length), memory
//	gep inbounds: pointer-overflow
//	call: uninitialised and memory (callee); free: free; assert, fail: assert; llvm.assume: builtin
//	fptosi, fptoui: conversion; unreachable: unreachable; trap: its own; end of the program: leak (ir.LeakRule)
//
// A violation of a check that is off, or of a claim of Options.Past: arithmetic wraps, a
// shift too far gives any value (Unspecified), an indeterminate value is used as it is, a branch
// to a trap goes on beside it; what cannot go on (memory, free, division, a trap with
// nothing beside it, unreachable) is the outcome Undefined.
//
// What looks at runs from outside is an Observer (observer.go): traces (package trace), repeated states (lasso),
// skipped turns (leap), and what Options.Watch asks for (watch.go). Packages ieee and cexpr are arithmetic and texts
// alone.
package interp

import (
	"context"
	"fmt"
	"math"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Options of a run. The zero value runs main with all default checks.
type Options struct {
	ir.Semantics
	Entry    *ir.Func         // nil: main
	Checks   verdict.CheckSet // nil: verdict.DefaultChecks
	Past     ir.Past          // claims of Checks that are left out
	MaxSteps int64            // instructions; 0: ten million
	MaxDepth int              // calls; 0: ten thousand
	// end as InputMismatch where the run depends on what the environment decides: inputs, unknown bytes, addresses
	Sealed bool
	Watch  *Watch
	Differ func(a, b bits.Vec) // numbers that were compared, and were not equal; may be nil
	Ways   bool                // note the branches taken, as Outcome.Ways
	// who else is told what the run does, in this order: packages trace, lasso and leap (the last one)
	Observe   []Observe
	EveryTurn bool   // no turn may be skipped; so it is where Watch looks at loops or calls
	Facts     *Facts // of the module, for many runs one after the other; nil, or those of another one: they are found anew
}

// Kind says how a run ended.
type Kind uint8

// The kinds of Outcome.
const (
	Invalid       Kind = iota
	Returned           // from the entry
	Exited             // exit, abort
	AssumeFailed       // an assumption is false
	Undefined          // undefined behaviour whose check is off
	Violation          // Check failed at Instr
	Unsupported        // Message names what is not modelled
	StepLimit          // MaxSteps or MaxDepth reached
	InputMismatch      // the source had no answer
	Lasso              // the state repeats (package lasso)
)

var kindNames = [...]string{"invalid", "returned", "exited", "assume-failed", "undefined", "violation", "unsupported",
	"step-limit", "input-mismatch", "lasso"}

func (k Kind) String() string { return kindNames[k] }

// Outcome is how a run ended and what it did.
type Outcome struct {
	Kind     Kind
	Check    verdict.Check // Violation, Undefined
	Instr    *ir.Instr     // where it ended
	Pos      verdict.Pos
	Message  string
	Failure  *verdict.Failure // Violation, Undefined: the facts that Message words; nil: Check says it all
	Object   *verdict.Object  // that the failed access was to leave, if it did
	CallPath []*ir.Instr      // call instructions from the entry down to the end
	Steps    []verdict.Step   // of a trace
	Dropped  int              // steps that were left out at the front, as there are too many
	Ret      bits.Vec         // of the entry, if it returned a scalar
	Executed int64            // instructions
	Accessed int64            // bytes
	Leapt    int64            // turns of loops that were skipped: they count in none of the others
	Passed   []ir.At          // claims of Options.Past that were violated
	Visits   map[*ir.Block]int64
	Ways     map[ir.Spot]bool // with Options.Ways: taken
	Cycle    *Cycle           // Lasso
	// of the variables that are defined nowhere, those that the failure depends on, or may depend on where that was not
	// followed; sorted
	Undefined []string
}

func (o *Outcome) String() string {
	s := o.Kind.String()
	if o.Check != "" {
		s += " " + string(o.Check)
	}
	if o.Pos.Line > 0 {
		s += " " + o.Pos.String()
	}
	if o.Message != "" {
		s += ": " + o.Message
	}
	return s
}

// Run executes opts.Entry of m with the inputs of src. The error is about the
// request (no such entry, cancelled), never about the program.
func Run(ctx context.Context, m *ir.Module, opts Options, src input.Source) (*Outcome, error) {
	x, err := newMachine(m, opts, src)
	if err != nil {
		return nil, err
	}
	x.effort = newEffort(ctx, x.Options.MaxSteps)
	if x.run(); x.Outcome == nil {
		return nil, fmt.Errorf("interpreting %s: %w", x.Options.Entry.Name, ctx.Err())
	}
	x.effort = newEffort(context.Background(), math.MaxInt64) // what a trace shows of memory is little
	out := x.finish()
	for _, fr := range x.Frames {
		x.release(fr)
	}
	return out, nil
}

// run executes until the run is over or its context ended.
func (x *Machine) run() {
	defer endStopped()
	for x.start(); x.Outcome == nil; x.step() {
		if x.Executed&0xfff == 0 && x.effort.ctx.Err() != nil {
			return
		}
	}
}

// Cycle is a witness of non-termination: at the start of Head the whole state
// of the program (calls, registers, memory) is what it was Length instructions
// before, so that the run can go on forever by repeating what it did since,
// with the inputs that it got since. With Recursion, a call of Head's function led to another one inside of it that
// begins with what it began with.
type Cycle struct {
	Head        *ir.Block
	Stem        int64              // instructions before the cycle
	Length      int64              // instructions in it
	StemInputs  int64              // inputs before the cycle
	CycleInputs int64              // inputs in it
	Blocks      map[*ir.Block]bool // jumped to in it, in the outermost of its calls: all of the same function
	StemSteps   int                // steps of Outcome.Steps before the cycle; -1 if those were dropped
	Recursion   bool
}
