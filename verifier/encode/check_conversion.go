package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkConversion claims that a floating-point value fits the integer it is
// converted to (C17 6.3.1.4p1).
func (e *encoder) checkConversion(fr *frame, st *memory.State, in *ir.Instr, a memory.Val) {
	t := in.T
	lanes := []memory.Val{a}
	if a.Elems != nil {
		lanes, t = a.Elems, in.T.Elem
	}
	if !e.opts.Checks.Has(verdict.FloatConversion) || !followed(in.Args[0].Type()) {
		return
	}
	bad := e.s.False()
	for _, x := range lanes {
		bad = e.s.Or(bad, e.s.Not(e.fits(x.Term, t.Width, in.Op == ir.OpFpToSi)))
	}
	e.claimNot(fr, st, in, verdict.FloatConversion, bad, false, fmt.Sprintf("floating-point value does not fit %d bits",
		t.Width))
}

// checkNarrow claims that an address fits the integer it is converted to, signed or
// not (C17 6.3.2.3p6).
func (e *encoder) checkNarrow(fr *frame, st *memory.State, in *ir.Instr, a memory.Val) {
	if !e.opts.Checks.Has(verdict.Conversion) {
		return
	}
	at := e.Address(a.Ptr)
	low := e.s.Trunc(at, in.T.Width)
	fits := e.s.Or(e.s.Eq(at, e.s.Zext(low, e.w)), e.s.Eq(at, e.s.Sext(low, e.w)))
	e.claimNot(fr, st, in, verdict.Conversion, e.s.Not(fits), false, fmt.Sprintf("address does not fit %d bits",
		in.T.Width))
}
