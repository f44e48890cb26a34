package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var opWords = map[ir.Op]string{
	ir.OpAdd: "addition", ir.OpSub: "subtraction", ir.OpMul: "multiplication", ir.OpSdiv: "division",
	ir.OpUdiv: "division",
	ir.OpSrem: "remainder", ir.OpUrem: "remainder", ir.OpShl: "left shift", ir.OpLshr: "right shift",
	ir.OpAshr: "right shift",
}

// any is the disjunction of f over lanes.
func (e *encoder) any(a, b []val, f func(x, y ilr.Term) ilr.Term) ilr.Term {
	r := e.s.False()
	for i := range a {
		r = e.s.Or(r, f(e.num(a[i]), e.num(b[i])))
	}
	return r
}

// checkOverflow: nsw and nuw of add, sub, mul (LL-95 to LL-97).
func (e *encoder) checkOverflow(fr *frame, st *state, in *ir.Instr, a, b []val) {
	signed := in.Flags.Has(ir.NSW) && e.opts.Checks.Has(verdict.SignedOverflow) && !e.opts.MathInts
	unsigned := in.Flags.Has(ir.NUW) && e.opts.Checks.Has(verdict.UnsignedOverflow)
	if !signed && !unsigned {
		return
	}
	var s, u func(x, y ilr.Term) ilr.Term
	switch in.Op {
	case ir.OpAdd:
		s, u = e.s.SaddO, e.s.UaddO
	case ir.OpSub:
		s, u = e.s.SsubO, e.s.UsubO
	case ir.OpMul:
		s, u = e.s.SmulO, e.s.UmulO
	}
	if signed {
		bad := e.any(a, b, s)
		e.claim(fr, st, in, verdict.SignedOverflow, bad, false, fmt.Sprintf("signed %s of %d bits overflows",
			opWords[in.Op], e.s.Width(e.num(a[0]))))
	}
	if unsigned {
		bad := e.any(a, b, u)
		e.claim(fr, st, in, verdict.UnsignedOverflow, bad, false, fmt.Sprintf("unsigned %s of %d bits wraps around",
			opWords[in.Op], e.s.Width(e.num(a[0]))))
	}
}

// checkDivision: zero divisor, smallest / -1 (LL-98, LL-99).
func (e *encoder) checkDivision(fr *frame, st *state, in *ir.Instr, a, b []val) {
	for _, y := range b {
		e.checkDefined(fr, st, in, y, "divisor is indeterminate")
	}
	zero := e.any(a, b, func(_, y ilr.Term) ilr.Term { return e.eq(y, e.s.Int(e.s.Width(y), 0)) })
	e.claim(fr, st, in, verdict.DivByZero, zero, true, opWords[in.Op]+" by zero")
	if in.Op == ir.OpSdiv || in.Op == ir.OpSrem {
		over := e.any(a, b, func(x, y ilr.Term) ilr.Term {
			w := e.s.Width(x)
			return e.s.And(e.eq(x, e.s.Const(bits.MinSigned(w))), e.eq(y, e.s.Int(w, -1)))
		})
		e.claim(fr, st, in, verdict.SignedOverflow, over, false, "signed "+opWords[in.Op]+
			" of the smallest value by -1 overflows")
	}
}

// checkShift: amount below the width; nsw of shl is signed overflow (LL-101, LL-102).
func (e *encoder) checkShift(fr *frame, st *state, in *ir.Instr, a, b []val) {
	bad := e.any(a, b, func(x, y ilr.Term) ilr.Term {
		w := e.s.Width(x)
		return e.s.Not(e.s.Ult(y, e.s.Const(bits.New(w, uint64(w)))))
	})
	if e.s.Width(e.num(a[0])) == 1 {
		bad = e.any(a, b, func(_, y ilr.Term) ilr.Term { return e.bit(y) })
	}
	e.claim(fr, st, in, verdict.Shift, bad, false, fmt.Sprintf("%s amount is not below the width of %d bits",
		opWords[in.Op], e.s.Width(e.num(a[0]))))
	if in.Op == ir.OpShl && in.Flags.Has(ir.NSW) {
		over := e.any(a, b, func(x, y ilr.Term) ilr.Term { return e.s.Not(e.s.Eq(e.s.Ashr(e.s.Shl(x, y), y), x)) })
		e.claim(fr, st, in, verdict.SignedOverflow, over, false, "left shift loses bits of a signed value")
	}
}
