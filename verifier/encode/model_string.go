package encode

import "github.com/firmproof/firmproof/verifier/ir"

func (c *modelCall) strings(ir.Model) (val, bool)  { return val{}, false }
func (c *modelCall) floats(ir.Model) (val, bool)   { return val{}, false }
func (c *modelCall) variadic(ir.Model) (val, bool) { return val{}, false }

func (e *encoder) vaArg(fr *frame, st *state, in *ir.Instr) val {
	e.gap(st, in, "unsupported", "va_arg")
	return val{}
}

func (e *encoder) asm(st *state, in *ir.Instr) val {
	e.gap(st, in, "unsupported", "inline assembly")
	return val{}
}
