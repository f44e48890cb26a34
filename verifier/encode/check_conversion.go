package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkConversion claims that a floating-point value fits the integer it is
// converted to (C17 6.3.1.4).
func (e *encoder) checkConversion(fr *frame, st *state, in *ir.Instr, a val) {
	t := in.T
	lanes := []val{a}
	if a.el != nil {
		lanes, t = a.el, in.T.Elem
	}
	if !e.opts.Checks.Has(verdict.Conversion) || !followed(in.Args[0].Type()) {
		return
	}
	bad := e.s.False()
	for _, x := range lanes {
		bad = e.s.Or(bad, e.s.Not(e.fits(x.t, t.Width, in.Op == ir.OpFpToSi)))
	}
	e.claimNot(fr, st, in, verdict.Conversion, bad, false, fmt.Sprintf("floating-point value does not fit %d bits",
		t.Width))
}

// checkNarrow claims that an address fits the integer it is converted to, signed or
// not (C17 6.3.2.3p6).
func (e *encoder) checkNarrow(fr *frame, st *state, in *ir.Instr, a val) {
	if !e.opts.Checks.Has(verdict.Conversion) {
		return
	}
	at := e.address(a.p)
	low := e.s.Trunc(at, in.T.Width)
	fits := e.s.Or(e.s.Eq(at, e.s.Zext(low, e.w)), e.s.Eq(at, e.s.Sext(low, e.w)))
	e.claimNot(fr, st, in, verdict.Conversion, e.s.Not(fits), false, fmt.Sprintf("address does not fit %d bits",
		in.T.Width))
}
