package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The check uninitialised: no decision, address or output depends on bits that
// were never written (outputs: ir.Shown). A value carries the mask of such bits (val.u); operations
// move it exactly where bits move and spread it over the result elsewhere.

// checkDecision claims that a branch does not depend on indeterminate bits.
func (e *encoder) checkDecision(fr *frame, st *memory.State, in *ir.Instr, v memory.Val) {
	e.checkDefined(fr, st, in, v, "condition")
}

// checkAddress claims the same of an address.
func (e *encoder) checkAddress(fr *frame, st *memory.State, in *ir.Instr, v memory.Val) {
	e.checkDefined(fr, st, in, v, "address")
}

// checkShown claims the same of the operands that the world outside sees.
func (e *encoder) checkShown(fr *frame, st *memory.State, in *ir.Instr, args []memory.Val) {
	for i := range ir.Shown(in) {
		e.checkDefined(fr, st, in, args[i], ir.ShownAs(in))
	}
}

// checkResult claims the same of the value that a return statement gives to code that is not known.
func (e *encoder) checkResult(fr *frame, st *memory.State, in *ir.Instr, v memory.Val) {
	if ir.Returned(in) != nil && !fr.fn.Driven() && (fr.up == nil || fr.up.fn.Driven()) {
		e.checkDefined(fr, st, in, v, "the result of "+fr.fn.CName)
	}
}

// checkDefined claims it of v, which is named what.
func (e *encoder) checkDefined(fr *frame, st *memory.State, in *ir.Instr, v memory.Val, what string) {
	if !e.Shadow || st.PC == nil {
		return
	}
	bad := e.s.False()
	if v.Undef != 0 {
		bad = e.s.Not(e.Eq(v.Undef, e.s.Int(e.s.Width(v.Undef), 0)))
	}
	e.claim(fr, st, in, verdict.Uninitialised, bad, false, what+" is not indeterminate")
}

// binaryShadow is the mask of an integer operation of width w.
func (e *encoder) binaryShadow(op ir.Op, a, b memory.Val, w int) ilr.Term {
	none := e.s.Int(w, 0)
	x, y := a.Undef, b.Undef
	if x == 0 {
		x = none
	}
	if y == 0 {
		y = none
	}
	num := func(v memory.Val) ilr.Term { return e.Num(v) }
	switch op {
	case ir.OpAnd: // a known 0 hides the other side
		return e.s.BvOr(e.s.BvOr(e.s.BvAnd(x, y), e.s.BvAnd(x, num(b))), e.s.BvAnd(y, num(a)))
	case ir.OpOr: // so does a known 1
		return e.s.BvOr(e.s.BvOr(e.s.BvAnd(x, y), e.s.BvAnd(x, e.s.BvNot(num(b)))), e.s.BvAnd(y, e.s.BvNot(num(a))))
	case ir.OpXor:
		return e.s.BvOr(x, y)
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return e.carried(e.s.BvOr(x, y))
	case ir.OpShl, ir.OpLshr, ir.OpAshr:
		return e.shiftedBy(b, e.binaryTerm(op, x, num(b)))
	}
	return e.spreadOver(w, a.Undef, b.Undef)
}

// carried is every bit from the lowest one of u upwards: how far a carry can spread.
func (e *encoder) carried(u ilr.Term) ilr.Term { return e.s.BvOr(u, e.s.Neg(u)) }

// shiftedBy is the mask moved of bits that are moved by b places: every bit if b is indeterminate.
func (e *encoder) shiftedBy(b memory.Val, moved ilr.Term) ilr.Term {
	if b.Undef == 0 {
		return moved
	}
	return e.s.Ite(e.s.NonZero(b.Undef), e.s.Int(e.s.Width(moved), -1), moved)
}

// spreadOver is all of w bits when any of the masks has a bit, else none.
func (e *encoder) spreadOver(w int, us ...ilr.Term) ilr.Term {
	some := e.s.False()
	for _, u := range us {
		if u != 0 {
			some = e.s.Or(some, e.s.NonZero(u))
		}
	}
	if e.s.IsFalse(some) {
		return 0
	}
	return e.s.Ite(some, e.s.Int(w, -1), e.s.Int(w, 0))
}

// compareShadow is the mask of a comparison. An equality is decided by a defined
// bit that differs.
func (e *encoder) compareShadow(pred ir.Pred, a, b memory.Val) ilr.Term {
	u := e.spreadOver(1, a.Undef, b.Undef)
	if u == 0 || pred != ir.EQ && pred != ir.NE || a.Ptr != nil || b.Ptr != nil {
		return u
	}
	x, y := e.Num(a), e.Num(b)
	known := e.s.BvNot(e.s.BvOr(e.orNone(a.Undef, e.s.Width(x)), e.orNone(b.Undef, e.s.Width(x))))
	decided := e.s.NonZero(e.s.BvAnd(e.s.BvXor(x, y), known))
	return e.Tidy(e.s.Ite(decided, e.s.Int(1, 0), u))
}

// convertShadow is the mask after a conversion to w bits.
func (e *encoder) convertShadow(op ir.Op, u ilr.Term, w int) ilr.Term {
	switch op {
	case ir.OpTrunc:
		return e.s.Trunc(u, w)
	case ir.OpZext:
		return e.s.Zext(u, w)
	case ir.OpSext:
		return e.s.Sext(u, w)
	case ir.OpBitcast:
		return u
	case ir.OpPtrToInt, ir.OpIntToPtr:
		if e.s.Width(u) == w {
			return u
		}
	}
	return e.spreadOver(w, u)
}
