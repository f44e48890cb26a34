package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// variadic executes va_start, va_end and va_copy.
func (c *call) variadic(m ir.Model) {
	if m == ir.ModelVaEnd {
		return
	}
	c.end(Unsupported, "", c.name)
}

func (x *machine) vaArg(in *ir.Instr) {
	x.end(Unsupported, "", "va_arg of "+in.T.String())
}
