package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Observer is told what a run does, step by step. It looks at the machine and does not change it, but for one that
// skips turns of loops (package leap). Silent has all methods; observers embed it and write those that they need.
type Observer interface {
	Param(p *ir.Param, v Value)              // p of the entry has value v; before the first instruction
	Enter(fr *Frame)                         // a call began: fr is the innermost
	Leave(fr *Frame, ret Value, hasRet bool) // fr came back; it is off the stack, unless it is the entry's
	Jump(b *ir.Block)                        // the innermost call came to b
	Phis(fr *Frame)                          // the phis from fr's next instruction on are about to be executed
	Begin(fr *Frame)                         // the first instruction behind a jump that is no phi is about to be executed
	Before(fr *Frame, in *ir.Instr)          // in, no phi, is about to be executed by fr
	After(fr *Frame, in *ir.Instr)           // it was
	// in, which has more than one target, goes on at the block to, as v says
	Branch(in *ir.Instr, v Value, to *ir.Block)

	Access(o *Object, off, n int64, write bool)        // n bytes are accessed, whether that is allowed or not
	Load(in *ir.Instr, o *Object, off int64, v Value)  // in reads v
	Fresh(in *ir.Instr, o *Object, off int64, v Value) // in reads v, which the environment decides
	Storing(in *ir.Instr, o *Object, off int64)        // in is about to write
	Store(in *ir.Instr, o *Object, off int64)          // in wrote
	Fill(in *ir.Instr, o *Object, off, n int64)        // a call of a library function wrote n bytes
	Local(in *ir.Instr, o *Object)                     // a local came to life
	Alloc(in *ir.Instr, o *Object, n uint64)           // a heap block of n bytes was asked for; nil: in vain
	Free(in *ir.Instr, o *Object)                      // a heap block was released
	Input(in *ir.Instr, name string, v Value)          // a call of name gave v, which the environment decides
	Leaked(o *Object)                                  // the run ends because o is lost
	Outside(o *Object, shown *verdict.Object)          // the run ends because of an access that leaves o
	Skip(at *ir.Instr, turns int64)                    // turns of the loop that begins with at were skipped
	LastWrite(o *Object, off int64) *ir.Instr          // what wrote a byte last; nil: not known
	End(out *Outcome)                                  // the run is over; what was seen goes into out
}

// Observe makes the observer of a run; nil: there is nothing to be told.
type Observe func(*Machine) Observer

// SkipTurns notes that an observer skipped turns of the loop that begins with at, which would have made so many
// objects.
func (x *Machine) SkipTurns(at *ir.Instr, turns int64, objects int) {
	x.skipped += objects
	x.on.Skip(at, turns)
}

// Silent is an Observer that does nothing.
type Silent struct{}

var _ Observer = Silent{}

func (Silent) Param(*ir.Param, Value)                 {}
func (Silent) Enter(*Frame)                           {}
func (Silent) Leave(*Frame, Value, bool)              {}
func (Silent) Jump(*ir.Block)                         {}
func (Silent) Phis(*Frame)                            {}
func (Silent) Begin(*Frame)                           {}
func (Silent) Before(*Frame, *ir.Instr)               {}
func (Silent) After(*Frame, *ir.Instr)                {}
func (Silent) Branch(*ir.Instr, Value, *ir.Block)     {}
func (Silent) Access(*Object, int64, int64, bool)     {}
func (Silent) Load(*ir.Instr, *Object, int64, Value)  {}
func (Silent) Fresh(*ir.Instr, *Object, int64, Value) {}
func (Silent) Storing(*ir.Instr, *Object, int64)      {}
func (Silent) Store(*ir.Instr, *Object, int64)        {}
func (Silent) Fill(*ir.Instr, *Object, int64, int64)  {}
func (Silent) Local(*ir.Instr, *Object)               {}
func (Silent) Alloc(*ir.Instr, *Object, uint64)       {}
func (Silent) Free(*ir.Instr, *Object)                {}
func (Silent) Input(*ir.Instr, string, Value)         {}
func (Silent) Leaked(*Object)                         {}
func (Silent) Outside(*Object, *verdict.Object)       {}
func (Silent) Skip(*ir.Instr, int64)                  {}
func (Silent) LastWrite(*Object, int64) *ir.Instr     { return nil }
func (Silent) End(*Outcome)                           {}
