package interp

import (
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkStack ends the run if the active functions need more than there is.
func (x *Machine) checkStack() {
	if x.Options.Stack == nil || x.Options.Stack.Size == 0 || !x.Options.Checks.Has(verdict.Stack) {
		return
	}
	used := int64(0)
	for _, fr := range x.Frames {
		if n, ok := x.Options.Stack.Frame(fr.Func); ok {
			used += n
		}
	}
	if used > x.Options.Stack.Size {
		x.Instr = x.Frame.Block.Instrs[0]
		x.violate(verdict.Stack, "%d bytes of stack in use, %d there", used, x.Options.Stack.Size)
	}
}
