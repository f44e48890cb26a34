package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tracer collects the steps of a run.
type tracer struct {
	steps   []verdict.Step
	dropped int
}

func (x *machine) traceParam(*ir.Param, value)                    {}
func (x *machine) traceCall(*ir.Func, *ir.Instr, []value)         {}
func (x *machine) traceReturn(*ir.Func, value)                    {}
func (x *machine) traceVolatile(*ir.Instr, *object, int64, value) {}
func (x *machine) traceStore(*ir.Instr, *object, int64, *ir.Type) {}
func (x *machine) traceBranch(*ir.Instr, value)                   {}
func (x *machine) traceInput(*ir.Instr, string, value)            {}
func (x *machine) traceBytes(*ir.Instr, *object, int64, int64)    {}
func (x *machine) traceAlloc(*ir.Instr, *object, uint64)          {}
func (x *machine) traceFree(*ir.Instr, *object)                   {}
func (x *machine) traceEnd()                                      {}
