package interp

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// asm executes inline assembly: barriers and interrupt masks have no effect in
// a sequential program; of anything else the outputs are the environment's
// choice, and what may write memory is not modelled.
func (x *Machine) asm(in *ir.Instr) {
	if !in.T.IsVoid() {
		x.set(in, x.inputs(input.AsmOut, in.T))
	}
	for _, c := range strings.Split(in.Asm.Constraints, ",") {
		if c == "~{memory}" && !ir.QuietAsm(in.Asm) {
			x.EndRun(Unsupported, "", "inline assembly that writes memory: "+in.Asm.String())
			return
		}
	}
}
