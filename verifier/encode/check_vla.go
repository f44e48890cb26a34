package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkLength claims that an array of variable length fits half of the address space.
func (e *encoder) checkLength(fr *frame, st *memory.State, in *ir.Instr, count ilr.Term) {
	size := e.lay.SizeOf(in.Access)
	if size == 0 || st.PC == nil {
		return
	}
	most := bits.Udiv(bits.MaxSigned(e.w), bits.NewInt(e.w, size))
	bad := e.s.Ult(e.s.Const(most), count)
	if _, ok := e.ConstOf(count); ok && e.s.IsFalse(bad) {
		return
	}
	e.claimNot(fr, st, in, verdict.VLA, bad, true, "array is too large")
}
