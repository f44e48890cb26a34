package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// stackClaim states, at the first instruction of an activation, that the frames
// of the call chain fit the target's stack.
func (e *encoder) stackClaim(fr *frame, st *memory.State) {
	s := e.opts.Stack
	if s == nil || s.Size == 0 || !e.opts.Checks.Has(verdict.Stack) {
		return
	}
	used := int64(0)
	for f := fr; f != nil; f = f.up {
		if n, ok := s.Frame(f.fn); ok {
			used += n
		}
	}
	e.claimNot(fr, st, fr.fn.Blocks[0].Instrs[0], verdict.Stack, e.s.BoolConst(used > s.Size), true,
		fmt.Sprintf("%d bytes of stack in use, %d there", used, s.Size))
}
