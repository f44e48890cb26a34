package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Observer is told what a run does, step by step. It looks at the machine and does not change it, but for one that skips
// turns of loops (package leap). Silent has all methods; observers embed it and write those that they need.
type Observer interface {
	Param(p *ir.Param, v value)              // p of the entry has value v; before the first instruction
	Enter(fr *frame)                         // a call began: fr is the innermost
	Leave(fr *frame, ret value, hasRet bool) // fr came back; it is off the stack, unless it is the entry's
	Jump(b *ir.Block)                        // the innermost call came to b
	Phis(fr *frame)                          // the phis from fr's next instruction on are about to be executed
	Begin(fr *frame)                         // the first instruction behind a jump that is no phi is about to be executed
	Before(fr *frame, in *ir.Instr)          // in, no phi, is about to be executed by fr
	After(fr *frame, in *ir.Instr)           // it was
	Branch(in *ir.Instr, v value, to *ir.Block)

	Access(o *object, off, n int64, write bool)        // n bytes are accessed, whether that is allowed or not
	Load(in *ir.Instr, o *object, off int64, v value)  // in reads v
	Fresh(in *ir.Instr, o *object, off int64, v value) // in reads v, which the environment decides
	Storing(in *ir.Instr, o *object, off int64)        // in is about to write
	Store(in *ir.Instr, o *object, off int64)          // in wrote
	Fill(in *ir.Instr, o *object, off, n int64)        // a call of a library function wrote n bytes
	Local(in *ir.Instr, o *object)                     // a local came to life
	Alloc(in *ir.Instr, o *object, n uint64)           // a heap block of n bytes was asked for; nil: in vain
	Free(in *ir.Instr, o *object)                      // a heap block was released
	Input(in *ir.Instr, name string, v value)          // a call of name gave v, which the environment decides
	Leaked(o *object)                                  // the run ends because o is lost
	Outside(o *object, shown *verdict.Object)          // the run ends because of an access that leaves o
	Skip(at *ir.Instr, turns int64)                    // turns of the loop that begins with at were skipped
	LastWrite(o *object, off int64) *ir.Instr          // what wrote a byte last; nil: not known
	End(out *Outcome)                                  // the run is over; what was seen goes into out
}

// Observe makes the observer of a run.
type Observe func(*Machine) Observer

// Silent is an Observer that does nothing.
type Silent struct{}

var _ Observer = Silent{}

func (Silent) Param(*ir.Param, value)                 {}
func (Silent) Enter(*frame)                           {}
func (Silent) Leave(*frame, value, bool)              {}
func (Silent) Jump(*ir.Block)                         {}
func (Silent) Phis(*frame)                            {}
func (Silent) Begin(*frame)                           {}
func (Silent) Before(*frame, *ir.Instr)               {}
func (Silent) After(*frame, *ir.Instr)                {}
func (Silent) Branch(*ir.Instr, value, *ir.Block)     {}
func (Silent) Access(*object, int64, int64, bool)     {}
func (Silent) Load(*ir.Instr, *object, int64, value)  {}
func (Silent) Fresh(*ir.Instr, *object, int64, value) {}
func (Silent) Storing(*ir.Instr, *object, int64)      {}
func (Silent) Store(*ir.Instr, *object, int64)        {}
func (Silent) Fill(*ir.Instr, *object, int64, int64)  {}
func (Silent) Local(*ir.Instr, *object)               {}
func (Silent) Alloc(*ir.Instr, *object, uint64)       {}
func (Silent) Free(*ir.Instr, *object)                {}
func (Silent) Input(*ir.Instr, string, value)         {}
func (Silent) Leaked(*object)                         {}
func (Silent) Outside(*object, *verdict.Object)       {}
func (Silent) Skip(*ir.Instr, int64)                  {}
func (Silent) LastWrite(*object, int64) *ir.Instr     { return nil }
func (Silent) End(*Outcome)                           {}

// skipTurns notes that an observer skipped turns of the loop that begins with at, which would have made so many objects.
func (x *Machine) skipTurns(at *ir.Instr, turns int64, objects int) {
	x.skipped += objects
	x.on.Skip(at, turns)
}

// observers are told one after the other.
type observers []Observer

func (s observers) Param(p *ir.Param, v value) {
	for _, e := range s {
		e.Param(p, v)
	}
}

func (s observers) Enter(fr *frame) {
	for _, e := range s {
		e.Enter(fr)
	}
}

func (s observers) Leave(fr *frame, ret value, hasRet bool) {
	for _, e := range s {
		e.Leave(fr, ret, hasRet)
	}
}

func (s observers) Jump(b *ir.Block) {
	for _, e := range s {
		e.Jump(b)
	}
}

func (s observers) Phis(fr *frame) {
	for _, e := range s {
		e.Phis(fr)
	}
}

func (s observers) Begin(fr *frame) {
	for _, e := range s {
		e.Begin(fr)
	}
}

func (s observers) Before(fr *frame, in *ir.Instr) {
	for _, e := range s {
		e.Before(fr, in)
	}
}

func (s observers) After(fr *frame, in *ir.Instr) {
	for _, e := range s {
		e.After(fr, in)
	}
}

func (s observers) Branch(in *ir.Instr, v value, to *ir.Block) {
	for _, e := range s {
		e.Branch(in, v, to)
	}
}

func (s observers) Access(o *object, off, n int64, write bool) {
	for _, e := range s {
		e.Access(o, off, n, write)
	}
}

func (s observers) Load(in *ir.Instr, o *object, off int64, v value) {
	for _, e := range s {
		e.Load(in, o, off, v)
	}
}

func (s observers) Fresh(in *ir.Instr, o *object, off int64, v value) {
	for _, e := range s {
		e.Fresh(in, o, off, v)
	}
}

func (s observers) Storing(in *ir.Instr, o *object, off int64) {
	for _, e := range s {
		e.Storing(in, o, off)
	}
}

func (s observers) Store(in *ir.Instr, o *object, off int64) {
	for _, e := range s {
		e.Store(in, o, off)
	}
}

func (s observers) Fill(in *ir.Instr, o *object, off, n int64) {
	for _, e := range s {
		e.Fill(in, o, off, n)
	}
}

func (s observers) Local(in *ir.Instr, o *object) {
	for _, e := range s {
		e.Local(in, o)
	}
}

func (s observers) Alloc(in *ir.Instr, o *object, n uint64) {
	for _, e := range s {
		e.Alloc(in, o, n)
	}
}

func (s observers) Free(in *ir.Instr, o *object) {
	for _, e := range s {
		e.Free(in, o)
	}
}

func (s observers) Input(in *ir.Instr, name string, v value) {
	for _, e := range s {
		e.Input(in, name, v)
	}
}

func (s observers) Leaked(o *object) {
	for _, e := range s {
		e.Leaked(o)
	}
}

func (s observers) Outside(o *object, shown *verdict.Object) {
	for _, e := range s {
		e.Outside(o, shown)
	}
}

func (s observers) Skip(at *ir.Instr, turns int64) {
	for _, e := range s {
		e.Skip(at, turns)
	}
}

func (s observers) End(out *Outcome) {
	for _, e := range s {
		e.End(out)
	}
}

func (s observers) LastWrite(o *object, off int64) *ir.Instr {
	for _, e := range s {
		if in := e.LastWrite(o, off); in != nil {
			return in
		}
	}
	return nil
}
