package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// x87's format of 80 bits writes the leading bit of the significand down, which interchange formats of IEEE 754
// leave out: sign, 15 bits of exponent, leading bit, 63 bits behind it. Without that bit it is such a format, of
// 79 bits, in which everything is computed (Linux has the unit round to 64 bits of precision). Where an operand's
// leading bit is not what its exponent says, no result is given: the unit takes some of them for numbers, and
// others for invalid.

const (
	x87Width   int = 80
	x87Leading int = 63 // place of the leading bit
)

func isX87(t *ir.Type) bool { return t.Kind == ir.KindFloat && t.Width == x87Width }

// followed reports whether what is computed with t, or its lanes, is followed.
func followed(t *ir.Type) bool { return plainFloat(t) || isX87(t) }

// operand returns v, of type t, in an interchange format.
func (e *encoder) operand(st *memory.State, in *ir.Instr, v memory.Val, t *ir.Type) memory.Val {
	if !isX87(t) || st.PC == nil {
		return v
	}
	exp, leading := e.s.Extract(v.Term, x87Width-2, x87Leading+1), e.s.Extract(v.Term, x87Leading, x87Leading)
	odd := e.s.Not(e.s.Eq(leading, e.s.BoolToBV(e.s.NonZero(exp), 1)))
	e.gapWhen(st, in, e.Decide(st.PC, odd), "a long double that no operation of the x87 unit gives is computed with")
	v.Term = e.s.Concat(e.s.Extract(v.Term, x87Width-1, x87Leading+1), e.s.Extract(v.Term, x87Leading-1, 0))
	return v
}

// result returns v, computed in an interchange format, as one of type t.
func (e *encoder) result(v memory.Val, t *ir.Type) memory.Val {
	if !isX87(t) {
		return v
	}
	high := e.s.Extract(v.Term, x87Width-2, x87Leading) // sign and exponent
	leading := e.s.BoolToBV(e.s.NonZero(e.s.Trunc(high, x87Width-2-x87Leading)), 1)
	v.Term = e.s.Concat(e.s.Concat(high, leading), e.s.Extract(v.Term, x87Leading-1, 0))
	if v.Undef != 0 {
		v.Undef = e.spreadOver(x87Width, v.Undef)
	}
	return v
}

// interchange returns the sort of t's encodings, in an interchange format.
func (e *encoder) interchange(t *ir.Type) ilr.Sort {
	if isX87(t) {
		return ilr.BV(x87Width - 1)
	}
	return ilr.BV(e.BitsOf(t))
}
