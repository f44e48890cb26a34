package interp

import "github.com/firmproof/firmproof/verifier/verdict"

// checkStack ends the run if the active functions need more than there is.
func (x *Machine) checkStack() {
	if x.o.Stack == nil || x.o.Stack.Size == 0 || !x.o.Checks.Has(verdict.Stack) {
		return
	}
	used := int64(0)
	for _, fr := range x.frames {
		if n, ok := x.o.Stack.Frame(fr.fn); ok {
			used += n
		}
	}
	if used > x.o.Stack.Size {
		x.cur = x.fr.blk.Instrs[0]
		x.violate(verdict.Stack, "%d bytes of stack in use, %d there", used, x.o.Stack.Size)
	}
}
